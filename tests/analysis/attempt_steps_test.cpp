// SPDX-License-Identifier: Apache-2.0
// Which series are an attempt's steps, and which rank's are used for the attempt.
#include "analysis/steps/attempt_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;

class AttemptStepsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_out = std::move(*opened);
    m_run = m_out->run({.name = "r", .start = kStart});
    m_attempt = m_out->attempt({.run = m_run, .key = "1"});
  }
  SeriesId series(std::optional<std::int32_t> rank, std::string_view metric, const std::string& part = "", AttemptId attempt = {}) {
    return m_out->series({.attempt = attempt ? attempt : m_attempt,
                          .rank = rank,
                          .metric = std::string(metric),
                          .labels = part.empty() ? "" : "{\"part\":\"" + part + "\"}",
                          .unit = "ns",
                          .kind = SeriesKind::kScalar});
  }
  void record(SeriesId id, std::int64_t steps, bool clocked = true, double value = 1e8) {
    for (std::int64_t step = 0; step < steps; ++step)
      m_out->scalar(id, step, clocked ? std::optional(kStart + step * kNsPerSecond) : std::nullopt, value);
  }
  AttemptSteps list(std::initializer_list<StepSeries> kinds = {StepSeries::kTime}) {
    EXPECT_TRUE(m_out->flush().ok());
    m_reader = *m_store.reader();
    const auto attempts = m_reader->attempts(m_reader->runs()->front().id);
    auto steps = AttemptSteps::list(*m_reader, attempts->front().id, kinds);
    EXPECT_TRUE(steps.ok()) << steps.status().message();
    return std::move(*steps);
  }
  static std::vector<std::int32_t> ranksOf(std::span<const Series> series) {
    std::vector<std::int32_t> ranks;
    for (const Series& one : series) ranks.push_back(*one.key.rank);
    return ranks;
  }

  TempStore m_store;
  std::unique_ptr<Writer> m_out;
  std::unique_ptr<Reader> m_reader;
  RunId m_run;
  AttemptId m_attempt;
};

TEST_F(AttemptStepsTest, AreTheRanksSeriesWithPointsByRankAndNoOthers) {
  for (const std::int32_t rank : {3, 1, 2}) record(series(rank, kStepTimeMetric), 4 + rank);
  series(0, kStepTimeMetric);  // without points
  record(series(std::nullopt, kStepTimeMetric), 9);
  record(series(1, kStepPhaseMetric), 4);
  record(series(5, kStepTimeMetric, "", m_out->attempt({.run = m_run, .key = "2"})), 50);
  const AttemptSteps steps = list();
  EXPECT_THAT(ranksOf(steps.of(StepSeries::kTime)), ElementsAre(1, 2, 3));
  EXPECT_THAT(ranksOf(steps.of(StepSeries::kTime, 2)), ElementsAre(2));
  EXPECT_THAT(steps.of(StepSeries::kTime, 0), IsEmpty());
  EXPECT_THAT(steps.of(StepSeries::kPhase), IsEmpty()) << "was not asked for";
  EXPECT_EQ(steps.unranked().size(), 1U);
  EXPECT_EQ(steps.lastStep(), 6);
  const auto all = m_reader->series({});
  const AttemptSteps same =
      AttemptSteps::among(*all, steps.of(StepSeries::kTime).front().key.attempt, {StepSeries::kTime, StepSeries::kPhase});
  EXPECT_THAT(ranksOf(same.of(StepSeries::kTime)), ElementsAre(1, 2, 3));
  EXPECT_THAT(ranksOf(same.of(StepSeries::kPhase)), ElementsAre(1));
}

TEST_F(AttemptStepsTest, TheLowestRankWithAClockSpeaksForAllUnlessItFellSilent) {
  record(series(std::nullopt, kStepTimeMetric), 100);
  EXPECT_FALSE(list().clock()->key.rank) << "a log, where no rank records steps";
  record(series(0, kStepTimeMetric), 100, false);
  record(series(1, kStepTimeMetric), 40);
  record(series(2, kStepTimeMetric), 99);
  record(series(3, kStepTimeMetric), 100);
  const AttemptSteps steps = list();
  EXPECT_EQ(steps.clock()->key.rank, 1);
  EXPECT_EQ(steps.clock(0.9)->key.rank, 2);
}

TEST_F(AttemptStepsTest, APartHasTheWaitOfItsOwnRankAndName) {
  for (const std::int32_t rank : {0, 1}) {
    record(series(rank, kStepPartMetric, "data"), 3);
    record(series(rank, kStepPartMetric, "communication"), 3);
  }
  const SeriesId wait = series(1, kStepPartWaitMetric, "communication");
  record(wait, 3);
  const AttemptSteps steps = list({StepSeries::kPart, StepSeries::kPartWait});
  std::size_t found = 0;
  for (const Series& part : steps.of(StepSeries::kPart)) {
    const Series* of = steps.waitOf(part);
    if (of == nullptr) continue;
    ++found;
    EXPECT_EQ(part.key.rank, 1);
    EXPECT_EQ(part.key.labels, of->key.labels);
  }
  EXPECT_EQ(found, 1U);
}

TEST_F(AttemptStepsTest, WhatALogPrintsCountsWhereNobodyRecordsStepTimes) {
  const auto logged = [&](const char* metric, const char* labels, const char* source = "") {
    return m_out->series(
        {.attempt = m_attempt, .metric = metric, .source = source, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
  };
  record(logged("train_step_timing", R"({"canonical":"step_time_ns"})"), 5);
  record(logged("elapsed time per iteration", R"({"canonical":"step_time_ns"})"), 9);
  record(logged("validation time", R"({"canonical":"step_time_ns"})", "validation"), 20);
  record(logged("over samples", R"({"canonical":"step_time_ns","x":"samples"})"), 20);
  record(logged("timer/forward", ""), 20);
  const AttemptSteps steps = list();
  ASSERT_NE(steps.logged(), nullptr);
  EXPECT_EQ(steps.logged()->key.metric, "elapsed time per iteration") << "that of most steps";
  EXPECT_EQ(steps.clock(), steps.logged());
  EXPECT_THAT(steps.of(StepSeries::kTime), IsEmpty());
  record(series(3, kStepTimeMetric), 1);
  EXPECT_EQ(list().logged(), nullptr) << "a rank records its own";
}

TEST_F(AttemptStepsTest, AStepIsSteadyUnlessARankRecordedAnotherPhase) {
  const SeriesId phase = series(2, kStepPhaseMetric);
  m_out->scalar(phase, 1, kStart, static_cast<double>(StepPhase::kCheckpoint));
  m_out->scalar(phase, 2, kStart, static_cast<double>(StepPhase::kSteady));
  m_out->scalar(phase, 3, kStart, 77);
  const AttemptSteps steps = list({StepSeries::kPhase});
  const auto phases = StepPhases::read(*m_reader, steps.of(StepSeries::kPhase), 0, 10, {});
  ASSERT_TRUE(phases.ok());
  EXPECT_EQ(phases->at(1), StepPhase::kCheckpoint);
  for (const std::int64_t step : {0, 2, 3, 9}) EXPECT_TRUE(phases->isSteady(step)) << step;
}

TEST(UsualLengthTest, AFewStalledStepsAreInNoBaselineAndManyLongOnesBelongToTheRun) {
  constexpr DurNs kStep = 2 * kNsPerSecond, kHang = 108 * kNsPerSecond;
  std::vector<DurNs> lengths(12, kStep);
  EXPECT_FALSE(usualLength({kStep, kHang, kHang}).limit) << "too few to judge";
  EXPECT_EQ(usualLength(lengths).limit, 30 * kNsPerSecond);
  for (std::size_t hangs = 1; hangs <= kMaxStalled; ++hangs) {
    lengths.push_back(kHang);
    const UsualLength usual = usualLength(lengths);
    EXPECT_EQ(usual.p99, kStep) << hangs;
    EXPECT_TRUE(usual.isStalled(kHang)) << hangs;
    EXPECT_FALSE(usual.isStalled(kStep)) << hangs;
  }
  lengths.insert(lengths.end(), 2, kHang);
  EXPECT_EQ(usualLength(lengths).p99, kHang) << "evaluations";
}

TEST(StepRangeTest, IsAbsentWithoutAClockAndForNonsense) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ScalarColumns points{.step = {1, 2, 3, 4, 5, 6},
                             .time = {100, kAbsent, 100, 100, 100, std::numeric_limits<TimeNs>::max() - 1},
                             .value = {50, 50, nan, -1, 1e18, 50}};
  EXPECT_EQ(stepRange(points, 0), (TimeRange{100, 150}));
  for (std::size_t i = 1; i < points.size(); ++i) EXPECT_FALSE(stepRange(points, i)) << i;
  EXPECT_FALSE(stepRange({.step = {1}, .time = {}, .value = {50}}, 0));
}

}  // namespace
}  // namespace runglass
