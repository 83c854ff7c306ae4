// SPDX-License-Identifier: Apache-2.0
// The one verdict on slow ranks: of the newest steps, of findings, and of both.
#include "analysis/ranking/slow_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/layout/layout_reading.h"
#include "collectors/sim/simulator.h"
#include "model/orders.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TimeNs kT = 1'790'000'000LL * kNsPerSecond;

// Two stages of eight ranks on four nodes; stage 1 works half as long again. `slower` of single ranks, in 60 steps of 100 ms.
SlowRanks jobOf(const std::map<std::int32_t, double>& slower, double step_ns = 100e6) {
  StepTable table{.basis = SlownessBasis::kWork, .steps = {}, .parts = {"forward"}, .ranks = {}};
  for (std::int64_t step = 0; step < 60; ++step) table.steps.push_back(step);
  for (std::int32_t r = 0; r < 16; ++r) {
    const auto own = slower.find(r);
    const double work = step_ns * (r < 8 ? 1 : 1.5) * (own == slower.end() ? 1 : 1 + own->second);
    table.ranks.push_back(
        {.rank = r, .role = r / 8, .value_ns = std::vector<double>(60, work), .part_ns = {work}, .wait_ns = {3 * step_ns - work}});
  }
  return rankBySlowness(table);
}

std::vector<Rank> places() {
  std::vector<Rank> out;
  for (std::int32_t r = 0; r < 16; ++r)
    out.push_back({.attempt = AttemptId{1}, .rank = r, .node = NodeId{static_cast<std::uint64_t>(1 + r / 4)}, .pp = r / 8});
  return out;
}

Finding finding(const char* kind, std::string subject, std::string evidence, bool over = false) {
  Finding one{.attempt = AttemptId{1}, .kind = kind, .subject = std::move(subject), .evidence = std::move(evidence)};
  one.first_step = 7, one.last_step = over ? 20 : 59;
  if (over) one.end = 1;
  return one;
}

SlowVerdict judged(const SlowRanks& relative, const std::vector<Finding>& findings) {
  return judgeSlowness(relative, suspectsOf(findings, AttemptId{1}, 59), places());
}

TEST(SlowVerdictTest, ASlowRankIsSlowerByWhatItsFindingPrints) {
  const SlowRanks relative = jobOf({{5, 0.078}});
  const SlowVerdict before = judged(relative, {});
  EXPECT_THAT(before.slow, ElementsAre(5));
  EXPECT_NEAR(*before.worst()->slower, 0.078, 1e-6);
  const SlowVerdict after = judged(relative, {finding("slow_rank", "rank:5", R"({"slower_ratio":0.081,"slow_ranks":[5]})")});
  EXPECT_THAT(after.slow, ElementsAre(5));
  EXPECT_DOUBLE_EQ(*after.worst()->slower, 0.081);
  EXPECT_EQ(after.worst()->since_step, 7);
}

TEST(SlowVerdictTest, AFindingNamesARankThatIsNoOutlierInTheNewestSteps) {
  const SlowVerdict verdict = judged(jobOf({{5, 0.04}}), {finding("slow_rank", "rank:5", R"({"slower_ratio":0.06,"slow_ranks":[5]})")});
  EXPECT_THAT(verdict.slow, ElementsAre(5));
  EXPECT_DOUBLE_EQ(*verdict.worst()->slower, 0.06);
}

TEST(SlowVerdictTest, TheSlowestIsFirstWhetherAFindingNamesItOrNot) {
  const SlowVerdict verdict =
      judged(jobOf({{5, 0.06}, {3, 0.4}}), {finding("slow_rank", "rank:5", R"({"slower_ratio":0.06,"slow_ranks":[5]})")});
  EXPECT_THAT(verdict.slow, ElementsAre(3, 5));
}

TEST(SlowVerdictTest, AFindingOfLowConfidenceNamesNobody) {
  Finding wandering = finding("slow_rank", "rank:5", R"({"slower_ratio":0.2,"slow_ranks":[5]})");
  wandering.confidence = 0.3;
  EXPECT_THAT(judged(jobOf({}), {wandering}).slow, IsEmpty());
  wandering.confidence = 0.9;
  EXPECT_THAT(judged(jobOf({}), {wandering}).slow, ElementsAre(5));
}

TEST(SlowVerdictTest, WhatEndedIsNotSlow) {
  const SlowVerdict verdict = judged(jobOf({}), {finding("slow_rank", "rank:5", R"({"slower_ratio":0.3,"slow_ranks":[5]})", true)});
  EXPECT_THAT(verdict.slow, IsEmpty());
  EXPECT_NEAR(*verdict.ranks.at(5).slower, 0, 1e-9);
}

TEST(SlowVerdictTest, RanksOfASlowNodeKeepTheirOwnPercentageAndTheNodeHasThatOfItsFinding) {
  const SlowRanks relative = jobOf({{4, 0.09}, {5, 0.11}});
  Finding node = finding("slow_node", "node:n1", R"({"slower_ratio":0.1,"slow_ranks":[4,5]})");
  node.node = NodeId{2};
  const SlowVerdict verdict = judged(relative, {node});
  EXPECT_THAT(verdict.slow, ElementsAre(5, 4)) << "worst first";
  EXPECT_NEAR(*verdict.ranks.at(4).slower, 0.09, 1e-6);
  const auto nodes = nodesByWork(verdict, places());
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].node, NodeId{2});
  EXPECT_TRUE(nodes[0].slow);
  EXPECT_DOUBLE_EQ(nodes[0].slower, 0.1);
}

TEST(SlowVerdictTest, ANodeThatIsAWholeStageIsSlowerThanTheOtherStages) {
  Finding node = finding("slow_node", "node:n1", R"({"slower_ratio":0.2})");
  node.node = NodeId{2};
  const SlowVerdict verdict = judged(jobOf({}), {node});
  EXPECT_THAT(verdict.slow, ElementsAre(4, 5, 6, 7));
  EXPECT_DOUBLE_EQ(*verdict.ranks.at(6).slower, 0.2) << "not that of its peers, which are all as slow";
}

TEST(SlowVerdictTest, AStageWithMoreLayersBlamesNoRankAndNoNode) {
  const SlowVerdict verdict = judged(jobOf({{2, 0.2}}), {});
  EXPECT_THAT(verdict.slow, ElementsAre(2));
  ASSERT_EQ(verdict.stages.size(), 2U);
  EXPECT_NEAR(*verdict.stages[1].longer, 0.5, 1e-6);
  const std::vector<Rank> all = places();
  const auto nodes = nodesByWork(verdict, all);
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].node, NodeId{1});
  EXPECT_NEAR(nodes[0].slower, 0.2, 1e-6);
  EXPECT_NEAR(nodes[0].wait_ratio, 0.6, 1e-6) << "of the rank that waits least";
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    EXPECT_FALSE(nodes[i].slow);
    EXPECT_NEAR(nodes[i].slower, 0, 1e-6);
  }
  EXPECT_TRUE(nodesByWork(verdict, std::span(all).first(4)).empty()) << "nothing to compare with";
}

TEST(SlowVerdictTest, AStageIsLongerByWhatItsFindingPrints) {
  Finding stage = finding("stage_imbalance", "stage:1", R"({"slower_ratio":0.47})");
  stage.pp = 1;
  EXPECT_DOUBLE_EQ(*judged(jobOf({}), {stage}).stages[1].longer, 0.47);
}

TEST(SlowVerdictTest, ADifferenceBelowFiveMillisecondsMakesNoRankSlow) {
  EXPECT_THAT(judged(jobOf({{5, 0.4}}, 10e6), {}).slow, IsEmpty());
  EXPECT_THAT(judged(jobOf({{5, 0.6}}, 10e6), {}).slow, ElementsAre(5));
}

class SlowVerdictFeedTest : public ::testing::Test {
 protected:
  SlowVerdict simulated(std::vector<sim::Fault> faults, std::int64_t steps = 60) {
    sim::Scenario s;
    s.name = "small", s.seed = 3, s.steps = steps;
    s.tp = s.pp = 2, s.dp = 4, s.nodes = 2, s.micro_batches = 4;
    s.metrics_hertz = 1;
    s.noise_ratio = 0.01;
    s.spans = sim::SpanDetail::kNone;
    s.faults = std::move(faults);
    auto writer = m_store.writer();
    EXPECT_TRUE(writer.ok());
    const Status status = sim::play(s, **writer, {.start = kT, .speed = 0});
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE((*writer)->close().ok());
    auto reader = m_store.reader();
    EXPECT_TRUE(reader.ok());
    const RunId run = (*reader)->runs()->front().id;
    const AttemptId attempt = (*reader)->attempts(run)->back().id;
    auto work = SlowVerdictFeed().read(**reader, run, attempt, *placedRanks(**reader, attempt), {});
    EXPECT_TRUE(work.ok()) << work.status().message();
    return *work;
  }
  TempStore m_store;
};

TEST_F(SlowVerdictFeedTest, AHealthyJobDeviatesNowhere) {
  const SlowVerdict work = simulated({});
  EXPECT_TRUE(work.compared);
  EXPECT_EQ(work.basis, SlownessBasis::kWork);
  EXPECT_EQ(work.steps.size(), 60U);
  EXPECT_THAT(work.slow, IsEmpty());
  ASSERT_EQ(work.ranks.size(), 16U);
  for (const auto& [rank, one] : work.ranks) EXPECT_LT(std::fabs(one.slower.value()), 0.05) << rank;
}

TEST_F(SlowVerdictFeedTest, ASlowRankDeviatesAloneAndOnlyWhileItIsSlow) {
  const SlowVerdict work = simulated({{.kind = "slow_rank",
                                       .target = {.kind = sim::Target::Kind::kRank, .index = 5},
                                       .first_step = 30,
                                       .last_step = 100,
                                       .strength = 1.25}});
  for (const auto& [rank, one] : work.ranks)
    if (rank != 5) EXPECT_LT(std::fabs(one.slower.value()), 0.05) << rank;
  EXPECT_NEAR(work.ranks.at(5).slower.value(), 0.25, 0.1);
  EXPECT_THAT(work.slow, ElementsAre(5));
  EXPECT_EQ(work.ranks.at(5).since_step, 30);
}

TEST_F(SlowVerdictFeedTest, WhatEndedBeforeTheNewestStepsIsOver) {
  const SlowVerdict work = simulated({{.kind = "slow_rank",
                                       .target = {.kind = sim::Target::Kind::kRank, .index = 5},
                                       .first_step = 10,
                                       .last_step = 30,
                                       .strength = 1.25}});
  for (const auto& [rank, one] : work.ranks) EXPECT_LT(std::fabs(one.slower.value()), 0.05) << rank;
}

TEST_F(SlowVerdictFeedTest, WithoutStepsNothingIsCompared) {
  auto writer = m_store.writer();
  const RunId run = (*writer)->run({.name = "r"});
  const AttemptId attempt = (*writer)->attempt({.run = run});
  EXPECT_TRUE((*writer)->close().ok());
  const auto reader = m_store.reader();
  const auto work = SlowVerdictFeed().read(**reader, run, attempt, {}, {});
  ASSERT_TRUE(work.ok());
  EXPECT_FALSE(work->compared);
  EXPECT_TRUE(work->ranks.empty());
}

// The spans of a scheduler are of no rank.
TEST(SlowVerdictTest, AJobThatASchedulerStartedIsJudgedByItsStepTimes) {
  const TempStore store;
  {
    auto out = store.writer().value();
    const RunId run = out->run({.name = "r"});
    const AttemptId attempt = out->attempt({.run = run, .key = "0", .layout = {.world = 8}});
    out->track({.attempt = attempt, .kind = "scheduler", .name = "Slurm"});
    for (std::int32_t rank = 0; rank < 8; ++rank) {
      out->rank({.attempt = attempt, .rank = rank});
      const SeriesId dur =
          out->series({.attempt = attempt, .rank = rank, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
      for (std::int64_t step = 0; step < 220; ++step)
        out->scalar(dur, step, step * kNsPerSecond, (rank == 1 ? 0.56e9 : 0.5e9) + 1e5 * static_cast<double>((step * 7 + rank) % 11));
    }
    ASSERT_TRUE(out->close().ok());
  }
  const auto reader = store.reader().value();
  const RunId run = reader->runs()->front().id;
  const AttemptId attempt = reader->attempts(run).value().front().id;
  const auto verdict = SlowVerdictFeed().read(*reader, run, attempt, reader->ranks(attempt).value(), {});
  ASSERT_TRUE(verdict.ok()) << verdict.status().message();
  EXPECT_THAT(verdict->slow, ElementsAre(1));
}

// Steps 100 to 219 were captured, which delayed rank 1.
TEST(SlowVerdictTest, StepsThatACommandSlowedDownAreInNoMedian) {
  const TempStore store;
  {
    auto out = store.writer().value();
    const RunId run = out->run({.name = "r"});
    const AttemptId attempt = out->attempt({.run = run, .key = "0", .layout = {.world = 4}});
    for (std::int32_t rank = 0; rank < 4; ++rank) {
      out->rank({.attempt = attempt, .rank = rank});
      const SeriesId dur =
          out->series({.attempt = attempt, .rank = rank, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
      for (std::int64_t step = 0; step < 220; ++step) out->scalar(dur, step, step * kNsPerSecond, rank == 1 && step >= 100 ? 0.9e9 : 0.5e9);
    }
    const auto event = [&](std::string_view kind, TimeNs time) {
      out->event({.time = time, .attempt = attempt, .kind = std::string(kind), .code = std::string(orderName(OrderKind::kCapture))});
    };
    event(kOrderEvent, 100 * kNsPerSecond), event(kCaptureEvent, 221 * kNsPerSecond);
    ASSERT_TRUE(out->close().ok());
  }
  const auto reader = store.reader().value();
  const RunId run = reader->runs()->front().id;
  const AttemptId attempt = reader->attempts(run).value().front().id;
  const auto verdict = SlowVerdictFeed().read(*reader, run, attempt, reader->ranks(attempt).value(), {});
  ASSERT_TRUE(verdict.ok()) << verdict.status().message();
  EXPECT_EQ(verdict->ranks.at(1).slower, 0);
}

}  // namespace
}  // namespace runglass
