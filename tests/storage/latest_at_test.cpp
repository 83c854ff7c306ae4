// SPDX-License-Identifier: Apache-2.0
// The newest sample of series at a moment, compared with all their samples.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <random>

#include "storage/reader_at.h"
#include "storage/writer.h"
#include "tests/support/sqlite_store.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kBegin = 1'790'000'000LL * kNsPerSecond;
constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min(), kHighest = std::numeric_limits<TimeNs>::max();
constexpr TimeNs at(double seconds) { return kBegin + static_cast<TimeNs>(seconds * 1e9); }

std::unique_ptr<Writer> writerOf(const TempStore& store) { return store.writer().value(); }

struct Known {
  SeriesId id;
  std::vector<std::pair<TimeNs, double>> arrived;
};

std::optional<std::pair<TimeNs, double>> newestOf(const Known& series, TimeNs moment) {
  std::optional<std::pair<TimeNs, double>> newest;
  for (const auto& [time, value] : series.arrived)
    if (time <= moment && (!newest || time >= newest->first)) newest = {time, value};
  return newest;
}

void expectNewest(Reader& reader, const std::vector<Known>& all, TimeNs moment) {
  std::vector<SeriesId> ids;
  for (const Known& one : all) ids.push_back(one.id);
  const auto answer = reader.latestAt(ids, moment);
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  auto got = answer->begin();
  for (const Known& one : all) {
    const auto expected = newestOf(one, moment);
    if (!expected) continue;
    ASSERT_NE(got, answer->end());
    EXPECT_EQ(got->series, one.id);
    EXPECT_EQ(got->x, expected->first);
    EXPECT_EQ(got->time, expected->first);
    EXPECT_EQ(got->value, expected->second) << one.id.value << " at " << moment - kBegin;
    ++got;
  }
  EXPECT_EQ(got, answer->end());
}

// Series of all kinds: in order, with swaps, with late points, with steps of equal time, sparse ones; recorded piece by piece.
class ManySeries {
 public:
  explicit ManySeries(const TempStore& store) : m_writer(writerOf(store)) {
    const NodeId node = m_writer->node({.uuid = "n", .name = "n"});
    for (int i = 0; i < 12; ++i) m_all.push_back({m_writer->series({.node = node, .metric = "m" + std::to_string(i)}), {}});
  }
  void grow(int samples) {
    for (std::size_t i = 0; i < m_all.size(); ++i) {
      for (int k = 0; k < samples; ++k) {
        TimeNs time = at(0) + (m_done + k) * 100 * kNsPerMs;
        const std::uint64_t dice = m_random() % 1'000;
        if (i % 4 == 1 && dice < 100) time -= 300 * kNsPerMs;
        if (i % 4 == 2 && dice < 3) time -= static_cast<TimeNs>(m_random() % 900) * kNsPerSecond;
        if (i % 4 == 3) time -= time % kNsPerSecond;
        if (i == 5 && k % 700 != 0) continue;
        const double value = dice < 20 ? -1e300 : static_cast<double>(m_random() % 10'000) / 8;
        m_writer->sample(m_all[i].id, time, value);
        m_all[i].arrived.emplace_back(time, value);
      }
    }
    m_done += samples;
  }
  TimeNs anyMoment() { return at(-5) + static_cast<TimeNs>(m_random() % static_cast<std::uint64_t>((m_done + 100) * 100 * kNsPerMs)); }
  Writer& writer() { return *m_writer; }
  const std::vector<Known>& all() const { return m_all; }

 private:
  std::unique_ptr<Writer> m_writer;
  std::vector<Known> m_all;
  std::int64_t m_done = 0;
  std::mt19937_64 m_random{7};
};

TEST(LatestAt, FindsTheNewestSampleWhileAStoreGrows) {
  const TempStore store;
  ManySeries many(store);
  // One Reader of the writer's process, and one of another process, which sees flushed data.
  auto live = store.reader({many.writer().liveTail()}).value();
  auto file = store.reader().value();
  for (int round = 0; round < 14; ++round) {
    many.grow(round % 3 == 0 ? 300 : 1'700);
    for (int i = 0; i < 12; ++i) expectNewest(*live, many.all(), many.anyMoment());
    if (round % 2 == 0) continue;
    ASSERT_TRUE(many.writer().flush().ok());
    for (int i = 0; i < 12; ++i) expectNewest(*live, many.all(), many.anyMoment());
    for (int i = 0; i < 12; ++i) expectNewest(*file, many.all(), many.anyMoment());
    // Adjacent moments, and the ends.
    TimeNs moment = many.anyMoment();
    for (int i = 0; i < 20; ++i) expectNewest(*file, many.all(), moment += 90 * kNsPerMs);
    for (const TimeNs end : {kLowest, at(-1), kHighest - 1, kHighest}) expectNewest(*file, many.all(), end);
  }
  live.reset(), file.reset();
  ASSERT_TRUE(many.writer().close().ok());
  const auto closed = store.reader().value();
  for (int i = 0; i < 100; ++i) expectNewest(*closed, many.all(), many.anyMoment());
}

// Steps that advance, go back, arrive late, and some without a time.
TEST(LatestAt, OfSeriesOfStepsIsTheHighestStepThatWasThere) {
  struct Point {
    std::int64_t step;
    std::optional<TimeNs> time;
    double value;
  };
  const TempStore store;
  auto writer = writerOf(store);
  const AttemptId attempt = writer->attempt({.run = writer->run({.name = "r"})});
  std::vector<SeriesId> ids;
  std::vector<std::vector<Point>> points(3);
  for (int i = 0; i < 3; ++i)
    ids.push_back(writer->series({.attempt = attempt, .metric = "s" + std::to_string(i), .kind = SeriesKind::kScalar}));
  ASSERT_TRUE(writer->flush().ok());
  auto live = store.reader({writer->liveTail()}).value();
  auto file = store.reader().value();
  std::mt19937_64 random(3);
  const auto expectHighest = [&](Reader& reader) {
    const TimeNs moment = at(-3) + static_cast<TimeNs>(random() % static_cast<std::uint64_t>(14'000 * kNsPerSecond));
    const auto answer = reader.latestAt(ids, moment);
    ASSERT_TRUE(answer.ok()) << answer.status().message();
    auto got = answer->begin();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Point* highest = nullptr;
      for (const Point& p : points[i])
        if (p.time && *p.time <= moment && (highest == nullptr || p.step >= highest->step)) highest = &p;
      if (highest == nullptr) continue;
      ASSERT_NE(got, answer->end());
      EXPECT_EQ(got->x, highest->step);
      EXPECT_EQ(got->time, highest->time);
      EXPECT_EQ(got->value, highest->value);
      ++got;
    }
    EXPECT_EQ(got, answer->end());
  };
  for (int round = 0; round < 12; ++round) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      for (int k = 0; k < 1'000; ++k) {
        const std::int64_t n = round * 1'000 + k;
        Point p{.step = n, .time = at(static_cast<double>(n)), .value = static_cast<double>(random() % 1'000)};
        if (i == 1) p.step = n - n / 3'000 * 500;    // goes back by 500 every 3,000
        if (i == 2 && n % 900 == 0) p.step = n / 2;  // a late one
        if (i == 2 && n % 7 == 0) p.time.reset();
        writer->scalar(ids[i], p.step, p.time, p.value);
        points[i].push_back(p);
      }
    }
    for (int i = 0; i < 15; ++i) expectHighest(*live);
    if (round % 3 != 1) continue;
    ASSERT_TRUE(writer->flush().ok());
    for (int i = 0; i < 15; ++i) expectHighest(*live), expectHighest(*file);
  }
  live.reset(), file.reset();
  ASSERT_TRUE(writer->close().ok());
  file = store.reader().value();
  for (int i = 0; i < 100; ++i) expectHighest(*file);
}

TEST(LatestAt, AnswersTheSameMomentAgainWithWhatCameMeanwhile) {
  const TempStore store;
  ManySeries many(store);
  const auto live = store.reader({many.writer().liveTail()}).value();
  many.grow(3'000);
  expectNewest(*live, many.all(), at(200));
  expectNewest(*live, many.all(), at(200));
  many.grow(2'000);
  expectNewest(*live, many.all(), at(200));
  expectNewest(*live, many.all(), at(400));
}

TEST(LatestAt, OfManyChunksThatMeetInOneTimeIsTheLastToArrive) {
  const TempStore store;
  {
    const auto writer = writerOf(store);
    const SeriesId id = writer->series({.node = writer->node({.uuid = "n", .name = "n"}), .metric = "a"});
    writer->sample(id, at(1), -1);
    for (int i = 0; i < 20'000; ++i) writer->sample(id, at(5), i);
    writer->sample(id, at(9), 9);
    ASSERT_TRUE(writer->close().ok());
  }
  const auto reader = store.reader().value();
  const SeriesId ids[] = {SeriesId{1}};
  for (const auto& [moment, value] :
       {std::pair(at(4), -1.0), {at(5), 19'999.0}, {at(7), 19'999.0}, {at(9), 9.0}, {at(2), -1.0}, {at(8), 19'999.0}}) {
    const auto newest = reader->latestAt(ids, moment);
    ASSERT_TRUE(newest.ok());
    EXPECT_EQ(newest->at(0).value, value) << moment - kBegin;
  }
}

TEST(LatestAt, ADamagedChunkIsNamedAndTheOtherSeriesAnswer) {
  const TempStore store;
  {
    const auto writer = writerOf(store);
    const NodeId node = writer->node({.uuid = "n", .name = "n"});
    for (const char* metric : {"a", "b"}) {
      const SeriesId id = writer->series({.node = node, .metric = metric});
      for (int i = 0; i < 100; ++i) writer->sample(id, at(i), i);
    }
    ASSERT_TRUE(writer->close().ok());
  }
  sqlite3* db = nullptr;
  ASSERT_EQ(test::openDatabase(store.path(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, "UPDATE rg_chunk SET data = zeroblob(length(data)) WHERE series_id = 1", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(db);
  const auto reader = store.reader().value();
  const SeriesId ids[] = {SeriesId{1}, SeriesId{2}};
  for (int again = 0; again < 2; ++again) {
    const auto answer = reader->latestAt(ids, at(50.5 + again));
    ASSERT_TRUE(answer.ok());
    ASSERT_EQ(answer->size(), 1U);
    EXPECT_EQ(answer->front().series, ids[1]);
    EXPECT_EQ(answer->front().value, 50 + again);
  }
  const auto issues = reader->issues();
  ASSERT_TRUE(issues.ok());
  EXPECT_TRUE(std::ranges::any_of(*issues, [](const Issue& issue) { return issue.detail.find("series 1") != std::string::npos; }));
}

TEST(LatestAt, OfWhatRetentionTookItKnowsWhatBlocksNameUntilTheyGoToo) {
  const TempStore store;
  const auto writer = writerOf(store);
  const NodeId node = writer->node({.uuid = "n", .name = "n"});
  const SeriesId power = writer->series({.node = node, .metric = "power_watts"});
  for (std::int64_t i = 0; i < 20'000; ++i) writer->sample(power, at(0) + i * kNsPerSecond, static_cast<double>(i));
  ASSERT_TRUE(writer->flush().ok());
  const auto reader = store.reader({writer->liveTail()}).value();
  const SeriesId ids[] = {power};
  EXPECT_EQ(reader->latestAt(ids, at(100))->size(), 1U);
  Retention policy;
  policy.samples = 3'600 * kNsPerSecond;
  ASSERT_TRUE(writer->applyRetention(policy, at(20'000)).ok());
  // Of the block that contains 100 s.
  ASSERT_EQ(reader->latestAt(ids, at(100))->size(), 1U);
  EXPECT_EQ(reader->latestAt(ids, at(100))->front().value, 64);
  EXPECT_EQ(reader->latestAt(ids, at(100))->front().mean, 95.5);
  EXPECT_EQ(reader->latestAt(ids, at(100))->front().time, at(100));
  EXPECT_EQ(reader->latestAt(ids, at(19'999))->front().value, 19'999);
  auto then = readerAt(*reader, at(100))->series({});
  ASSERT_TRUE(then.ok());
  ASSERT_EQ(then->size(), 1U);
  EXPECT_EQ(then->front().last_time, at(100));
  policy.pyramids = 3'600 * kNsPerSecond;
  ASSERT_TRUE(writer->applyRetention(policy, at(20'000)).ok());
  EXPECT_TRUE(reader->latestAt(ids, at(100))->empty());
  // The series had begun by then; only its first sample is still known.
  then = readerAt(*reader, at(100))->series({});
  ASSERT_TRUE(then.ok());
  ASSERT_EQ(then->size(), 1U);
  EXPECT_EQ(then->front().last_time, at(0));
}

TEST(LatestAt, KnowsNoSeriesThatIsNotThere) {
  const TempStore store;
  ManySeries many(store);
  many.grow(10);
  ASSERT_TRUE(many.writer().flush().ok());
  const auto reader = store.reader().value();
  const SeriesId ids[] = {SeriesId{999}};
  EXPECT_EQ(reader->latestAt(ids, at(5)).status().code(), Code::kNotFound);
  EXPECT_EQ(reader->latestAt(ids, at(5)).status().code(), Code::kNotFound);
  const SeriesId twice[] = {many.all()[0].id, many.all()[1].id, many.all()[0].id};
  EXPECT_EQ(reader->latestAt(twice, at(5))->size(), 3U);
  EXPECT_TRUE(reader->latestAt({}, at(5))->empty());
}

}  // namespace
}  // namespace runglass
