// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/rewind/rewind_print.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/storage/sample_store.h"

namespace runglass {
namespace {

RewindFacts facts() {
  RewindFacts f;
  f.spike_first = 1'050, f.spike_last = 1'070;
  f.newest_step = 1'200;
  f.checkpoints = {{800, "/c/800"}, {900, "/c/900"}, {1'000, "/c/1000"}, {1'100, "/c/1100"}};
  f.tokens_per_step = 4e6;
  f.step_seconds = 10;
  f.world = 512;
  f.restart_seconds = 600;
  f.restarts = 2;
  return f;
}

TEST(Rewind, PalmTakesACheckpointAHundredStepsBeforeAndLeavesTwoToFiveHundredBatchesOut) {
  const RewindPlan plan = planRewind(facts(), RewindRule::kPalm);
  ASSERT_TRUE(plan.checkpoint.has_value());
  EXPECT_EQ(plan.checkpoint->step, 900);
  EXPECT_EQ(plan.skip_first, 950) << "a hundred steps before the spike, not all since the checkpoint";
  EXPECT_EQ(plan.skipped(), 221);
  EXPECT_TRUE(plan.covers_spike);
  EXPECT_EQ(plan.replay_steps, 150);
  EXPECT_EQ(plan.lost_steps, 300);
  EXPECT_DOUBLE_EQ(*plan.lost_tokens, 1.2e9);
  EXPECT_DOUBLE_EQ(*plan.lost_gpu_hours, 300.0 * 10 * 512 / 3600);
  EXPECT_DOUBLE_EQ(*plan.restart_gpu_hours, 600.0 * 512 / 3600);
}

TEST(Rewind, ASpikeThatIsLongerThanFiveHundredBatchesIsNotCovered) {
  RewindFacts f = facts();
  f.spike_last = 2'000;
  const RewindPlan plan = planRewind(f, RewindRule::kPalm);
  EXPECT_EQ(plan.skipped(), kPalmSkipMost);
  EXPECT_FALSE(plan.covers_spike);
}

TEST(Rewind, FalconTakesTheLatestCheckpointAndLeavesABillionTokensOut) {
  const RewindPlan plan = planRewind(facts(), RewindRule::kFalcon);
  EXPECT_EQ(plan.checkpoint->step, 1'000);
  EXPECT_EQ(plan.skip_first, 1'001);
  EXPECT_EQ(plan.skipped(), 250);
}

TEST(Rewind, WhatIsNotKnownStaysAbsent) {
  RewindFacts f = facts();
  f.tokens_per_step.reset(), f.step_seconds.reset(), f.restart_seconds.reset();
  const RewindPlan plan = planRewind(f, RewindRule::kPalm);
  EXPECT_TRUE(plan.checkpoint.has_value());
  EXPECT_FALSE(plan.lost_tokens || plan.lost_gpu_hours || plan.restart_gpu_hours);
  const RewindPlan falcon = planRewind(f, RewindRule::kFalcon);
  EXPECT_FALSE(falcon.checkpoint.has_value());
  EXPECT_NE(falcon.reason.find("tokens"), std::string::npos);
  f.checkpoints = {{1'000, ""}};
  EXPECT_FALSE(planRewind(f, RewindRule::kPalm).checkpoint.has_value());
  f.checkpoints.clear();
  EXPECT_NE(planRewind(f, RewindRule::kPalm).reason.find("no durable checkpoint"), std::string::npos);
}

TEST(Rewind, StepsAtTheEndsOfTheirTypeDoNotOverflow) {
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  RewindFacts f{.spike_first = kFar, .spike_last = kFar + 5, .newest_step = kFar + 10};
  f.checkpoints = {{-kFar - 500, "/c"}};
  const RewindPlan plan = planRewind(f, RewindRule::kPalm);
  ASSERT_TRUE(plan.checkpoint.has_value());
  EXPECT_EQ(plan.replay_steps, INT64_MAX);
  EXPECT_EQ(plan.lost_steps, INT64_MAX);
  f.spike_first = -kFar, f.spike_last = kFar + 5;
  const RewindPlan wide = planRewind(f, RewindRule::kPalm);
  EXPECT_EQ(wide.skipped(), kPalmSkipMost);
  EXPECT_FALSE(wide.covers_spike);
  f.spike_first = f.spike_last = INT64_MAX;
  f.checkpoints = {{INT64_MAX - 50, "/c"}};
  f.tokens_per_step = 1;
  EXPECT_EQ(planRewind(f, RewindRule::kFalcon).skip_last, INT64_MAX - 1);
}

TEST(Rewind, MegatronCountsTheIterationsThatAreDone) {
  RewindPlan plan;
  plan.checkpoint = RewindFacts::Saved{5, ""};
  plan.skip_first = 7, plan.skip_last = 9;
  EXPECT_EQ(megatronSkipArgument(plan), "--iterations-to-skip 6 7 8");
  plan.skip_last = 1'000'000;
  EXPECT_EQ(megatronSkipArgument(plan), "");
}

TEST(Rewind, RangesOfManyRanksBecomeTheFewestThatHoldTheSameSamples) {
  EXPECT_EQ(mergeRanges({{20, 30}, {0, 10}, {10, 20}, {40, 50}, {45, 47}, {60, 60}, {70, 65}}),
            (std::vector<SampleRange>{{0, 30}, {40, 50}}));
  EXPECT_TRUE(mergeRanges({}).empty());
}

class RewindStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    writer = openStore(folder.file("s.rgl")).writer().value();
    run = writer->run({.name = "r", .start = kStoreStart, .framework = "Megatron-LM"});
    Attempt one{.run = run, .key = "a"};
    one.layout.world = 4;
    first = writer->attempt(one);
    loss(first, 0, 500, 0);
    save(first, 100), save(first, 200), save(first, 400);
    writer->checkpoint({.attempt = first, .step = 480, .begin = kStoreStart});
    one.key = "b";
    second = writer->attempt(one);
    loss(second, 301, 900, 1'000);
    save(second, 500);
    ASSERT_TRUE(writer->flush().ok());
    reader = openStore(folder.file("s.rgl")).reader().value();
  }
  void scalars(AttemptId attempt, const std::string& tag, std::optional<std::int32_t> rank, const std::vector<std::int64_t>& steps,
               const std::vector<double>& values, std::int64_t late = 0) {
    std::vector<TimeNs> times;
    for (const std::int64_t step : steps) times.push_back(kStoreStart + (step + late) * 2 * kNsPerSecond);
    writer->scalars(writer->series({.attempt = attempt, .rank = rank, .metric = tag, .kind = SeriesKind::kScalar}), steps, times, values);
  }
  void loss(AttemptId attempt, std::int64_t from, std::int64_t to, std::int64_t late) {
    std::vector<std::int64_t> steps;
    for (std::int64_t step = from; step < to; ++step) steps.push_back(step);
    scalars(attempt, "lm loss", {}, steps, std::vector<double>(steps.size(), 2.0), late);
  }
  void save(AttemptId attempt, std::int64_t step) {
    writer->checkpoint({.attempt = attempt, .step = step, .begin = kStoreStart, .durable = kStoreStart, .path = "/c"});
  }
  RewindAnswer ask(std::int64_t step, RewindRule rule = RewindRule::kPalm) {
    const auto answer = readRewind(*reader, {.run = run, .attempt = {}, .first_step = step, .last_step = step, .rule = rule});
    EXPECT_TRUE(answer.ok()) << answer.status().message();
    return *answer;
  }

  test::TempFolder folder;
  std::unique_ptr<Writer> writer;
  std::unique_ptr<Reader> reader;
  RunId run;
  AttemptId first, second;
};

TEST_F(RewindStoreTest, CheckpointsOfAnAbandonedBranchAndThoseThatNeverBecameDurableAreNotTaken) {
  const RewindAnswer answer = ask(550);
  ASSERT_TRUE(answer.plan.checkpoint.has_value());
  EXPECT_EQ(answer.plan.checkpoint->step, 200) << "400 was saved after the step from which the second attempt went on";
  EXPECT_EQ(ask(620).plan.checkpoint->step, 500);
}

TEST_F(RewindStoreTest, WhatAnAttemptSavedBeyondTheStepThatALaterOneWentOnFromIsAnotherBranch) {
  Attempt one{.run = run, .key = "c", .resumed_from_step = 600};
  const AttemptId third = writer->attempt(one);
  save(second, 605);  // newer than the checkpoint that the third attempt resumed from, older than its first logged step
  std::vector<std::int64_t> logged;
  for (std::int64_t step = 610; step < 1'000; step += 10) logged.push_back(step);
  scalars(third, "lm loss", {}, logged, std::vector<double>(logged.size(), 2.0), 2'000);
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_EQ(ask(910).plan.checkpoint->step, 500) << "605 is of the branch that was left at 600";
}

TEST_F(RewindStoreTest, StepTimeAndRestartTimeAreMeasured) {
  const RewindAnswer answer = ask(620);
  EXPECT_DOUBLE_EQ(*answer.facts.step_seconds, 2);
  EXPECT_EQ(answer.facts.restarts, 1U);
  EXPECT_DOUBLE_EQ(*answer.facts.restart_seconds, (301.0 + 1'000 - 499) * 2);
  EXPECT_DOUBLE_EQ(*answer.plan.lost_gpu_hours, 399.0 * 2 * 4 / 3600);
  EXPECT_FALSE(answer.plan.lost_tokens.has_value()) << "nothing says how many tokens a step has";
}

TEST_F(RewindStoreTest, SampleRangesComeFromAllRanks) {
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    std::vector<std::int64_t> steps;
    std::vector<double> from, to;
    for (std::int64_t step = 500; step < 900; ++step) {
      steps.push_back(step);
      from.push_back(static_cast<double>(step * 40 + rank * 10));
      to.push_back(rank == 2 && step == 600 ? std::numeric_limits<double>::quiet_NaN() : from.back() + 10);
    }
    scalars(second, "data_range_first", rank, steps, from);
    scalars(second, "data_range_last", rank, steps, to);
  }
  ASSERT_TRUE(writer->flush().ok());
  const RewindAnswer answer = ask(620);
  EXPECT_EQ(answer.samples.source, "data_range");
  EXPECT_EQ(answer.plan.skip_first, 520);
  EXPECT_EQ(answer.samples.ranges,
            (std::vector<SampleRange>{{520 * 40, 600 * 40 + 20}, {600 * 40 + 30, (answer.plan.skip_last + 1) * 40}}));
}

TEST_F(RewindStoreTest, ConsumedSamplesServeWhereNoRankSaysItsRange) {
  std::vector<std::int64_t> steps;
  std::vector<double> values;
  for (std::int64_t step = 301; step < 900; ++step) steps.push_back(step), values.push_back(static_cast<double>(step) * 64);
  scalars(second, "consumed samples", {}, steps, values);
  ASSERT_TRUE(writer->flush().ok());
  const RewindAnswer answer = ask(620);
  EXPECT_EQ(answer.samples.source, "consumed samples");
  EXPECT_EQ(answer.samples.ranges, (std::vector<SampleRange>{{519 * 64, answer.plan.skip_last * 64}}));
}

TEST_F(RewindStoreTest, TextAndJsonSayTheSame) {
  const RewindAnswer answer = ask(620);
  const auto json = nlohmann::json::parse(rewindJson(answer));
  EXPECT_EQ(json["status"], "ok");
  EXPECT_EQ(json["checkpoint"]["step"], 500);
  EXPECT_TRUE(json["cost"]["lost_tokens"].is_null());
  std::string text;
  for (const std::string& line : rewindLines(answer)) text += line + "\n";
  EXPECT_NE(text.find("restart from: step 500"), std::string::npos) << text;
  EXPECT_NE(text.find(json["skip"]["megatron_argument"].get<std::string>()), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(rewindJson(ask(50)))["status"], "insufficient");
}

TEST_F(RewindStoreTest, AStepThatNoAttemptHasIsNotFound) {
  EXPECT_EQ(readRewind(*reader, {.run = run, .attempt = {}, .first_step = 5'000, .last_step = 5'000}).status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace runglass
