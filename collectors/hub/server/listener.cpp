// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. One descriptor is kept in reserve, so that a lack of descriptors closes one connection at a time instead of blocking the loop.
#include "collectors/hub/server/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "collectors/wire/hub_target.h"

namespace runglass {
namespace {

constexpr int kBacklog = 1024;

bool isLoopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) return (ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24) == 127;
  if (address->sa_family == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
  return false;
}

// As gRPC writes peers: an IPv4 client on an IPv6 socket gets an IPv4 name.
std::string peerName(const sockaddr_storage& address) {
  char host[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
      inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], host, sizeof host);
      return "ipv4:" + std::string(host) + ":" + std::to_string(ntohs(v6.sin6_port));
    }
    inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
    return "ipv6:[" + std::string(host) + "]:" + std::to_string(ntohs(v6.sin6_port));
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
  inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
  return "ipv4:" + std::string(host) + ":" + std::to_string(ntohs(v4.sin_port));
}

int portOf(const sockaddr_storage& address) {
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

// The mode of a socket excludes other users, but not on every system and not in every shared folder.
bool isOwnersOrRoots(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

}  // namespace

std::string addressOfPeer(const std::string& peer) { return peer.substr(0, peer.rfind(':')); }

Result<std::unique_ptr<Listener>> Listener::listen(const std::string& address, const std::string& socket) {
  std::unique_ptr<Listener> self(new Listener());
  if (address.empty() && socket.empty()) return Status(Code::kInvalidArgument, "listen: no address and no socket is given");
  if (!address.empty()) RG_TRY(self->listenAt(address));
  if (!socket.empty()) RG_TRY(self->listenIn(socket));
  self->m_spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return self;
}

Status Listener::listenAt(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0) return {Code::kInvalidArgument, "listen: " + address + ": neither HOST:PORT nor unix:PATH"};
  std::string host = address.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(resolvableHost(host).c_str(), address.substr(colon + 1).c_str(), &hints, &found); error != 0)
    return {Code::kInvalidArgument, "listen: " + address + ": " + gai_strerror(error)};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> info(found, freeaddrinfo);
  m_local = isLoopback(info->ai_addr);
  const auto failed = [&](const char* what) {
    return Status(Code::kUnavailable, std::string(what) + ": " + address + ": " + std::strerror(errno));
  };
  m_network = ::socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (m_network < 0) return failed("socket");
  const int on = 1;
  setsockopt(m_network, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // a restarted hub need not wait for TIME_WAIT; no port sharing
  if (bind(m_network, info->ai_addr, info->ai_addrlen) != 0 || ::listen(m_network, kBacklog) != 0) return failed("listen");
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (getsockname(m_network, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return failed("listen");
  m_port = portOf(bound);
  m_address = address.substr(0, colon) + ":" + std::to_string(m_port);
  return {};
}

Status Listener::listenIn(const std::string& path) {
  const auto failed = [&] { return Status(Code::kUnavailable, "listen: unix:" + path + ": " + std::strerror(errno)); };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return {Code::kInvalidArgument, "listen: unix:" + path + ": longer than " + std::to_string(sizeof address.sun_path - 1) + " bytes"};
  std::memcpy(address.sun_path, path.data(), path.size());
  struct stat info {};
  if (lstat(path.c_str(), &info) == 0) {
    if (!S_ISSOCK(info.st_mode)) return {Code::kAlreadyExists, "listen: unix:" + path + ": is there already and is no socket"};
    // The socket of a live hub, or one left behind by a killed hub.
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool answered = probe >= 0 && connect(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    if (probe >= 0) ::close(probe);
    if (answered) return {Code::kUnavailable, "listen: unix:" + path + ": another process listens there"};
    unlink(path.c_str());
  }
  m_own = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  // No client can connect before listen(), so chmod is in time.
  if (m_own < 0 || bind(m_own, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return failed();
  m_socket = path;
  if (chmod(path.c_str(), 0600) != 0 || ::listen(m_own, kBacklog) != 0) return failed();
  return {};
}

Listener::~Listener() {
  close();
  if (m_spare >= 0) ::close(m_spare);
}

void Listener::close() {
  if (m_own >= 0 && !m_socket.empty()) unlink(m_socket.c_str());
  for (int* listener : {&m_network, &m_own}) {
    if (*listener >= 0) ::close(*listener);  // frees the port at once
    *listener = -1;
  }
}

std::optional<Listener::Accepted> Listener::accept(Way way, Problem& problem) {
  problem = Problem::kNone;
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  const int fd = accept4(this->fd(way), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    if (errno == EMFILE || errno == ENFILE) problem = Problem::kNoDescriptor;
    return std::nullopt;
  }
  if (way == Way::kOwnSocket) {
    if (isOwnersOrRoots(fd)) return Accepted{.fd = fd, .peer = {}};
    ::close(fd);
    return std::nullopt;
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return Accepted{.fd = fd, .peer = peerName(peer)};
}

void Listener::shed(Way way) {
  if (m_spare >= 0) ::close(m_spare);
  if (const int shed = accept4(fd(way), nullptr, nullptr, SOCK_CLOEXEC); shed >= 0) ::close(shed);
  m_spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

}  // namespace runglass
