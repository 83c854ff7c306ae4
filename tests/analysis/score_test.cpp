// SPDX-License-Identifier: Apache-2.0
#include "analysis/engine/score.h"

#include <gtest/gtest.h>

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
