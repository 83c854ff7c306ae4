// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/service_notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace runglass {
namespace {

std::string fromEnvironment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

ServiceNotify::ServiceNotify() : m_socket(fromEnvironment("NOTIFY_SOCKET")) {
  const std::string pid = fromEnvironment("WATCHDOG_PID");
  if (!pid.empty() && pid != std::to_string(getpid())) return;
  const long long us = std::strtoll(fromEnvironment("WATCHDOG_USEC").c_str(), nullptr, 10);
  constexpr long long kMaxUs = 1'000'000'000'000;
  m_every = std::clamp(us, 0LL, kMaxUs) * 1'000 / 2;
}

bool ServiceNotify::send(std::string_view state) const {
  sockaddr_un to{};
  if (m_socket.empty() || m_socket.size() >= sizeof to.sun_path) return false;
  to.sun_family = AF_UNIX;
  std::ranges::copy(m_socket, to.sun_path);
  if (m_socket[0] == '@') to.sun_path[0] = '\0';  // an abstract socket address
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + m_socket.size());
  const ssize_t sent = sendto(fd, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to), length);
  close(fd);
  return sent == static_cast<ssize_t>(state.size());
}

void ServiceNotify::alive(std::int64_t progress, DurNs now) {
  if (m_every == 0 || now - m_sent < m_every || m_progress == progress) return;
  if (!send("WATCHDOG=1")) return;
  m_sent = now;
  m_progress = progress;
}

}  // namespace runglass
