// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/recent_faults.h"

#include <gtest/gtest.h>

namespace runglass {
namespace {

TEST(RecentFaults, WhatTwoSeeWithinTwoSecondsIsOneFault) {
  RecentFaults book;
  EXPECT_TRUE(book.mayTell("kernel_log", "xid", "79", "GPU-1", 100 * kNsPerSecond));
  EXPECT_TRUE(book.mayTell("kernel_log", "xid", "79", "GPU-1", 101 * kNsPerSecond)) << "one teller may repeat itself";
  EXPECT_FALSE(book.mayTell("nvml", "xid", "79", "GPU-1", 102 * kNsPerSecond));
  EXPECT_FALSE(book.mayTell("nvml", "xid", "79", "GPU-1", 99 * kNsPerSecond)) << "clocks differ a little";
  EXPECT_TRUE(book.mayTell("nvml", "xid", "79", "GPU-2", 102 * kNsPerSecond));
  EXPECT_TRUE(book.mayTell("nvml", "xid", "48", "GPU-1", 102 * kNsPerSecond));
  EXPECT_TRUE(book.mayTell("nvml", "xid", "79", "GPU-1", 110 * kNsPerSecond)) << "another time";
}

TEST(RecentFaults, AFloodOfDifferentFaultsIsBounded) {
  RecentFaults book;
  for (std::size_t i = 0; i < 3 * RecentFaults::kMax; ++i) EXPECT_TRUE(book.mayTell("a", "k", std::to_string(i), "d", 0));
  EXPECT_FALSE(book.mayTell("b", "k", "0", "d", 0));
  EXPECT_TRUE(book.mayTell("b", "k", std::to_string(2 * RecentFaults::kMax), "d", 0)) << "not kept: told by both";
  EXPECT_TRUE(book.mayTell("a", "k", "new", "d", 100 * kNsPerSecond));
  EXPECT_FALSE(book.mayTell("b", "k", "new", "d", 100 * kNsPerSecond)) << "old ones make room";
}

}  // namespace
}  // namespace runglass
