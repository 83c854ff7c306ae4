// SPDX-License-Identifier: Apache-2.0
// An agent, which may be root, opens a ring only if no user other than the trainer's can have created it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "collectors/sources/client/recent_ring_file.h"
#include "tests/collectors/client/trainer_process.h"

namespace runglass::test {
namespace {

using testing::HasSubstr;

class RingAccess : public testing::Test {
 protected:
  // A trainer that ended and left its ring.
  void SetUp() override {
    std::filesystem::create_directory(folder);
    ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
    TrainerProcess([&] {
      rg_options options = RG_OPTIONS_INIT;
      options.run = "r", options.attempt = "a", options.dir = folder.c_str();
      if (rg_init(&options) != 0) _exit(3);
    }).wait();
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".ring") ring = entry.path();
    ASSERT_FALSE(ring.empty());
    ASSERT_TRUE(RingReader::open(ring).ok()) << "as the library leaves it";
  }
  void expectRefused(const char* why) const {
    const auto opened = RingReader::open(ring);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.status().code(), Code::kPermissionDenied);
    EXPECT_THAT(opened.status().message(), HasSubstr(why));
    EXPECT_THAT(opened.status().message(), HasSubstr(ring));
    EXPECT_EQ(RecentRing::open(ring).status().message(), opened.status().message()) << "the same rule for recent rings";
  }

  TempFolder dir;
  const std::string folder = dir.file("rings");
  std::string ring;
};

TEST_F(RingAccess, AFileOfAnotherOwnerThanItsFolderIsRefused) {
  if (::getuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(ring.c_str(), 65533, 65533), 0);
  expectRefused("it belongs to user 65533, its folder to user 0");
  ASSERT_EQ(::chown(folder.c_str(), 65533, 65533), 0);
  EXPECT_TRUE(RingReader::open(ring).ok()) << "root reads what one user made";
}

TEST_F(RingAccess, AnAgentThatIsNotRootReadsItsOwnUsersRingsAlone) {
  if (::getuid() != 0) GTEST_SKIP() << "only root can become another user";
  // Readable and writable for all, so that only the owner is wrong.
  for (const std::string& open : {dir.path(), folder}) ASSERT_EQ(::chmod(open.c_str(), 0777), 0);
  ASSERT_EQ(::chmod(ring.c_str(), 0666), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(65533) != 0) _exit(2);
    const auto opened = RingReader::open(ring);
    _exit(!opened.ok() && opened.status().message().find("not to this agent's") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(RingAccess, WhatGroupOrOthersMayWriteIsRefused) {
  for (const mode_t mode : {0620, 0602}) {
    ASSERT_EQ(::chmod(ring.c_str(), mode), 0);
    expectRefused("group or others may write it: chmod go-w");
  }
  ASSERT_EQ(::chmod(ring.c_str(), 0600), 0);
  for (const mode_t mode : {0770, 0707, 01777}) {
    ASSERT_EQ(::chmod(folder.c_str(), mode), 0);
    expectRefused("group or others may write its folder");
  }
  ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
  EXPECT_TRUE(RingReader::open(ring).ok()) << "all may look";
}

TEST_F(RingAccess, LinksAreRefused) {
  const std::string real = dir.file("real.ring");
  std::filesystem::rename(ring, real);
  std::filesystem::create_symlink(real, ring);
  expectRefused("");
  std::filesystem::remove(ring);
  std::filesystem::create_hard_link(real, ring);
  expectRefused("it has a second name");
}

TEST_F(RingAccess, AFolderThatWasSwappedForALinkIsRefusedAndNothingBehindItIsDeleted) {
  auto opened = RingReader::open(ring);
  ASSERT_TRUE(opened.ok());
  const std::string away = dir.file("away"), others = dir.file("others");
  const std::string name = std::filesystem::path(ring).filename();
  std::filesystem::rename(folder, away);
  std::filesystem::create_directory(others);
  std::filesystem::copy_file(away + "/" + name, others + "/" + name);
  std::filesystem::create_directory_symlink(others, folder);
  expectRefused("");
  (*opened)->remove();
  EXPECT_TRUE(std::filesystem::exists(others + "/" + name)) << "the folder that was opened counts, not its path";
  EXPECT_FALSE(std::filesystem::exists(away + "/" + name));
}

}  // namespace
}  // namespace runglass::test
