// SPDX-License-Identifier: Apache-2.0
// The additional time of a stretch of steps compared with the steps around it.
#include "analysis/step_diagnosis/step_pace.h"

#include <gtest/gtest.h>

namespace runglass {
namespace {

// 10 ns per step, and `more` in [first, last].
StepPace paceOf(std::int64_t steps, StepStretch slow, double more) {
  StepPace pace;
  for (std::int64_t step = 1; step <= steps; ++step)
    pace.push(step, 10 + 0.1 * static_cast<double>(step % 3) + (step >= slow.first && step <= slow.last ? more : 0));
  return pace;
}

std::optional<StepPace::Loss> lossOf(const StepPace& pace, StepStretch of, std::span<const StepStretch> others) {
  return StepPace::meanOf(pace.lossAt(StepPace::Edge::kBegin, of, others), pace.lossAt(StepPace::Edge::kEnd, of, others));
}

TEST(StepPace, AStretchCostsWhatItsStepsWereLongerThanThoseBeforeAndAfter) {
  const auto loss = lossOf(paceOf(300, {121, 260}, 2), {121, 260}, {});
  ASSERT_TRUE(loss);
  EXPECT_NEAR(loss->excess(), 2, 0.02);
  EXPECT_NEAR(loss->during_ns, 12.1, 0.02);
  EXPECT_FALSE(loss->shared);
  const auto open = lossOf(paceOf(300, {121, 300}, 2), {.first = 121}, {});
  ASSERT_TRUE(open);
  EXPECT_NEAR(open->excess(), 2, 0.02);
}

TEST(StepPace, WhatWasSoFromTheStartHasNothingToBeComparedWith) {
  EXPECT_FALSE(lossOf(paceOf(300, {1, 300}, 2), {.first = 1}, {}));
  EXPECT_FALSE(lossOf(paceOf(300, {11, 300}, 2), {.first = 11}, {})) << "ten steps are too few";
  EXPECT_NEAR(paceOf(300, {1, 300}, 2).lengthOf({.first = 1}).value_or(0), 12.1, 0.02);
}

TEST(StepPace, OneOddStepMovesNothing) {
  StepPace pace = paceOf(200, {101, 200}, 1);
  pace.push(201, 10'000);
  const auto loss = lossOf(pace, {.first = 101}, {});
  ASSERT_TRUE(loss);
  EXPECT_NEAR(loss->excess(), 1, 0.05);
}

TEST(StepPace, StepsInWhichSomethingElseWasSlowAreLeftOut) {
  StepPace pace;
  for (std::int64_t step = 1; step <= 300; ++step) pace.push(step, 10 + (step > 150 ? 2 : 0) + (step > 90 && step <= 120 ? 5 : 0));
  const std::vector<StepStretch> others = {{91, 120}, {1, 300}};  // the second one covers all steps and makes no difference
  const auto loss = lossOf(pace, {.first = 151}, others);
  ASSERT_TRUE(loss);
  EXPECT_DOUBLE_EQ(loss->excess(), 2);
  EXPECT_FALSE(loss->shared);
}

TEST(StepPace, WhatTwoCauseTogetherIsNobodysAlone) {
  const std::vector<StepStretch> others = {{125, 258}};
  const auto loss = lossOf(paceOf(300, {121, 260}, 2), {121, 260}, others);
  ASSERT_TRUE(loss);
  EXPECT_TRUE(loss->shared);
  EXPECT_NEAR(loss->excess(), 2, 0.05);
}

TEST(StepPace, StepsOfAnotherRegimeAreNoBaseline) {
  StepPace pace;
  for (std::int64_t step = 1; step <= 200; ++step) {
    if (step == 101) pace.regimeChanged();
    pace.push(step, step <= 100 ? 10 : 20);
  }
  EXPECT_FALSE(lossOf(pace, {.first = 101}, {}));
}

}  // namespace
}  // namespace runglass
