// SPDX-License-Identifier: GPL-3.0-or-later
// The messages of a hub to systemd, received on a socket of the test.
#include "app/cli/service_notify.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>

#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

class ServiceNotifyTest : public CtlFixture {
 protected:
  void SetUp() override {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::ranges::copy(m_path, at.sun_path);
    ASSERT_EQ(bind(m_fd, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    setenv("NOTIFY_SOCKET", m_path.c_str(), 1);
    setenv("WATCHDOG_USEC", "200000", 1);
    unsetenv("WATCHDOG_PID");
  }
  void TearDown() override {
    unsetenv("NOTIFY_SOCKET"), unsetenv("WATCHDOG_USEC"), unsetenv("WATCHDOG_PID");
    close(m_fd);
  }
  // Empty: none arrived within `wait_ms`.
  std::string next(int wait_ms = 60'000) const {
    pollfd look{m_fd, POLLIN, 0};
    if (poll(&look, 1, wait_ms) != 1) return {};
    char text[256];
    const ssize_t size = recv(m_fd, text, sizeof text, 0);
    return {text, size > 0 ? static_cast<std::size_t>(size) : 0};
  }

  const std::string m_path = m_folder.file("notify");
  const int m_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

TEST_F(ServiceNotifyTest, AHubIsReadyAliveAndStopping) {
  const pid_t hub = start({"serve", "--store", m_folder.file("s.rgl"), "--listen", "127.0.0.1:0"});
  EXPECT_EQ(next(), "READY=1");
  (void)hubAddress(m_folder.file("stdout"));
  EXPECT_EQ(next(), "WATCHDOG=1");
  EXPECT_EQ(next(), "WATCHDOG=1");
  ::kill(hub, SIGTERM);
  std::string last = next();
  while (last == "WATCHDOG=1") last = next();
  EXPECT_EQ(last, "STOPPING=1");
  int status = 0;
  ::waitpid(hub, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(ServiceNotifyTest, NothingIsAliveThatMakesNoProgress) {
  ServiceNotify service;
  constexpr DurNs kHalf = 100 * kNsPerMs;
  service.alive(1, kHalf);
  EXPECT_EQ(next(), "WATCHDOG=1");
  service.alive(2, kHalf + 1);  // too early for the next one
  service.alive(1, 3 * kHalf);  // unchanged since the last one
  EXPECT_TRUE(service.send("STATUS=end"));
  EXPECT_EQ(next(), "STATUS=end");
  service.alive(3, 3 * kHalf);
  EXPECT_EQ(next(), "WATCHDOG=1");
}

TEST_F(ServiceNotifyTest, WithoutAWatchdogOrASocketNothingIsSent) {
  setenv("WATCHDOG_PID", "1", 1);
  ServiceNotify of_another;
  of_another.alive(1, kNsPerSecond);
  EXPECT_TRUE(of_another.send("READY=1"));
  EXPECT_EQ(next(), "READY=1");
  unsetenv("NOTIFY_SOCKET");
  EXPECT_FALSE(ServiceNotify().send("READY=1"));
}

}  // namespace
}  // namespace runglass
