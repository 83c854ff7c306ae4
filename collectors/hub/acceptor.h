// SPDX-License-Identifier: Apache-2.0
// Acceptor: our own accept loop. gRPC 1.51's never accepts again after one EMFILE, knows no connection limit and shares ports silently.
// It listens on an address, on a socket in the file system (mode 0600, and only its owner and root get in), or on both.
//
// Threading:  a thread of its own calls `handle`; authenticated() from any thread.
// Ownership:  owns the listening socket; `handle` takes each connection's descriptor.
// Units:      none.
// Errors:     listen(): INVALID_ARGUMENT an address that means nothing, UNAVAILABLE one that cannot be bound (names it and why).
// Cost:       one thread that sleeps in poll().
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "model/mutex.h"
#include "model/result.h"
#include "model/time.h"

namespace runglass {

class Acceptor {
 public:
  struct Limits {
    std::size_t per_address = 64;            // open connections that have not authenticated yet: a further one takes the oldest one's place
    std::size_t total = 512;                 // a further one takes the place of the address that has most of them
    DurNs forget_after = 40 * kNsPerSecond;  // by then gRPC has closed those that never spoke or stayed idle
  };
  enum class Way : std::uint8_t { kNetwork, kOwnSocket };
  // "HOST:PORT", "[::1]:PORT"; port 0 takes any free one. `socket`: a path. Either may be empty, not both.
  static Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const std::string& socket, Limits limits);
  ~Acceptor();

  // Only processes of this machine can connect.
  bool local() const { return m_local; }
  int port() const { return m_port; }                // 0: on no port
  std::string address() const { return m_address; }  // empty: on no port
  std::string socket() const { return m_socket; }    // empty: on no socket of the file system
  void start(std::function<void(Way way, int listener, int fd)> handle);
  // The peer ("ipv4:127.0.0.1:4711") has authenticated and no longer counts.
  void authenticated(const std::string& peer);
  void stop();

 private:
  Acceptor() = default;
  Status listenAt(const std::string& address);
  Status listenIn(const std::string& path);
  void run();
  void acceptOne(Way way);
  // Of a connection that was accepted and has neither authenticated nor ended.
  struct Waiting {
    std::string address;
    int fd = -1;  // a descriptor of our own: it sees the connection's end, whoever ends it
    DurNs since = 0;
  };
  using WaitingMap = std::map<std::string, Waiting>;  // by peer
  bool admit(const std::string& peer, int fd);
  void sweep(DurNs now) RG_REQUIRES(m_mutex);
  void makeRoom(const std::string& address) RG_REQUIRES(m_mutex);
  WaitingMap::iterator letGo(WaitingMap::iterator at, bool end) RG_REQUIRES(m_mutex);

  Limits m_limits;
  int m_network = -1, m_own = -1, m_wake = -1, m_spare = -1;
  int m_port = 0;
  bool m_local = true;
  std::string m_address, m_socket;
  std::function<void(Way, int, int)> m_handle;
  std::atomic<bool> m_stop = false;
  std::thread m_thread;
  Mutex m_mutex;
  WaitingMap m_waiting RG_GUARDED_BY(m_mutex);
};

// "ipv4:127.0.0.1:4711" -> "ipv4:127.0.0.1".
std::string addressOfPeer(const std::string& peer);
// The peer came by the socket in the file system.
bool isOwnSocket(const std::string& peer);

}  // namespace runglass
