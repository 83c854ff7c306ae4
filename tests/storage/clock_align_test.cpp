// SPDX-License-Identifier: Apache-2.0
// The effect of an alignment on the times of a store: which ranks are moved, which are not, and that it can be removed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr TimeNs kBegin = 1'700'000'000LL * kNsPerSecond;

// Two ranks on two nodes; node b's clock is 2 s behind by its own map. Each rank has a series, a loss, a span per second, a log line and an
// event; node b has a power series.
class ClockAlignTest : public ::testing::Test {
 protected:
  void SetUp() override {
    m_writer = m_store.writer().value();
    m_run = m_writer->run({.uuid = "run-1", .name = "r"});
    m_attempt = m_writer->attempt({.run = m_run, .key = "0"});
    for (std::int32_t r = 0; r < 2; ++r) {
      const std::string name = r == 0 ? "a" : "b";
      m_node[r] = m_writer->node({.uuid = name, .name = name});
      m_writer->rank({.attempt = m_attempt, .rank = r, .node = m_node[r]});
      m_series[r] = m_writer->series({.attempt = m_attempt, .rank = r, .metric = "tokens"});
      m_loss[r] = m_writer->series({.attempt = m_attempt, .rank = r, .metric = "loss", .kind = SeriesKind::kScalar});
      m_track[r] = m_writer->track({.attempt = m_attempt, .rank = r, .kind = "gpu_stream", .name = "7"});
    }
    m_power = m_writer->series({.node = m_node[1], .metric = "power_watts"});
    m_writer->clock({.node = m_node[1], .session = "s", .raw = kBegin, .offset = 2 * kNsPerSecond, .error = kNsPerMs, .source = "hello"});
    for (std::int32_t r = 0; r < 2; ++r) {
      SpanColumns spans;
      spans.names = {"k"};
      for (int i = 0; i < 100; ++i) {
        const TimeNs at = kBegin + i * kNsPerSecond - r * 2 * kNsPerSecond;  // as stamped by the node's clock
        spans.start.push_back(at), spans.dur.push_back(kNsPerMs), spans.name.push_back(0);
        spans.category.push_back(SpanCategory::kCompute);
        m_writer->sample(m_series[r], at, i);
        m_writer->scalar(m_loss[r], i, at, i);
      }
      m_writer->spans(m_track[r], spans);
    }
    const TimeNs raw = kBegin - 2 * kNsPerSecond;
    m_writer->sample(m_power, raw, 1);
    m_writer->log({.time = raw, .attempt = m_attempt, .node = m_node[1], .rank = 1, .text = "rank's"});
    m_writer->log({.time = raw, .node = m_node[1], .text = "node's"});
    m_writer->event({.time = raw, .attempt = m_attempt, .rank = 1, .kind = "rank's"});
    m_writer->progress({.attempt = m_attempt, .rank = 1, .time = raw, .since = raw});
    ASSERT_TRUE(m_writer->flush().ok());
    m_reader = m_store.reader().value();
  }
  // Rank 1 moves later by 1 s at the begin, by 1.099 s at the end.
  ClockAlignment drifting() const {
    return {.run_uuid = "run-1",
            .attempt = 0,
            .source = "collectives",
            .matches = 7,
            .residual = 5'000,
            .shifts = {{1, kBegin + 99 * kNsPerSecond, 1'099 * kNsPerMs, 20'000}, {1, kBegin, kNsPerSecond, 10'000}}};
  }
  void align(const ClockAlignment& alignment) {
    const Status status = m_writer->edit(alignment);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  std::vector<TimeNs> starts(Reader& reader, int rank, TimeRange range = {}) { return reader.spans(m_track[rank], range)->start; }

  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<Reader> m_reader;
  RunId m_run;
  AttemptId m_attempt;
  NodeId m_node[2];
  SeriesId m_series[2], m_loss[2], m_power;
  TrackId m_track[2];
};

TEST_F(ClockAlignTest, MovesWhatTheRankRecordedOnTopOfItsNodesClock) {
  EXPECT_EQ(starts(*m_reader, 1).front(), kBegin) << "the node's own map";
  align(drifting());
  const auto at = [](int i) { return kBegin + i * kNsPerSecond + 1'000 * kNsPerMs + i * kNsPerMs; };
  EXPECT_EQ(starts(*m_reader, 1).front(), at(0)) << "the same Reader notices";
  EXPECT_EQ(starts(*m_reader, 1)[50], at(50));
  EXPECT_EQ(starts(*m_reader, 1).back(), at(99));
  EXPECT_THAT(starts(*m_reader, 1, {at(50), at(50) + 1}), ElementsAre(at(50))) << "ranges are in aligned time";
  EXPECT_THAT(starts(*m_reader, 1, {at(50) + 2 * kNsPerMs, at(51)}), IsEmpty());
  EXPECT_EQ(starts(*m_reader, 0).front(), kBegin) << "rank 0 is not moved";
  EXPECT_EQ(m_reader->samples(m_series[1], {at(50), at(52)})->time, (std::vector<TimeNs>{at(50), at(51)}));
  EXPECT_EQ(m_reader->scalars(m_loss[1], 50, 51)->time, std::vector<TimeNs>{at(50)});
  EXPECT_EQ(m_reader->latest(std::vector{m_series[1]})->at(0).x, at(99));
  EXPECT_EQ(m_reader->progress(m_run)->at(0).time, at(0));
  EXPECT_EQ(m_reader->progress(m_run)->at(0).since, at(0));
  const auto extent = *m_reader->spanExtent(m_run);
  EXPECT_EQ(extent->t0, kBegin);
  EXPECT_GE(extent->t1, at(99));
  const auto picture = m_reader->spanPicture(std::vector{m_track[1]}, {at(50), at(50) + kNsPerMs}, 1'000);
  ASSERT_EQ(picture->lanes.size(), 1U);
  EXPECT_EQ(picture->lanes[0].bars.at(0).t0, at(50));
  EXPECT_EQ(m_reader->samples(m_power, {})->time, std::vector<TimeNs>{kBegin}) << "a node's series is its node's";
  std::map<std::string, TimeNs> logs;
  const auto lines = m_reader->logs({});
  for (const LogLine& line : *lines) logs[line.text] = *line.time;
  EXPECT_EQ(logs["rank's"], at(0));
  EXPECT_EQ(logs["node's"], kBegin);
  EXPECT_EQ(m_reader->events({})->at(0).time, at(0));
}

TEST_F(ClockAlignTest, SaysWhatAlignsAnAttemptAndHowWellTheRanksClockIsKnown) {
  EXPECT_FALSE(m_reader->alignment(m_attempt)->has_value());
  EXPECT_EQ(*m_reader->clockError(m_attempt, 1, kBegin), kNsPerMs) << "its node's";
  EXPECT_FALSE(m_reader->clockError(m_attempt, 0, kBegin)->has_value()) << "never compared";
  align(drifting());
  const auto alignment = *m_reader->alignment(m_attempt);
  ASSERT_TRUE(alignment);
  EXPECT_EQ(alignment->run_uuid, "run-1");
  EXPECT_EQ(alignment->source, "collectives");
  EXPECT_EQ(alignment->matches, 7);
  EXPECT_EQ(alignment->residual, 5'000);
  ASSERT_EQ(alignment->shifts.size(), 2U);
  EXPECT_EQ(alignment->shifts[0].shift, kNsPerSecond) << "in order of time";
  EXPECT_EQ(*m_reader->clockError(m_attempt, 1, kBegin - 1), 10'000);
  EXPECT_EQ(*m_reader->clockError(m_attempt, 1, kBegin + 200 * kNsPerSecond), 20'000);
  EXPECT_EQ(*m_reader->clockError(m_node[1], kBegin), kNsPerMs) << "the node's stays its own";
}

TEST_F(ClockAlignTest, AnotherAlignmentReplacesItAndAnEmptyOneTakesItOff) {
  align(drifting());
  EXPECT_EQ(starts(*m_reader, 1).front(), kBegin + kNsPerSecond);
  align({.run_uuid = "run-1", .source = "manual", .shifts = {{0, kBegin, -5, 0}}});
  EXPECT_EQ(starts(*m_reader, 1).front(), kBegin);
  EXPECT_EQ(starts(*m_reader, 0).front(), kBegin - 5);
  const auto before = m_reader->generation();
  align({.run_uuid = "run-1"});
  EXPECT_GT(m_reader->generation(), before);
  EXPECT_EQ(starts(*m_reader, 0).front(), kBegin);
  EXPECT_FALSE(m_reader->alignment(m_attempt)->has_value());
}

TEST_F(ClockAlignTest, ARankNeverRunsBackwardsHoweverTheShiftsJump) {
  align({.run_uuid = "run-1",
         .source = "manual",
         .shifts = {{0, kBegin + 10 * kNsPerSecond, 50 * kNsPerSecond, 0}, {0, kBegin + 20 * kNsPerSecond, -50 * kNsPerSecond, 0}}});
  const auto all = starts(*m_reader, 0);
  EXPECT_EQ(all.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(all));
  align({.run_uuid = "run-1", .source = "manual", .shifts = {{0, kBegin, std::numeric_limits<DurNs>::max(), 0}}});
  EXPECT_EQ(starts(*m_reader, 0).size(), 100U) << "absurd, and still all there";
}

TEST_F(ClockAlignTest, RefusesWhatContradictsItselfAndLeavesWhatIsThere) {
  align(drifting());
  const auto fails = [&](ClockAlignment alignment, Code code, const char* why) {
    const Status status = m_writer->edit(alignment);
    EXPECT_EQ(status.code(), code);
    EXPECT_THAT(status.message(), HasSubstr(why));
  };
  fails({.run_uuid = "run-2", .source = "manual", .shifts = {{0, 1, 1, 1}}}, Code::kNotFound, "no such attempt");
  fails({.run_uuid = "run-1", .attempt = 4, .source = "manual", .shifts = {{0, 1, 1, 1}}}, Code::kNotFound, "attempt 4 of run run-1");
  fails({.run_uuid = "run-1", .source = "manual", .shifts = {{0, 1, 1, 1}, {0, 1, 2, 1}}}, Code::kInvalidArgument, "two shifts");
  fails({.run_uuid = "run-1", .source = "manual", .shifts = {{0, 1, 1, -1}}}, Code::kInvalidArgument, "below zero");
  fails({.run_uuid = "run-1", .shifts = {{0, 1, 1, 1}}}, Code::kInvalidArgument, "the source is missing");
  EXPECT_EQ(starts(*m_reader, 1).front(), kBegin + kNsPerSecond);
}

TEST_F(ClockAlignTest, AnUnalignedReaderOfTheSameStoreShowsTheNodesTimes) {
  align(drifting());
  const auto unaligned = m_reader->unaligned().value();
  EXPECT_EQ(starts(*unaligned, 1).front(), kBegin);
  EXPECT_FALSE(unaligned->alignment(m_attempt)->has_value());
  EXPECT_EQ(*unaligned->clockError(m_attempt, 1, kBegin), kNsPerMs);
}

TEST_F(ClockAlignTest, AnExportCarriesTheAlignmentAndASliceIsOneOfAlignedTime) {
  align(drifting());
  const auto at = [](int i) { return kBegin + i * kNsPerSecond + 1'000 * kNsPerMs + i * kNsPerMs; };
  const std::string whole = m_store.folder() + "/whole.rgl", slice = m_store.folder() + "/slice.rgl";
  ASSERT_TRUE(exportRun(m_store.path(), m_run, {}, whole).ok());
  auto copy = openStore(whole).reader().value();
  const auto spans_of = [](Reader& reader, std::int32_t rank) {
    std::vector<TimeNs> found;
    const auto tracks = reader.tracks(AttemptId{1});
    for (const Track& track : *tracks)
      if (track.key.rank == rank) found = reader.spans(track.id, {})->start;
    return found;
  };
  EXPECT_EQ(spans_of(*copy, 0), starts(*m_reader, 0));
  EXPECT_EQ(spans_of(*copy, 1), starts(*m_reader, 1));
  ASSERT_TRUE(copy->alignment(AttemptId{1})->has_value());
  EXPECT_EQ((*copy->alignment(AttemptId{1}))->source, "collectives");
  copy.reset();
  {
    auto writer = openStore(whole).writer().value();
    ASSERT_TRUE(writer->edit(ClockAlignment{.run_uuid = "run-1"}).ok());
  }
  copy = openStore(whole).reader().value();
  EXPECT_EQ(spans_of(*copy, 1).front(), kBegin) << "taken off there, its times are the node's";
  ASSERT_TRUE(exportRun(m_store.path(), m_run, {at(50), at(51)}, slice).ok());
  const auto part = openStore(slice).reader().value();
  EXPECT_THAT(spans_of(*part, 1), ElementsAre(at(50)));
  EXPECT_THAT(spans_of(*part, 0), ElementsAre(kBegin + 52 * kNsPerSecond));
  EXPECT_THAT(*part->logs({}), IsEmpty());
}

// Compares a Reader's times with those of its relations, by the name of the row.
void expectTheSameTimes(Reader& reader, RunId run) {
  const auto print = [](std::optional<TimeNs> time) { return time ? std::to_string(*time) : "NULL"; };
  std::vector<std::string> events, logs, progress, series;
  const auto all_events = reader.events({});
  for (const Event& e : *all_events) events.push_back(std::to_string(e.id) + "|" + print(e.time));
  const auto all_logs = reader.logs({});
  for (const LogLine& l : *all_logs) logs.push_back(l.text + "|" + print(l.time));
  const auto all_progress = reader.progress(run);
  for (const Progress& p : *all_progress) progress.push_back(std::to_string(p.rank) + "|" + print(p.time) + "|" + print(p.since));
  const auto all_series = reader.series({});
  for (const Series& s : *all_series) series.push_back(std::to_string(s.id.value) + "|" + print(s.first_time) + "|" + print(s.last_time));
  EXPECT_EQ(events.size() + 1, logs.size());
  EXPECT_EQ(sqlRows(reader, "SELECT event_id, time_ns FROM event ORDER BY time_ns DESC, event_id DESC"), events);
  EXPECT_THAT(sqlRows(reader, "SELECT text, time_ns FROM log_line"), testing::UnorderedElementsAreArray(logs));
  EXPECT_EQ(sqlRows(reader, "SELECT rank, time_ns, since_ns FROM progress ORDER BY rank"), progress);
  EXPECT_EQ(sqlRows(reader, "SELECT series_id, first_ns, last_ns FROM series ORDER BY series_id"), series);
}

TEST_F(ClockAlignTest, RelationsSayTheTimesThatTheReaderSays) {
  // A row about a rank that also names its node, one without a time, and a series that names both.
  m_writer->event({.time = kBegin, .attempt = m_attempt, .node = m_node[1], .rank = 1, .kind = "both"});
  m_writer->event({.attempt = m_attempt, .rank = 1, .kind = "timeless"});
  m_writer->log({.attempt = m_attempt, .rank = 1, .text = "timeless"});
  m_writer->log({.time = kBegin, .attempt = m_attempt, .node = m_node[0], .rank = 0, .text = "rank 0's"});
  m_writer->sample(m_writer->series({.attempt = m_attempt, .rank = 1, .node = m_node[1], .metric = "both"}), kBegin, 1);
  ASSERT_TRUE(m_writer->flush().ok());
  expectTheSameTimes(*m_reader, m_run);
  const std::string event = "SELECT time_ns FROM event WHERE kind = 'rank''s'";
  EXPECT_THAT(sqlRows(*m_reader, event), ElementsAre(std::to_string(kBegin))) << "by the node's map";
  align(drifting());
  expectTheSameTimes(*m_reader, m_run);
  EXPECT_THAT(sqlRows(*m_reader, event), ElementsAre(std::to_string(kBegin + kNsPerSecond)));
  EXPECT_THAT(sqlRows(*m_reader, "SELECT kind FROM event WHERE time_ns = " + std::to_string(kBegin + kNsPerSecond)), ElementsAre("rank's"))
      << "conditions are on corrected time";
  const auto unaligned = m_reader->unaligned().value();
  expectTheSameTimes(*unaligned, m_run);
  EXPECT_THAT(sqlRows(*unaligned, event), ElementsAre(std::to_string(kBegin)));
  align({.run_uuid = "run-1"});
  expectTheSameTimes(*m_reader, m_run);
  EXPECT_THAT(sqlRows(*m_reader, event), ElementsAre(std::to_string(kBegin)));
}

TEST_F(ClockAlignTest, RelationsUseTheIndicesOnTimeUntilThereIsSomethingToCorrect) {
  const TempStore other;
  auto writer = other.writer().value();
  const NodeId node = writer->node({.uuid = "a", .name = "a"});
  writer->event({.time = kBegin, .node = node, .kind = "xid"});
  ASSERT_TRUE(writer->flush().ok());
  auto reader = other.reader().value();
  const std::string late = "SELECT time_ns FROM event WHERE time_ns > 5";
  EXPECT_THAT(sqlRows(*reader, "EXPLAIN QUERY PLAN " + late), testing::Contains(HasSubstr("rg_event_time")));
  EXPECT_THAT(sqlRows(*reader, late), ElementsAre(std::to_string(kBegin)));
  writer->clock({.node = node, .session = "s", .raw = kBegin, .offset = kNsPerSecond, .error = 1, .source = "hello"});
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_THAT(sqlRows(*reader, late), ElementsAre(std::to_string(kBegin + kNsPerSecond))) << "the same Reader notices";
}

TEST_F(ClockAlignTest, ASpanOfARangeIsFoundByItsIdInCorrectedTimeToo) {
  align(drifting());
  const TimeNs t0 = kBegin + 50 * kNsPerSecond, t1 = t0 + 10 * kNsPerSecond;
  for (const TimeNs off : {TimeNs{0}, kNsPerMs - 1, kNsPerMs, kNsPerMs + 1, 50 * kNsPerMs + 999'999}) {
    const std::string range = "span_in(" + std::to_string(t0 + off) + ", " + std::to_string(t1 + off) + ")";
    const auto scan = sqlRows(*m_reader, "SELECT span_id, start_ns FROM " + range + " ORDER BY span_id");
    EXPECT_GE(scan.size(), 19U);
    EXPECT_LE(scan.size(), 22U);
    EXPECT_EQ(sqlRows(*m_reader,
                      "WITH RECURSIVE n(id) AS (SELECT 4096 UNION ALL SELECT id + 1 FROM n WHERE id < 8400) SELECT s.span_id, "
                      "s.start_ns FROM n CROSS JOIN " +
                          range + " s ON s.span_id = n.id ORDER BY 1"),
              scan);
  }
}

}  // namespace
}  // namespace runglass
