// SPDX-License-Identifier: Apache-2.0
// A TCP proxy on 127.0.0.1 that lets so many bits through a second, each some time later, and breaks all connections when told.
//
// Threading:  one thread a connection and direction; calls from any.
// Ownership:  owns its sockets and threads.
// Units:      bytes; bytes per second.
// Errors:     aborts the test program where no port can be had.
// Cost:       as the traffic.
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
  // `rate` 0: as fast as it goes. `delay`: of each direction.
  SlowProxy(int target_port, std::int64_t rate, DurNs delay = 0);
  ~SlowProxy();

  std::string address() const;
  void cut();                                   // resets every connection
  std::int64_t down() const { return m_down; }  // bytes from the target to who connected
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
