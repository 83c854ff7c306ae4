// SPDX-License-Identifier: Apache-2.0
// The adaptor on real stores: what counts as work, and which ranks it blames for the simulator's labelled faults.
#include "analysis/slow_ranks/step_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "collectors/sim/simulator.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;

class StepTableTest : public ::testing::Test {
 protected:
  std::unique_ptr<Writer> writer() {
    auto opened = m_store.writer();
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return std::move(*opened);
  }
  StepTableAnswer read() {
    auto reader = m_store.reader();
    EXPECT_TRUE(reader.ok());
    const auto runs = (*reader)->runs();
    const auto attempts = (*reader)->attempts(runs->front().id);
    const auto ranks = (*reader)->ranks(attempts->back().id);
    auto answer = readStepTable(**reader, attempts->back().id, *ranks, {});
    EXPECT_TRUE(answer.ok()) << answer.status().message();
    return std::move(*answer);
  }
  SlowRanks simulated(std::vector<sim::Fault> faults) {
    sim::Scenario s;
    s.name = "small";
    s.seed = 3;
    s.steps = 60;
    s.tp = s.pp = 2;
    s.dp = 4;
    s.nodes = 2;
    s.micro_batches = 4;
    s.metrics_hertz = 1;
    s.spans = sim::SpanDetail::kNone;
    s.faults = std::move(faults);
    {
      auto out = writer();
      const Status status = sim::play(s, *out, {.start = kStart, .speed = 0});
      EXPECT_TRUE(status.ok()) << status.message();
      EXPECT_TRUE(out->close().ok());
    }
    return rankBySlowness(read().table);
  }

  TempStore m_store;
};

// Rank 0 computes for 80 of 100 ms, the other three for 50; all of them end together.
void recordFour(Writer& out, bool with_wait, bool with_parts = true, const std::string& transfers = "communication") {
  const RunId run = out.run({.name = "r", .start = kStart});
  const AttemptId attempt = out.attempt({.run = run, .layout = {.world = 4}});
  const auto series = [&](std::int32_t rank, const char* metric, const char* labels) {
    return out.series({.attempt = attempt, .rank = rank, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
  };
  for (std::int32_t r = 0; r < 4; ++r) {
    out.rank({.attempt = attempt, .rank = r});
    const SeriesId dur = series(r, "step_time_ns", "");
    for (std::int64_t step = 0; step < 300; ++step) out.scalar(dur, step, kStart + step * 100'000'000, 100e6);
    if (!with_parts) continue;
    const SeriesId forward = series(r, "step_part_ns", R"({"part":"forward"})"),
                   comm = series(r, "step_part_ns", ("{\"part\":\"" + transfers + "\"}").c_str());
    const double busy = r == 0 ? 80e6 : 50e6;
    for (std::int64_t step = 0; step < 300; ++step) {
      out.scalar(forward, step, kStart + step * 100'000'000, busy);
      out.scalar(comm, step, kStart + step * 100'000'000, 100e6 - busy);
    }
    if (!with_wait) continue;
    const SeriesId wait = series(r, "step_part_wait_ns", R"({"part":"communication"})");
    for (std::int64_t step = 0; step < 300; ++step) out.scalar(wait, step, kStart + step * 100'000'000, 90e6 - busy);
  }
}

TEST_F(StepTableTest, ReadsTheNewestStepsAndTakesWaitingOutOfTheWork) {
  {
    auto out = writer();
    recordFour(*out, true);
    ASSERT_TRUE(out->close().ok());
  }
  const StepTableAnswer answer = read();
  EXPECT_EQ(answer.table.basis, SlownessBasis::kWork);
  ASSERT_EQ(answer.table.steps.size(), 200U);
  EXPECT_EQ(answer.table.steps.front(), 100);
  ASSERT_EQ(answer.table.ranks.size(), 4U);
  EXPECT_DOUBLE_EQ(answer.table.ranks[0].value_ns[0], 90e6) << "80 forward and the 10 of communication that were no waiting";
  EXPECT_DOUBLE_EQ(answer.table.ranks[1].value_ns[0], 60e6);
  ASSERT_TRUE(answer.when[0]);
  EXPECT_EQ(answer.when[0]->t0, kStart + 100 * 100'000'000LL);
  EXPECT_EQ(answer.when[0]->t1, kStart + 101 * 100'000'000LL);
  const SlowRanks ranking = rankBySlowness(answer.table);
  EXPECT_EQ(ranking.ranks.front().rank, 0);
  EXPECT_EQ(ranking.standingOut(), 1U);
}

TEST_F(StepTableTest, CommunicationWhoseWaitingNobodyMeasuredBlamesNobody) {
  {
    auto out = writer();
    recordFour(*out, false);
    ASSERT_TRUE(out->close().ok());
  }
  const StepTableAnswer answer = read();
  EXPECT_DOUBLE_EQ(answer.table.ranks[1].value_ns[0], 50e6) << "forward alone";
  EXPECT_THAT(answer.table.parts, ::testing::ElementsAre("forward"));
  EXPECT_EQ(rankBySlowness(answer.table).ranks.front().rank, 0) << "not the ones that wait for it";
}

TEST_F(StepTableTest, CommunicationOfAnyNameIsNoWorkWhereItsWaitingIsNotKnown) {
  {
    auto out = writer();
    recordFour(*out, false, true, "grads-all-reduce");
    ASSERT_TRUE(out->close().ok());
  }
  const SlowRanks ranking = rankBySlowness(read().table);
  EXPECT_EQ(ranking.ranks.front().rank, 0);
  EXPECT_EQ(ranking.standingOut(), 1U);
}

TEST_F(StepTableTest, OneRanksAbsurdStepNumberDoesNotHideTheStepsOfAll) {
  {
    auto out = writer();
    recordFour(*out, true);
    const AttemptId attempt = out->attempt({.run = out->run({.name = "r", .start = kStart}), .layout = {.world = 4}});
    const SeriesId dur = out->series({.attempt = attempt, .rank = 2, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
    out->scalar(dur, std::int64_t{1} << 62, kStart, 100e6);
    ASSERT_TRUE(out->close().ok());
  }
  const StepTableAnswer answer = read();
  ASSERT_EQ(answer.table.steps.size(), 200U);
  EXPECT_EQ(answer.table.steps.back(), 299);
}

TEST_F(StepTableTest, WithoutPartsWholeStepsAreComparedAndNobodyIsSure) {
  {
    auto out = writer();
    recordFour(*out, false, false);
    ASSERT_TRUE(out->close().ok());
  }
  const StepTableAnswer answer = read();
  EXPECT_FALSE(answer.has_parts);
  EXPECT_EQ(answer.table.basis, SlownessBasis::kStepTime);
  const SlowRanks ranking = rankBySlowness(answer.table);
  EXPECT_EQ(ranking.standingOut(), 0U);
  EXPECT_EQ(ranking.ranks.front().confidence, Confidence::kLow);
}

TEST_F(StepTableTest, AStalledStepIsLeftOut) {
  auto out = writer();
  const RunId run = out->run({.name = "r", .start = kStart});
  const AttemptId attempt = out->attempt({.run = run});
  for (std::int32_t r = 0; r < 2; ++r) {
    const SeriesId dur = out->series({.attempt = attempt, .rank = r, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
    for (std::int64_t step = 0; step < 20; ++step) out->scalar(dur, step, std::nullopt, r == 1 && step == 7 ? 108e9 : 100e6);
  }
  ASSERT_TRUE(out->close().ok());
  const StepTableAnswer answer = read();
  EXPECT_EQ(answer.table.steps.size(), 19U);
  EXPECT_EQ(std::ranges::count(answer.table.steps, 7), 0);
}

TEST_F(StepTableTest, AnAttemptWithoutStepsGivesAnEmptyTable) {
  {
    auto out = writer();
    out->attempt({.run = out->run({.name = "r", .start = kStart})});
    ASSERT_TRUE(out->close().ok());
  }
  EXPECT_EQ(rankBySlowness(read().table).status, SlowRanksStatus::kNoSteps);
}

TEST_F(StepTableTest, BlamesTheSimulatorsSlowRankAndNoRankThatWaitsForIt) {
  const SlowRanks ranking = simulated({{"slow_rank", {.kind = sim::Target::Kind::kRank, .index = 5}, 1, 60, 1.2, std::nullopt}});
  ASSERT_EQ(ranking.standingOut(), 1U);
  EXPECT_EQ(ranking.ranks.front().rank, 5);
  EXPECT_GT(*ranking.ranks.front().score, 0.1);
  const auto& parts = ranking.ranks.front().parts;
  ASSERT_FALSE(parts.empty());
  EXPECT_THAT(ranking.parts[parts.front().part], ::testing::AnyOf("forward", "backward"));
}

TEST_F(StepTableTest, FindsNobodyInTheSimulatorsHealthyRun) {
  const SlowRanks ranking = simulated({});
  EXPECT_EQ(ranking.status, SlowRanksStatus::kRanked);
  EXPECT_EQ(ranking.standingOut(), 0U) << "rank " << ranking.ranks.front().rank << " by " << *ranking.ranks.front().score;
}

TEST_F(StepTableTest, ASlowStageOfTheSimulatorIsNoSlowRank) {
  const SlowRanks ranking = simulated({{"stage_imbalance", {.kind = sim::Target::Kind::kStage, .index = 1}, 1, 60, 1.3, std::nullopt}});
  EXPECT_EQ(ranking.standingOut(), 0U);
  ASSERT_EQ(ranking.stages.size(), 2U);
  EXPECT_GT(ranking.stages[1].median_ns, 1.1 * ranking.stages[0].median_ns);
}

// Data of a run in progress: rank 2 is late, and rank 3 is silent from step 260 on.
TEST_F(StepTableTest, ReadStepByStepTheTableIsTheSameAsReadAtOnce) {
  auto out = writer();
  const RunId run = out->run({.name = "r", .start = kStart});
  const AttemptId attempt = out->attempt({.run = run, .layout = {.world = 4}});
  std::vector<SeriesId> dur, part;
  for (std::int32_t r = 0; r < 4; ++r) {
    out->rank({.attempt = attempt, .rank = r});
    const auto series = [&](const char* metric, const char* labels) {
      return out->series({.attempt = attempt, .rank = r, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
    };
    dur.push_back(series("step_time_ns", "")), part.push_back(series("step_part_ns", R"({"part":"forward"})"));
  }
  const auto say = [&](std::size_t rank, std::int64_t step) {
    out->scalar(dur[rank], step, kStart + step * 100'000'000, 100e6);
    out->scalar(part[rank], step, kStart + step * 100'000'000, 50e6 + static_cast<double>(rank) * 1e6 + static_cast<double>(step));
  };
  std::vector<Rank> ranks;
  std::optional<StepTableFeed> feed;
  std::int64_t late = 0;
  for (std::int64_t step = 0; step < 420; ++step) {
    for (const std::size_t rank : {0, 1, 3})
      if (rank != 3 || step < 260) say(rank, step);
    // Three steps behind the others.
    if (step >= 3) say(2, late++);
    if (step % 35 != 34) continue;
    ASSERT_TRUE(out->flush().ok());
    auto reader = m_store.reader();
    ASSERT_TRUE(reader.ok());
    if (!feed) feed.emplace(attempt);
    const auto grown = feed->read(**reader, *(*reader)->ranks(attempt), {});
    const auto fresh = readStepTable(**reader, attempt, *(*reader)->ranks(attempt), {});
    ASSERT_TRUE(grown.ok() && fresh.ok());
    ASSERT_EQ(grown->table.steps, fresh->table.steps) << step;
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t i = 0; i < fresh->table.steps.size(); ++i) {
        const double a = grown->table.ranks[r].value_ns[i], b = fresh->table.ranks[r].value_ns[i];
        ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << "rank " << r << " step " << fresh->table.steps[i] << " of " << step;
      }
    EXPECT_EQ(grown->when.front()->t0, fresh->when.front()->t0);
  }
  EXPECT_TRUE(std::isnan(feed->read(**m_store.reader(), {}, {})->table.ranks[3].value_ns.back()));
  ASSERT_TRUE(out->close().ok());
}

TEST_F(StepTableTest, ATableUpToAStepLeavesLaterOnesOut) {
  {
    auto out = writer();
    recordFour(*out, true);
    ASSERT_TRUE(out->close().ok());
  }
  auto reader = m_store.reader();
  const auto attempts = (*reader)->attempts((*reader)->runs()->front().id);
  const auto answer = StepTableFeed(attempts->back().id, {.newest = 49}).read(**reader, *(*reader)->ranks(attempts->back().id), {});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->table.steps.front(), 0);
  EXPECT_EQ(answer->table.steps.back(), 49);
  EXPECT_EQ(answer->table.ranks[0].wait_ns.size(), answer->table.parts.size());
}

}  // namespace
}  // namespace runglass
