// SPDX-License-Identifier: Apache-2.0
// RelayLoop: a thread that serves connections by epoll. One loop has the connections with an admitted call, another the unauthenticated
// ones, so that the latter never slow down agents.
//
// Threading:  post() and stop() from any thread; the rest is the loop's.
// Ownership:  owns its connections.
// Units:      DurNs of the monotonic clock.
// Errors:     make(): UNAVAILABLE without a free descriptor.
// Cost:       a thread, two descriptors, a scratch of 64 KiB.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "collectors/hub/server/relay_connection.h"
#include "model/mutex.h"
#include "model/result.h"

namespace runglass {

class RelayLoop {
 public:
  using Closed = std::function<void(const RelayConnection&)>;  // on the loop's thread, when a connection has ended

  virtual ~RelayLoop();
  Status open();
  void start();
  // Runs on the loop's thread, soon.
  void post(std::function<void()> action);
  // Ends once all connections have, or at `deadline`.
  void stop(DurNs deadline);

  // Loop's thread only: takes over a connection and serves it.
  void add(std::unique_ptr<RelayConnection> connection);

 protected:
  explicit RelayLoop(Closed closed) : m_closed(std::move(closed)) {}
  static constexpr std::uint64_t kFirstId = 16;  // of connections; lower ids: other descriptors
  using Connections = std::map<std::uint64_t, std::unique_ptr<RelayConnection>>;

  virtual void serve(RelayConnection& connection, DurNs now) = 0;
  virtual void announced(std::uint64_t, DurNs) {}                          // an event with an id below kFirstId
  virtual void leaves(const RelayConnection&) {}                           // removed or ended
  virtual void turn(DurNs, bool /*tick*/) {}                               // after each round; four ticks a second
  virtual void expire(RelayConnection& connection) { connection.drop(); }  // its time limit has passed
  bool watch(int fd, std::uint64_t id);
  bool pump(RelayConnection& connection, DurNs now, std::size_t max_bytes);
  std::unique_ptr<RelayConnection> take(std::uint64_t id);
  Connections& connections() { return m_connections; }
  bool stopping() const { return m_stopping; }
  // Serves it again in the next round.
  void again(std::uint64_t id) { m_again.push_back(id); }

 private:
  bool hasPosted();
  void run();
  void round();
  void settle(std::uint64_t id);
  void interest(RelayConnection& connection);

  const Closed m_closed;
  int m_epoll = -1, m_wake = -1;
  Connections m_connections;
  std::vector<std::uint64_t> m_again;
  DurNs m_ticked = 0;
  std::vector<char> m_scratch;
  std::atomic<bool> m_stopping = false;
  std::atomic<DurNs> m_deadline = 0;
  std::thread m_thread;
  Mutex m_mutex;
  std::vector<std::function<void()>> m_posted RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
