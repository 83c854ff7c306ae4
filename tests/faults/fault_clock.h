// SPDX-License-Identifier: Apache-2.0
// FaultClock: replaces CLOCK_MONOTONIC in the whole program while one exists; only advance() moves it.
//
// Threading:  one at a time; advance() on one thread, read on any. No thread may wait for a time of this clock.
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
  // First waits until every other thread of the program is blocked: their work takes no time on this clock.
  void advance(DurNs by);
  // Absent: no clock exists.
  static std::optional<TimeNs> now();
};

}  // namespace runglass::test
