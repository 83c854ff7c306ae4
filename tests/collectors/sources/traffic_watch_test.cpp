// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/rdma/traffic_watch.h"

#include <gtest/gtest.h>

#include "collectors/sources/rdma/error_watch.h"

namespace runglass {
namespace {
using enum TrafficWatch::Change;

// Adds `bins` equal bins and returns the reported changes, as "stopped 2" or "faded all".
class TrafficWatchTest : public ::testing::Test {
 protected:
  std::vector<std::string> add(int bins, const std::vector<double>& rates, std::optional<std::uint64_t> trainers = 1) {
    std::vector<std::string> reported;
    for (int i = 0; i < bins; ++i)
      for (const auto& verdict : m_watch.add(rates, trainers))
        reported.push_back(std::string(verdict.change == kStopped ? "stopped "
                                       : verdict.change == kFaded ? "faded "
                                                                  : "resumed ") +
                           (verdict.port ? std::to_string(*verdict.port) : "all"));
    return reported;
  }
  using Reported = std::vector<std::string>;
  TrafficWatch m_watch;
  const std::vector<double> m_full = {1e9, 1e9, 1e9, 1e9}, m_none = {0, 0, 0, 0};
};

TEST_F(TrafficWatchTest, OnePortThatStopsWhileOthersGoOnIsReportedOnceAndThenItsReturn) {
  EXPECT_EQ(add(12, m_full), Reported{});
  EXPECT_EQ(add(2, {1e9, 1e9, 0, 1e9}), Reported{}) << "a minute may be a matter of phases";
  EXPECT_EQ(add(8, {1e9, 1e9, 0, 1e9}), Reported{"stopped 2"});
  EXPECT_EQ(add(8, m_full), Reported{"resumed 2"});
}

TEST_F(TrafficWatchTest, APortThatFallsToLessThanHalfOfItsShareHasFaded) {
  add(12, m_full);
  EXPECT_EQ(add(8, {1e9, 0.3e9, 1e9, 1e9}), Reported{"faded 1"});
  EXPECT_EQ(add(3, {1e9, 0, 1e9, 1e9}), Reported{"stopped 1"}) << "and got worse";
}

TEST_F(TrafficWatchTest, CheckpointsEvaluationsAndTheEndOfAJobAreQuiet) {
  add(20, m_full);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(add(10, m_none), Reported{}) << "five minutes of saving";
    EXPECT_EQ(add(1, {1e8, 2e8, 5e7, 3e8}), Reported{}) << "the bin in which traffic begins is a part of one";
    EXPECT_EQ(add(6, {0.8e9, 0.8e9, 0.8e9, 0.8e9}), Reported{}) << "an evaluation has less";
    EXPECT_EQ(add(10, m_full), Reported{});
  }
  EXPECT_EQ(add(200, m_none, std::nullopt), Reported{}) << "no trainer lives";
}

TEST_F(TrafficWatchTest, AllPortsThatStopWhileTrainersLiveAreReportedAfterTenMinutes) {
  add(20, m_full);
  EXPECT_EQ(add(19, m_none), Reported{});
  EXPECT_EQ(add(100, m_none), Reported{"stopped all"});
  EXPECT_EQ(add(2, m_full), Reported{"resumed all"});
}

TEST_F(TrafficWatchTest, WithoutKnownTrainersAStopIsTheEndOfAJob) {
  EXPECT_EQ(add(40, m_full, std::nullopt), Reported{});
  EXPECT_EQ(add(200, m_none, std::nullopt), Reported{});
  EXPECT_EQ(add(40, {4e9, 0, 0, 0}, std::nullopt), Reported{}) << "the next job has another layout";
}

TEST_F(TrafficWatchTest, OtherTrainersBeginAnew) {
  add(20, m_full, 1);
  EXPECT_EQ(add(40, {4e9, 0, 0, 0}, 2), Reported{});
}

TEST_F(TrafficWatchTest, APortThatNeverHadTrafficIsNotMissed) {
  add(20, {1e9, 1e9, 1e6, 1e9});
  EXPECT_EQ(add(20, {1e9, 1e9, 0, 1e9}), Reported{});
}

TEST_F(TrafficWatchTest, LessTrafficOnAllPortsIsReportedOnceAndThenTheRule) {
  add(40, m_full);
  EXPECT_EQ(add(60, {0.4e9, 0.4e9, 0.4e9, 0.4e9}), Reported{"faded all"});
  EXPECT_EQ(add(60, m_full), Reported{});
}

TEST_F(TrafficWatchTest, AFaultThatStaysForAnHourIsTheRule) {
  add(12, m_full);
  EXPECT_EQ(add(400, {1e9, 1e9, 0, 1e9}), Reported{"stopped 2"});
}

using Rises = std::vector<std::vector<std::optional<std::uint64_t>>>;

TEST(ErrorWatch, ACounterIsJudgedAgainstTheOtherPorts) {
  ErrorWatch watch;
  const std::vector<std::uint64_t> floors = {100};
  EXPECT_TRUE(watch.add(Rises{{99}, {0}, {0}}, floors).empty()) << "now and then";
  EXPECT_TRUE(watch.add(Rises{{300}, {90}, {95}}, floors).empty()) << "not far from the others";
  const auto found = watch.add(Rises{{5000}, {2}, {std::nullopt}}, floors);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].port, 0U);
  EXPECT_EQ(found[0].count, 5000U);
  EXPECT_EQ(found[0].others, 2U);
  EXPECT_TRUE(watch.add(Rises{{6000}, {2}, {0}}, floors).empty()) << "known";
  EXPECT_EQ(watch.add(Rises{{60'000}, {2}, {0}}, floors).size(), 1U) << "ten times worse";
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(watch.add(Rises{{6000}, {2}, {0}}, floors).empty());
  EXPECT_EQ(watch.add(Rises{{6000}, {2}, {0}}, floors).size(), 1U) << "an hour later";
}

TEST(ErrorWatch, WhatAllPortsHaveIsOneFindingOfNoPort) {
  ErrorWatch watch;
  const auto found = watch.add(Rises{{500}, {400}}, std::vector<std::uint64_t>{100});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].all);
  EXPECT_EQ(found[0].count, 900U);
  EXPECT_TRUE(watch.add(Rises{{5000}, {5000}}, std::vector<std::uint64_t>{0}).empty()) << "a floor of 0 is never told";
}

}  // namespace
}  // namespace runglass
