// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. The bytes that a client sent to gRPC count until gRPC has closed its end, not until the client has disconnected.
// 2. A connection whose call was just admitted is never closed to make room, even while it is still in this loop.
// 3. The last descriptors of the process are reserved for the store: unauthenticated connections are closed before they are needed. The
//    kernel assigns the lowest free number, so that a high one shows that few are left.
#include "collectors/hub/server/stranger_loop.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace runglass {
namespace {

constexpr std::uint64_t kNetwork = 1, kOwn = 2;
// Accepted per turn, before other connections are served. Few, so that a connection is read before newer ones take its place.
constexpr int kAccepts = 16;
// Bytes that a legitimate client sends before its first call is answered, and the time for that; a client beyond these is closed first.
constexpr std::size_t kModest = 4U << 10;
constexpr DurNs kYoung = 2 * kNsPerSecond;

int scarceFrom(std::size_t descriptors) {
  rlimit limit{};
  if (descriptors == 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0) descriptors = std::min<std::size_t>(limit.rlim_cur, 1U << 30U);
  const std::size_t reserve = std::clamp<std::size_t>(descriptors / 8, 16, 64);
  return static_cast<int>(descriptors - std::min(reserve, descriptors));
}

bool mayGo(const RelayConnection& connection) { return connection.hasPeer() && !connection.peer()->admitted; }

}  // namespace

StrangerLoop::StrangerLoop(Relay& relay, RelayLoop& admitted, Listener& listener, std::unique_ptr<TlsServer> tls, Relay::Limits limits)
    : RelayLoop([&relay](const RelayConnection& connection) { relay.closed(connection); }),
      m_relay(relay),
      m_admitted(admitted),
      m_listener(listener),
      m_tls(std::move(tls)),
      m_limits(limits),
      m_scarce(scarceFrom(limits.descriptors)) {}

Status StrangerLoop::listen(Relay::Serve serve) {
  m_serve = std::move(serve);
  for (const auto& [way, id] : {std::pair(Listener::Way::kNetwork, kNetwork), {Listener::Way::kOwnSocket, kOwn}})
    if (m_listener.fd(way) >= 0 && !watch(m_listener.fd(way), id))
      return {Code::kUnavailable, std::string("epoll: ") + std::strerror(errno)};
  return {};
}

void StrangerLoop::stopListening() {
  post([this] {
    m_listening = false;
    m_listener.close();
    for (auto& [id, connection] : connections()) {
      if (connection->hasPair()) continue;
      connection->drop();
      again(id);
    }
  });
}

void StrangerLoop::announced(std::uint64_t id, DurNs now) {
  const Listener::Way way = id == kOwn ? Listener::Way::kOwnSocket : Listener::Way::kNetwork;
  for (int i = 0; i < kAccepts && m_listening; ++i) {
    Listener::Problem problem{};
    auto accepted = m_listener.accept(way, problem);
    if (problem == Listener::Problem::kNoDescriptor && !shed(nullptr)) m_listener.shed(way);
    if (!accepted) return;
    if (way == Listener::Way::kOwnSocket)
      m_serve(m_listener.fd(way), accepted->fd);
    else
      begin(std::move(*accepted), now);
  }
}

void StrangerLoop::begin(Listener::Accepted accepted, DurNs now) {
  const std::string address = addressOfPeer(accepted.peer);
  makeRoom(address);
  accepted.fd = lowered(accepted.fd, nullptr);
  if (accepted.fd < 0) return;
  auto peer = std::make_shared<RelayPeer>();
  peer->id = m_next_id++;
  peer->name = std::move(accepted.peer);
  peer->address = address;
  std::unique_ptr<TlsSession> tls = m_tls ? m_tls->session(accepted.fd, now) : nullptr;
  if (m_tls && !tls) {
    ::close(accepted.fd);
    return;
  }
  add(std::make_unique<RelayConnection>(std::move(peer), accepted.fd, std::move(tls), m_limits.guard, now));
}

void StrangerLoop::end(RelayConnection& connection) {
  connection.drop();
  again(connection.peer()->id);
}

// Makes room for a new connection from `address` by closing the oldest connection without an admitted call: of the same address if that is
// at its limit, else of the address with the largest number.
void StrangerLoop::makeRoom(const std::string& address) {
  if (connections().size() < std::min(m_limits.per_address, m_limits.total)) return;
  std::map<std::string_view, std::size_t> counts{{address, 0}};
  std::size_t all = 0;
  for (const auto& [id, connection] : connections()) {
    if (!mayGo(*connection)) continue;
    ++counts[connection->peer()->address];
    ++all;
  }
  std::string_view from = address;
  if (counts[address] < m_limits.per_address) {
    if (all < m_limits.total) return;
    const auto largest = std::ranges::max_element(counts, {}, &decltype(counts)::value_type::second);
    if (largest->second > counts[address]) from = largest->first;
  }
  // Of that address, connections without any data are closed first: a legitimate client sends at once, and then needs time for the
  // handshake and its call. If those with data exceed three quarters of the limit, the oldest of them.
  RelayConnection *silent = nullptr, *sent = nullptr;
  std::size_t with_bytes = 0;
  for (const auto& [id, connection] : connections()) {  // oldest first
    if (!mayGo(*connection) || connection->peer()->address != from) continue;
    with_bytes += connection->hasSent() ? 1 : 0;
    RelayConnection*& oldest = connection->hasSent() ? sent : silent;
    if (oldest == nullptr) oldest = connection.get();
  }
  const bool too_many = with_bytes > m_limits.per_address - m_limits.per_address / 4;
  if (RelayConnection* const gives_way = silent == nullptr || (sent != nullptr && too_many) ? sent : silent) end(*gives_way);
}

// Ends the oldest connection of the address with the largest number. False: there is none except `but`.
bool StrangerLoop::shed(const RelayConnection* but) {
  std::map<std::string_view, std::size_t> counts;
  for (const auto& [id, connection] : connections())
    if (mayGo(*connection) && connection.get() != but) ++counts[connection->peer()->address];
  if (counts.empty()) return false;
  const auto largest = std::ranges::max_element(counts, {}, &decltype(counts)::value_type::second);
  for (const auto& [id, connection] : connections()) {
    if (!mayGo(*connection) || connection.get() == but || connection->peer()->address != largest->first) continue;
    end(*connection);
    return true;
  }
  return false;
}

// Moves the file to a descriptor below the reserved ones; -1: no connection could be closed for that, and the file is closed.
int StrangerLoop::lowered(int fd, const RelayConnection* but) {
  while (fd >= m_scarce) {
    if (!shed(but)) {
      ::close(fd);
      return -1;
    }
    const int lower = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (lower < 0) continue;
    ::close(lower < fd ? fd : lower);
    fd = std::min(fd, lower);
  }
  return fd;
}

// Ends the connection that sent the largest number of bytes without an admitted call, if that is more than a legitimate one needs.
void StrangerLoop::makeBytes(const RelayConnection& wanting, DurNs now) {
  RelayConnection* largest = nullptr;
  for (const auto& [id, connection] : connections())
    if (mayGo(*connection) && (largest == nullptr || connection->guard().passed() > largest->guard().passed())) largest = connection.get();
  if (largest == nullptr || largest == &wanting) return;
  if (largest->guard().passed() < kModest && now - largest->began() < kYoung) return;
  m_relay.cutOff(*largest, "sent the largest number of bytes without an admitted call");
  end(*largest);
}

bool StrangerLoop::pair(RelayConnection& connection) {
  // gRPC has not yet ended disconnected ones.
  if (!m_listening || connections().size() > 2 * m_limits.total) return false;
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
    (void)shed(&connection);
    return false;
  }
  const auto refuse = [&] {
    for (const int one : ends)
      if (one >= 0) ::close(one);
    return false;
  };
  for (int& one : ends) one = lowered(one, &connection);
  if (ends[0] < 0 || ends[1] < 0) return refuse();
  const std::string name = m_relay.name(connection.peer()->id);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());  // an abstract name begins with a zero
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (bind(ends[0], reinterpret_cast<const sockaddr*>(&address), size) != 0) return refuse();
  m_relay.opened(connection.peer());
  connection.attach(ends[0]);
  m_serve(m_listener.fd(Listener::Way::kNetwork), ends[1]);
  return true;
}

void StrangerLoop::pumpCounted(RelayConnection& connection, DurNs now) {
  const std::size_t before = connection.guard().passed();
  (void)pump(connection, now, m_limits.bytes - std::min(m_bytes, m_limits.bytes));
  m_bytes += connection.guard().passed() - before;
}

void StrangerLoop::serve(RelayConnection& connection, DurNs now) {
  pumpCounted(connection, now);
  if (connection.needsPair()) {
    if (pair(connection))
      pumpCounted(connection, now);
    else
      m_retry = true;
  }
  if (connection.isBroken() && connection.hasPeer()) {
    m_relay.cutOff(connection, connection.guard().problem());
    connection.drop();
    return;
  }
  if (!connection.isHeld() || connection.peer()->admitted) return;
  if (connection.guard().shareUsed() && connection.guard().openCalls() == 0 && !connection.hasUnsent()) {
    m_relay.cutOff(connection, "sent 32 KiB without an admitted call");
    connection.drop();
  } else if (!connection.guard().shareUsed() && m_bytes + Http2Guard::kMaxHeaderBlock > m_limits.bytes) {
    m_retry = true;
    makeBytes(connection, now);
  }
}

void StrangerLoop::expire(RelayConnection& connection) {
  if (connection.isHeld()) m_relay.cutOff(connection, "sent too much without an admitted call");
  if (connection.needsPair()) m_relay.cutOff(connection, "found no room at the hub");
  connection.drop();
}

void StrangerLoop::leaves(const RelayConnection& connection) {
  m_bytes -= connection.guard().passed();
  m_freed = true;
}

void StrangerLoop::turn(DurNs, bool tick) {
  if (!m_retry || !(m_freed || tick)) return;
  m_retry = m_freed = false;
  for (const auto& [id, connection] : connections())
    if (connection->needsPair() || connection->isHeld()) again(id);
}

void StrangerLoop::promote(std::uint64_t id) {
  post([this, id] {
    std::unique_ptr<RelayConnection> connection = RelayLoop::take(id);
    if (!connection) return;
    connection->admit();
    // std::function must be copyable.
    auto handed = std::make_shared<std::unique_ptr<RelayConnection>>(std::move(connection));
    m_admitted.post([this, handed] { m_admitted.add(std::move(*handed)); });
  });
}

}  // namespace runglass
