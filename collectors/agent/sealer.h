// SPDX-License-Identifier: Apache-2.0
// Sealer: the thread that gives agents their turns to seal what was recorded into batches; one agent's own, or shared by many.
//
// Threading:  thread-safe. Turns are taken one after the other on the Sealer's thread.
// Ownership:  borrows the seats; each leaves before it ends.
// Units:      ns.
// Errors:     none.
// Cost:       one thread; a look at every seat whenever one of them is due. A turn that takes long holds up the others: they share a
//             Sealer where the disk they spool to is the same anyway.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "model/mutex.h"
#include "model/time.h"

namespace runglass {

class Sealer {
 public:
  // Whose turn it is. A seat is no other Sealer's.
  class Seat {
   public:
    // The turn: does what is due and says after how long the next one is.
    explicit Seat(std::function<DurNs()> turn) : m_turn(std::move(turn)) {}

   private:
    friend class Sealer;
    std::function<DurNs()> m_turn;
    DurNs m_due = 0;  // monotonic; guarded by the Sealer's mutex
  };

  Sealer();
  ~Sealer();

  // From now on the seat has turns, the first one at once.
  void join(Seat& seat);
  // Its next turn is soon. Of a seat that has not joined: nothing.
  void wake(Seat& seat);
  // It has no turn now and will have none.
  void leave(Seat& seat);

 private:
  void run();

  Mutex m_mutex;
  ConditionVariable m_wake, m_rested;
  std::vector<Seat*> m_seats RG_GUARDED_BY(m_mutex);
  Seat* m_busy RG_GUARDED_BY(m_mutex) = nullptr;
  DurNs m_next RG_GUARDED_BY(m_mutex) = 0;  // when the thread looks again by itself
  bool m_stop RG_GUARDED_BY(m_mutex) = false;
  std::thread m_thread;
};

}  // namespace runglass
