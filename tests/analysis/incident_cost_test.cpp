// SPDX-License-Identifier: Apache-2.0
// The cost of an incident: computed from goodput and findings, without counting a moment twice or inventing costs.
#include "analysis/incident/incident_cost.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/analysis/incident_places.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// `steps` in a row of ten seconds each.
AttemptRecord stepping(std::int32_t number, std::int64_t start, std::int64_t end, std::int64_t first, std::int64_t last,
                       std::int64_t from) {
  AttemptRecord record{.number = number, .start = at(start), .end = at(end), .layout = {.world = 32}};
  for (std::int64_t s = first; s <= last; ++s)
    record.steps.push_back({.step = s,
                            .begin = at(from + (s - first) * 10),
                            .end = at(from + (s - first + 1) * 10),
                            .kind = s == first ? StepKind::kFirst : StepKind::kTraining});
  return record;
}

// Steps 1 to 140 until 1,400 s, a stall until 2,000 s, restarted at 2,030 s, stepping from step 101 on at 2,060 s.
Goodput crashed() {
  AttemptRecord first = stepping(0, 0, 2'000, 1, 140, 0);
  first.known.push_back({{at(1'400), at(2'000)}, Spend::kStalled});
  AttemptRecord second = stepping(1, 2'030, 10'000, 101, 894, 2'060);
  second.resumed_from = 100;
  Goodput out;
  out.ledger = makeLedger({first, second});
  out.step_sources = {"step_time_ns of rank 0", "step_time_ns of rank 0"};
  return out;
}

IncidentImpact impact(const std::vector<Finding>& findings, std::optional<double> price = {}, const Goodput& goodput = crashed()) {
  std::vector<const Finding*> members;
  for (const Finding& one : findings) members.push_back(&one);
  const RunPlaces places = twoRacks();
  return impactOf({.goodput = goodput, .places = places, .range = {}, .findings = members, .price = price});
}

Finding costing(Finding finding, double share) {
  finding.evidence = R"({"cost_ratio":)" + std::to_string(share) + "}";
  return finding;
}

constexpr double kGpus = 32;

TEST(IncidentCost, ARestartCostsTheStandstillTheGapTheStartAndTheStepsDoneAgain) {
  const IncidentImpact out = impact({xid79(1'396, 3, 21), hang(1'400, 2'000)}, 2.5);
  EXPECT_EQ(out.lost_steps.value, 40);
  ASSERT_TRUE(out.lost_time.value);
  EXPECT_EQ(*out.lost_time.value, (600 + 30 + 30 + 400) * kNsPerSecond);
  EXPECT_NEAR(*out.gpu_hours.value, 1'060 * kGpus / 3'600, 1e-9);
  EXPECT_NEAR(*out.money.value, 2.5 * 1'060 * kGpus / 3'600, 1e-9);
  EXPECT_EQ(out.duration.value, 604 * kNsPerSecond);
}
TEST(IncidentCost, TwoFindingsOfOneStandstillDoNotCountItTwice) {
  const auto once = impact({hang(1'400, 2'000)});
  const auto twice = impact({hang(1'400, 2'000), finding("stall", "attempt:0", 1'400, 2'000, Severity::kCritical)});
  EXPECT_EQ(once.lost_time.value, twice.lost_time.value);
}
TEST(IncidentCost, OfSlowRanksThatOverlapOnlyTheSlowestCounts) {
  const auto out = impact({costing(slowRank(200, 1'000, 1, 5), 0.1), costing(slowRank(600, 1'200, 2, 9), 0.2)});
  // 0.1 of 400 s, then 0.2 of 600 s.
  EXPECT_NEAR(static_cast<double>(*out.lost_time.value) / kNsPerSecond, 0.1 * 400 + 0.2 * 600, 1e-6);
  EXPECT_EQ(out.items.size(), 2U);
}
TEST(IncidentCost, AShiftThatASlowRankExplainsCostsNothingMore) {
  Finding shift = finding("throughput_shift", "run", 200, 1'000);
  shift.evidence = R"({"before_ns":9,"after_ns":10,"explained_by":{"kind":"slow_rank","subject":"rank:5","first_step":50}})";
  const auto out = impact({costing(slowRank(200, 1'000, 1, 5), 0.1), shift});
  EXPECT_NEAR(static_cast<double>(*out.lost_time.value) / kNsPerSecond, 80, 1e-6);
}
TEST(IncidentCost, AShiftThatNobodyExplainsCostsWhatStepsTookLonger) {
  Finding shift = finding("throughput_shift", "run", 200, 1'000);
  shift.evidence = R"({"before_ns":9,"after_ns":10})";
  EXPECT_NEAR(static_cast<double>(*impact({shift}).lost_time.value) / kNsPerSecond, 80, 1e-6);
  shift.evidence = R"({"before_ns":10,"after_ns":9})";
  EXPECT_FALSE(impact({shift}).lost_time.value) << "faster";
}
TEST(IncidentCost, SlownessDuringAStandstillIsNotCountedBesideIt) {
  const auto out = impact({costing(slowRank(1'000, 2'000, 3, 21), 0.5), hang(1'400, 2'000)});
  EXPECT_NEAR(static_cast<double>(*out.lost_time.value) / kNsPerSecond, 0.5 * 400 + 600 + 30 + 30 + 400, 1e-6);
}
TEST(IncidentCost, WithoutAPriceThereIsNoMoneyAndItSaysWhy) {
  const auto out = impact({hang(1'400, 2'000)});
  EXPECT_TRUE(out.gpu_hours.value);
  EXPECT_FALSE(out.money.value);
  EXPECT_THAT(out.money.reason, HasSubstr("no price"));
  EXPECT_FALSE(impact({hang(1'400, 2'000)}, std::nan("")).money.value);
}
TEST(IncidentCost, StepsOfAnAttemptThatWasNotStartedAgainAreNotZeroAndNotLost) {
  AttemptRecord only = stepping(0, 0, 2'000, 1, 140, 0);
  only.known.push_back({{at(1'400), at(2'000)}, Spend::kStalled});
  Goodput goodput;
  goodput.ledger = makeLedger({only});
  goodput.step_sources = {"step_time_ns of rank 0"};
  const IncidentImpact out = impact({hang(1'400, 2'000)}, {}, goodput);
  EXPECT_FALSE(out.lost_steps.value);
  EXPECT_EQ(out.lost_steps.reason, "the last attempt has not been restarted");
}
TEST(IncidentCost, AFindingWithoutACostMakesTheSumALowerBound) {
  const auto out = impact({costing(slowRank(200, 1'000, 1, 5), 0.1), finding("data_bound", "run", 300, 400)});
  EXPECT_TRUE(out.lost_time.at_least);
  EXPECT_TRUE(out.gpu_hours.at_least);
  EXPECT_THAT(out.lost_time.reason, HasSubstr("data_bound"));
  const auto alone = impact({finding("data_bound", "run", 300, 400)});
  EXPECT_FALSE(alone.lost_time.value) << "absent, not zero";
  EXPECT_THAT(alone.lost_time.reason, HasSubstr("not known"));
}
TEST(IncidentCost, WhatCostNothingThatCanBeSeenHasNoCostAndNoLostSteps) {
  const auto out = impact({finding("loss_spike", "attempt:0 loss", 300, 320)});
  EXPECT_FALSE(out.lost_time.value);
  EXPECT_THAT(out.lost_time.reason, HasSubstr("no cost is recorded"));
  EXPECT_EQ(out.lost_steps.value, 0) << "the steps are known, and none was undone";
}
TEST(IncidentCost, ARewindBehindADivergenceIsItsCost) {
  Goodput goodput = crashed();
  RunPlaces places = twoRacks();
  places.attempts[kSecond].resumed_from_step = 100;
  Finding diverged = finding("loss_divergence", "attempt:0 loss", 1'200, 1'900, Severity::kError);
  diverged.first_step = 120;
  const std::vector<const Finding*> members = {&diverged};
  const auto out = impactOf({.goodput = goodput, .places = places, .range = {}, .findings = members, .price = {}});
  EXPECT_EQ(out.lost_steps.value, 40);
}
TEST(IncidentCost, OfARunThatReportedNothingEverythingIsAbsentWithItsReason) {
  Goodput none;
  none.ledger = makeLedger({});
  none.reason = "the run has no attempt";
  Finding odd = finding("hang", "run", 0, {});
  odd.start.reset();
  const auto out = impact({odd}, 2.0, none);
  EXPECT_FALSE(out.duration.value || out.lost_steps.value || out.lost_time.value || out.gpu_hours.value || out.money.value);
  for (const std::string& reason :
       {out.duration.reason, out.lost_steps.reason, out.lost_time.reason, out.gpu_hours.reason, out.money.reason})
    EXPECT_NE(reason, "");
  EXPECT_THAT(out.items, IsEmpty());
}
TEST(IncidentCost, WithoutTheNumberOfGpusThereAreNoGpuHours) {
  Goodput goodput = crashed();
  for (LedgerRow& row : goodput.ledger.rows) row.layout.world = 0;
  const auto out = impact({hang(1'400, 2'000)}, 2.0, goodput);
  EXPECT_TRUE(out.lost_time.value);
  EXPECT_FALSE(out.gpu_hours.value);
  EXPECT_THAT(out.money.reason, HasSubstr("GPUs"));
}

}  // namespace
}  // namespace runglass
