// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/capture/nccl_ras.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace runglass {
namespace {

struct HostPort {
  std::string host, port;
};
HostPort hostPortOf(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return {address, "28028"};
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host == "localhost" ? "127.0.0.1" : host, address.substr(colon + 1)};
}

}  // namespace

NcclRas::~NcclRas() {
  if (m_fd >= 0) ::close(m_fd);
}

bool NcclRas::isLocal(const std::string& address) {
  const std::string host = hostPortOf(address).host;
  return host.starts_with("127.") || host == "::1";
}

Status NcclRas::begin() {
  const HostPort to = hostPortOf(m_address);
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;  // no name server, which could take long
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(to.host.c_str(), to.port.c_str(), &hints, &found) != 0)
    return {Code::kInvalidArgument, m_address + ": is no numeric address"};
  m_fd = ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int connected = m_fd < 0 ? -1 : ::connect(m_fd, found->ai_addr, found->ai_addrlen);
  const int error = errno;
  ::freeaddrinfo(found);
  if (connected == 0 || error == EINPROGRESS) return {};
  return {Code::kUnavailable, m_address + ": " + std::strerror(error)};
}

bool NcclRas::poll(CaptureLog& log, DurNs now) {
  const auto absent = [&](const std::string& why) {
    log.absent(m_owner, kind(), why);
    return true;
  };
  if (m_fd < 0) {
    m_until = now + kPatience;
    const Status begun = begin();
    return !begun.ok() && absent(begun.message());
  }
  pollfd ready{.fd = m_fd, .events = static_cast<short>(m_asked ? POLLIN : POLLOUT), .revents = 0};
  if (::poll(&ready, 1, 0) > 0 && !m_asked) {
    int error = 0;
    socklen_t size = sizeof(error);
    ::getsockopt(m_fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return absent(m_address + ": " + std::strerror(error));
    constexpr std::string_view kQuestion = "verbose status\n";
    if (::send(m_fd, kQuestion.data(), kQuestion.size(), MSG_NOSIGNAL) < 0) return absent(m_address + ": " + std::strerror(errno));
    m_asked = true;
    return false;
  }
  std::array<char, 16384> bytes{};
  for (ssize_t got = 1; m_asked && got > 0;) {
    got = ::recv(m_fd, bytes.data(), bytes.size(), 0);
    if (got > 0) m_text.append(bytes.data(), static_cast<std::size_t>(got));
    const bool over = got == 0 || m_text.size() > kMaxCaptureBytes || (got < 0 && errno != EAGAIN && errno != EINTR);
    if (!over) continue;
    giveUp(log);
    return true;
  }
  if (now < m_until) return false;
  giveUp(log);
  return true;
}

void NcclRas::giveUp(CaptureLog& log) {
  if (m_text.empty()) return log.absent(m_owner, kind(), m_address + ": does not answer");
  log.got(m_owner, kind(), m_address, std::move(m_text));
}

}  // namespace runglass
