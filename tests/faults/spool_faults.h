// SPDX-License-Identifier: Apache-2.0
// Crash points and failing calls over an agent's spool.
//
// Threading:  one thread.
// Errors:     a test failure for the first points that show one, with what replays them.
// Cost:       about 5 ms a point.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/faults/fault_disk.h"

namespace runglass::test {

void spoolCrashPoints(const std::vector<FaultDisk::Crash>& crashes, std::size_t points);
// Calls fail for a while; then everything works, is synced, and `crash` comes.
void spoolFailures(int error, FaultDisk::Failing what, FaultDisk::Crash crash, std::size_t points);

}  // namespace runglass::test
