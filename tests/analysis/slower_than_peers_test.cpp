// SPDX-License-Identifier: Apache-2.0
// The comparison that findings, commands and views share.
#include "analysis/peers/slower_than_peers.h"

#include <gtest/gtest.h>

#include <random>

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

}  // namespace
}  // namespace runglass
