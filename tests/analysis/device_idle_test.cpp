// SPDX-License-Identifier: Apache-2.0
// Device gaps with known reasons, built by hand; and the meaning of host span names.
#include "analysis/gpu_idle/device_idle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace runglass {
namespace {

constexpr DurNs kUs = kNsPerUs;

// Launches take 5 us and their work begins 7 us after they began.
DeviceSpan kernel(TimeNs t0, DurNs dur, TimeNs launched) { return {.t0 = t0, .t1 = t0 + dur, .launched = launched}; }

StepIdle one(const std::vector<DeviceSpan>& device, const std::vector<HostSpan>& host, TimeRange step) {
  return deviceIdle(device, host, {&step, 1}).steps.front();
}

DurNs sumOf(const StepIdle& step) {
  DurNs sum = 0;
  for (const CauseTally& cause : step.causes) sum += cause.ns;
  return sum;
}

TEST(DeviceIdleTest, WaitingForTheDataLoaderIsDataUntilItReturnsAndTheHostsUntilTheLaunch) {
  const StepIdle step =
      one({kernel(0, 100 * kUs, -50 * kUs), kernel(900 * kUs, 100 * kUs, 890 * kUs)},
          {{100 * kUs, 800 * kUs, HostActivity::kDataload}, {890 * kUs, 895 * kUs, HostActivity::kWork}}, {0, 1000 * kUs});
  EXPECT_EQ(step.compute, 200 * kUs);
  EXPECT_EQ(step.idle(), 800 * kUs);
  EXPECT_EQ(step[IdleCause::kData].ns, 700 * kUs);
  EXPECT_EQ(step[IdleCause::kHostBound].ns, 90 * kUs);
  EXPECT_EQ(step[IdleCause::kLaunch].ns, 10 * kUs);
  EXPECT_EQ(sumOf(step), step.idle());
  EXPECT_EQ(step[IdleCause::kData].longest, (TimeRange{100 * kUs, 800 * kUs}));
}

TEST(DeviceIdleTest, WorkThatWasIssuedBeforeTheGapWaitedInItsQueueWhateverTheHostDoes) {
  const StepIdle step = one({kernel(0, 100 * kUs, -10 * kUs), kernel(150 * kUs, 50 * kUs, 20 * kUs)},
                            {{0, 1000 * kUs, HostActivity::kDataload}}, {0, 200 * kUs});
  EXPECT_EQ(step[IdleCause::kQueued].ns, 50 * kUs);
  EXPECT_EQ(step[IdleCause::kData].ns, 0);
}

TEST(DeviceIdleTest, ASynchronisationThatLetsTheQueueRunDryHasTheTimeThatIssuingAnewTakes) {
  const StepIdle step = one({kernel(0, 100 * kUs, -10 * kUs), kernel(500 * kUs, 100 * kUs, 490 * kUs)},
                            {{50 * kUs, 110 * kUs, HostActivity::kSync}, {110 * kUs, 490 * kUs, HostActivity::kWork}}, {0, 600 * kUs});
  EXPECT_EQ(step[IdleCause::kSync].ns, 10 * kUs + kSyncShadow);
  EXPECT_EQ(step[IdleCause::kHostBound].ns, 180 * kUs) << "what comes long after it is not its own";
  EXPECT_EQ(step[IdleCause::kLaunch].ns, 10 * kUs);
}

TEST(DeviceIdleTest, ShortKernelsThatAreDoneBeforeTheNextIsIssuedAreTheCause) {
  std::vector<DeviceSpan> device;
  for (int i = 0; i < 100; ++i) device.push_back(kernel(i * 30 * kUs, 5 * kUs, i * 30 * kUs - 7 * kUs));
  const TimeRange range{0, 3000 * kUs};
  const DeviceIdle idle = deviceIdle(device, {}, {&range, 1});
  const StepIdle& step = idle.steps.front();
  EXPECT_EQ(step.compute, 500 * kUs);
  EXPECT_EQ(step[IdleCause::kSmallKernels].ns, 99 * 18 * kUs);
  EXPECT_EQ(step[IdleCause::kLaunch].ns, 99 * 7 * kUs);
  EXPECT_EQ(step[IdleCause::kUnexplained].ns, 25 * kUs) << "nothing ends the last gap, and nothing was recorded in it";
  EXPECT_EQ(idle.short_kernels, 100u);
  EXPECT_EQ(idle.starved, 100u);
  EXPECT_EQ(idle.median_delay, 7 * kUs);
}

TEST(DeviceIdleTest, LongKernelsFarApartAreHostBoundNotSmall) {
  const StepIdle step = one({kernel(0, 5 * kUs, -10 * kUs), kernel(500 * kUs, 5 * kUs, 493 * kUs), kernel(600 * kUs, 200 * kUs, 593 * kUs),
                             kernel(850 * kUs, 5 * kUs, 843 * kUs)},
                            {}, {0, 855 * kUs});
  EXPECT_EQ(step[IdleCause::kHostBound].ns, 488 * kUs + 43 * kUs) << "a long way after a short one, a short way after a long one";
  EXPECT_EQ(step[IdleCause::kSmallKernels].ns, 88 * kUs);
}

TEST(DeviceIdleTest, EveryActivityOfTheHostHasItsOwnCauseInADocumentedOrder) {
  const std::pair<HostActivity, IdleCause> kOrder[] = {{HostActivity::kCheckpoint, IdleCause::kCheckpoint},
                                                       {HostActivity::kDataload, IdleCause::kData},
                                                       {HostActivity::kGc, IdleCause::kGc},
                                                       {HostActivity::kLogging, IdleCause::kLogging},
                                                       {HostActivity::kSync, IdleCause::kSync},
                                                       {HostActivity::kAllocation, IdleCause::kAllocation},
                                                       {HostActivity::kCopyCall, IdleCause::kCopyCall}};
  for (std::size_t i = 0; i < std::size(kOrder); ++i) {
    std::vector<HostSpan> host;
    for (std::size_t k = i; k < std::size(kOrder); ++k) host.push_back({0, 10'000 * kUs, kOrder[k].first});
    const StepIdle step = one({kernel(0, kUs, -kUs), kernel(10'000 * kUs, kUs, 9'999 * kUs)}, host, {0, 10'001 * kUs});
    EXPECT_EQ(step[kOrder[i].second].ns, 9'998 * kUs) << idleCauseName(kOrder[i].second);
    EXPECT_EQ(sumOf(step), step.idle());
  }
}

TEST(DeviceIdleTest, ACopyOnItsWayIsItsCallsAndNotALaunch) {
  DeviceSpan copy = kernel(500 * kUs, 10 * kUs, 100 * kUs);
  copy.category = SpanCategory::kMemcpy;
  const StepIdle step = one({kernel(0, 100 * kUs, -kUs), copy}, {{100 * kUs, 510 * kUs, HostActivity::kCopyCall}}, {0, 510 * kUs});
  EXPECT_EQ(step[IdleCause::kCopyCall].ns, 400 * kUs);
  EXPECT_EQ(step.copy, 10 * kUs);
}

TEST(DeviceIdleTest, WithoutLaunchCallsOnlyWhatTheHostDidIsKnown) {
  const StepIdle step = one({{.t0 = 0, .t1 = 100}, {.t0 = 300, .t1 = 400}}, {{150, 250, HostActivity::kWork}}, {0, 400});
  EXPECT_EQ(step[IdleCause::kHostBound].ns, 100);
  EXPECT_EQ(step[IdleCause::kUnexplained].ns, 100);
  EXPECT_EQ(step[IdleCause::kLaunch].ns, 0);
}

TEST(DeviceIdleTest, CommunicationBesideComputationIsOverlappedAndAloneExposed) {
  const StepIdle step = one({{.t0 = 0, .t1 = 60},
                             {.t0 = 40, .t1 = 90, .category = SpanCategory::kComm},
                             {.t0 = 80, .t1 = 95, .category = SpanCategory::kMemcpy},
                             {.t0 = 10, .t1 = 20, .category = SpanCategory::kMemset}},
                            {}, {0, 100});
  EXPECT_EQ(step.compute, 60);
  EXPECT_EQ(step.comm, 30);
  EXPECT_EQ(step.copy, 5);
  EXPECT_EQ(step.overlapped_comm, 20);
  EXPECT_EQ(step.idle(), 5);
}

TEST(DeviceIdleTest, ADeviceThatDidNothingAtAllIsIdleForTheWholeStep) {
  const StepIdle step = one({}, {{0, 40, HostActivity::kGc}}, {0, 100});
  EXPECT_EQ(step.idle(), 100);
  EXPECT_EQ(step[IdleCause::kGc].ns, 40);
  EXPECT_EQ(step[IdleCause::kUnexplained].ns, 60);
}

TEST(DeviceIdleTest, StandsHostileTimes) {
  constexpr TimeNs kMin = std::numeric_limits<TimeNs>::min(), kMax = std::numeric_limits<TimeNs>::max();
  const std::vector<DeviceSpan> device = {{.t0 = kMin, .t1 = kMin},
                                          {.t0 = 10, .t1 = 5},
                                          {.t0 = kMin + 1, .t1 = 20, .launched = kMin + 1},
                                          {.t0 = 50, .t1 = kMax, .launched = kMax},
                                          {.t0 = 30, .t1 = 40, .launched = kMax - 1}};
  const std::vector<HostSpan> host = {
      {kMin, kMax, HostActivity::kSync}, {kMax, kMin, HostActivity::kGc}, {25, kMax, HostActivity::kDataload}};
  const std::vector<TimeRange> steps = {{0, 100}, {100, 0}, {kMin, kMax}, {50, 200}, {20, 20}, {kMax - 10, kMax}};
  const DeviceIdle idle = deviceIdle(device, host, steps);
  ASSERT_EQ(idle.steps.size(), steps.size());
  EXPECT_EQ(idle.steps[0].window, 100);
  EXPECT_EQ(idle.steps[0].compute, 20 + 10 + 50);
  EXPECT_EQ(idle.steps[2].window, 0) << "longer than any step";
  EXPECT_EQ(idle.steps[3].window, 100) << "what overlaps is the earlier step's";
  EXPECT_TRUE(deviceIdle({}, {}, {}).steps.empty());
}

// Compares causes and work with a count of every nanosecond.
TEST(DeviceIdleTest, AgreesWithCountingEveryNanosecond) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 300; ++round) {
    std::vector<DeviceSpan> device;
    for (int i = 0; i < 12; ++i) {
      const auto t0 = static_cast<TimeNs>(random() % 300) - 50;
      device.push_back({t0, t0 + static_cast<DurNs>(random() % 20), static_cast<SpanCategory>(random() % 4),
                        random() % 3 == 0 ? kAbsent : t0 - static_cast<DurNs>(random() % 40), 0});
    }
    std::vector<HostSpan> host;
    for (int i = 0; i < 6; ++i) {
      const auto t0 = static_cast<TimeNs>(random() % 250);
      // Without synchronisations: their effect lasts longer than the whole timeline.
      const HostActivity kinds[] = {HostActivity::kDataload, HostActivity::kGc, HostActivity::kAllocation, HostActivity::kWork};
      host.push_back({t0, t0 + static_cast<DurNs>(random() % 50), kinds[random() % 4]});
    }
    const std::vector<TimeRange> steps = {{100, 200}, {0, 100}};
    const DeviceIdle idle = deviceIdle(device, host, steps);
    for (std::size_t s = 0; s < 2; ++s) {
      DurNs work[3] = {}, both = 0, none = 0;
      for (TimeNs t = steps[s].t0; t < steps[s].t1; ++t) {
        bool open[4] = {};
        for (const DeviceSpan& span : device)
          if (span.t0 <= t && t < span.t1) open[static_cast<std::size_t>(span.category)] = true;
        if (open[0])
          ++work[0], both += open[1];
        else if (open[1])
          ++work[1];
        else if (open[2] || open[3])
          ++work[2];
        else
          ++none;
      }
      const StepIdle& step = idle.steps[s];
      ASSERT_EQ(step.compute, work[0]);
      ASSERT_EQ(step.comm, work[1]);
      ASSERT_EQ(step.copy, work[2]);
      ASSERT_EQ(step.overlapped_comm, both);
      ASSERT_EQ(step.idle(), none);
      ASSERT_EQ(sumOf(step), none);
    }
  }
}

TEST(HostActivityTest, NamesOfProfilersSayWhatTheHostDid) {
  const auto of = [](SpanCategory category, const char* name) { return hostActivity(category, name); };
  using enum HostActivity;
  EXPECT_EQ(of(SpanCategory::kCpuOp, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"), kDataload);
  EXPECT_EQ(of(SpanCategory::kAnnotation, "## data_load ##"), kDataload);
  EXPECT_EQ(of(SpanCategory::kOther, "torch/utils/data/dataloader.py(701): __next__"), kDataload);
  EXPECT_EQ(of(SpanCategory::kRuntime, "cudaStreamSynchronize_v3020"), kSync);
  EXPECT_EQ(of(SpanCategory::kRuntime, "hipDeviceSynchronize"), kSync);
  EXPECT_EQ(of(SpanCategory::kRuntime, "cudaMalloc"), kAllocation);
  EXPECT_EQ(of(SpanCategory::kRuntime, "hipFree"), kAllocation);
  EXPECT_EQ(of(SpanCategory::kRuntime, "cudaMemcpyAsync"), kCopyCall);
  EXPECT_EQ(of(SpanCategory::kRuntime, "cudaLaunchKernel"), kWork);
  EXPECT_EQ(of(SpanCategory::kOther, "logging/__init__.py(1790): info"), kLogging);
  EXPECT_EQ(of(SpanCategory::kAnnotation, "train/log_metrics"), kLogging);
  EXPECT_EQ(of(SpanCategory::kAnnotation, "wandb.log"), kLogging);
  EXPECT_EQ(of(SpanCategory::kAnnotation, "save_checkpoint"), kCheckpoint);
  EXPECT_EQ(of(SpanCategory::kOther, "torch/serialization.py(910): save"), kCheckpoint);
  EXPECT_EQ(of(SpanCategory::kOther, "<built-in function collect>"), kGc);
  EXPECT_EQ(of(SpanCategory::kGc, ""), kGc);
}

TEST(HostActivityTest, NamesThatOnlyLookLikeItSayNothing) {
  const auto of = [](SpanCategory category, const char* name) { return hostActivity(category, name); };
  using enum HostActivity;
  EXPECT_EQ(of(SpanCategory::kCpuOp, "aten::log"), kWork);
  EXPECT_EQ(of(SpanCategory::kAnnotation, "aten::log_softmax"), kNone);
  EXPECT_EQ(of(SpanCategory::kAnnotation, "logits"), kNone);
  EXPECT_EQ(of(SpanCategory::kAnnotation, "catalog"), kNone);
  EXPECT_EQ(of(SpanCategory::kOther, "math.py(12): log"), kNone);
  EXPECT_EQ(of(SpanCategory::kOther, "torch/utils/checkpoint.py(451): checkpoint"), kNone);
  EXPECT_EQ(of(SpanCategory::kCpuOp, "CheckpointFunctionBackward"), kWork);
  EXPECT_EQ(of(SpanCategory::kAnnotation, "ProfilerStep#12"), kNone);
  EXPECT_EQ(of(SpanCategory::kCompute, "save_checkpoint"), kNone);
  EXPECT_EQ(of(SpanCategory::kAnnotation, ""), kNone);
}

}  // namespace
}  // namespace runglass
