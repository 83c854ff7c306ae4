// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Nothing is read from a side before the data read from it earlier is written: at most one scratch and the kernel's buffers wait.
// 2. gRPC's end of the pair closes on its own: when the peer is gone the pair is only half closed, until gRPC has closed it too. So the
//    loop knows which connections gRPC still holds.
#include "collectors/hub/server/relay_connection.h"

#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace runglass {
namespace {

constexpr int kRounds = 8;  // scratches per side before other connections have their turn

// Releases capacity left by a burst.
void trim(std::string& text) {
  constexpr std::size_t kKept = 4U << 10;
  if (text.capacity() > kKept && text.size() <= kKept) text = std::string(text.data(), text.size());
}

bool wouldWait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

RelayConnection::RelayConnection(std::shared_ptr<RelayPeer> peer, int fd, std::unique_ptr<TlsSession> tls, Http2Guard::Limits limits,
                                 DurNs now)
    : m_peer(std::move(peer)), m_began(now), m_fd(fd), m_tls(std::move(tls)), m_guard(limits), m_shaken(m_tls == nullptr) {}

RelayConnection::~RelayConnection() {
  drop();
  closeInner();
}

void RelayConnection::drop() {
  if (m_fd < 0) return;
  if (m_tls && m_shaken) m_tls->close();
  m_tls.reset();
  ::close(m_fd);
  m_fd = -1;
  peer_known = false;
  m_peer_ended = true;
  m_up.clear(), m_down.clear();
  m_up_passed = 0;
  if (m_inner >= 0 && !m_up_closed) ::shutdown(m_inner, SHUT_WR);
  m_up_closed = true;
}

void RelayConnection::closeInner() {
  if (m_inner >= 0) ::close(m_inner);
  m_inner = -1;
  inner_known = false;
}

void RelayConnection::attach(int inner) {
  m_inner = inner;
  m_needs_pair = false;
}

bool RelayConnection::isLate(DurNs now) const {
  if (m_fd < 0) return false;
  if (m_inner < 0 && !m_inner_ended) return now - m_began > kGreetWithin;
  if (m_inner_ended) return now - m_ended_at > kLinger;
  return isHeld() && !m_peer->admitted && now - m_held_since > kHoldFor;
}

RelayConnection::Io RelayConnection::readPeer(std::span<char> into, std::size_t& got) {
  if (m_tls) {
    switch (m_tls->read(into, got)) {
      case TlsSession::Answer::kDone:
        return Io::kDone;
      case TlsSession::Answer::kWantWrite:
        m_needs_write = true;
        return Io::kWait;
      case TlsSession::Answer::kWantRead:
        return Io::kWait;
      default:
        return Io::kEnd;
    }
  }
  const ssize_t n = ::recv(m_fd, into.data(), into.size(), MSG_DONTWAIT);
  if (n < 0 && wouldWait()) return Io::kWait;
  got = n > 0 ? static_cast<std::size_t>(n) : 0;
  return n > 0 ? Io::kDone : Io::kEnd;
}

RelayConnection::Io RelayConnection::writePeer(std::string_view bytes, std::size_t& wrote) {
  wrote = 0;
  while (wrote < bytes.size()) {
    if (m_tls) {
      std::size_t some = 0;
      const TlsSession::Answer answer = m_tls->write(bytes.substr(wrote), some);
      if (answer == TlsSession::Answer::kEnd) return Io::kEnd;
      if (answer != TlsSession::Answer::kDone) return Io::kWait;
      wrote += some;
      continue;
    }
    const ssize_t n = ::send(m_fd, bytes.data() + wrote, bytes.size() - wrote, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0) return wouldWait() ? Io::kWait : Io::kEnd;
    wrote += static_cast<std::size_t>(n);
  }
  return Io::kDone;
}

// False: gRPC does not accept all of it now, or ever.
bool RelayConnection::sendUp(std::string_view bytes, std::size_t& wrote) {
  wrote = 0;
  while (wrote < bytes.size()) {
    const ssize_t n = ::send(m_inner, bytes.data() + wrote, bytes.size() - wrote, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && wouldWait()) return false;
    if (n < 0) {
      m_up_closed = true;  // gRPC has closed it: its remaining data is in the other direction
      return false;
    }
    wrote += static_cast<std::size_t>(n);
  }
  return true;
}

bool RelayConnection::shake() {
  if (m_shaken) return true;
  switch (m_tls->shake()) {
    case TlsSession::Answer::kDone:
      m_shaken = true;
      m_peer->certificate = m_tls->certificate();
      return true;
    case TlsSession::Answer::kWantWrite:
      m_needs_write = true;
      return false;
    case TlsSession::Answer::kWantRead:
      return false;
    default:
      drop();
      return false;
  }
}

bool RelayConnection::pump(DurNs now, std::span<char> scratch, std::size_t max_bytes) {
  m_needs_write = false;
  if (int waiting = 0; !m_has_sent && m_fd >= 0) m_has_sent = ::ioctl(m_fd, FIONREAD, &waiting) == 0 && waiting > 0;
  if (m_fd >= 0 && !shake()) return false;
  bool more = m_fd >= 0 && up(now, scratch, max_bytes);
  const std::size_t calls = m_guard.openCalls();
  if ((m_inner >= 0 || !m_down.empty()) && down(now, scratch)) more = true;
  // An ended call makes room for a held one.
  if (isHeld() && m_guard.openCalls() < calls) more = true;
  trim(m_up), trim(m_down);
  return more && !isOver();
}

// From peer to gRPC.
bool RelayConnection::up(DurNs now, std::span<char> scratch, std::size_t max_bytes) {
  for (int round = 0; round < kRounds && !m_up_closed; ++round) {
    std::size_t wrote = 0;
    if (m_up_passed > 0) {
      const bool all = sendUp(std::string_view(m_up).substr(0, m_up_passed), wrote);
      m_up.erase(0, wrote);
      m_up_passed -= wrote;
      if (!all) return false;
    }
    std::size_t size = m_up.size(), got = 0;
    const bool held = m_guard.verdict() == Http2Guard::Verdict::kHold;
    std::copy(m_up.begin(), m_up.end(), scratch.begin());
    Io io = Io::kDone;
    if (!held && !m_peer_ended && !m_needs_pair) {
      io = readPeer(scratch.subspan(size), got);
      if (io == Io::kEnd) m_peer_ended = true;
    }
    size += got;
    const std::string_view all(scratch.data(), size);
    if (m_inner < 0) {
      // A client that never speaks HTTP/2 costs one descriptor.
      const std::size_t known = std::min(size, Http2Guard::kPreface.size());
      if (m_peer_ended || all.substr(0, known) != Http2Guard::kPreface.substr(0, known))
        drop();
      else if (got > 0)
        m_up.assign(all);
      m_needs_pair = m_fd >= 0 && known == Http2Guard::kPreface.size();
      return false;
    }
    const std::size_t passed = m_guard.pass(all, max_bytes, now);
    max_bytes -= std::min(max_bytes, passed);
    if (isBroken()) return false;
    const bool holds = isHeld();
    if (holds && (!held || passed > 0)) m_held_since = now;
    const bool sent = sendUp(all.substr(0, passed), wrote);
    m_up.assign(all.substr(wrote));
    m_up_passed = passed - wrote;
    if (m_peer_ended && m_up_passed == 0 && !m_up_closed) {
      ::shutdown(m_inner, SHUT_WR);
      m_up_closed = true;
    }
    if (!sent || holds || m_peer_ended) return false;
    // TLS may have buffered bytes that epoll does not report.
    if (got == 0 && passed == 0) return held;
  }
  return true;
}

// From gRPC to peer.
bool RelayConnection::down(DurNs now, std::span<char> scratch) {
  for (int round = 0; round < kRounds; ++round) {
    std::size_t wrote = 0;
    if (!m_down.empty()) {
      const Io io = writePeer(m_down, wrote);
      m_down.erase(0, wrote);
      if (wrote > 0 && m_inner_ended) m_ended_at = now;
      if (io == Io::kEnd) drop();
      // An end that is not handled would be reported again and again.
      if (io == Io::kWait && !m_inner_hung_up) return false;
    }
    if (m_inner < 0) {
      if (m_down.empty()) drop();
      return false;
    }
    const ssize_t n = ::recv(m_inner, scratch.data(), scratch.size(), MSG_DONTWAIT);
    if (n < 0 && wouldWait()) return false;
    if (n <= 0) {
      closeInner();
      m_inner_ended = true;
      m_ended_at = now;
      if (m_down.empty()) drop();
      return false;
    }
    if (m_fd < 0) continue;
    const std::string_view bytes(scratch.data(), static_cast<std::size_t>(n));
    m_guard.answered(bytes);
    wrote = 0;
    if (m_down.empty() && writePeer(bytes, wrote) == Io::kEnd) {
      drop();
      continue;
    }
    m_down.append(bytes.substr(wrote));
  }
  return true;
}

std::uint32_t RelayConnection::peerEvents() const {
  std::uint32_t events = 0;
  if (!m_shaken) return m_needs_write ? EPOLLOUT : EPOLLIN;
  const bool reads = !m_peer_ended && !m_up_closed && m_up_passed == 0 && !isHeld() && !m_needs_pair;
  if (reads) events |= EPOLLIN;
  if (!m_down.empty() || m_needs_write) events |= EPOLLOUT;
  return events;
}

std::uint32_t RelayConnection::innerEvents() const {
  std::uint32_t events = 0;
  if (m_down.empty()) events |= EPOLLIN;
  if (m_up_passed > 0 && !m_up_closed) events |= EPOLLOUT;
  return events;
}

}  // namespace runglass
