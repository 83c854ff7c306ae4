// SPDX-License-Identifier: Apache-2.0
// Damaged data, or data that cannot be stored, does not affect other data: everything else that was acknowledged is in the file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "storage/open_store.h"
#include "storage/store_files.h"
#include "storage/writer.h"
#include "tests/storage/store_leaves.h"
#include "tests/support/sql_rows.h"
#include "tests/support/sqlite_store.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kSeries = 400;
constexpr std::int64_t kPerChunk = 10, kOld = 100, kNew = 20;  // points of each series
const StreamKey kStream{"agent", "session", 4};

class DamagedPage : public testing::TestWithParam<const char*> {
 protected:
  static std::string metric(int s) { return "m" + std::to_string(s); }
  // Steps `from` … `from` + n of a series. A chunk ends where steps with a time follow steps without.
  static void record(Writer& writer, int s, std::int64_t from, std::int64_t n) {
    const SeriesId id = writer.series({.node = writer.node({.uuid = "n", .name = "n"}), .metric = metric(s), .kind = SeriesKind::kScalar});
    std::vector<std::int64_t> steps, times;
    std::vector<double> values;
    for (std::int64_t k = from; k < from + n; ++k) {
      steps.push_back(k);
      if (from / kPerChunk % 2 == 1) times.push_back(k * kNsPerSecond);
      values.push_back(static_cast<double>(std::hash<std::int64_t>()(k * kSeries + s) * 0x9e3779b97f4a7c15ULL >> 32));
    }
    writer.scalars(id, steps, times, values);
  }
  // Of all series with that metric.
  static std::int64_t pointsOf(Reader& reader, int s, std::int64_t from = 0) {
    std::int64_t points = 0;
    const auto all = reader.series({.metric = metric(s)});
    for (const Series& one : all.ok() ? *all : std::vector<Series>()) {
      const auto samples = reader.scalars(one.id, from, kOld + kNew, {});
      points += samples.ok() ? static_cast<std::int64_t>(samples->size()) : 0;
    }
    return points;
  }
  void SetUp() override {
    auto writer = m_store.writer().value();
    // In turn, so that chunks of all series are adjacent.
    for (std::int64_t k = 0; k < kOld; k += kPerChunk)
      for (int s = 0; s < kSeries; ++s) record(*writer, s, k, kPerChunk);
    ASSERT_TRUE(writer->close().ok());
  }
  // A copy of the store with a flipped bit in that page.
  std::string flipped(std::uint32_t page) const {
    const std::string copy = m_store.file(std::to_string(page) + ".rgl");
    copyFlipped(m_store.path(), page, copy);
    return copy;
  }

  const TempStore m_store;
};
INSTANTIATE_TEST_SUITE_P(Of, DamagedPage,
                         testing::Values("rg_chunk_series", "rg_chunk_open", "rg_chunk", "rg_pyramid_series", "rg_pyramid"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(DamagedPage, CostsOnlyTheSeriesThatItHits) {
  const std::vector<std::uint32_t> leaves = leavesOf(m_store.path(), GetParam());
  // New rows are appended at the end: if the last page is damaged, or one of the two that it is balanced with when full, the file accepts
  // nothing more.
  const auto at_the_end = [&](std::size_t leaf) { return leaf + 3 >= leaves.size(); };
  int hit_ever = 0;
  for (std::size_t leaf = 0; leaf < leaves.size(); leaf += at_the_end(leaf) ? 1 : std::max<std::size_t>(1, leaves.size() / 4)) {
    SCOPED_TRACE("leaf " + std::to_string(leaf) + " of " + std::to_string(leaves.size()));
    const std::string copy = flipped(leaves[leaf]);
    std::vector<bool> hit(kSeries);
    {
      const auto reader = openStore(copy).reader().value();
      for (int s = 0; s < kSeries; ++s) hit[static_cast<std::size_t>(s)] = pointsOf(*reader, s) != kOld;
    }
    auto opened = openStore(copy).writer();
    if (!opened.ok() && at_the_end(leaf)) continue;
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    auto writer = std::move(*opened);
    std::uint64_t seq = 0;
    bool stored = true;
    for (std::int64_t k = kOld; k < kOld + kNew && stored; k += 5) {
      for (int s = 0; s < kSeries; ++s) {
        ASSERT_TRUE(writer->journal(kStream, seq++, "batch").ok());
        record(*writer, s, k, 5);
        const Status failed = writer->takeFailure();
        EXPECT_TRUE(failed.ok()) << failed.message();
      }
      const Status flushed = writer->flush();
      stored = flushed.ok();
      EXPECT_TRUE(stored || at_the_end(leaf)) << flushed.message();
    }
    if (!stored) {
      EXPECT_GT(writer->journalBytes(), 0) << "what is acknowledged and not stored stays in the journal";
      continue;
    }
    const Status closed = writer->close();
    EXPECT_TRUE(closed.ok()) << closed.message();
    const auto reader = openStore(copy).reader().value();
    int hits = 0;
    for (int s = 0; s < kSeries; ++s) {
      hits += hit[static_cast<std::size_t>(s)] ? 1 : 0;
      EXPECT_EQ(pointsOf(*reader, s, kOld), kNew) << metric(s);
      if (!hit[static_cast<std::size_t>(s)]) EXPECT_EQ(pointsOf(*reader, s), kOld + kNew) << metric(s);
    }
    hit_ever += hits;
    const std::vector<Issue> issues = *reader->issues();
    if (hits > 0) EXPECT_THAT(issues, Contains(Field(&Issue::code, testing::AnyOf("store.series_continued", "store.damaged_chunk"))));
    EXPECT_FALSE(std::filesystem::exists(badPath(copy))) << "what can be stored is not set aside";
  }
  if (std::string_view(GetParam()) == "rg_chunk_series") EXPECT_GT(hit_ever, 0);
}

TEST(Isolation, AFailingCallDoesNotKeepOthersFromTheStore) {
  const TempStore store;
  auto writer = store.writer().value();
  const SeriesId good = writer->series({.metric = "good"});
  ASSERT_TRUE(writer->journal(kStream, 0, "payload of the bad batch").ok());
  writer->sample(SeriesId{99}, 1, 1);  // never declared
  writer->sample(good, 1, 1);
  const Status failed = writer->takeFailure();
  EXPECT_EQ(failed.code(), Code::kInvalidArgument);
  writer->setAside(kStream, 0, "payload of the bad batch", failed);
  EXPECT_TRUE(writer->takeFailure().ok()) << "taken once";
  ASSERT_TRUE(writer->flush().ok());
  ASSERT_TRUE(writer->close().ok());
  const auto reader = store.reader().value();
  EXPECT_EQ(reader->samples(good, {})->size(), 1U);
  const std::vector<Issue> issues = *reader->issues();
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].code, "store.batch_set_aside");
  EXPECT_EQ(issues[0].source, "agent");
  EXPECT_THAT(issues[0].detail, AllOf(HasSubstr("session session, stream 4, batch 0"), HasSubstr("series 99: never declared")));
  EXPECT_THAT(contentOf(badPath(store.path())),
              AllOf(HasSubstr(R"("agent":"agent","session":"session","stream":"4","seq":"0")"), HasSubstr("payload of the bad batch\n")));
  EXPECT_EQ(std::filesystem::status(badPath(store.path())).permissions(), std::filesystem::perms(0600));
  EXPECT_THAT(sqlRows(*reader, "SELECT next_seq FROM rg_stream"), ElementsAre("1"));
}

TEST(Isolation, WhatIsSetAsideIsBounded) {
  const TempStore store;
  auto writer = store.writer().value();
  const std::string payload(std::size_t{40} << 20, 'x');
  const Status why(Code::kInternal, "because");
  for (std::uint64_t seq = 0; seq < 3; ++seq) writer->setAside(kStream, seq, payload, why);
  ASSERT_TRUE(writer->close().ok());
  EXPECT_LT(std::filesystem::file_size(badPath(store.path())), std::uintmax_t{64} << 20);
  const std::vector<Issue> issues = *store.reader().value()->issues();
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].count, 3);
  EXPECT_THAT(issues[0].detail, HasSubstr("batch 2: because; not kept"));
}

// A row that violates a constraint of the file.
TEST(Isolation, ARefusedRowDoesNotKeepTheCommitFromStoringTheOthers) {
  const TempStore store;
  ASSERT_TRUE(store.writer().value()->close().ok());
  sqlite3* db = nullptr;
  ASSERT_EQ(test::openDatabase(store.path(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "CREATE UNIQUE INDEX rg_log_once ON rg_log(text)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  auto writer = store.writer().value();
  const SeriesId id = writer->series({.metric = "m"});
  const auto batch = [&](std::uint64_t seq, std::initializer_list<const char*> lines) {
    ASSERT_TRUE(writer->journal(kStream, seq, "batch").ok());
    writer->sample(id, static_cast<TimeNs>(seq + 1), 1);
    for (const char* line : lines) writer->log({.time = 1, .stream = "stdout", .text = line});
    writer->event({.time = 1, .kind = "kind"});
  };
  batch(0, {"one", "two", "one", "three"});
  const Status flushed = writer->flush();
  ASSERT_TRUE(flushed.ok()) << flushed.message();
  batch(1, {"four"});
  ASSERT_TRUE(writer->flush().ok());
  ASSERT_TRUE(writer->close().ok());
  const auto reader = store.reader().value();
  EXPECT_THAT(sqlRows(*reader, "SELECT text FROM rg_log ORDER BY log_id"), ElementsAre("one", "two", "three", "four"));
  EXPECT_EQ(reader->samples(id, {})->size(), 2U);
  EXPECT_EQ(reader->events({})->size(), 2U);
  EXPECT_THAT(sqlRows(*reader, "SELECT next_seq FROM rg_stream"), ElementsAre("2"));
  EXPECT_THAT(sqlRows(*reader, "SELECT code, source, count FROM rg_issue"), ElementsAre("store.row_refused|rg_log|1"));
  EXPECT_THAT(contentOf(badPath(store.path())), AllOf(HasSubstr("UNIQUE constraint failed"), HasSubstr("'one'")));
  EXPECT_THAT(*reader->verify(), IsEmpty()) << "the words of the refused line are not there either";
}

TEST(Isolation, AnAttemptOfNoRunIsNotRecorded) {
  const TempStore store;
  auto writer = store.writer().value();
  EXPECT_FALSE(writer->attempt({.key = "0", .end_cause = "x"}));
  writer->event({.time = 1, .kind = "kind"});
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_FALSE(std::filesystem::exists(badPath(store.path())));
}

}  // namespace
}  // namespace runglass
