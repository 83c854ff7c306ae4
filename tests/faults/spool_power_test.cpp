// SPDX-License-Identifier: Apache-2.0
// An agent's spool after a power loss and on a failing disk: every batch that was synced and not released is there.
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/faults/points.h"
#include "tests/faults/spool_faults.h"

namespace runglass {
namespace {

using Crash = test::FaultDisk::Crash;
using Failing = test::FaultDisk::Failing;

TEST(SpoolPower, APowerLossLosesNothingThatWasSynced) {
  test::spoolCrashPoints({Crash::kPowerLossOfAll, Crash::kPowerLossInOrder, Crash::kPowerLossAnyOrder}, test::pointsOf(8, 500));
}

TEST(SpoolPower, CallsThatFailLoseNothing) {
  for (const int error : {EIO, ENOSPC}) test::spoolFailures(error, Failing::kChanges, Crash::kKill, test::pointsOf(3, 300));
}

TEST(SpoolPower, AnFsyncThatFailedIsNotForgotten) {
  test::spoolFailures(EIO, Failing::kSyncs, Crash::kPowerLossOfAll, test::pointsOf(2, 300));
}

}  // namespace
}  // namespace runglass
