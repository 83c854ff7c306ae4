// SPDX-License-Identifier: Apache-2.0
// The findings from call to call: one identity per problem, and an end for each.
#include "analysis/hardware_faults/hardware_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kFaultTime = 1'700'000'000LL * kNsPerSecond;
constexpr DurNs s = kNsPerSecond;

// Ten nodes of one GPU and rank each.
class HardwareFaultsTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kNodes = 10;
  void SetUp() override {
    auto opened = m_file.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_writer = std::move(*opened);
    m_run = m_writer->run({.name = "r", .state = RunState::kRunning, .start = kFaultTime});
    m_attempt = m_writer->attempt({.run = m_run, .key = "0", .start = kFaultTime, .layout = {.world = kNodes}});
    for (std::uint64_t n = 0; n < kNodes; ++n) {
      const std::string name = "n" + std::to_string(n);
      m_nodes.push_back(m_writer->node({.uuid = name, .name = name}));
      m_devices.push_back(m_writer->device({.uuid = "GPU-" + name, .node = m_nodes.back(), .index = 0, .kind = "gpu"}));
      m_writer->rank({.attempt = m_attempt, .rank = static_cast<std::int32_t>(n), .node = m_nodes.back(), .device = m_devices.back()});
      m_clocks.push_back(m_writer->series({.node = m_nodes.back(),
                                           .device = m_devices.back(),
                                           .metric = "clock_event_reasons",
                                           .unit = "bits",
                                           .kind = SeriesKind::kGauge}));
    }
  }
  void clocks(std::size_t node, DurNs from, DurNs to, double bits) {
    for (DurNs at = from; at < to; ++at) m_writer->sample(m_clocks[node], kFaultTime + at * s, bits);
  }
  void event(DurNs after, const char* kind, const char* code, std::size_t node, Severity severity = Severity::kError, bool gpu = true) {
    Event one{.time = kFaultTime + after * s, .attempt = m_attempt, .kind = kind, .severity = severity, .code = code, .message = kind};
    one.node = m_nodes[node];
    if (gpu) one.device = m_devices[node];
    m_writer->event(one);
  }
  std::vector<Finding> look() {
    EXPECT_TRUE(m_writer->flush().ok());
    auto reader = m_file.reader();
    EXPECT_TRUE(reader.ok());
    auto found = m_analysis->look({.reader = **reader, .run = m_run, .now = {}, .stop = {}});
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? *found : std::vector<Finding>();
  }
  static std::vector<std::string> open(const std::vector<Finding>& found) {
    std::vector<std::string> out;
    for (const Finding& one : found)
      if (!one.end) out.push_back(one.kind + " " + one.subject);
    return out;
  }

  TempStore m_file;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<Analysis> m_analysis = makeHardwareFaults();
  RunId m_run;
  AttemptId m_attempt;
  std::vector<NodeId> m_nodes;
  std::vector<DeviceId> m_devices;
  std::vector<SeriesId> m_clocks;
};

using ::testing::ElementsAre;

TEST_F(HardwareFaultsTest, AThrottleThatGrowsIsOpenUnderOneNameOnly) {
  for (std::size_t n = 0; n < kNodes; ++n) clocks(n, 0, 100, n < 1 ? 0x40 : 0);
  EXPECT_THAT(open(look()), ElementsAre("thermal_throttle node:n0"));
  for (std::size_t n = 0; n < kNodes; ++n) clocks(n, 100, 120, n < 1 ? 0xc0 : 0);
  auto found = look();
  EXPECT_THAT(open(found), ElementsAre("hardware_fault node:n0")) << "a power brake, too";
  for (std::size_t n = 0; n < kNodes; ++n) clocks(n, 120, 200, 0);
  found = look();
  EXPECT_THAT(open(found), ElementsAre());
  EXPECT_EQ(found.size(), 2U);
}

TEST_F(HardwareFaultsTest, ADeviceThatIsHeardLateMovesNoIdentity) {
  const DeviceId second = m_writer->device({.uuid = "GPU-late", .node = m_nodes[0], .index = 1, .kind = "gpu"});
  const SeriesId late =
      m_writer->series({.node = m_nodes[0], .device = second, .metric = "clock_event_reasons", .unit = "bits", .kind = SeriesKind::kGauge});
  clocks(0, 50, 100, 0x40);
  const auto first = look();
  ASSERT_EQ(first.size(), 1U);
  for (DurNs at = 40; at < 100; ++at) m_writer->sample(late, kFaultTime + at * s, 0x40);
  const auto found = look();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].start, first[0].start);
  EXPECT_THAT(found[0].summary, ::testing::HasSubstr("2 GPUs of n0"));
}

TEST_F(HardwareFaultsTest, EachFaultOfADeviceHasAnIdentityOfItsOwn) {
  event(0, "xid", "48", 0, Severity::kCritical);
  event(300, "xid", "79", 0, Severity::kCritical);
  event(2000, "xid", "79", 0, Severity::kCritical);
  const auto found = look();
  ASSERT_EQ(found.size(), 2U) << "without steps 79 again is the same";
  EXPECT_EQ(found[0].subject, "device:GPU-n0 xid 48");
  EXPECT_EQ(found[1].subject, "device:GPU-n0 xid 79");
  EXPECT_EQ(found[1].start, kFaultTime + 2000 * s) << "the newest";
}

TEST_F(HardwareFaultsTest, AfterARestartAFindingKeepsTheStepItWasSaidWith) {
  const SeriesId steps =
      m_writer->series({.attempt = m_attempt, .rank = 0, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
  for (std::int64_t step = 0; step < 10; ++step) m_writer->scalar(steps, step, kFaultTime + step * s, 1e9);
  event(20, "xid", "79", 0, Severity::kCritical);
  clocks(1, 20, 60, 0x40);
  const auto first = look();
  ASSERT_EQ(first.size(), 2U);
  for (const Finding& one : first) m_writer->finding(one);
  for (std::int64_t step = 10; step < 30; ++step) m_writer->scalar(steps, step, kFaultTime + step * s, 1e9);
  m_analysis = makeHardwareFaults();
  const auto again = look();
  ASSERT_EQ(again.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again[i].first_step, 9) << "the steps until 20 came later";
    EXPECT_EQ(again[i].start, first[i].start);
  }
}

TEST_F(HardwareFaultsTest, WhatIsOlderThanTheWindowStillEnds) {
  event(0, "xid", "79", 0, Severity::kCritical);
  event(15, "node_lost", "", 0, Severity::kError, false);
  event(0, "xid", "48", 1, Severity::kCritical);
  EXPECT_EQ(open(look()).size(), 2U);
  event(4 * 3600, "link_up", "", 2, Severity::kInfo, false);
  EXPECT_EQ(open(look()).size(), 2U);
  event(5 * 3600, "node_back", "", 0, Severity::kInfo, false);
  EXPECT_THAT(open(look()), ElementsAre("hardware_fault device:GPU-n1 xid 48"));
  event(5 * 3600 + 1, "link_up", "", 2, Severity::kInfo, false);
  EXPECT_THAT(open(look()), ElementsAre("hardware_fault device:GPU-n1 xid 48")) << "and stays so";
  (void)m_writer->attempt({.run = m_run, .key = "1", .start = kFaultTime + 6 * 3600 * s});
  const auto found = look();
  EXPECT_THAT(open(found), ElementsAre());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].end, kFaultTime + 5 * 3600 * s);
  EXPECT_EQ(found[1].end, kFaultTime + 6 * 3600 * s);
}

TEST_F(HardwareFaultsTest, AProgramsFaultThatComesAgainForHoursIsOne) {
  for (int i = 0; i < 20; ++i) {
    event(i * 5000, "xid", "13", 0);
    ASSERT_EQ(look().size(), 1U) << i;
  }
  EXPECT_EQ(look()[0].start, kFaultTime);
}

TEST_F(HardwareFaultsTest, ANodeThatARestartLeftBehindIsNoLongerTheRuns) {
  (void)m_writer->attempt({.run = m_run, .key = "0", .start = kFaultTime, .end = kFaultTime + 90 * s});
  const AttemptId next = m_writer->attempt({.run = m_run, .key = "1", .start = kFaultTime + 100 * s, .layout = {.world = 9}});
  for (std::int32_t rank = 0; rank < 9; ++rank)
    m_writer->rank({.attempt = next, .rank = rank, .node = m_nodes[static_cast<std::size_t>(rank)]});
  const auto lost = [&](DurNs after, std::size_t node) {
    m_writer->event({.time = kFaultTime + after * s, .node = m_nodes[node], .kind = "node_lost", .severity = Severity::kError});
  };
  lost(1'000, 9);
  EXPECT_THAT(look(), ::testing::IsEmpty());
  lost(1'000, 3);
  EXPECT_THAT(open(look()), ElementsAre("hardware_fault node:n3 node_lost"));
}

TEST_F(HardwareFaultsTest, WithoutAStartTheRunBeganWithItsData) {
  const RunId run = m_writer->run({.name = "late", .state = RunState::kRunning});
  const AttemptId attempt = m_writer->attempt({.run = run, .key = "0"});
  m_writer->rank({.attempt = attempt, .rank = 0, .node = m_nodes[0], .device = m_devices[0]});
  m_writer->scalar(m_writer->series({.attempt = attempt, .rank = 0, .metric = "step_time_ns", .kind = SeriesKind::kScalar}), 0,
                   kFaultTime + 500 * s, 1e9);
  const auto xid = [&](DurNs after) {
    m_writer->event({.time = kFaultTime + after * s,
                     .node = m_nodes[0],
                     .device = m_devices[0],
                     .kind = "xid",
                     .severity = Severity::kCritical,
                     .code = "79"});
  };
  m_run = run;
  xid(100);
  EXPECT_THAT(look(), ::testing::IsEmpty());
  xid(1'200);
  EXPECT_THAT(open(look()), ElementsAre("hardware_fault device:GPU-n0 xid 79"));
}

}  // namespace
}  // namespace runglass
