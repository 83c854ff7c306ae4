// SPDX-License-Identifier: Apache-2.0
// A hub's store after a power loss: with durability `power` every acknowledged batch is there once; with `kill` only a suffix of each
// stream is lost, and the next batch is reported as coming after a gap.
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/faults/points.h"
#include "tests/faults/store_faults.h"

namespace runglass {
namespace {

using test::FaultDisk;
using Crash = FaultDisk::Crash;

const std::vector<Crash> kPowerLosses = {Crash::kPowerLossOfAll, Crash::kPowerLossInOrder, Crash::kPowerLossAnyOrder};

TEST(StorePower, LosesNothingAcknowledgedWhereTheStoreIsPowerSafe) {
  test::crashPoints({.power_safe = true, .crashes = kPowerLosses, .may_lose = false}, test::pointsOf(20, 300));
}

TEST(StorePower, LosesASuffixOfEachStreamWhereItIsKillSafe) {
  test::crashPoints({.power_safe = false, .crashes = kPowerLosses, .may_lose = true}, test::pointsOf(20, 300));
}

// The journal is synced every 2 s, the store's -wal file with the first commit at least 2 s after its last sync.
TEST(StorePower, WhatItLosesWhereItIsKillSafeWasAcknowledgedInTheLastFiveSeconds) {
  test::crashPointsInTime({.power_safe = false, .crashes = kPowerLosses, .may_lose = true}, 5 * kNsPerSecond, test::pointsOf(5, 150));
}

TEST(StorePower, AnFsyncThatFailedIsNotForgotten) {
  test::failingSyncs({.power_safe = true, .crashes = {Crash::kPowerLossOfAll}, .may_lose = false}, test::pointsOf(5, 60));
}

}  // namespace
}  // namespace runglass
