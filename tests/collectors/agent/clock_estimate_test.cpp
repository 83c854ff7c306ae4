// SPDX-License-Identifier: Apache-2.0
#include "collectors/agent/clock_estimate.h"

#include <gtest/gtest.h>

#include <random>

namespace runglass {
namespace {

TEST(ClockEstimate, IsWithinItsOwnErrorBoundWhateverTheDelays) {
  std::minstd_rand random(1);
  for (const DurNs offset : {DurNs(0), 3600 * kNsPerSecond, -7 * kNsPerMs}) {
    ClockEstimate estimate;
    for (int i = 0; i < 200; ++i) {
      const TimeNs sent = 1'000'000'000'000 + i * kNsPerSecond;
      const DurNs there = 1000 + random() % 5'000'000, thinking = random() % 1'000'000, back = 1000 + random() % 5'000'000;
      estimate.add(sent, sent + offset + there, sent + offset + there + thinking, sent + there + thinking + back);
      ASSERT_TRUE(estimate.best());
      EXPECT_LE(std::abs(estimate.best()->offset - offset), estimate.best()->error + 1);
    }
  }
}

TEST(ClockEstimate, IgnoresAnswersThatCameBeforeTheQuestion) {
  ClockEstimate estimate;
  estimate.add(100, 50, 40, 200);
  estimate.add(100, 50, 60, 90);
  estimate.add(100, 0, 1000, 200);
  EXPECT_FALSE(estimate.best());
}

}  // namespace
}  // namespace runglass
