// SPDX-License-Identifier: Apache-2.0
// The feed on real stores: every step once, complete, in order; a late rank is missing, not waited for.
#include "analysis/steps/step_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "model/orders.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;

class StepFeedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_out = std::move(*opened);
    m_attempt = m_out->attempt({.run = m_out->run({.name = "r", .start = kStart})});
  }
  SeriesId series(std::int32_t rank, const char* metric, const std::string& part = "") {
    return m_out->series({.attempt = m_attempt,
                          .rank = rank,
                          .node = {},
                          .device = {},
                          .metric = metric,
                          .source = "",
                          .labels = part.empty() ? "" : "{\"part\":\"" + part + "\"}",
                          .unit = "ns",
                          .kind = SeriesKind::kScalar});
  }
  void tell(std::int32_t rank, std::int64_t step, double ns = 100e6) {
    constexpr std::int64_t kLastTimed = 1'000'000'000;  // later steps share its time: int64 ends at 2262
    m_out->scalar(series(rank, "step_time_ns"), step, kStart + std::min(step, kLastTimed) * 100'000'000, ns);
  }
  std::vector<std::int64_t> next(bool ended) {
    EXPECT_TRUE(m_out->flush().ok());
    auto reader = m_store.reader();
    EXPECT_TRUE(reader.ok());
    if (!m_feed) {
      const auto runs = (*reader)->runs();
      m_feed.emplace((*reader)->attempts(runs->front().id)->back().id);
    }
    std::vector<std::int64_t> steps;
    for (;;) {
      auto frames = m_feed->next(**reader, ended, {});
      EXPECT_TRUE(frames.ok()) << frames.status().message();
      if (!frames.ok() || frames->empty()) return steps;
      for (const StepFrame& frame : *frames) {
        steps.push_back(frame.step);
        m_frames.push_back(frame);
      }
    }
  }

  TempStore m_store;
  std::unique_ptr<Writer> m_out;
  AttemptId m_attempt;
  std::optional<StepFeed> m_feed;
  std::vector<StepFrame> m_frames;
};

TEST_F(StepFeedTest, AStepIsHandedOutOnceWhenAllRanksHaveReportedIt) {
  for (std::int32_t rank = 0; rank < 3; ++rank)
    for (std::int64_t step = 1; step <= 4; ++step) tell(rank, step);
  tell(0, 5);
  EXPECT_THAT(next(false), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(next(false), IsEmpty());
  tell(1, 5), tell(2, 5);
  EXPECT_THAT(next(false), ElementsAre(5));
  EXPECT_EQ(m_frames.back().ranks_heard, 3U);
}

TEST_F(StepFeedTest, ARankThatFellSilentHoldsUpNobodyForLongerThanAFewSteps) {
  for (std::int32_t rank = 0; rank < 4; ++rank)
    for (std::int64_t step = 1; step <= 3; ++step) tell(rank, step);
  EXPECT_THAT(next(false), ElementsAre(1, 2, 3));
  for (std::int64_t step = 4; step <= 10; ++step)
    for (std::int32_t rank = 0; rank < 3; ++rank) tell(rank, step);
  EXPECT_THAT(next(false), ElementsAre(4, 5));
  EXPECT_EQ(m_frames.back().ranks_heard, 3U);
}

TEST_F(StepFeedTest, WhatEndedHasNoIncompleteSteps) {
  for (std::int64_t step = 1; step <= 3; ++step) tell(0, step);
  tell(1, 1);
  EXPECT_THAT(next(true), ElementsAre(1, 2, 3));
}

TEST_F(StepFeedTest, StepsFarApartAreFoundWithoutWalkingThroughTheGap) {
  tell(0, 7);
  tell(0, 1'000'000'007);
  tell(0, 4'000'000'000'000);
  EXPECT_THAT(next(true), ElementsAre(7, 1'000'000'007, 4'000'000'000'000));
}

TEST_F(StepFeedTest, AThousandStepsComeInOrderAndWhole) {
  for (std::int64_t step = 0; step < 1'000; ++step)
    for (std::int32_t rank = 0; rank < 2; ++rank) tell(rank, step);
  const auto steps = next(true);
  ASSERT_EQ(steps.size(), 1'000U);
  for (std::int64_t step = 0; step < 1'000; ++step) EXPECT_EQ(steps[static_cast<std::size_t>(step)], step);
}

TEST_F(StepFeedTest, CommunicationIsSplitWhereItsWaitingWasReported) {
  tell(0, 1), tell(1, 1);
  m_out->scalar(series(0, "step_part_ns", "forward"), 1, kStart, 40e6);
  m_out->scalar(series(0, "step_part_ns", "communication"), 1, kStart, 30e6);
  m_out->scalar(series(0, "step_part_wait_ns", "communication"), 1, kStart, 20e6);
  m_out->scalar(series(1, "step_part_ns", "communication"), 1, kStart, 30e6);  // its waiting time is unknown
  m_out->scalar(series(1, "step_part_ns", "other"), 1, kStart, 70e6);          // and so is its kind
  next(true);
  ASSERT_EQ(m_frames.size(), 1U);
  const StepFrame& frame = m_frames.front();
  EXPECT_FLOAT_EQ(frame.at(StepColumn::kForward, 0), 40e6F);
  EXPECT_FLOAT_EQ(frame.at(StepColumn::kTransfer, 0), 10e6F);
  EXPECT_FLOAT_EQ(frame.at(StepColumn::kWait, 0), 20e6F);
  for (const StepColumn column : {StepColumn::kTransfer, StepColumn::kWait, StepColumn::kOther, StepColumn::kForward})
    EXPECT_TRUE(std::isnan(frame.at(column, 1))) << stepColumnName(column);
}

TEST_F(StepFeedTest, OfAStepThatCameTwiceTheLaterWordCounts) {
  tell(0, 1);
  m_out->scalar(series(0, "step_part_ns", "forward"), 1, kStart, 40e6);
  m_out->scalar(series(0, "step_part_ns", "forward"), 1, kStart + 1, 50e6);
  next(true);
  EXPECT_FLOAT_EQ(m_frames.front().at(StepColumn::kForward, 0), 50e6F);
}

TEST_F(StepFeedTest, NonsenseIsNotHeard) {
  tell(0, 1, -5);
  tell(0, 2, std::numeric_limits<double>::quiet_NaN());
  tell(0, 3, 1e30);
  tell(0, 4);
  EXPECT_THAT(next(true), ElementsAre(4));
}

TEST_F(StepFeedTest, RanksThatDoNotSayTheirStageStandWhereTheirLayoutPutsThem) {
  m_attempt = m_out->attempt(
      {.run = m_out->run({.name = "m", .start = kStart, .framework = "Megatron-LM"}), .layout = {.world = 4, .tp = 1, .pp = 2, .dp = 2}});
  for (std::int32_t rank = 0; rank < 4; ++rank) tell(rank, 1);
  m_feed.emplace(m_attempt);
  EXPECT_THAT(next(true), ElementsAre(1));
  std::vector<std::optional<std::int32_t>> stages;
  for (const Rank& rank : m_feed->ranks()) stages.push_back(rank.pp);
  EXPECT_THAT(stages, ElementsAre(0, 0, 1, 1));
}

// Half of the job's agents died, its trainers continue.
TEST_F(StepFeedTest, WhenMostRanksFellSilentTheOthersAreHeardAllTheSame) {
  for (std::int32_t rank = 0; rank < 8; ++rank)
    for (std::int64_t step = 1; step <= 30; ++step) tell(rank, step);
  EXPECT_EQ(next(false).size(), 30U);
  for (std::int64_t step = 31; step <= 400; ++step)
    for (std::int32_t rank = 0; rank < 3; ++rank) tell(rank, step);
  const auto steps = next(false);
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.front(), 31);
  EXPECT_GT(steps.back(), 300);
}

TEST_F(StepFeedTest, OneRanksAbsurdStepNumberDoesNotEndALiveRunForTheOthers) {
  for (std::int32_t rank = 0; rank < 4; ++rank)
    for (std::int64_t step = 1; step <= 5; ++step) tell(rank, step);
  m_out->scalar(series(2, "step_time_ns"), std::int64_t{1} << 62, kStart + 1, 100e6);
  EXPECT_THAT(next(false), ElementsAre(1, 2, 3, 4, 5));
  for (std::int32_t rank = 0; rank < 4; ++rank) tell(rank, 6);
  EXPECT_THAT(next(false), ElementsAre(6));
  EXPECT_THAT(next(true), ElementsAre(std::int64_t{1} << 62));
}

TEST_F(StepFeedTest, AnAbsurdFirstStepDoesNotHoldUpALiveRun) {
  m_out->scalar(series(2, "step_time_ns"), -(std::int64_t{1} << 62), kStart + 1, 100e6);
  for (std::int32_t rank = 0; rank < 4; ++rank)
    for (std::int64_t step = 1; step <= 5; ++step) tell(rank, step);
  EXPECT_THAT(next(false), ElementsAre(-(std::int64_t{1} << 62), 1, 2, 3, 4, 5));
}

TEST_F(StepFeedTest, WhoLooksBackFromTheNewestStepLooksBackFromTheOneThatTwoRanksHave) {
  for (std::int32_t rank = 0; rank < 4; ++rank)
    for (std::int64_t step = 1; step <= 50; ++step) tell(rank, step);
  m_out->scalar(series(2, "step_time_ns"), std::int64_t{1} << 62, kStart + 1, 100e6);
  EXPECT_TRUE(m_out->flush().ok());
  auto reader = m_store.reader();
  ASSERT_TRUE(reader.ok());
  m_feed.emplace((*reader)->attempts((*reader)->runs()->front().id)->back().id);
  m_feed->startBack(3);
  EXPECT_THAT(next(false), ElementsAre(47, 48, 49, 50));
  EXPECT_EQ(m_feed->startedAt(), 47);
}

TEST_F(StepFeedTest, StepsAtTheEndsOfTheNumbersAreFoundToo) {
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  tell(0, 1);
  m_out->scalar(series(0, "step_time_ns"), -kFar - 5'000, kStart + 1, 100e6);
  m_out->scalar(series(0, "step_time_ns"), kFar + 5'000, kStart + 1, 100e6);
  EXPECT_THAT(next(true), ElementsAre(-kFar - 5'000, 1, kFar + 5'000));
}

TEST_F(StepFeedTest, WaitingInsideAPassIsNoWork) {
  tell(0, 1);
  m_out->scalar(series(0, "step_part_ns", "forward"), 1, kStart, 40e6);
  m_out->scalar(series(0, "step_part_wait_ns", "forward"), 1, kStart, 15e6);
  m_out->scalar(series(0, "step_part_ns", "data"), 1, kStart, 9e6);
  m_out->scalar(series(0, "step_part_wait_ns", "data"), 1, kStart, 8e6);
  next(true);
  ASSERT_EQ(m_frames.size(), 1U);
  EXPECT_FLOAT_EQ(m_frames.front().at(StepColumn::kForward, 0), 25e6F);
  EXPECT_FLOAT_EQ(m_frames.front().at(StepColumn::kWait, 0), 15e6F);
  EXPECT_FLOAT_EQ(m_frames.front().at(StepColumn::kData, 0), 9e6F);  // its waiting time is its cost
}

TEST_F(StepFeedTest, AStepInWhichTheRunStoodStillIsStalled) {
  for (std::int64_t step = 0; step < 20; ++step) tell(0, step), tell(1, step, step == 12 ? 108e9 : 100e6);
  next(true);
  for (const StepFrame& frame : m_frames) EXPECT_EQ(frame.stalled, frame.step == 12) << frame.step;
}

TEST_F(StepFeedTest, StepsThatWereTracedOrCapturedAreDisturbed) {
  for (std::int64_t step = 0; step < 40; ++step) tell(0, step), tell(1, step);
  const auto command = [&](const Order& order, std::optional<std::int64_t> step, TimeNs time) {
    m_out->event({.time = time,
                  .attempt = m_attempt,
                  .step = step,
                  .kind = std::string(kOrderEvent),
                  .code = std::string(orderName(order.kind)),
                  .message = orderEventText(order, step)});
  };
  command({.kind = OrderKind::kExact, .number = 3}, 10, kStart);
  command({.kind = OrderKind::kCapture}, std::nullopt, kStart + 2'050'000'000);  // during step 20
  m_out->event({.time = kStart + 2'250'000'000, .attempt = m_attempt, .kind = std::string(kCaptureEvent)});
  next(true);
  std::vector<std::int64_t> disturbed;
  for (const StepFrame& frame : m_frames)
    if (frame.disturbed) disturbed.push_back(frame.step);
  EXPECT_THAT(disturbed, ElementsAre(10, 11, 12, 20, 21, 22));
}

TEST_F(StepFeedTest, ALogsStepEndsWhereItsLineIsWritten) {
  const SeriesId logged = m_out->series({.attempt = m_attempt,
                                         .metric = "elapsed time per iteration",
                                         .labels = R"({"canonical":"step_time_ns"})",
                                         .unit = "ns",
                                         .kind = SeriesKind::kScalar});
  m_out->scalar(logged, 10, kStart + kNsPerSecond, 400e6);
  m_out->scalar(logged, 20, std::nullopt, 500e6);
  EXPECT_THAT(next(true), ElementsAre(10, 20));
  EXPECT_EQ(m_frames[0].longest(), 400e6);
  EXPECT_EQ(m_frames[0].when, (TimeRange{kStart + 600'000'000, kStart + kNsPerSecond}));
  EXPECT_FALSE(m_frames[1].when);
}

TEST_F(StepFeedTest, WithoutStepTimesThereIsNothing) { EXPECT_THAT(next(true), IsEmpty()); }

TEST(StepColumns, NamesOfTrainersAreUnderstood) {
  EXPECT_EQ(stepColumnOf("forward-compute"), StepColumn::kForward);
  EXPECT_EQ(stepColumnOf("Backward"), StepColumn::kBackward);
  EXPECT_EQ(stepColumnOf("forward-recv"), StepColumn::kTransfer);
  EXPECT_EQ(stepColumnOf("dataloader"), StepColumn::kData);
  for (const char* name : {"layernorm-grads-all-reduce", "embedding-grads-all-reduce", "separate-grads-all-reduce", "all-grads-sync",
                           "grads-reduce-scatter", "params-all-gather", "tp-allreduce", "tp-allgather", "tp-reducescatter",
                           "unshard-all-gather", "all_to_all", "reduce_scatter", "nccl:broadcast"})
    EXPECT_EQ(stepColumnOf(name), StepColumn::kTransfer) << name;
  EXPECT_EQ(stepColumnOf("my_loss"), StepColumn::kOther);
  EXPECT_EQ(stepColumnOf("other"), std::nullopt);
}

}  // namespace
}  // namespace runglass
