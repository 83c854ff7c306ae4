// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "tests/support/reserved_port.h"
#include "tests/support/seed.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass::test {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// 0 or errno.
int connectTo(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  const int error = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
  ::close(fd);
  return error;
}

TEST(ReservedPort, RefusesConnectionsAndTakesOneServerAfterAnother) {
  const ReservedPort reserved;
  EXPECT_EQ(connectTo(reserved.port()), ECONNREFUSED);
  const sockaddr_in address = loopback(reserved.port());
  for (int life = 0; life < 3; ++life) {
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ASSERT_EQ(::setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
    ASSERT_EQ(::bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << std::strerror(errno);
    ASSERT_EQ(::listen(server, 1), 0) << std::strerror(errno);
    EXPECT_EQ(connectTo(reserved.port()), 0);
    ::close(server);
    EXPECT_EQ(connectTo(reserved.port()), ECONNREFUSED);
  }
  const int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_NE(::bind(other, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << "without SO_REUSEADDR the port is taken";
  ::close(other);
}

TEST(Seed, IsReplayedFromTheEnvironment) {
  ASSERT_EQ(::setenv("RUNGLASS_SEED", "18446744073709551615", 1), 0);
  EXPECT_EQ(seed(), 18446744073709551615U);
  ::unsetenv("RUNGLASS_SEED");
  EXPECT_NE(seed(), seed());
}

TEST(TempFolder, IsDeletedWithItsContentAlsoWhenReadOnly) {
  std::string path;
  {
    const TempFolder folder;
    path = folder.path();
    std::filesystem::create_directory(folder.file("inner"));
    std::ofstream(folder.file("inner/file")) << "x";
    std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(WaitUntil, EndsAtItsDeadlineAndReportsIt) {
  int asked = 0;
  EXPECT_TRUE(waitUntil([&] { return ++asked == 3; }));
  EXPECT_EQ(asked, 3);
  const testing::AssertionResult failed = waitUntil([] { return false; }, std::chrono::milliseconds(20));
  EXPECT_FALSE(failed);
  EXPECT_THAT(failed.message(), testing::HasSubstr("not met within 0.02 s"));
}

}  // namespace
}  // namespace runglass::test
