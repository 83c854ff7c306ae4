// SPDX-License-Identifier: Apache-2.0
// Crash points and failing calls on a store: runs the workload of a seed, then checks the state after each crash.
//
// Threading:  one thread.
// Errors:     a test failure for each seed with failing points, with the values to replay it.
// Cost:       about 10 ms per point.
#pragma once

#include <cstddef>
#include <vector>

#include "model/time.h"
#include "tests/faults/fault_disk.h"
#include "tests/faults/points.h"

namespace runglass::test {

struct StoreFaults {
  bool power_safe = false;
  std::vector<FaultDisk::Crash> crashes;
  bool may_lose = false;  // a suffix of each stream may be lost
};

void crashPoints(const StoreFaults& what, std::size_t points);
// The same for a workload over time: batches acknowledged more than `at_most` before the crash are not lost.
void crashPointsInTime(const StoreFaults& what, DurNs at_most, std::size_t points);
// Each point: a separate workload, in which calls fail from some operation on, once or for a while, and then work again. `first`: its seed.
void failingCalls(const StoreFaults& what, int error, std::size_t points, std::uint64_t first = firstSeed());
// The same with one fsync, and a power loss at the end.
void failingSyncs(const StoreFaults& what, std::size_t points);

}  // namespace runglass::test
