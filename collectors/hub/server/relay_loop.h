// SPDX-License-Identifier: Apache-2.0
// RelayLoop: a thread that serves connections by epoll. One has those with an admitted call, another one the strangers, so that what
// strangers cost is never in the way of agents.
//
// Threading:  post() and stop() from any thread; the rest is the loop's.
// Ownership:  owns its connections.
// Units:      DurNs of the monotonic clock.
// Errors:     make(): UNAVAILABLE where there is no descriptor for it.
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
  using Closed = std::function<void(const RelayConnection&)>;  // whose connection is over, on the loop's thread

  virtual ~RelayLoop();
  Status open();
  void start();
  // Runs on the loop's thread, soon.
  void post(std::function<void()> action);
  // Ends once all connections have, or at `deadline`.
  void stop(DurNs deadline);

  // The loop's: takes a connection over, and has it served.
  void add(std::unique_ptr<RelayConnection> connection);

 protected:
  explicit RelayLoop(Closed closed) : m_closed(std::move(closed)) {}
  static constexpr std::uint64_t kFirstId = 16;  // of connections; below: what else is waited for
  using Connections = std::map<std::uint64_t, std::unique_ptr<RelayConnection>>;

  virtual void serve(RelayConnection& connection, DurNs now) = 0;
  virtual void announced(std::uint64_t, DurNs) {}                          // something below kFirstId
  virtual void leaves(const RelayConnection&) {}                           // taken out, or over
  virtual void turn(DurNs, bool /*tick*/) {}                               // after each round; a tick comes four times a second
  virtual void expire(RelayConnection& connection) { connection.drop(); }  // it is late
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
