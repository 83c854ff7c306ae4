// SPDX-License-Identifier: Apache-2.0
// The fast part of the suite (tests/suite): what the registered analyses must find, and that they cry at nothing else. `./dev bench
// diagnosis` plays all of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/suite/suite_play.h"

namespace runglass {
namespace {

const SuiteCase& caseOf(const std::string& name) {
  static const std::vector<SuiteCase> suite = diagnosisSuite();
  const auto at = std::ranges::find(suite, name, [](const SuiteCase& one) { return one.scenario.name; });
  RG_CHECK(at != suite.end());
  return *at;
}

class DiagnosisTest : public ::testing::Test {
 protected:
  void play(const std::string& name) {
    auto answer = playSuiteCase(caseOf(name), analyses());
    ASSERT_TRUE(answer.ok()) << answer.status().message();
    m_answer = std::move(*answer);
    for (const auto& [kind, score] : m_answer.scores) EXPECT_EQ(score.false_alarms, 0) << kind << "\n" << describe(m_answer);
  }
  void isAttributed(const std::string& kind) {
    const KindScore& score = m_answer.scores[kind];
    EXPECT_EQ(score.hits, 1) << describe(m_answer);
    EXPECT_EQ(score.attributed, 1) << describe(m_answer);
  }
  SuiteAnswer m_answer;
};

TEST(Suite, HasAllKindsOnAllSizesUnderNamesOfTheirOwn) {
  std::set<std::string> names, kinds;
  std::set<std::int32_t> worlds;
  int calm = 0;
  for (const SuiteCase& one : diagnosisSuite()) {
    EXPECT_TRUE(names.insert(one.scenario.name).second) << one.scenario.name;
    EXPECT_EQ(one.scenario.world(), one.scenario.nodes * one.scenario.gpus_per_node) << one.scenario.name;
    worlds.insert(one.scenario.world());
    calm += one.calm ? 1 : 0;
    for (const sim::Fault& fault : one.scenario.faults) kinds.insert(fault.kind);
  }
  EXPECT_GE(names.size() - static_cast<std::size_t>(calm), 40U);
  EXPECT_GE(calm, 15);
  for (const std::int32_t world : {8, 64, 256, 1024}) EXPECT_TRUE(worlds.contains(world)) << world;
  for (const char* kind : {"slow_rank",
                           "slow_node",
                           "slow_link",
                           "stage_imbalance",
                           "sequence_imbalance",
                           "host_bound",
                           "data_bound",
                           "gc_jitter",
                           "throughput_shift",
                           "thermal_throttle",
                           "loss_spike",
                           "loss_divergence",
                           "nan",
                           "hang",
                           "stall",
                           "hardware_fault",
                           "xid",
                           "heartbeat_loss",
                           "nic_flap",
                           "missing_rank",
                           "clock_skew",
                           "agent_restart"})
    EXPECT_TRUE(kinds.contains(kind)) << kind;
}

TEST_F(DiagnosisTest, AHealthyRunWithNoiseAndBlipsNotifiesNobody) {
  play("healthy-64");
  EXPECT_EQ(m_answer.notifications, 0) << describe(m_answer);
}
TEST_F(DiagnosisTest, ASkewedClockBlamesNobody) { play("clock_skew-64"); }
TEST_F(DiagnosisTest, AHangIsFoundAtItsRank) {
  play("hang-300-64");
  isAttributed("hang");
}
TEST_F(DiagnosisTest, AStallIsFound) {
  play("stall-240-64");
  isAttributed("stall");
}
TEST_F(DiagnosisTest, ALostGpuIsFoundOnItsNode) {
  play("hardware_fault-600-64-79");
  isAttributed("hardware_fault");
}
TEST_F(DiagnosisTest, AFlappingLinkIsFoundOnItsNode) {
  play("nic_flap-2.5-64");
  isAttributed("nic_flap");
}
TEST_F(DiagnosisTest, ASlowRankMakesNobodyElseLookGuilty) { play("slow_rank-1.2-8"); }
TEST_F(DiagnosisTest, ALossThatIsNoNumberBlamesNobody) { play("nan-1-8"); }

}  // namespace
}  // namespace runglass
