// SPDX-License-Identifier: Apache-2.0
// What a finding's card shows: its end, its cost, and the curve of its evidence.
#include "analysis/views/finding_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;
constexpr TimeNs kNow = kStart + 3'600 * kNsPerSecond;

class FindingFactsTest : public ::testing::Test {
 protected:
  // Steps of two ranks: 80 ms of work and 20 ms of waiting; from step 120 on rank 1 works for 130 ms. Steps 60 to 69 are not recorded.
  void SetUp() override {
    m_writer = m_store.writer().value();
    m_run = m_writer->run({.name = "r", .start = kStart});
    m_attempt = m_writer->attempt({.run = m_run, .key = "a", .start = kStart, .layout = {.world = 8}});
    const SeriesId loss = m_writer->series({.attempt = m_attempt, .metric = "train/loss", .kind = SeriesKind::kScalar});
    for (std::int32_t rank = 0; rank < 2; ++rank) {
      m_writer->rank({.attempt = m_attempt, .rank = rank});
      const SeriesId times = scalar(rank, "step_time_ns", ""), part = scalar(rank, "step_part_ns", R"({"part":"forward"})"),
                     wait = scalar(rank, "step_part_wait_ns", R"({"part":"forward"})");
      for (std::int64_t step = 0; step < 200; ++step) {
        if (rank == 0) m_writer->scalar(loss, step, kStart + step * kNsPerSecond, step < 120 ? 2 : 5);
        if (step >= 60 && step < 70) continue;
        const double work = rank == 1 && step >= 120 ? 130e6 : 80e6;
        m_writer->scalar(times, step, kStart + step * kNsPerSecond, 150e6);
        m_writer->scalar(part, step, kStart + step * kNsPerSecond, work + 20e6);
        m_writer->scalar(wait, step, kStart + step * kNsPerSecond, 20e6);
      }
    }
  }
  SeriesId scalar(std::int32_t rank, const char* metric, const char* labels) {
    return m_writer->series(
        {.attempt = m_attempt, .rank = rank, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
  }
  Finding about(const std::string& kind, const std::string& evidence) const {
    return {.run = m_run,
            .attempt = m_attempt,
            .kind = kind,
            .severity = Severity::kWarning,
            .start = kStart + 120 * kNsPerSecond,
            .first_step = 120,
            .evidence = evidence};
  }
  FindingFacts read(const Finding& finding) {
    EXPECT_TRUE(m_writer->flush().ok());
    const auto reader = m_store.reader().value();
    const auto facts = readFindingFacts(*reader, finding, kNow, {});
    EXPECT_TRUE(facts.ok()) << facts.status().message();
    return facts.ok() ? *facts : FindingFacts();
  }

  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  RunId m_run;
  AttemptId m_attempt;
};

TEST_F(FindingFactsTest, TheCurveOfASlowRankIsItsOwnWorkBeforeAndInTheFinding) {
  Finding slow = about("slow_rank", R"({"own_ns":130000000,"cost_ratio":0.04,"gpu_hours_per_day":7.5})");
  slow.rank = 1, slow.last_step = 159, slow.end = kStart + 160 * kNsPerSecond;
  const FindingFacts facts = read(slow);
  EXPECT_EQ(facts.end, slow.end);
  EXPECT_EQ(facts.cost.step_ratio, 0.04);
  EXPECT_EQ(facts.cost.gpu_hours_per_day, 7.5);
  EXPECT_FALSE(facts.cost.gpu_hours);
  ASSERT_EQ(facts.trend.kind, TrendKind::kOwnWork);
  EXPECT_EQ(facts.trend.rank, 1);
  EXPECT_EQ(facts.trend.unit, "ns");
  ASSERT_TRUE(facts.trend.before && facts.trend.during);
  EXPECT_NEAR(*facts.trend.before, 80e6, 1e6);
  EXPECT_NEAR(*facts.trend.during, 130e6, 1e6);
  EXPECT_GT(facts.trend.begin, 0U);
  EXPECT_LT(facts.trend.end, facts.trend.values.size()) << "it ended before the shown range does";
}

TEST_F(FindingFactsTest, AGapInTheStepsIsAGapInTheCurve) {
  Finding shift = about("throughput_shift", R"({"before_ns":1})");
  shift.first_step = 75;
  const FindingTrend trend = read(shift).trend;
  ASSERT_EQ(trend.kind, TrendKind::kStepTime);
  EXPECT_GT(std::ranges::count_if(trend.values, [](double value) { return std::isnan(value); }), 0);
  EXPECT_TRUE(std::isfinite(trend.values.front()) && std::isfinite(trend.values.back()));
  EXPECT_EQ(trend.end, trend.values.size()) << "it lasts";
}

TEST_F(FindingFactsTest, AFindingAboutALossShowsTheMetricThatItsEvidenceNames) {
  const FindingTrend trend = read(about("loss_divergence", R"({"tag":"train/loss"})")).trend;
  ASSERT_EQ(trend.kind, TrendKind::kMetric);
  EXPECT_EQ(trend.metric, "train/loss");
  EXPECT_NEAR(*trend.before, 2, 0.2);
  EXPECT_NEAR(*trend.during, 5, 0.2);
}

TEST_F(FindingFactsTest, AStandstillCostsTheTimeOfAllRanksUntilNowOrTheEndOfItsAttempt) {
  Finding hang = about("hang", "{}");
  hang.start = kStart, hang.first_step = hang.last_step = 199;
  FindingFacts facts = read(hang);
  EXPECT_TRUE(facts.open && !facts.end) << "it lasts";
  ASSERT_TRUE(facts.cost.gpu_hours);
  EXPECT_NEAR(*facts.cost.gpu_hours, 8, 1e-9);
  m_writer->attempt({.run = m_run, .key = "a", .start = kStart, .end = kStart + 1'800 * kNsPerSecond, .layout = {.world = 8}});
  facts = read(hang);
  EXPECT_EQ(facts.end, kStart + 1'800 * kNsPerSecond);
  EXPECT_FALSE(facts.open);
  EXPECT_NEAR(*facts.cost.gpu_hours, 4, 1e-9);
}

TEST_F(FindingFactsTest, WhatIsNotEstimatedOrNotRecordedIsAbsent) {
  Finding fault = about("hardware_fault", "not JSON");
  fault.first_step.reset();
  const FindingFacts facts = read(fault);
  EXPECT_TRUE(facts.trend.empty());
  EXPECT_TRUE(facts.trend.values.empty());
  EXPECT_FALSE(facts.cost.step_ratio || facts.cost.gpu_hours_per_day || facts.cost.gpu_hours);
  EXPECT_TRUE(read(about("loss_spike", R"({"tag":"no such tag"})")).trend.empty());
}

}  // namespace
}  // namespace runglass
