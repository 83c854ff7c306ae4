// SPDX-License-Identifier: Apache-2.0
// Whether time without a CPU is caused by the host, or by a rank that has more work.
#include <gtest/gtest.h>

#include "analysis/step_diagnosis/peers.h"

namespace runglass {
namespace {

// Eight ranks that compute 30 ms (the last one `own_ms`), with CPU time and time without a CPU as reported by the host.
StepFrame crowded(float own_ms, float cpu_ms, float delay_ms) {
  StepFrame frame;
  frame.dur.assign(8, 100e6F);
  for (const StepColumn column : {StepColumn::kForward, StepColumn::kCpu, StepColumn::kRunDelay})
    frame.columns[static_cast<std::size_t>(column)].assign(8, column == StepColumn::kForward ? 30e6F : 20e6F);
  frame.columns[static_cast<std::size_t>(StepColumn::kForward)][7] = own_ms * 1e6F;
  frame.columns[static_cast<std::size_t>(StepColumn::kCpu)][7] = cpu_ms * 1e6F;
  frame.columns[static_cast<std::size_t>(StepColumn::kRunDelay)][7] = delay_ms * 1e6F;
  return frame;
}

TEST(LostToHost, OnACrowdedNodeWhoComputesMoreQueuesLongerAndItsWorkIsReportedAsItIs) {
  const auto frame = crowded(90, 60, 60);  // three times the work and CPU time: three times the queueing
  const auto lost = lostToHost(frame);
  for (const float one : lost) EXPECT_EQ(one, 0);
  EXPECT_EQ(workOf(frame, WorkKind::kCompute, lost)[7], 90e6F);
  EXPECT_EQ(workOf(frame, WorkKind::kHost, lost)[7], 0);
}

TEST(LostToHost, WhoQueuesLongerForTheSameWorkLostItToAnother) {
  const auto frame = crowded(90, 20, 80);
  const auto lost = lostToHost(frame);
  EXPECT_EQ(lost[7], 60e6F);
  EXPECT_EQ(workOf(frame, WorkKind::kCompute, lost)[7], 30e6F);
  EXPECT_EQ(workOf(frame, WorkKind::kHost, lost)[7], 60e6F);
}

TEST(LostToHost, WithoutCpuTimesAllOfTheQueueIsTheHosts) {
  auto frame = crowded(90, 20, 80);
  frame.columns[static_cast<std::size_t>(StepColumn::kCpu)].clear();
  EXPECT_EQ(lostToHost(frame)[7], 80e6F);
  EXPECT_EQ(lostToHost(frame)[0], 20e6F);
}

}  // namespace
}  // namespace runglass
