// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. One descriptor is kept in reserve, so that running out of them closes one connection at a time instead of blocking the loop.
// 2. m_waiting holds connections accepted and neither authenticated nor closed by either side; entries end at the latest after
// forget_after.
//    gRPC shuts a connection down before it closes it, so that our descriptor of it does not keep it open.
#include "collectors/hub/acceptor.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "collectors/proto/hub_target.h"

namespace runglass {
namespace {

constexpr int kBacklog = 1024;
constexpr int kSweepMs = 250;

bool isLoopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) return (ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24) == 127;
  if (address->sa_family == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
  return false;
}

// As gRPC names peers: one of IPv4 that comes to a socket of IPv6 is one of IPv4.
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

// The mode of a socket keeps others out, but not on every system and not in every shared folder.
bool isOwnersOrRoots(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

// gRPC percent-encodes peers ("ipv6:%5B::1%5D:4711"); only brackets occur.
std::string plainPeer(std::string peer) {
  for (const auto& [code, plain] : {std::pair<std::string_view, char>{"%5B", '['}, {"%5D", ']'}})
    if (const std::size_t at = peer.find(code); at != std::string::npos) peer.replace(at, code.size(), 1, plain);
  return peer;
}

}  // namespace

std::string addressOfPeer(const std::string& peer) {
  const std::string plain = plainPeer(peer);
  return plain.substr(0, plain.rfind(':'));
}

bool isOwnSocket(const std::string& peer) { return peer.starts_with("unix:"); }

Result<std::unique_ptr<Acceptor>> Acceptor::listen(const std::string& address, const std::string& socket, Limits limits) {
  std::unique_ptr<Acceptor> self(new Acceptor());
  self->m_limits = limits;
  if (address.empty() && socket.empty()) return Status(Code::kInvalidArgument, "listen: no address and no socket is given");
  if (!address.empty()) RG_TRY(self->listenAt(address));
  if (!socket.empty()) RG_TRY(self->listenIn(socket));
  self->m_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  self->m_spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (self->m_wake < 0) return Status(Code::kUnavailable, std::string("eventfd: ") + std::strerror(errno));
  return self;
}

Status Acceptor::listenAt(const std::string& address) {
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

Status Acceptor::listenIn(const std::string& path) {
  const auto failed = [&] { return Status(Code::kUnavailable, "listen: unix:" + path + ": " + std::strerror(errno)); };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return {Code::kInvalidArgument, "listen: unix:" + path + ": longer than " + std::to_string(sizeof address.sun_path - 1) + " bytes"};
  std::memcpy(address.sun_path, path.data(), path.size());
  struct stat info {};
  if (lstat(path.c_str(), &info) == 0) {
    if (!S_ISSOCK(info.st_mode)) return {Code::kAlreadyExists, "listen: unix:" + path + ": is there already and is no socket"};
    // Of a hub that lives, or left behind by one that was killed.
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool answered = probe >= 0 && connect(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    if (probe >= 0) close(probe);
    if (answered) return {Code::kUnavailable, "listen: unix:" + path + ": another process listens there"};
    unlink(path.c_str());
  }
  m_own = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  // Nobody can connect before listen(), so the mode is right by then.
  if (m_own < 0 || bind(m_own, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return failed();
  m_socket = path;
  if (chmod(path.c_str(), 0600) != 0 || ::listen(m_own, kBacklog) != 0) return failed();
  return {};
}

Acceptor::~Acceptor() {
  stop();
  for (const int fd : {m_wake, m_spare})
    if (fd >= 0) close(fd);
  const MutexLock lock(m_mutex);
  for (auto at = m_waiting.begin(); at != m_waiting.end();) at = letGo(at, false);
}

void Acceptor::start(std::function<void(Way, int, int)> handle) {
  m_handle = std::move(handle);
  m_thread = std::thread([this] { run(); });
}

void Acceptor::stop() {
  m_stop = true;
  const std::uint64_t one = 1;
  if (m_wake >= 0) (void)!write(m_wake, &one, sizeof one);
  if (m_thread.joinable()) m_thread.join();
  for (int* listener : {&m_network, &m_own}) {
    if (*listener >= 0) close(*listener);  // the port is free again at once
    *listener = -1;
  }
  if (!m_socket.empty()) unlink(m_socket.c_str());
  m_socket.clear();
}

void Acceptor::run() {
  while (!m_stop) {
    pollfd fds[3] = {{m_network, POLLIN, 0}, {m_own, POLLIN, 0}, {m_wake, POLLIN, 0}};  // a negative one is left out
    const int ready = poll(fds, 3, kSweepMs);
    if (m_stop) return;
    if (ready <= 0) {
      const MutexLock lock(m_mutex);
      sweep(monotonicNow());
      continue;
    }
    if ((fds[0].revents & POLLIN) != 0) acceptOne(Way::kNetwork);
    if ((fds[1].revents & POLLIN) != 0) acceptOne(Way::kOwnSocket);
  }
}

void Acceptor::acceptOne(Way way) {
  const int listener = way == Way::kNetwork ? m_network : m_own;
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  const int fd = accept4(listener, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    if (errno != EMFILE && errno != ENFILE) return;
    // Invariant 1: shed this one connection; the pause keeps a flood from spinning.
    if (m_spare >= 0) close(m_spare);
    if (const int shed = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC); shed >= 0) close(shed);
    m_spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    usleep(10'000);
    return;
  }
  if (way == Way::kOwnSocket ? !isOwnersOrRoots(fd) : !admit(peerName(peer), fd)) {
    close(fd);
    return;
  }
  const int on = 1;
  if (way == Way::kNetwork) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  m_handle(way, listener, fd);
}

bool Acceptor::admit(const std::string& peer, int fd) {
  const DurNs now = monotonicNow();
  const std::string address = addressOfPeer(peer);
  const MutexLock lock(m_mutex);
  sweep(now);
  makeRoom(address);
  const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return false;
  if (const auto before = m_waiting.find(peer); before != m_waiting.end()) letGo(before, false);
  m_waiting[peer] = {address, own, now};
  return true;
}

// Those that ended count no more.
void Acceptor::sweep(DurNs now) {
  std::vector<pollfd> fds;
  for (const auto& [peer, waiting] : m_waiting) fds.push_back({waiting.fd, POLLRDHUP, 0});
  if (fds.empty()) return;
  poll(fds.data(), fds.size(), 0);
  auto fd = fds.begin();
  for (auto at = m_waiting.begin(); at != m_waiting.end(); ++fd) {
    const bool ended = (fd->revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
    at = ended || now - at->second.since > m_limits.forget_after ? letGo(at, false) : std::next(at);
  }
}

// Whoever opens many connections and says nothing loses them to those who come: first its own address, then the one that has most.
void Acceptor::makeRoom(const std::string& address) {
  std::map<std::string, std::size_t> counts{{address, 0}};
  for (const auto& [peer, waiting] : m_waiting) ++counts[waiting.address];
  std::string from = address;
  if (counts[address] < m_limits.per_address) {
    if (m_waiting.size() < m_limits.total) return;
    const auto most = std::ranges::max_element(counts, {}, &decltype(counts)::value_type::second);
    if (most->second > counts[address]) from = most->first;
  }
  auto oldest = m_waiting.end();
  for (auto at = m_waiting.begin(); at != m_waiting.end(); ++at)
    if (at->second.address == from && (oldest == m_waiting.end() || at->second.since < oldest->second.since)) oldest = at;
  if (oldest != m_waiting.end()) letGo(oldest, true);
}

Acceptor::WaitingMap::iterator Acceptor::letGo(WaitingMap::iterator at, bool end) {
  if (end) ::shutdown(at->second.fd, SHUT_RDWR);
  ::close(at->second.fd);
  return m_waiting.erase(at);
}

void Acceptor::authenticated(const std::string& peer) {
  const MutexLock lock(m_mutex);
  if (const auto at = m_waiting.find(plainPeer(peer)); at != m_waiting.end()) letGo(at, false);
}

}  // namespace runglass
