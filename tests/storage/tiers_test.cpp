// SPDX-License-Identifier: Apache-2.0
// The tiers of retention beyond samples and spans: scalars of ranks, rows of ended attempts, events, findings, clock readings; and a cap
// that holds whatever fills the store.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "storage/reader.h"
#include "storage/writer.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TimeNs kStart = 1'790'000'000'000'000'000;
constexpr DurNs kDay = Retention::kDay;

class Tiers : public ::testing::Test {
 protected:
  void open() {
    WriterOptions options;
    options.idle = 0;
    auto writer = m_store.writer(std::move(options));
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    m_writer = std::move(*writer);
    m_run = m_writer->run({.uuid = "r", .name = "r"});
  }
  void retain(TimeNs now, Retention policy = {}) {
    const auto applied = m_writer->applyRetention(policy, now);
    ASSERT_TRUE(applied.ok()) << applied.status().message();
  }
  // Steps of a rank that take a second, except every thousandth, which takes ten.
  void steps(AttemptId attempt, std::int32_t rank, std::int64_t from, std::int64_t to) {
    const SeriesId id = m_writer->series({.attempt = attempt, .rank = rank, .metric = "step_time_ns", .kind = SeriesKind::kScalar});
    for (std::int64_t step = from; step < to; ++step)
      m_writer->scalar(id, step, kStart + step * kNsPerSecond, step % 1'000 == 501 ? 1e10 : 1e9 + static_cast<double>(step % 7));
  }
  void commit() {
    m_writer->event({.time = kStart, .kind = "tick", .severity = Severity::kWarning});
    const Status flushed = m_writer->flush();
    ASSERT_TRUE(flushed.ok()) << flushed.message();
  }
  void close() {
    ASSERT_TRUE(m_writer->close().ok());
    auto reader = m_store.reader();
    ASSERT_TRUE(reader.ok()) << reader.status().message();
    m_reader = std::move(*reader);
    EXPECT_THAT(*m_reader->verify(), IsEmpty());
  }
  std::vector<std::string> rows(std::string_view sql) { return sqlRows(*m_reader, sql); }
  std::int64_t number(std::string_view sql) { return std::strtoll(rows(sql)[0].c_str(), nullptr, 10); }

  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<Reader> m_reader;
  RunId m_run;
};

TEST_F(Tiers, ScalarsOfRanksAreThinnedAndLossesAreNot) {
  open();
  const AttemptId attempt = m_writer->attempt({.run = m_run, .key = "0", .start = kStart});
  steps(attempt, 3, 0, 10'000);
  const SeriesId loss = m_writer->series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
  for (int step = 0; step < 10'000; ++step) m_writer->scalar(loss, step, kStart, 1);
  commit(), commit(), commit();
  const TimeNs now = kStart + kDay;
  retain(now);
  retain(now + 29 * kDay);
  retain(now + 31 * kDay);
  // Open chunks were sealed by the first of them.
  retain(now + 62 * kDay);
  close();
  EXPECT_EQ(number("SELECT count(*) FROM scalar WHERE tag = 'loss'"), 10'000);
  EXPECT_EQ(number("SELECT sum(thinned) FROM scalar WHERE tag = 'loss'"), 0);
  const std::int64_t left = number("SELECT count(*) FROM step");
  EXPECT_LT(left, 1'000);
  EXPECT_GE(left, 625);
  EXPECT_EQ(number("SELECT count(*) FROM step WHERE thinned = 0"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM step WHERE dur_ns > 5000000000"), 10);  // every outlier
  EXPECT_EQ(number("SELECT count(*) FROM step WHERE step % 16 = 0"), 625);
  EXPECT_THAT(rows("SELECT tag, rank, up_to_step, points FROM thinned_series"),
              ElementsAre("step_time_ns|3|9999|" + std::to_string(10'000 - left)));
  EXPECT_EQ(number("SELECT count FROM ingest_issue WHERE code = 'store.thinned'"), 10'000 - left);
}

TEST_F(Tiers, AnAnalysisOfThinnedStepsReplacesNoStrongerFinding) {
  open();
  const AttemptId attempt = m_writer->attempt({.run = m_run, .key = "0", .start = kStart});
  steps(attempt, 0, 0, 5'000);
  Finding finding{.run = m_run, .attempt = attempt, .kind = "slow_rank", .subject = "rank 0", .severity = Severity::kWarning};
  finding.start = kStart, finding.first_step = 100, finding.confidence = 0.9, finding.coverage = 1, finding.evidence = "{}";
  finding.summary = "of every step";
  m_writer->finding(finding);
  commit(), commit(), commit();
  const auto conclude = [&](Severity severity, double coverage, const char* summary) {
    finding.severity = severity, finding.coverage = coverage, finding.summary = summary;
    m_writer->finding(finding);
    commit();
  };
  const auto summary = [&] {
    auto reader = m_store.reader();
    return sqlRows(**reader, "SELECT summary FROM finding")[0];
  };
  conclude(Severity::kWarning, 0.5, "later, of every step");
  EXPECT_EQ(summary(), "later, of every step");
  retain(kStart), retain(kStart + 40 * kDay), retain(kStart + 80 * kDay);
  conclude(Severity::kInfo, 0.5, "of every 16th step");
  EXPECT_EQ(summary(), "later, of every step");
  conclude(Severity::kWarning, 0.1, "of every 16th step");
  EXPECT_EQ(summary(), "later, of every step");
  conclude(Severity::kError, 0.5, "worse");
  EXPECT_EQ(summary(), "worse");
}

TEST_F(Tiers, ScalarsGoOnAfterTheyWereThinned) {
  open();
  const AttemptId attempt = m_writer->attempt({.run = m_run, .key = "0", .start = kStart});
  steps(attempt, 0, 0, 5'000);
  commit();
  retain(kStart);
  retain(kStart + 40 * kDay);
  steps(attempt, 0, 5'000, 6'000);
  commit();
  close();
  EXPECT_EQ(number("SELECT count(*) FROM step WHERE thinned = 0 AND step >= 5000"), 1'000);
  EXPECT_EQ(number("SELECT sample_count FROM series WHERE metric = 'step_time_ns'"), 6'000);
}

TEST_F(Tiers, AnEndedAttemptLeavesItsFactsAndLosses) {
  open();
  for (int number = 0; number < 2; ++number) {
    const AttemptId attempt = m_writer->attempt({.run = m_run, .key = std::to_string(number), .start = kStart + number * 1'000});
    if (number == 0) m_writer->attempt({.run = m_run, .key = "0", .end = kStart + 900});
    m_writer->rank({.attempt = attempt, .rank = 0});
    m_writer->fact({.attempt = attempt, .key = "argv", .value = "x"});
    m_writer->progress({.attempt = attempt, .rank = 0, .time = kStart});
    m_writer->track({.attempt = attempt, .rank = 0, .kind = "thread", .name = "t"});
    steps(attempt, 0, 0, 3'000);
    const SeriesId loss = m_writer->series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
    for (int step = 0; step < 100; ++step) m_writer->scalar(loss, step, kStart, 1);
    const SeriesId cpu = m_writer->series({.attempt = attempt, .rank = 0, .metric = "run_cpu_ns", .kind = SeriesKind::kCounter});
    for (int second = 0; second < 100; ++second) m_writer->sample(cpu, kStart + second * kNsPerSecond, second);
    commit();
  }
  commit(), commit(), commit();
  for (const int day : {1, 40, 80, 120, 400, 401}) {
    commit(), commit();
    retain(kStart + day * kDay);
  }
  close();
  EXPECT_THAT(rows("SELECT attempt, count(*) FROM attempt GROUP BY 1"), ElementsAre("0|1", "1|1"));
  EXPECT_THAT(rows("SELECT attempt, count(*) FROM attempt_fact GROUP BY 1"), ElementsAre("0|1", "1|1"));
  EXPECT_THAT(rows("SELECT attempt, count(*) FROM rank GROUP BY 1"), ElementsAre("0|1", "1|1"));
  EXPECT_THAT(rows("SELECT attempt, count(*) FROM scalar_all WHERE tag = 'loss' GROUP BY 1"), ElementsAre("0|100", "1|100"));
  EXPECT_THAT(rows("SELECT attempt, metric FROM series WHERE rank IS NOT NULL"), ElementsAre("1|step_time_ns", "1|run_cpu_ns"));
  EXPECT_THAT(rows("SELECT attempt FROM progress"), ElementsAre("1"));
  EXPECT_THAT(rows("SELECT attempt FROM track"), ElementsAre("1"));
}

TEST_F(Tiers, PlainEventsAndFindingsGoAndWarningsStay) {
  open();
  for (const Severity severity : {Severity::kInfo, Severity::kWarning}) {
    m_writer->event({.time = kStart, .kind = "said", .severity = severity});
    m_writer->event({.time = kStart, .kind = "node_lost", .severity = severity});
    m_writer->finding({.run = m_run,
                       .kind = severity == Severity::kInfo ? "plain" : "severe",
                       .subject = "run",
                       .severity = severity,
                       .start = kStart,
                       .end = kStart,
                       .summary = "s",
                       .evidence = "{}"});
  }
  ASSERT_TRUE(m_writer->flush().ok());
  retain(kStart + 400 * kDay);
  close();
  EXPECT_THAT(rows("SELECT kind, severity FROM event ORDER BY 1, 2"), ElementsAre("node_lost|info", "node_lost|warning", "said|warning"));
  EXPECT_THAT(rows("SELECT kind FROM finding"), ElementsAre("severe"));
}

TEST_F(Tiers, OldClockReadingsAreTwoADayAndStateTheirError) {
  open();
  const NodeId node = m_writer->node({.uuid = "n"});
  for (int hour = 0; hour < 24 * 40; ++hour) {
    const DurNs offset = kNsPerSecond + static_cast<DurNs>(5e6 * std::sin(hour));
    m_writer->clock(
        {.node = node, .session = "s", .raw = kStart + hour * 3600 * kNsPerSecond, .offset = offset, .error = 1'000, .source = "x"});
  }
  ASSERT_TRUE(m_writer->flush().ok());
  retain(kStart + 60 * kDay);
  close();
  EXPECT_LE(
      number("SELECT max(n) FROM (SELECT count(*) AS n FROM rg_clock_map WHERE raw_ns < 1790000000000000000 + 29 * 86400000000000 GROUP BY "
             "raw_ns / 86400000000000)"),
      2);
  const auto error = m_reader->clockError(node, kStart + 10 * kDay);
  ASSERT_TRUE(error.ok() && *error);
  EXPECT_GT(**error, 4'000'000);
}

// 1,000 series of 250 ranks, recorded faster than retention can thin them, which outgrow a page in one commit.
TEST_F(Tiers, ACapHoldsWhateverFillsTheStore) {
  constexpr std::int64_t kCap = 6 << 20, kStepsEach = 3'000, kFlushEach = 10, kRanks = 250, kMetrics = 4;
  open();
  const Retention policy{.max_bytes = kCap};
  const AttemptId attempt = m_writer->attempt({.run = m_run, .key = "0", .start = kStart});
  std::vector<SeriesId> series;
  for (std::int32_t rank = 0; rank < kRanks; ++rank)
    for (std::int64_t metric = 0; metric < kMetrics; ++metric)
      series.push_back(
          m_writer->series({.attempt = attempt, .rank = rank, .metric = "m" + std::to_string(metric), .kind = SeriesKind::kScalar}));
  const SeriesId loss = m_writer->series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
  std::int64_t largest = 0;
  std::uint64_t random = 1;
  for (std::int64_t step = 0; step < kStepsEach; step += kFlushEach) {
    for (std::int64_t s = step; s < step + kFlushEach; ++s) {
      m_writer->scalar(loss, s, kStart + s * kNsPerSecond, 1);
      for (const SeriesId id : series) {
        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        m_writer->scalar(id, s, kStart + s * kNsPerSecond, static_cast<double>(random >> 40));
      }
    }
    ASSERT_TRUE(m_writer->flush().ok());
    retain(kStart + step * kNsPerSecond, policy);
    largest = std::max(largest, static_cast<std::int64_t>(std::filesystem::file_size(m_store.path())));
  }
  m_writer->event({.time = kStart, .kind = "still", .severity = Severity::kInfo});
  ASSERT_TRUE(m_writer->flush().ok());
  close();
  RecordProperty("largest", std::to_string(largest));
  EXPECT_LE(largest, kCap * 11 / 10);
  EXPECT_LE(static_cast<std::int64_t>(std::filesystem::file_size(m_store.path())), kCap * 11 / 10);
  EXPECT_EQ(number("SELECT count(*) FROM scalar WHERE tag = 'loss'"), kStepsEach);
  EXPECT_EQ(number("SELECT count(*) FROM event"), 1);
  EXPECT_GT(number("SELECT ifnull(sum(count), 0) FROM ingest_issue WHERE code = 'store.over_cap'"), 0);
}

}  // namespace
}  // namespace runglass
