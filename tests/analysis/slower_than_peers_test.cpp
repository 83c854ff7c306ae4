// SPDX-License-Identifier: Apache-2.0
// The comparison that findings, commands and views share.
#include "analysis/peers/slower_than_peers.h"

#include <gtest/gtest.h>

#include "analysis/views/rank_pace.h"

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

}  // namespace
}  // namespace runglass
