// SPDX-License-Identifier: Apache-2.0
// The kernel: which ranks are outliers, which are not, and the result with too little data to compare.
#include "analysis/slow_ranks/slow_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace runglass {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Work of about 100 ms with a relative noise of 1 %; `factor` of (rank, step).
template <class Factor>
StepTable made(int ranks, int stages, int steps, Factor factor) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(1, 0.01);
  StepTable table{.basis = SlownessBasis::kWork, .steps = {}, .parts = {}, .ranks = {}};
  for (int s = 0; s < steps; ++s) table.steps.push_back(1'000 + s);
  for (int r = 0; r < ranks; ++r) {
    RankSteps rank{.rank = r, .role = r % stages, .value_ns = {}, .part_ns = {}};
    for (int s = 0; s < steps; ++s) rank.value_ns.push_back(100e6 * noise(random) * factor(r, s));
    table.ranks.push_back(std::move(rank));
  }
  return table;
}

TEST(SlowRanksTest, NobodyStandsOutOfAJobInWhichAllWorkAlike) {
  const SlowRanks answer = rankBySlowness(made(64, 4, 200, [](int, int) { return 1.0; }));
  EXPECT_EQ(answer.status, SlowRanksStatus::kRanked);
  EXPECT_EQ(answer.standingOut(), 0U);
  EXPECT_EQ(answer.ranks.size(), 64U);
  EXPECT_LT(*answer.ranks.front().score, 0.01);
  EXPECT_NEAR(*answer.moved, 0, 0.005);
}

TEST(SlowRanksTest, OneSlowRankComesFirstWithItsScoreAndSureOfIt) {
  const SlowRanks answer = rankBySlowness(made(64, 4, 200, [](int r, int) { return r == 37 ? 1.2 : 1.0; }));
  ASSERT_EQ(answer.standingOut(), 1U);
  const RankScore& first = answer.ranks.front();
  EXPECT_EQ(first.rank, 37);
  EXPECT_NEAR(*first.score, 0.2, 0.01);
  EXPECT_NEAR(*first.excess_ns, 20e6, 1e6);
  EXPECT_EQ(first.persistence, 1);
  EXPECT_EQ(first.coverage, 1);
  EXPECT_EQ(first.peers, 15);
  EXPECT_EQ(first.confidence, Confidence::kHigh);
  EXPECT_EQ(first.since_step, 1'000);
  EXPECT_TRUE(first.since_before);
}

TEST(SlowRanksTest, WhoBecameSlowLateIsJudgedByTheStepsSinceThen) {
  const SlowRanks answer = rankBySlowness(made(16, 1, 200, [](int r, int s) { return r == 3 && s >= 150 ? 1.3 : 1.0; }));
  ASSERT_EQ(answer.standingOut(), 1U);
  const RankScore& first = answer.ranks.front();
  EXPECT_EQ(first.rank, 3);
  EXPECT_NEAR(static_cast<double>(*first.since_step), 1'150, 1);
  EXPECT_NEAR(*first.score, 0.3, 0.01);
  EXPECT_NEAR(*first.excess_ns, 30e6, 1e6);
  EXPECT_GT(*first.persistence, 0.95);
  EXPECT_NEAR(static_cast<double>(first.compared), 50, 1);
}

TEST(SlowRanksTest, AFewSlowStepsAtTheEndAndMuchNoiseMakeNobodySlow) {
  EXPECT_EQ(rankBySlowness(made(16, 1, 200, [](int r, int s) { return r == 3 && s >= 180 ? 1.3 : 1.0; })).standingOut(), 0U);
  std::mt19937 random(3);
  std::normal_distribution<double> wild(1, 0.2);
  for (int run = 0; run < 20; ++run) EXPECT_EQ(rankBySlowness(made(256, 1, 100, [&](int, int) { return wild(random); })).standingOut(), 0U);
}

TEST(SlowRanksTest, SaysFromWhichStepOnARankIsSlow) {
  const SlowRanks answer = rankBySlowness(made(16, 1, 200, [](int r, int s) { return r == 3 && s >= 40 ? 1.3 : 1.0; }));
  ASSERT_EQ(answer.standingOut(), 1U);
  EXPECT_NEAR(static_cast<double>(*answer.ranks.front().since_step), 1'040, 1);
  EXPECT_FALSE(answer.ranks.front().since_before);
}

TEST(SlowRanksTest, ASlowStageIsNotASlowRank) {
  const SlowRanks answer = rankBySlowness(made(32, 4, 100, [](int r, int) { return r % 4 == 3 ? 1.4 : 1.0; }));
  EXPECT_EQ(answer.standingOut(), 0U);
  ASSERT_EQ(answer.stages.size(), 4U);
  EXPECT_NEAR(answer.stages[3].median_ns / answer.stages[0].median_ns, 1.4, 0.02);
}

TEST(SlowRanksTest, AShortBurstIsNotPersistent) {
  const SlowRanks answer = rankBySlowness(made(16, 1, 100, [](int r, int s) { return r == 3 && s < 60 ? 1.5 : 1.0; }));
  EXPECT_EQ(answer.ranks.front().rank, 3);
  EXPECT_GT(*answer.ranks.front().score, 0.1);
  EXPECT_FALSE(answer.ranks.front().stands_out);
}

TEST(SlowRanksTest, ASpreadThatIsUsualAmongThePeersHidesASmallDifference) {
  const auto spread = [](int r, int) { return 1 + 0.02 * (r % 8); };
  EXPECT_EQ(rankBySlowness(made(16, 1, 100, spread)).standingOut(), 0U);
}

TEST(SlowRanksTest, NamesThePartThatTookMoreThanThePeers) {
  StepTable table = made(8, 1, 50, [](int r, int) { return r == 2 ? 1.2 : 1.0; });
  table.parts = {"data", "forward", "backward"};
  for (RankSteps& rank : table.ranks) rank.part_ns = {2e6, 30e6, rank.rank == 2 ? 88e6 : 68e6};
  const RankScore first = rankBySlowness(table).ranks.front();
  ASSERT_EQ(first.parts.size(), 3U);
  EXPECT_EQ(table.parts[first.parts.front().part], "backward");
  EXPECT_DOUBLE_EQ(first.parts.front().excess(), 20e6);
}

TEST(SlowRanksTest, TooFewPeersAreNotComparedAndSaidToBeSo) {
  const SlowRanks answer = rankBySlowness(made(6, 2, 50, [](int r, int) { return r == 0 ? 2.0 : 1.0; }));
  EXPECT_EQ(answer.status, SlowRanksStatus::kTooFewPeers);
  for (const RankScore& rank : answer.ranks) {
    EXPECT_FALSE(rank.score);
    EXPECT_FALSE(rank.stands_out);
    EXPECT_EQ(rank.peers, 2);
    EXPECT_TRUE(std::isnan(rank.ratio[0]));
  }
}

TEST(SlowRanksTest, ARankWithHolesHasItsCoverageAndASilentOneNoScore) {
  StepTable table = made(8, 1, 100, [](int r, int) { return r == 5 ? 1.3 : 1.0; });
  for (std::size_t s = 0; s < 70; ++s) table.ranks[5].value_ns[s] = kNothing;
  std::ranges::fill(table.ranks[6].value_ns, kNothing);
  const SlowRanks answer = rankBySlowness(table);
  EXPECT_EQ(answer.ranks.front().rank, 5);
  EXPECT_NEAR(answer.ranks.front().coverage, 0.3, 1e-9);
  EXPECT_EQ(answer.ranks.front().confidence, Confidence::kLow);
  EXPECT_EQ(answer.ranks.back().rank, 6);
  EXPECT_FALSE(answer.ranks.back().score);
  EXPECT_EQ(answer.ranks.back().coverage, 0);
}

TEST(SlowRanksTest, AllMovingTogetherIsAMovementAndNotARank) {
  const SlowRanks answer = rankBySlowness(made(16, 1, 200, [](int, int s) { return s >= 100 ? 1.05 : 1.0; }));
  EXPECT_EQ(answer.standingOut(), 0U);
  EXPECT_NEAR(*answer.moved, 0.05, 0.005);
}

TEST(SlowRanksTest, NothingGivesNothing) {
  EXPECT_EQ(rankBySlowness({}).status, SlowRanksStatus::kNoSteps);
  EXPECT_EQ(rankBySlowness(made(8, 1, 2, [](int, int) { return 1.0; })).status, SlowRanksStatus::kTooFewSteps);
}

}  // namespace
}  // namespace runglass
