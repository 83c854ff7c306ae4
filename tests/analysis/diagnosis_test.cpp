// SPDX-License-Identifier: Apache-2.0
// The fast part of the suite (tests/suite): what the registered analyses must find, without any false alarm. `./dev bench diagnosis` plays
// all of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "analysis/words/render.h"
#include "analysis/words/sentences.h"
#include "tests/suite/suite_play.h"
#include "tests/support/printed_percent.h"

namespace runglass {
namespace {

// Kinds of labels that the registered analyses must find. A new analysis adds its own, and a scenario to the fast ones (suite.cpp).
const std::set<std::string> kFound = {"hang", "stall", "hardware_fault", "nic_flap"};

std::vector<SuiteCase> fastCases() {
  std::vector<SuiteCase> fast = diagnosisSuite();
  std::erase_if(fast, [](const SuiteCase& one) { return !one.fast; });
  return fast;
}
std::vector<std::string> fastNames() {
  std::vector<std::string> names;
  for (const SuiteCase& one : fastCases()) names.push_back(one.scenario.name);
  return names;
}

class Diagnosis : public ::testing::TestWithParam<std::string> {};

TEST_P(Diagnosis, FindsWhatItMustWhereItIsAndCriesAtNothingElse) {
  const std::vector<SuiteCase> fast = fastCases();
  const SuiteCase& one = *std::ranges::find(fast, GetParam(), [](const SuiteCase& c) { return c.scenario.name; });
  const auto answer = playSuiteCase(one, analyses());
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(answer->truths.size(), one.scenario.faults.size()) << "every fault is a label";
  for (const auto& [kind, score] : answer->scores) {
    EXPECT_EQ(score.false_alarms, 0) << kind << "\n" << describe(*answer);
    if (!kFound.contains(kind)) continue;
    EXPECT_EQ(score.hits, score.labels) << kind << "\n" << describe(*answer);
    EXPECT_EQ(score.attributed, score.labels) << kind << "\n" << describe(*answer);
  }
  // Below half a per cent of a step, the result depends on noise.
  for (const auto& [kind, score] : answer->scores)
    for (const LabelScore& label : score.outcomes)
      if (label.cost)
        EXPECT_TRUE(label.cost->isWithin(0.2) || std::fabs(label.cost->stated - label.cost->truth) <= 0.005)
            << kind << " costs " << label.cost->truth << ", stated " << label.cost->stated << "\n"
            << describe(*answer);
  if (one.scenario.faults.empty()) {
    EXPECT_EQ(answer->notifications, 0) << describe(*answer);
  }
  for (const Finding& finding : answer->findings) {
    const auto message = words::parse(finding.message);
    ASSERT_TRUE(message) << finding.summary;
    EXPECT_EQ(words::render(*message, words::englishPhrases()), finding.summary) << finding.message;
    EXPECT_THAT(wrongPercentages(finding.summary), ::testing::IsEmpty()) << finding.summary;
  }
}

INSTANTIATE_TEST_SUITE_P(Fast, Diagnosis, ::testing::ValuesIn(fastNames()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

TEST(PrintedPercent, IsThatOfTheTwoNumbersBesideIt) {
  EXPECT_THAT(wrongPercentages("Rank 3 computes slower than its peers: 3.07 s against 2.49 s a step (+0.3 %), since step 5"),
              ::testing::ElementsAre("+0.3 % of 3.07 s and 2.49 s"));
  for (const char* right : {"Rank 3 computes slower than its peers: 3.07 s against 2.49 s a step (+23 %), since step 5",
                            "Stage 2 computes longer than the other stages: 3.07 s a step against 2.49 s (+23 %), since step 5",
                            "Steps took 10 % longer from step 301 to 1000: 1.00 s before, 1.10 s then",
                            "Steps take 9.1 % less since step 301: 1.10 s before, 1.00 s now",
                            "All ranks wait for data 18 % of every step (1.81 s of 10.1 s), since step 5",
                            "Without waiting: forward 80 ms (peers 50 ms, +60 %) · data 3.00 ms (peers 6.00 ms, -50 %)",
                            "With the ticked items fixed, a step takes 310 ms instead of 610 ms (-49.2 %).",
                            "S 1.22: a step takes 1.22 s, without stragglers 1.00 s; 18.0 % of the time is wasted"})
    EXPECT_THAT(wrongPercentages(right), ::testing::IsEmpty());
  for (const char* wrong : {"Stage 2 computes longer than the other stages: 3.07 s a step against 2.49 s (+25 %), since step 5",
                            "Steps took 12 % longer from step 301 to 1000: 1.00 s before, 1.10 s then",
                            "Steps take 12 % less since step 301: 1.10 s before, 1.00 s now",
                            "All ranks wait for data 16 % of every step (1.81 s of 10.1 s), since step 5",
                            "Without waiting: forward 80 ms (peers 50 ms, +60 %) · data 3.00 ms (peers 6.00 ms, +50 %)",
                            "With the ticked items fixed, a step takes 310 ms instead of 610 ms (+49.2 %).",
                            "S 1.22: a step takes 1.22 s, without stragglers 1.00 s; 22.0 % of the time is wasted"})
    EXPECT_THAT(wrongPercentages(wrong), ::testing::SizeIs(1)) << wrong;
}

// The commit number selects the third: `./dev test` sets it.
TEST(Suite, AThirdOfTheCalmPlaysNotifiesNobody) {
  const char* const turn = std::getenv("RUNGLASS_SUITE_TURN");
  for (const SuiteCase& one : calmThird(turn != nullptr ? std::strtoull(turn, nullptr, 10) : 0)) {
    const auto answer = playSuiteCase(one, analyses());
    ASSERT_TRUE(answer.ok()) << answer.status().message();
    EXPECT_EQ(answer->notifications, 0) << one.scenario.name << "\n" << describe(*answer);
  }
}

TEST(Suite, ItsThirdsAreAllCalmPlays) {
  std::set<std::string> calm;
  for (const std::uint64_t turn : {0, 1, 2})
    for (const SuiteCase& one : calmThird(turn)) EXPECT_TRUE(one.calm && calm.insert(one.scenario.name).second);
  EXPECT_EQ(static_cast<std::ptrdiff_t>(calm.size()), std::ranges::count_if(diagnosisSuite(), &SuiteCase::calm));
}

TEST(Suite, HasAllKindsOnAllSizesUnderNamesOfTheirOwn) {
  std::set<std::string> names;
  std::map<std::string, int> kinds;
  std::set<std::uint64_t> seeds;
  std::set<std::int32_t> worlds;
  std::set<std::string> layouts;
  int calm = 0, labels = 0;
  for (const SuiteCase& one : diagnosisSuite()) {
    EXPECT_TRUE(names.insert(one.scenario.name).second) << one.scenario.name;
    EXPECT_TRUE(seeds.insert(one.scenario.seed).second) << one.scenario.name;
    EXPECT_GT(one.scenario.blips_per_step + one.scenario.noise_ratio, 0) << one.scenario.name;
    labels += static_cast<int>(one.scenario.faults.size());
    const sim::Scenario& s = one.scenario;
    layouts.insert(s.ep > 1 ? "ep" : s.vpp > 1 ? "vpp" : s.cp > 1 ? "cp" : s.tp * s.pp == 1 ? "dp" : "3d");
    EXPECT_EQ(one.scenario.world(), one.scenario.nodes * one.scenario.gpus_per_node) << one.scenario.name;
    worlds.insert(one.scenario.world());
    calm += one.calm ? 1 : 0;
    for (const sim::Fault& fault : one.scenario.faults) ++kinds[fault.kind];
  }
  EXPECT_GE(labels, 150);
  EXPECT_GE(calm, 40);
  EXPECT_EQ(layouts, (std::set<std::string>{"3d", "cp", "dp", "ep", "vpp"}));
  for (const std::int32_t world : {8, 16, 32, 64, 128, 256, 512, 1024}) EXPECT_TRUE(worlds.contains(world)) << world;
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
    EXPECT_GE(kinds[kind], 6) << kind;
}

TEST(Suite, TheFastPartHoldsEveryKindThatMustBeFound) {
  std::set<std::string> kinds;
  for (const SuiteCase& one : fastCases())
    for (const sim::Fault& fault : one.scenario.faults) kinds.insert(fault.kind);
  for (const std::string& kind : kFound) EXPECT_TRUE(kinds.contains(kind)) << kind;
}

}  // namespace
}  // namespace runglass
