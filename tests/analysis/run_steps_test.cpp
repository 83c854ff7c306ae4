// SPDX-License-Identifier: Apache-2.0
// Steps as moments: which had ended, which comes next, across restarts and rewinds, and the result without recorded steps.
#include "analysis/run_summary/run_steps.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "analysis/run_summary/open_finding.h"
#include "analysis/run_summary/run_summary.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min(), kHighest = std::numeric_limits<TimeNs>::max();

// Attempt a: steps 1 to 5 at 10 to 50. Attempt b begins at 60 and runs 4 to 6 at 70 to 90. Rank 1's clock is 3 behind; rank 0's is used.
class RunStepsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_writer = std::move(*opened);
    m_run = m_writer->run({.name = "r", .start = 0});
    m_a = m_writer->attempt({.run = m_run, .key = "a", .start = 0, .end = 55});
    m_b = m_writer->attempt({.run = m_run, .key = "b", .start = 60});
  }
  void record(std::string_view metric, bool ranks) {
    for (std::int32_t rank = 1; rank >= 0; --rank) {
      SeriesKey key{.attempt = m_a, .metric = std::string(metric), .kind = SeriesKind::kScalar};
      if (ranks) key.rank = rank, key.unit = "ns";
      const SeriesId a = m_writer->series(key);
      key.attempt = m_b;
      const SeriesId b = m_writer->series(key);
      for (int s = 1; s <= 5; ++s) m_writer->scalar(a, s, 10 * s + (ranks ? 3 * rank : 0), s);
      for (int s = 4; s <= 6; ++s) m_writer->scalar(b, s, 70 + 10 * (s - 4) + (ranks ? 3 * rank : 0), s);
      if (!ranks) break;
    }
  }
  void close() {
    ASSERT_TRUE(m_writer->close().ok());
    m_reader = m_store.reader().value();
  }
  std::optional<StepMoment> atMoment(TimeNs time) { return stepAt(*m_reader, m_run, time, {}).value(); }
  std::optional<StepMoment> neighbour(TimeNs time, int by) { return neighbourStep(*m_reader, m_run, time, by, {}).value(); }

  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<Reader> m_reader;
  RunId m_run;
  AttemptId m_a, m_b;
};

TEST_F(RunStepsTest, TheLastStepThatHadEndedIsReportedByTheFirstRank) {
  record("step_time_ns", true);
  close();
  EXPECT_EQ(atMoment(9), std::nullopt);
  EXPECT_EQ(atMoment(10), (StepMoment{1, 10, m_a}));
  EXPECT_EQ(atMoment(34), (StepMoment{3, 30, m_a}));
  EXPECT_EQ(atMoment(57), (StepMoment{5, 50, m_a})) << "between attempts the older one's";
  EXPECT_EQ(atMoment(65), std::nullopt) << "the new attempt has ended no step yet";
  EXPECT_EQ(atMoment(75), (StepMoment{4, 70, m_b}));
  EXPECT_EQ(atMoment(kHighest), (StepMoment{6, 90, m_b}));
  EXPECT_EQ(atMoment(kLowest), std::nullopt);
}

TEST_F(RunStepsTest, ForwardAndBackGoOverARewindInTheOrderOfTime) {
  record("step_time_ns", true);
  close();
  std::vector<std::int64_t> forward, back;
  for (auto next = neighbour(kLowest, 1); next; next = neighbour(next->time, 1)) forward.push_back(next->step);
  EXPECT_EQ(forward, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 4, 5, 6}));
  for (auto next = neighbour(kHighest, -1); next; next = neighbour(next->time, -1)) back.push_back(next->step);
  EXPECT_EQ(back, (std::vector<std::int64_t>{6, 5, 4, 5, 4, 3, 2, 1}));
  EXPECT_EQ(neighbour(90, 1), std::nullopt);
  EXPECT_EQ(neighbour(10, -1), std::nullopt);
  EXPECT_EQ(neighbour(kLowest, -1), std::nullopt);
}

TEST_F(RunStepsTest, WithoutStepTimesTheLossTells) {
  record("train/loss", false);
  close();
  EXPECT_EQ(atMoment(34), (StepMoment{3, 30, m_a}));
  EXPECT_EQ(neighbour(50, 1), (StepMoment{4, 70, m_b}));
}

TEST_F(RunStepsTest, AStepIsFoundInTheNewestAttemptThatGotThere) {
  record("step_time_ns", true);
  close();
  EXPECT_EQ(momentOfStep(*m_reader, m_run, 5, {}).value(), (StepMoment{5, 80, m_b}));
  EXPECT_EQ(momentOfStep(*m_reader, m_run, 2, {}).value(), (StepMoment{2, 20, m_a}));
  EXPECT_EQ(momentOfStep(*m_reader, m_run, 7, {}).value(), std::nullopt);
}

TEST_F(RunStepsTest, StepsThatAreFarApartAreFound) {
  const SeriesId loss = m_writer->series({.attempt = m_a, .metric = "train/loss", .kind = SeriesKind::kScalar});
  TimeNs times = 1;
  for (const std::int64_t step : {std::int64_t{0}, std::int64_t{100'000}, std::int64_t{1} << 60}) m_writer->scalar(loss, step, times++, 1);
  close();
  EXPECT_EQ(neighbour(1, 1)->step, 100'000);
}

TEST_F(RunStepsTest, WhereNoStepHasATimeThereIsNone) {
  const SeriesId loss = m_writer->series({.attempt = m_a, .metric = "train/loss", .kind = SeriesKind::kScalar});
  for (int s = 1; s <= 5; ++s) m_writer->scalar(loss, s, std::nullopt, s);
  close();
  EXPECT_EQ(atMoment(50), std::nullopt);
  EXPECT_EQ(neighbour(50, 1), std::nullopt);
  EXPECT_EQ(neighbour(50, -1), std::nullopt);
  EXPECT_EQ(momentOfStep(*m_reader, m_run, 3, {}).value(), std::nullopt);
}

TEST_F(RunStepsTest, OnlyNodesOfTheRunThatHaveAnAgentAreCounted) {
  const auto node = [&](const char* name, NodeState state, std::optional<TimeNs> heard) {
    return m_writer->node({.uuid = name, .name = name, .state = state, .last_heard = heard});
  };
  node("other", NodeState::kAlive, 50);
  ASSERT_TRUE(m_writer->flush().ok());
  const auto counts = [&] {
    const auto reader = m_store.reader().value();
    const RunSummary summary = readRunSummary(*reader, reader->run(m_run).value(), {}).value();
    return std::pair(summary.nodes_heard, summary.nodes_total);
  };
  EXPECT_EQ(counts(), std::pair(0, 0)) << "no rank names its node";
  m_writer->rank({.attempt = m_b, .rank = 0, .node = node("alive", NodeState::kAlive, 50)});
  m_writer->rank({.attempt = m_b, .rank = 1, .node = node("lost", NodeState::kLost, 20)});
  m_writer->rank({.attempt = m_b, .rank = 2, .node = node("exporter", NodeState::kUnknown, 50)});
  m_writer->rank({.attempt = m_a, .rank = 0, .node = node("before", NodeState::kAlive, 50)});
  ASSERT_TRUE(m_writer->flush().ok());
  EXPECT_EQ(counts(), std::pair(1, 2));
}

TEST_F(RunStepsTest, AHangThatBeganAfterTheNewestDataIsOpen) {
  record("train/loss", false);  // until 90
  const auto finding = [&](const char* kind, Severity severity, TimeNs start, std::optional<TimeNs> end) {
    m_writer->finding({.run = m_run,
                       .attempt = m_b,
                       .kind = kind,
                       .subject = "attempt:1",
                       .severity = severity,
                       .start = start,
                       .end = end,
                       .summary = kind});
  };
  finding("slow_rank", Severity::kWarning, 20, 70);
  finding("hang", Severity::kCritical, 95, std::nullopt);
  ASSERT_TRUE(m_writer->flush().ok());
  const auto open = [&] {
    const auto reader = m_store.reader().value();
    return openCount(readRunSummary(*reader, reader->run(m_run).value(), {})->open_findings);
  };
  EXPECT_EQ(open().count, 1);
  EXPECT_EQ(open().worst, Severity::kCritical);
  finding("hang", Severity::kCritical, 95, 200);
  m_writer->run({.name = "r", .start = 0, .end = 200});
  ASSERT_TRUE(m_writer->flush().ok());
  EXPECT_EQ(open().worst, Severity::kCritical) << "it lasted until the end of the run";
  EXPECT_EQ(open().count, 1);
}

}  // namespace
}  // namespace runglass
