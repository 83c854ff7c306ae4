// SPDX-License-Identifier: Apache-2.0
// RelayConnection: one connection of the network, between its socket (TLS or plain text) and gRPC's end of a socket pair. When one side
// does not accept data, reading from the other stops.
//
// Threading:  the thread of its loop.
// Ownership:  owns the peer's descriptor and the relay's end of the pair.
// Units:      bytes, DurNs of the monotonic clock.
// Errors:     a connection ends, with problem() if the guard ended it.
// Cost:       two copies of the data; idle a few hundred bytes, and OpenSSL's memory.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <span>
#include <string>

#include "collectors/hub/server/http2_guard.h"
#include "collectors/hub/server/tls_server.h"

namespace runglass {

// Identity of a connection: calls find it by gRPC's name for it.
struct RelayPeer {
  std::uint64_t id = 0;
  std::string name;         // "ipv4:10.0.0.7:4711"
  std::string address;      // "ipv4:10.0.0.7"
  std::string certificate;  // PEM that TLS has verified; empty: none. Set before gRPC gets the connection.
  std::atomic<bool> admitted = false;
};

class RelayConnection {
 public:
  static constexpr DurNs kGreetWithin = 5 * kNsPerSecond;  // for the handshake and the first bytes of HTTP/2
  static constexpr DurNs kHoldFor = 5 * kNsPerSecond;      // maximum time for which the guard's data is held
  static constexpr DurNs kLinger = 5 * kNsPerSecond;       // for a peer to receive the last data of gRPC

  RelayConnection(std::shared_ptr<RelayPeer> peer, int fd, std::unique_ptr<TlsSession> tls, Http2Guard::Limits limits, DurNs now);
  RelayConnection(const RelayConnection&) = delete;
  RelayConnection& operator=(const RelayConnection&) = delete;
  ~RelayConnection();

  const std::shared_ptr<RelayPeer>& peer() const { return m_peer; }
  const Http2Guard& guard() const { return m_guard; }
  DurNs began() const { return m_began; }
  // Does all work possible without waiting. `scratch` is the loop's; `max_bytes` as in Http2Guard::pass(). True: there is more to do.
  bool pump(DurNs now, std::span<char> scratch, std::size_t max_bytes);
  // The client speaks HTTP/2: the connection needs its pair.
  bool needsPair() const { return m_needs_pair; }
  void attach(int inner);
  void admit() { m_guard.admit(); }

  // The guard ended it.
  bool isBroken() const { return m_guard.verdict() == Http2Guard::Verdict::kBreak; }
  bool isHeld() const { return m_fd >= 0 && m_guard.verdict() == Http2Guard::Verdict::kHold; }
  bool isLate(DurNs now) const;
  // Closes the peer's socket; gRPC then ends its side.
  void drop();
  bool hasPeer() const { return m_fd >= 0; }
  // The peer has sent something: with TLS the first message of the handshake.
  bool hasSent() const { return m_has_sent; }
  bool hasPair() const { return m_inner >= 0; }
  bool hasUnsent() const { return !m_down.empty(); }
  bool isOver() const { return m_fd < 0 && m_inner < 0; }

  // For epoll: events to wait for, and events that occurred.
  int peerFd() const { return m_fd; }
  int innerFd() const { return m_inner; }
  std::uint32_t peerEvents() const;
  std::uint32_t innerEvents() const;
  void peerFailed() { drop(); }
  void innerHungUp() { m_inner_hung_up = true; }
  // Current epoll registration; managed by the loop.
  std::uint32_t peer_watched = 0, inner_watched = 0;
  bool peer_known = false, inner_known = false;

 private:
  bool shake();
  bool up(DurNs now, std::span<char> scratch, std::size_t max_bytes);
  bool down(DurNs now, std::span<char> scratch);
  enum class Io : std::uint8_t { kDone, kWait, kEnd };
  Io readPeer(std::span<char> into, std::size_t& got);
  Io writePeer(std::string_view bytes, std::size_t& wrote);
  bool sendUp(std::string_view bytes, std::size_t& wrote);
  void closeInner();

  const std::shared_ptr<RelayPeer> m_peer;
  const DurNs m_began;
  int m_fd, m_inner = -1;
  std::unique_ptr<TlsSession> m_tls;
  Http2Guard m_guard;
  std::string m_up, m_down;     // read and not yet written
  std::size_t m_up_passed = 0;  // bytes of m_up that passed the guard
  bool m_shaken;
  bool m_has_sent = false;
  bool m_needs_pair = false, m_needs_write = false;  // m_needs_write: TLS must write to continue a handshake or a read
  bool m_peer_ended = false, m_inner_ended = false, m_inner_hung_up = false, m_up_closed = false;
  DurNs m_held_since = 0, m_ended_at = 0;
};

}  // namespace runglass
