// SPDX-License-Identifier: Apache-2.0
// FaultClock: CLOCK_MONOTONIC of the whole program while one exists: it goes on by advance() alone.
//
// Threading:  one at a time; advance() on one thread, read on any. Nothing may wait until a time of this clock.
// Units:      ns.
#pragma once

#include <optional>

#include "model/time.h"

namespace runglass::test {

class FaultClock {
 public:
  FaultClock();
  ~FaultClock();
  FaultClock(const FaultClock&) = delete;
  FaultClock& operator=(const FaultClock&) = delete;
  // Waits first until every other thread of the program waits for something: what they were given to do takes no time.
  void advance(DurNs by);
  // Absent: there is none.
  static std::optional<TimeNs> now();
};

}  // namespace runglass::test
