// SPDX-License-Identifier: Apache-2.0
// Crash points and failing calls on an agent's spool.
//
// Threading:  one thread.
// Errors:     a test failure for the first failing points, with the values to replay them.
// Cost:       about 5 ms per point.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/faults/fault_disk.h"

namespace runglass::test {

void spoolCrashPoints(const std::vector<FaultDisk::Crash>& crashes, std::size_t points);
// Calls fail for a while; then everything works and is synced, and `crash` happens.
void spoolFailures(int error, FaultDisk::Failing what, FaultDisk::Crash crash, std::size_t points);

}  // namespace runglass::test
