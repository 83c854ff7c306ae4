// SPDX-License-Identifier: Apache-2.0
// StrangerLoop: accepts a hub's connections and serves those without an admitted call, within limits per connection, per address and in
// total. Internal to the relay.
//
// Threading:  its own thread; promote() and the rest of the public functions from any.
// Ownership:  borrows the relay, the loop of admitted connections and the listener.
// Units:      bytes.
// Errors:     a connection without a place is closed.
// Cost:       O(connections) an accept once an address has reached its limit.
#pragma once

#include "collectors/hub/server/relay.h"
#include "collectors/hub/server/relay_loop.h"

namespace runglass {

class StrangerLoop final : public RelayLoop {
 public:
  StrangerLoop(Relay& relay, RelayLoop& admitted, Listener& listener, std::unique_ptr<TlsServer> tls, Relay::Limits limits);
  // Before start().
  Status listen(Relay::Serve serve);
  void stopListening();
  // A call of this connection was admitted: moves it to the other loop.
  void promote(std::uint64_t id);

 private:
  void serve(RelayConnection& connection, DurNs now) override;
  void announced(std::uint64_t id, DurNs now) override;
  void leaves(const RelayConnection& connection) override;
  void turn(DurNs now, bool tick) override;
  void expire(RelayConnection& connection) override;
  void begin(Listener::Accepted accepted, DurNs now);
  bool pair(RelayConnection& connection);
  void pumpCounted(RelayConnection& connection, DurNs now);
  void makeRoom(const std::string& address);
  bool shed(const RelayConnection* but);
  int lowered(int fd, const RelayConnection* but);
  void makeBytes(const RelayConnection& wanting, DurNs now);
  void end(RelayConnection& connection);

  Relay& m_relay;
  RelayLoop& m_admitted;
  Listener& m_listener;
  const std::unique_ptr<TlsServer> m_tls;
  const Relay::Limits m_limits;
  Relay::Serve m_serve;
  int m_scarce = 0;  // descriptors of this number and above are reserved
  std::uint64_t m_next_id = kFirstId;
  std::size_t m_bytes = 0;  // sent to gRPC without an admitted call
  bool m_listening = true;
  bool m_retry = false;  // some connections wait for bytes or descriptors of others
  bool m_freed = false;  // some have become free since
};

}  // namespace runglass
