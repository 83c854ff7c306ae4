// SPDX-License-Identifier: Apache-2.0
// An agent's spool, killed at any operation on its files: every batch that was appended and not released is there once and complete.
#include <gtest/gtest.h>

#include "tests/faults/points.h"
#include "tests/faults/spool_faults.h"

namespace runglass {
namespace {

TEST(SpoolFaults, AKillAtAnyPointLosesNothing) { test::spoolCrashPoints({test::FaultDisk::Crash::kKill}, test::pointsOf(10, 500)); }

}  // namespace
}  // namespace runglass
