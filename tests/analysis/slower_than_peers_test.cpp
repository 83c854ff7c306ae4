// SPDX-License-Identifier: Apache-2.0
// The comparison that findings, commands and views share.
#include "analysis/peers/slower_than_peers.h"

#include <gtest/gtest.h>

#include <random>

#include "analysis/views/rank_pace.h"
#include "model/orders.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

TEST(PeerMedianTest, ARankIsNeverAmongItsOwnPeers) {
  const std::vector<double> values{100, 140, 100, 100};
  const auto usual = peerMedians<double>(values);
  EXPECT_EQ(usual[1], 100);
  EXPECT_EQ(usual[0], 100) << "the slow one is one of three";
  EXPECT_EQ(peerMedians<double>(std::vector<double>{100, 110}, 1), (std::vector<double>{110, 100}));
}

TEST(PeerMedianTest, WhoHasNoValueIsNobodysPeerAndTooFewPeersJudgeNobody) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto usual = peerMedians<double>(std::vector<double>{100, none, 100, 100});
  for (const double one : usual) EXPECT_TRUE(std::isnan(one)) << "each has two peers";
  const auto enough = peerMedians<double>(std::vector<double>{100, none, 100, 100, 160});
  EXPECT_TRUE(std::isnan(enough[1]));
  EXPECT_EQ(enough[4], 100);
}

TEST(PeerMedianTest, SlowIsWhoTakesFivePercentAndFiveMillisecondsMore) {
  EXPECT_FALSE(isSlower(0.049));
  EXPECT_TRUE(isSlower(0.05));
  EXPECT_FALSE(isSlower(0.5, 4e6)) << "small steps jitter";
  EXPECT_TRUE(isSlower(0.05, 5e6));
}

TEST(OutlierTest, TheLimitGrowsWithTheNumberOfRanks) {
  EXPECT_NEAR(outlierSigmas(8), 3.28, 0.01);
  EXPECT_NEAR(outlierSigmas(16'384), 5.02, 0.02);
  EXPECT_NEAR(outlierSigmasOfSteps(8), 0.77, 0.02);
  EXPECT_NEAR(outlierSigmasOfSteps(16'384), 1.09, 0.02);
  EXPECT_NEAR(robustSigma({1, 2, 3, 4, 1'000}), 1.4826, 1e-9);
  EXPECT_EQ(robustSigma({}), 0);
}

// With lasting normal noise: the number of healthy jobs out of a hundred in which a rank exceeds the limit.
TEST(OutlierTest, AHealthyJobOfAnySizeExpectsNoOutlier) {
  std::mt19937_64 random(11);
  for (const std::size_t ranks : {8, 64, 1'024, 16'384}) {
    std::normal_distribution<double> normal(0, 0.02);
    std::size_t beyond = 0;
    const std::size_t jobs = 100;
    for (std::size_t job = 0; job < jobs; ++job) {
      std::vector<double> values(ranks);
      for (double& value : values) value = normal(random);
      // The spread estimated from eight ranks is sometimes off by a third, which is not a fault of the limit: few ranks use the true one.
      const double limit = outlierSigmas(ranks) * (ranks > 8 ? robustSigma(values) : 0.02);
      beyond += std::ranges::max(values) >= limit ? 1 : 0;
    }
    EXPECT_LE(beyond, 4U) << ranks;
  }
}

TEST(NodePaceTest, AStageWithMoreLayersBlamesNoNode) {
  std::vector<RankPace> ranks;
  for (std::uint64_t i = 0; i < 8; ++i)
    ranks.push_back({.node = NodeId{i + 1}, .role = i < 4 ? 0 : 1, .step_ns = 100e6, .wait_ns = i == 2 ? 40e6 : i < 4 ? 50e6 : 10e6});
  const auto nodes = nodesByWork(ranks);
  ASSERT_EQ(nodes.size(), 8U);
  EXPECT_EQ(nodes[0].node, NodeId{3});
  EXPECT_NEAR(nodes[0].slower, 0.2, 1e-9);
  EXPECT_NEAR(nodes[0].wait_ratio, 0.4, 1e-9);
  EXPECT_NEAR(nodes[1].slower, 0, 1e-9);
  EXPECT_TRUE(nodesByWork(std::span(ranks).first(1)).empty()) << "nobody to compare with";
}

TEST(SlowestRankTest, IsTheOneThatTakesMostAgainstTheOthers) {
  const std::vector<std::pair<std::int32_t, double>> ns{{0, 100.}, {1, 100.}, {7, 130.}};
  const auto slowest = slowestRank(ns);
  ASSERT_TRUE(slowest);
  EXPECT_EQ(slowest->rank, 7);
  EXPECT_NEAR(slowest->slower, 0.3, 1e-9);
  EXPECT_FALSE(slowestRank(std::span(ns).first(1)));
}

// Steps 100 to 219 were captured, which delayed rank 1.
TEST(SlowestRankTest, StepsThatACommandSlowedDownAreInNoMedian) {
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
  const auto attempts = reader->attempts(reader->runs()->front().id).value();
  const auto slowest = readSlowestRank(*reader, attempts.front().id, {});
  ASSERT_TRUE(slowest.ok()) << slowest.status().message();
  ASSERT_TRUE(*slowest);
  EXPECT_EQ((*slowest)->slower, 0);
}

}  // namespace
}  // namespace runglass
