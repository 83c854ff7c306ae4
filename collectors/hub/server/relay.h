// SPDX-License-Identifier: Apache-2.0
// Relay: what stands between the network and gRPC. It owns the connections of a hub's port, terminates TLS, counts what strangers send, and
// closes connections that break the limits of http2_guard.h. gRPC sees each as a unix socket, whose name says which connection it is.
//
// Threading:  find() and admit() from any thread; two threads of its own.
// Ownership:  borrows the Listener. Stop listening before the server ends, and stop once it has.
// Units:      bytes, DurNs of the monotonic clock.
// Errors:     open(): UNAVAILABLE where there is no descriptor for it.
// Cost:       three descriptors a connection, one until it begins to speak HTTP/2; two threads.
#pragma once

#include <functional>
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
    std::size_t per_address = 64;    // connections without an admitted call: a further one takes the oldest one's place
    std::size_t total = 512;         // a further one replaces one of the address with the largest number
    std::size_t bytes = 512U << 10;  // that they sent to gRPC, all together
    std::size_t descriptors = 0;     // of the process; 0: its RLIMIT_NOFILE
  };
  // Connections that were closed for what they sent.
  struct Cut {
    std::int64_t count = 0;
    std::string newest;  // who, and why
  };
  using Serve = std::function<void(int listener, int fd)>;

  static Result<std::unique_ptr<Relay>> open(Listener& listener, std::unique_ptr<TlsServer> tls, Limits limits);
  ~Relay();
  // `serve` takes gRPC's end of each connection.
  Status start(Serve serve);
  // The connection that gRPC calls `name`; null: it is none of the port's, or has ended.
  std::shared_ptr<RelayPeer> find(const std::string& name) const;
  // A call of it was admitted.
  void admit(RelayPeer& peer);
  Cut cut() const;
  // Closes the listening sockets, and connections that gRPC does not know of yet.
  void stopListening();
  // After gRPC closed its ends: what it sent still goes out.
  void stop();

  // Of its loops.
  std::string name(std::uint64_t id) const;
  void opened(const std::shared_ptr<RelayPeer>& peer);
  void closed(const RelayConnection& connection);
  void cutOff(const RelayConnection& connection, const char* why);

 private:
  Relay();

  std::string m_prefix;  // of gRPC's names, of this hub only
  mutable Mutex m_mutex;
  std::map<std::uint64_t, std::shared_ptr<RelayPeer>> m_peers RG_GUARDED_BY(m_mutex);
  Cut m_cut RG_GUARDED_BY(m_mutex);
  std::unique_ptr<RelayLoop> m_admitted;
  std::unique_ptr<StrangerLoop> m_strangers;
};

// The peer came by the hub's socket in the file system.
bool isOwnSocket(const std::string& name);

}  // namespace runglass
