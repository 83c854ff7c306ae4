// SPDX-License-Identifier: Apache-2.0
// Sealer: the thread on which agents seal their records into batches, in turns; of one agent or shared by many.
//
// Threading:  thread-safe. Turns run one after the other on the Sealer's thread.
// Ownership:  borrows the seats; each leaves before the Sealer is destroyed.
// Units:      ns.
// Cost:       one thread; a pass over all seats whenever one of them is due. A slow turn delays the others; agents that share a Sealer
//             spool to the same disk anyway.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "model/mutex.h"
#include "model/time.h"

namespace runglass {

class Sealer {
 public:
  // One participant; it belongs to one Sealer.
  class Seat {
   public:
    // The turn: does the due work and returns the delay until the next one.
    explicit Seat(std::function<DurNs()> turn) : m_turn(std::move(turn)) {}

   private:
    friend class Sealer;
    std::function<DurNs()> m_turn;
    DurNs m_due = 0;  // monotonic; guarded by the Sealer's mutex
  };

  Sealer();
  ~Sealer();

  // Adds the seat; its first turn is at once.
  void join(Seat& seat);
  // Makes the seat's next turn due soon. Without effect on a seat that has not joined.
  void wake(Seat& seat);
  // Removes the seat. On return none of its turns is running.
  void leave(Seat& seat);

 private:
  void run();

  Mutex m_mutex;
  ConditionVariable m_wake, m_rested;
  std::vector<Seat*> m_seats RG_GUARDED_BY(m_mutex);
  Seat* m_busy RG_GUARDED_BY(m_mutex) = nullptr;
  DurNs m_next RG_GUARDED_BY(m_mutex) = 0;  // when the thread looks again unprompted
  bool m_stop RG_GUARDED_BY(m_mutex) = false;
  std::thread m_thread;
};

}  // namespace runglass
