// SPDX-License-Identifier: Apache-2.0
// A hub's store, crashed at any operation on its files, and written to a failing disk: every acknowledged batch is there once.
#include <gtest/gtest.h>

#include <cerrno>
#include <iostream>

#include "tests/faults/points.h"
#include "tests/faults/store_faults.h"

namespace runglass {
namespace {

using test::FaultDisk;

TEST(StoreFaults, AKillAtAnyPointLosesNothingAcknowledged) {
  test::crashPoints({.power_safe = false, .crashes = {FaultDisk::Crash::kKill}, .may_lose = false}, test::pointsOf(15, 200));
}

TEST(StoreFaults, AKillAtAnyPointOfAPowerSafeStoreLosesNothingAcknowledged) {
  test::crashPoints({.power_safe = true, .crashes = {FaultDisk::Crash::kKill}, .may_lose = false}, test::pointsOf(10, 100));
}

TEST(StoreFaults, CallsThatFailLoseNothingAcknowledged) {
  for (const int error : {EIO, ENOSPC}) test::failingCalls({.power_safe = false, .may_lose = false}, error, test::pointsOf(5, 40));
}

// Workloads in which an append to the journal failed halfway, its truncation failed as well, and a shorter append followed.
TEST(StoreFaults, WhatAFailedAppendLeavesHidesNoBatch) {
  for (const std::uint64_t seed : {178U, 456U}) test::failingCalls({.power_safe = false, .may_lose = false}, EIO, 1, seed);
}

}  // namespace
}  // namespace runglass
