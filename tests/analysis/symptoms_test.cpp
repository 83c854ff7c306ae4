// SPDX-License-Identifier: Apache-2.0
// One finding for many symptoms, and none where nothing is broken.
#include "analysis/hardware_faults/symptoms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/hardware_faults/fault_finding.h"
#include "model/clock_reasons.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr TimeNs kT = 1'700'000'000LL * kNsPerSecond;

class SymptomsTest : public ::testing::Test {
 protected:
  void event(DurNs after_seconds, const char* kind, const char* code, std::uint64_t node, std::uint64_t device,
             Severity severity = Severity::kError, const char* message = "") {
    Event one{.time = kT + after_seconds * kNsPerSecond, .kind = kind, .severity = severity, .code = code, .message = message};
    one.node = NodeId{node}, one.device = DeviceId{device};
    m_events.push_back(one);
  }
  std::vector<CorrelatedFault> find(std::size_t nodes = 64) const { return correlate(m_events, nodes); }
  std::vector<Event> m_events;
};

TEST_F(SymptomsTest, ALostGpuWithAllThatFollowsIsOneFault) {
  event(0, "xid", "79", 3, 35, Severity::kCritical);
  event(0, "gpu_lost", "", 3, 35, Severity::kCritical);
  event(1, "xid", "154", 3, 35, Severity::kWarning);
  event(1, "xid", "45", 3, 36, Severity::kWarning);
  event(6, "node_stale", "", 3, 0, Severity::kWarning);
  event(15, "node_lost", "", 3, 0);
  for (int i = 0; i < 63; ++i) event(600, "collective_timeout", "7", 0, 0);
  event(700, "node_back", "", 3, 0, Severity::kInfo);
  std::ranges::reverse(m_events);
  const auto faults = find();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].root.code, "79");
  EXPECT_EQ(faults[0].symptoms.size(), 68U);
  EXPECT_EQ(faults[0].counts.at("collective_timeout"), 63);
  EXPECT_EQ(faults[0].end, kT + 700 * kNsPerSecond);
  const Finding finding = faultFinding(faults[0], {.nodes = {{NodeId{3}, "n3"}}, .devices = {}, .ranks = {}});
  EXPECT_EQ(finding.kind, "hardware_fault");
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_THAT(finding.summary, HasSubstr("Xid 79, GPU has fallen off the bus; 68 secondary symptoms (63 collective_timeout"));
  EXPECT_THAT(finding.evidence, HasSubstr(R"("source":"NVIDIA Xid)"));
  EXPECT_LT(finding.evidence.size(), 8'000U) << "the first 20 symptoms only";
}

TEST_F(SymptomsTest, ALogWithoutAClockIsOneMomentInTheOrderOfItsLines) {
  event(0, "xid", "45", 3, 35, Severity::kWarning);
  event(0, "xid", "79", 3, 35, Severity::kCritical);
  event(0, "xid", "48", 4, 41, Severity::kCritical);
  for (Event& one : m_events) one.time.reset();
  const auto faults = find();
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0].root.code, "79");
  EXPECT_EQ(faults[0].counts.at("xid 45"), 1) << "a symptom stays one";
  const Finding finding = faultFinding(faults[0], {.nodes = {{NodeId{3}, "n3"}}, .devices = {}, .ranks = {}});
  EXPECT_FALSE(finding.start) << "none is invented";
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_THAT(finding.evidence, Not(HasSubstr("time_ns")));
}

TEST_F(SymptomsTest, WhatTheAgentItselfTellsIsKnownAsFaultOrSymptom) {
  event(0, "mount_stall", "", 3, 0, Severity::kError, "/data does not answer");
  event(20, "process_exit", "gone", 3, 0);
  event(30, "process_exit", "", 3, 0, Severity::kInfo);
  event(0, "process_exit", "gone", 5, 0);
  const auto faults = find();
  ASSERT_EQ(faults.size(), 1U) << "that a rank is gone is no fault of the hardware";
  EXPECT_EQ(faults[0].root.kind, "mount_stall");
  EXPECT_EQ(faults[0].info->scope, FaultScope::kStorage);
  EXPECT_EQ(faults[0].counts.at("process_exit"), 2) << "on either node, but not the orderly end";
}

TEST_F(SymptomsTest, XidFortyFiveIsNeverTheRootNearAnother) {
  event(0, "xid", "45", 3, 35, Severity::kWarning);
  event(1, "xid", "48", 3, 35, Severity::kCritical);
  const auto faults = find();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].root.code, "48");
  m_events.pop_back();
  EXPECT_TRUE(find().empty()) << "alone it is the trace of a kill";
}

TEST_F(SymptomsTest, RepeatsAreOneFindingAndAProgramsFaultIsOnlyAWarning) {
  for (int i = 0; i < 629; ++i) event(i * 60, "xid", "13", 3, 35);
  const auto faults = find();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].repeats, 628);
  EXPECT_EQ(faultFinding(faults[0], {}).severity, Severity::kWarning);
}

TEST_F(SymptomsTest, TheSameProgramFaultEverywhereIsOneFinding) {
  for (std::uint64_t i = 0; i < 64; ++i) event(static_cast<DurNs>(i % 5), "xid", "31", i / 8 + 1, i + 1);
  const auto faults = find();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].cause, FaultCause::kApplication);
  EXPECT_EQ(faults[0].nodes.size(), 8U);
}

TEST_F(SymptomsTest, TwoBrokenGpusAreTwoFindings) {
  event(0, "xid", "48", 3, 35, Severity::kCritical);
  event(10, "xid", "48", 3, 36, Severity::kCritical);
  event(20, "xid", "119", 4, 44);
  EXPECT_EQ(find().size(), 3U);
}

TEST_F(SymptomsTest, ManySilentNodesAreTheHubAndFewAreNodes) {
  for (std::uint64_t n = 1; n <= 20; ++n) event(static_cast<DurNs>(n % 9), "node_lost", "", n, 0);
  auto faults = find(64);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].cause, FaultCause::kHub);
  EXPECT_EQ(faults[0].nodes.size(), 20U);
  m_events.resize(2);
  faults = find(64);
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0].cause, FaultCause::kSilent);
}

TEST_F(SymptomsTest, ANodeThatSaidGoodbyeIsNotSilent) {
  event(0, "node_left", "", 3, 0, Severity::kInfo);
  event(15, "node_lost", "", 3, 0);
  EXPECT_TRUE(find().empty());
}

TEST_F(SymptomsTest, ALinkThatComesUpAgainFlapped) {
  event(0, "link_down", "", 3, 0, Severity::kError, "mlx5_core 0000:5e:00.0 ib0: Link down");
  event(1, "link_up", "", 3, 0, Severity::kInfo, "mlx5_core 0000:5e:00.0 ib1: Link up");
  auto faults = find();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faultFinding(faults[0], {}).kind, "hardware_fault") << "another link came up";
  event(4, "link_up", "", 3, 0, Severity::kInfo, "mlx5_core 0000:5e:00.0 ib0: Link up");
  faults = find();
  ASSERT_EQ(faults.size(), 1U);
  const Finding finding = faultFinding(faults[0], {});
  EXPECT_EQ(finding.kind, "slow_link");
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_EQ(finding.end, kT + 4 * kNsPerSecond);
}

TEST_F(SymptomsTest, CorrectedErrorsKilledProcessesAndTimeoutsAloneAreQuiet) {
  event(0, "pcie_error", "corrected", 3, 0, Severity::kWarning);
  event(0, "memory_error", "corrected", 3, 0, Severity::kWarning);
  event(0, "oom", "killed", 3, 0);
  event(0, "collective_timeout", "7", 0, 0);
  event(0, "link_up", "", 3, 0, Severity::kInfo);
  event(0, "something_new", "", 3, 0, Severity::kCritical);
  EXPECT_TRUE(find().empty());
  Event timeless = m_events.front();
  timeless.time.reset();
  timeless.kind = "xid", timeless.code = "79", timeless.severity = Severity::kCritical;
  m_events.push_back(timeless);
  const auto faults = find();
  ASSERT_EQ(faults.size(), 1U) << "critical without a time as well";
  EXPECT_TRUE(faults[0].symptoms.empty()) << "but nothing that has one can be put beside it";
}

TEST_F(SymptomsTest, WhatAProgramDoesIsAtMostASymptom) {
  for (const char* kind : {"traceback", "killed", "out_of_memory", "cuda_error", "collective_mismatch", "nccl_error"})
    event(1, kind, "", 3, 0);
  EXPECT_TRUE(find().empty());
  event(0, "xid", "48", 3, 35, Severity::kCritical);
  const auto faults = find();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].symptoms.size(), 6U);
}

TEST_F(SymptomsTest, WhatTheVendorSaysToIgnoreIsInfo) {
  event(0, "xid", "43", 3, 35, Severity::kWarning);
  const auto faults = find();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faultFinding(faults[0], {}).severity, Severity::kInfo);
}

SampleColumns samples(std::initializer_list<std::pair<int, double>> points) {
  SampleColumns out;
  for (const auto& [second, bits] : points) out.time.push_back(kT + second * kNsPerSecond), out.value.push_back(bits);
  return out;
}

TEST(ThrottleTest, PowerCapsAndIdleAreNoReasonAndShortGapsAreBridged) {
  EXPECT_TRUE(throttleSpans(samples({{0, 4}, {1, 1}, {2, 0x10}, {3, 2}, {4, -1}, {5, 1e300}})).empty());
  const auto spans = throttleSpans(samples({{0, 0x48}, {10, 4}, {20, 0x20}, {100, 0x80}}));
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0], (ThrottleSpan{kT, kT + 20 * kNsPerSecond, 0x68}));
  EXPECT_EQ(spans[1].bits, 0x80U);
}

std::map<DeviceId, DeviceThrottle> throttled(int nodes, int hot_nodes, DurNs seconds) {
  std::map<DeviceId, DeviceThrottle> devices;
  for (int i = 0; i < nodes * 8; ++i) {
    DeviceThrottle& one = devices[DeviceId{static_cast<std::uint64_t>(i + 1)}];
    one.device = DeviceId{static_cast<std::uint64_t>(i + 1)}, one.node = NodeId{static_cast<std::uint64_t>(i / 8 + 1)};
    one.last = kT + 1000 * kNsPerSecond;
    if (i / 8 < hot_nodes) one.spans = {{kT + i * kNsPerMs, kT + i * kNsPerMs + seconds * kNsPerSecond, 0x48}};
  }
  return devices;
}

TEST(ThrottleTest, ANodesGpusAreOneFindingAndManyNodesAreOne) {
  EXPECT_TRUE(throttledTogether(throttled(20, 1, 9)).empty()) << "shorter than ten seconds";
  auto together = throttledTogether(throttled(20, 1, 60));
  ASSERT_EQ(together.size(), 1U);
  EXPECT_EQ(together[0].devices.size(), 8U);
  EXPECT_FALSE(together[0].open);
  const Finding finding = throttleFinding(together[0], {.nodes = {{NodeId{1}, "n1"}}, .devices = {}, .ranks = {}});
  EXPECT_EQ(finding.kind, "thermal_throttle");
  EXPECT_EQ(finding.summary, "8 GPUs of n1 were throttled for 60 s: hardware slowdown, hardware thermal slowdown");
  together = throttledTogether(throttled(20, 12, 60));
  ASSERT_EQ(together.size(), 1U);
  EXPECT_EQ(throttleFinding(together[0], {}).subject, "cluster");
  EXPECT_EQ(throttledTogether(throttled(20, 2, 60)).size(), 2U);
}

TEST(ClockReasonsTest, SayBitsInWords) {
  EXPECT_EQ(clockReasonWords(0), "none");
  EXPECT_EQ(clockReasonWords(0x44), "software power cap, hardware thermal slowdown");
  EXPECT_EQ(clockReasonWords(0x4001), "idle, 0x4000");
  for (const ClockReason& reason : clockReasons()) EXPECT_EQ(reason.alarming, (reason.bit & kThrottleBits) != 0) << reason.words;
  ASSERT_NE(findStateAdvice("recovery_action", "2"), nullptr);
  EXPECT_NE(findStateAdvice("ecc_corrected_total", "17"), nullptr);
  EXPECT_EQ(findStateAdvice("recovery_action", "77"), nullptr);
}

}  // namespace
}  // namespace runglass
