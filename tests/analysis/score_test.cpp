// SPDX-License-Identifier: Apache-2.0
#include "analysis/engine/score.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analysis/engine/analysis.h"

namespace runglass {
namespace {

constexpr TimeNs kT = 1'700'000'000LL * kNsPerSecond;

Label label(const char* kind, std::optional<std::int32_t> rank, DurNs begin, DurNs end) {
  return {.kind = kind, .rank = rank, .start = kT + begin * kNsPerSecond, .end = kT + end * kNsPerSecond};
}
Finding finding(const char* kind, std::optional<std::int32_t> rank, DurNs begin, Severity severity = Severity::kWarning) {
  Finding one;
  one.kind = kind, one.rank = rank, one.start = kT + begin * kNsPerSecond, one.end = *one.start + 10 * kNsPerSecond,
  one.severity = severity;
  return one;
}

TEST(ScoreTest, CountsHitsMissesAndFalseAlarms) {
  const std::vector<Label> labels = {label("hang", 3, 0, 100), label("thermal_throttle", {}, 0, 50)};
  const std::vector<Finding> findings = {finding("hang", 3, 20), finding("hang", 4, 20), finding("hang", 3, 500)};
  const auto scores = scoreFindings(findings, labels);
  EXPECT_EQ(scores.at("hang").hits, 1);
  EXPECT_EQ(scores.at("hang").false_alarms, 2) << "the wrong rank, and the wrong time";
  EXPECT_EQ(scores.at("thermal_throttle").misses, 1);
}

TEST(ScoreTest, FindsALabelUnderAnotherNameAndDoesNotBlameWhatFollows) {
  const std::vector<Label> labels = {label("xid", 3, 0, 100), label("nan", {}, 0, 100)};
  const std::vector<Finding> findings = {finding("hardware_fault", 3, 1), finding("hang", {}, 30),
                                         finding("stall", {}, 900, Severity::kInfo)};
  const auto scores = scoreFindings(findings, labels);
  EXPECT_EQ(scores.at("xid").hits, 1);
  EXPECT_EQ(scores.at("nan").misses, 1);
  EXPECT_EQ(scores.at("hang").explained, 1);
  EXPECT_EQ(scores.at("hang").false_alarms, 0);
  EXPECT_EQ(scores.at("stall").info, 1);
  EXPECT_EQ(scores.at("stall").false_alarms, 0);
}

Finding at(Finding finding, std::optional<std::int32_t> rank, std::uint64_t node, std::optional<std::int32_t> pp = {}) {
  finding.rank = rank, finding.node = NodeId{node}, finding.pp = pp;
  return finding;
}
KindScore of(const char* kind, const std::vector<Finding>& findings, const std::vector<Truth>& truths) {
  return scoreFindings(findings, truths)[kind];
}

TEST(ScoreTest, ASlowRankFoundAsItsNodeIsFoundButNotAttributed) {
  Label slow = label("slow_rank", 3, 0, 100);
  slow.node = NodeId{7};
  const std::vector<Truth> truth = {{slow, {}}};
  const KindScore rank = of("slow_rank", {at(finding("slow_rank", {}, 10), 3, 7)}, truth);
  EXPECT_EQ(rank.hits, 1);
  EXPECT_EQ(rank.attributed, 1);
  const KindScore node = of("slow_rank", {at(finding("slow_node", {}, 10), {}, 7)}, truth);
  EXPECT_EQ(node.hits, 1);
  EXPECT_EQ(node.attributed, 0);
  const std::vector<Finding> elsewhere = {at(finding("slow_node", {}, 10), {}, 8)};
  EXPECT_EQ(of("slow_rank", elsewhere, truth).misses, 1);
  EXPECT_EQ(of("slow_node", elsewhere, truth).false_alarms, 1);
}

TEST(ScoreTest, AStageOrNobodyIsAttributedOnlyWithoutARank) {
  Label stage = label("stage_imbalance", {}, 0, 100), shift = label("throughput_shift", {}, 0, 100);
  stage.first_step = 40;
  const std::vector<Fact> facts = {{.key = "label/stage_imbalance/40", .value = "stage:3"}};
  const auto truths = truthsOf(std::vector<Label>{stage, shift}, facts);
  ASSERT_EQ(truths[0].stage, 3);
  EXPECT_FALSE(truths[1].stage);
  EXPECT_EQ(of("stage_imbalance", {at(finding("stage_imbalance", {}, 5), {}, 0, 3)}, truths).attributed, 1);
  EXPECT_EQ(of("stage_imbalance", {at(finding("stage_imbalance", {}, 5), {}, 0, 2)}, truths).misses, 1);
  EXPECT_EQ(of("throughput_shift", {finding("throughput_shift", {}, 5)}, truths).attributed, 1);
  EXPECT_EQ(of("throughput_shift", {finding("throughput_shift", 4, 5)}, truths).attributed, 0);
  EXPECT_EQ(of("slow_rank", {finding("slow_rank", 4, 5)}, truths).false_alarms, 1) << "nobody was to blame";
}

TEST(ScoreTest, WhatFollowsFromASlowRankIsExplainedAndASecondFindingIsARepeat) {
  Label hot = label("thermal_throttle", 3, 0, 100);
  hot.node = NodeId{7}, hot.first_step = 50;
  const std::vector<Truth> truth = {{hot, {}}};
  Finding said = at(finding("thermal_throttle", {}, 10), 3, 7), again = said;
  said.first_step = 58, again.first_step = 90;
  const std::vector<Finding> findings = {again, said, at(finding("slow_rank", {}, 10), 3, 7), at(finding("slow_rank", {}, 10), 4, 7),
                                         finding("throughput_shift", {}, 10)};
  const Scores scores = scoreFindings(findings, truth);
  EXPECT_EQ(scores.at("thermal_throttle").hits, 1);
  EXPECT_EQ(scores.at("thermal_throttle").repeats, 1);
  EXPECT_EQ(scores.at("thermal_throttle").onset_steps, std::vector<std::int64_t>{8}) << "the nearer one";
  EXPECT_EQ(scores.at("slow_rank").explained, 1);
  EXPECT_EQ(scores.at("slow_rank").false_alarms, 1);
  EXPECT_EQ(scores.at("slow_rank").notifications, 2);
  EXPECT_EQ(scores.at("throughput_shift").explained, 1);
}

Outcome outcomeOf(const std::vector<Finding>& findings, const Truth& truth) {
  const KindScore score = of(truth.label.kind.c_str(), findings, {truth});
  EXPECT_EQ(score.outcomes.size(), 1U);
  return score.outcomes.front().outcome;
}

TEST(ScoreTest, EveryLabelHasOneOutcomeAndOnlyANotifyingFindingOfItsKindAtItsPlaceIsAStrictHit) {
  Label slow = label("slow_rank", 3, 0, 100);
  slow.node = NodeId{7};
  const Truth truth{slow, {}};
  const Finding exact = at(finding("slow_rank", {}, 10), 3, 7), at_info = at(finding("slow_rank", {}, 10, Severity::kInfo), 3, 7);
  const Finding other_kind = at(finding("host_bound", {}, 10), 3, 7), of_node = at(finding("slow_node", {}, 10), {}, 7);
  const Finding elsewhere = at(finding("slow_rank", {}, 10), 4, 7), later = at(finding("slow_rank", {}, 500), 3, 7);
  EXPECT_EQ(outcomeOf({at_info, other_kind, exact}, truth), Outcome::kStrict);
  EXPECT_EQ(outcomeOf({other_kind, at_info}, truth), Outcome::kAtInfo);
  EXPECT_EQ(outcomeOf({other_kind}, truth), Outcome::kOtherKind);
  EXPECT_EQ(outcomeOf({of_node}, truth), Outcome::kOtherKind);
  EXPECT_EQ(outcomeOf({elsewhere}, truth), Outcome::kWrongPlace);
  EXPECT_EQ(outcomeOf({later}, truth), Outcome::kMissed) << "another time";
  EXPECT_EQ(outcomeOf({at(finding("host_bound", {}, 10), 4, 7)}, truth), Outcome::kMissed);
  EXPECT_EQ(outcomeOf({}, truth), Outcome::kMissed);
}

TEST(ScoreTest, APlaceIsExactDownToTheStageThePortAndTheWholeRun) {
  Label stage = label("stage_imbalance", {}, 0, 100), link = label("slow_link", {}, 0, 100), run = label("data_bound", {}, 0, 100);
  link.node = NodeId{7}, link.device = DeviceId{70};
  const Truth third{stage, 3};
  EXPECT_EQ(outcomeOf({at(finding("stage_imbalance", {}, 5), {}, 0, 3)}, third), Outcome::kStrict);
  EXPECT_EQ(outcomeOf({at(finding("stage_imbalance", {}, 5), {}, 0, 2)}, third), Outcome::kWrongPlace);
  const std::vector<Device> devices = {{.id = DeviceId{70}, .uuid = "n/nic-ib2", .node = NodeId{7}, .kind = "nic", .model = "mlx5_2"}};
  const Truth port = truthsOf(std::vector<Label>{link}, {}, devices).front();
  EXPECT_EQ(port.port, "mlx5_2");
  const auto named = [&](const char* name, std::uint64_t node) {
    Finding one = at(finding("slow_link", {}, 5), {}, node);
    one.evidence = std::string(R"({"port":{"node":"n","port":")") + name + R"("}})";
    return one;
  };
  EXPECT_EQ(outcomeOf({named("mlx5_2", 7)}, port), Outcome::kStrict);
  EXPECT_EQ(outcomeOf({named("mlx5_3", 7)}, port), Outcome::kWrongPlace);
  EXPECT_EQ(outcomeOf({named("mlx5_2", 8)}, port), Outcome::kWrongPlace);
  EXPECT_EQ(outcomeOf({at(finding("slow_link", {}, 5), {}, 7)}, port), Outcome::kStrict) << "the node, and no other port";
  EXPECT_EQ(outcomeOf({finding("slow_link", {}, 5)}, port), Outcome::kWrongPlace) << "no place at all";
  EXPECT_EQ(outcomeOf({finding("data_bound", {}, 5)}, {run, {}}), Outcome::kStrict);
  EXPECT_EQ(outcomeOf({finding("data_bound", 2, 5)}, {run, {}}), Outcome::kWrongPlace);
}

TEST(ScoreTest, ACostIsHeldAgainstTheTruthOfTheFaultAtItsPlace) {
  Label one = label("slow_rank", 3, 0, 100), other = label("slow_rank", 9, 0, 100);
  one.first_step = other.first_step = 40;
  const std::vector<Fact> facts = {{.rank = 3, .key = "label/slow_rank/40/cost_ratio", .value = "0.1"},
                                   {.rank = 9, .key = "label/slow_rank/40/cost_ratio", .value = "0.2"}};
  const auto truths = truthsOf(std::vector<Label>{one, other}, facts);
  EXPECT_EQ(truths[0].cost_ratio, 0.1);
  EXPECT_EQ(truths[1].cost_ratio, 0.2);
  Finding twice = finding("slow_rank", 3, 10), half = finding("slow_rank", 9, 10), mute = finding("slow_rank", 9, 10);
  twice.evidence = R"({"cost_ratio":0.2})", half.evidence = R"({"cost_ratio":0.1})";
  EXPECT_DOUBLE_EQ(of("slow_rank", {twice}, {truths[0]}).outcomes[0].cost.value().errorRatio(), 1);
  EXPECT_DOUBLE_EQ(of("slow_rank", {half}, {truths[1]}).outcomes[0].cost.value().errorRatio(), -0.5);
  EXPECT_FALSE(of("slow_rank", {mute}, {truths[1]}).medianCostError());
}

TEST(ScoreTest, ARepeatIsOnlyCountedWhereItNotifiesAgain) {
  const std::vector<Truth> truth = {{label("hang", 3, 0, 100), {}}};
  EXPECT_EQ(of("hang", {finding("hang", 3, 5), finding("hang", 3, 50, Severity::kInfo)}, truth).repeats, 0);
  EXPECT_EQ(of("hang", {finding("hang", 3, 5), finding("hang", 3, 50)}, truth).repeats, 1);
}

TEST(ScoreTest, TheTableHasALinePerKind) {
  const Scores scores = scoreFindings(std::vector<Finding>{finding("hang", 3, 5)}, std::vector<Label>{label("hang", 3, 0, 100)});
  const std::string table = strictTable(scores);
  EXPECT_EQ(std::ranges::count(table, '\n'), 2);
  EXPECT_NE(table.find("hang                        1      1 "), std::string::npos) << table;
}

TEST(ScoreTest, SumsKeepEveryOnset) {
  KindScore a, b;
  a.onset_steps = {3, 100}, b.onset_steps = {7};
  EXPECT_FALSE(KindScore{}.medianOnset());
  a.add(b);
  EXPECT_EQ(a.medianOnset(), 7);
}

TEST(ScoreTest, ACalmRunHasOnlyFalseAlarms) {
  const std::vector<Finding> findings = {finding("hang", {}, 0)};
  EXPECT_EQ(scoreFindings(findings, std::vector<Label>{}).at("hang").false_alarms, 1);
}

TEST(RegistryTest, NamesAreUniqueAndEveryAnalysisIsMade) {
  std::map<std::string_view, int> names;
  for (const AnalysisEntry& entry : analyses()) {
    EXPECT_EQ(++names[entry.name], 1);
    EXPECT_NE(entry.make(), nullptr);
  }
  EXPECT_GE(names.size(), 2U);
}

}  // namespace
}  // namespace runglass
