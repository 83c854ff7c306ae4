// SPDX-License-Identifier: Apache-2.0
// A TCP proxy on 127.0.0.1 with a limited rate and a delay, which breaks all connections on request.
//
// Threading:  one thread per connection and direction; calls from any.
// Ownership:  owns its sockets and threads.
// Units:      bytes; bytes per second.
// Errors:     aborts the test program if no port is available.
// Cost:       proportional to the traffic.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "model/time.h"

namespace runglass::test {

class SlowProxy {
 public:
  // `rate` 0: unlimited. `delay`: of each direction.
  SlowProxy(int target_port, std::int64_t rate, DurNs delay = 0);
  ~SlowProxy();

  std::string address() const;
  void cut();                                   // resets every connection
  std::int64_t down() const { return m_down; }  // bytes from the target to the client
  std::int64_t up() const { return m_up; }

 private:
  struct Pair {
    int client = -1, server = -1;
    std::thread up, down;
    std::atomic<int> open{2};
  };
  void accept();
  void pump(Pair& pair, bool down);

  const int m_target;
  const std::int64_t m_rate;
  const DurNs m_delay;
  int m_listener = -1, m_port = 0;
  std::atomic<bool> m_stop = false;
  std::atomic<std::int64_t> m_down = 0, m_up = 0;
  std::mutex m_mutex;
  std::list<Pair> m_pairs;
  std::thread m_thread;
};

}  // namespace runglass::test
