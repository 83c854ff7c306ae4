// SPDX-License-Identifier: Apache-2.0
// Relay: sits between the network and gRPC. It owns the connections of a hub's port, terminates TLS, limits the traffic of unauthenticated
// clients, and closes connections that exceed the limits of http2_guard.h. gRPC sees each one as a unix socket whose name identifies the
// connection.
//
// Threading:  find() and admit() from any thread; two threads.
// Ownership:  borrows the Listener. Stop listening before the server ends, and stop after it.
// Units:      bytes, DurNs of the monotonic clock.
// Errors:     open(): UNAVAILABLE without a free descriptor.
// Cost:       three descriptors a connection, one until it speaks HTTP/2; two threads.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "collectors/hub/server/listener.h"
#include "collectors/hub/server/relay_connection.h"
#include "model/mutex.h"

namespace runglass {

class StrangerLoop;
class RelayLoop;

class Relay {
 public:
  struct Limits {
    std::size_t per_address = 64;    // connections without an admitted call: a further one replaces the oldest one
    std::size_t total = 512;         // a further one replaces one of the address with the largest number
    std::size_t bytes = 512U << 10;  // sent to gRPC by all of them together
    std::size_t descriptors = 0;     // of the process; 0: its RLIMIT_NOFILE
    // Connections with an admitted call.
    std::size_t admitted = std::numeric_limits<std::size_t>::max(), admitted_per_address = std::numeric_limits<std::size_t>::max();
    Http2Guard::Limits guard = {};
  };
  // Connections closed because of their traffic.
  struct Cut {
    std::int64_t count = 0;
    std::string newest;  // address and cause of the last one
  };
  using Serve = std::function<void(int listener, int fd)>;

  static Result<std::unique_ptr<Relay>> open(Listener& listener, std::unique_ptr<TlsServer> tls, Limits limits);
  ~Relay();
  // `serve` takes gRPC's end of each connection.
  Status start(Serve serve);
  // The connection with gRPC's `name`; null: not from the port, or ended.
  std::shared_ptr<RelayPeer> find(const std::string& name) const;
  // A call of this connection may be admitted; false: its address or all have their number of such connections.
  bool admit(RelayPeer& peer);
  Cut cut() const;
  // Closes the listening sockets, and connections that gRPC has not received yet.
  void stopListening();
  // After gRPC has closed its ends: its remaining data is still sent.
  void stop();

  // Called by its loops.
  std::string name(std::uint64_t id) const;
  void opened(const std::shared_ptr<RelayPeer>& peer);
  void closed(const RelayConnection& connection);
  void cutOff(const RelayConnection& connection, const char* why);

 private:
  explicit Relay(const Limits& limits);

  const Limits m_limits;
  std::string m_prefix;  // of gRPC's names, unique to this hub
  mutable Mutex m_mutex;
  std::map<std::uint64_t, std::shared_ptr<RelayPeer>> m_peers RG_GUARDED_BY(m_mutex);
  Cut m_cut RG_GUARDED_BY(m_mutex);
  std::unique_ptr<RelayLoop> m_admitted;
  std::unique_ptr<StrangerLoop> m_strangers;
};

// Whether the peer came through the hub's socket in the file system.
bool isOwnSocket(const std::string& name);

}  // namespace runglass
