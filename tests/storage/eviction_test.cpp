// SPDX-License-Identifier: Apache-2.0
// The memory of a writer after a job has ended, and that none of the job's data is lost.
#include <gmock/gmock.h>
#include <malloc.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "storage/read/live_tail.h"
#include "storage/reader.h"
#include "storage/writer.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::IsEmpty;

constexpr TimeNs kEvictionStart = 1'790'000'000'000'000'000;

// Sanitizers have their own malloc, which mallinfo2() does not see.
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kHeapIsCounted = false;
#else
constexpr bool kHeapIsCounted = true;
#endif
#else
constexpr bool kHeapIsCounted = true;
#endif

// Without SQLite's page cache, which is limited and fills as the file grows.
std::int64_t allocatedBytes() { return static_cast<std::int64_t>(mallinfo2().uordblks) - sqlite3_memory_used(); }

std::int64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

class Eviction : public ::testing::Test {
 protected:
  void open(DurNs idle) {
    WriterOptions options;
    options.idle = idle;
    auto writer = m_store.writer(std::move(options));
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    m_writer = std::move(*writer);
    m_run = m_writer->run({.uuid = "r", .name = "r"});
  }
  // The effect of an agent's batch on the marks.
  void journal(const std::string& session) {
    for (std::uint32_t stream = 0; stream < 16; ++stream) ASSERT_TRUE(m_writer->journal({"agent", session, stream}, 0, "x").ok());
  }
  // One attempt of a job: its ranks, series, tracks and one point of each series.
  AttemptId attempt(int number, int ranks) {
    const std::string key = std::to_string(number);
    const AttemptId attempt = m_writer->attempt({.run = m_run, .key = key, .start = kEvictionStart + number});
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      m_writer->rank({.attempt = attempt, .rank = rank});
      m_writer->progress({.attempt = attempt, .rank = rank, .time = kEvictionStart + number, .step = 1});
      for (const char* metric : {"a", "b", "c"}) {
        const SeriesId id = m_writer->series({.attempt = attempt, .rank = rank, .metric = metric, .kind = SeriesKind::kScalar});
        for (int step = 0; step < 20; ++step) m_writer->scalar(id, step, kEvictionStart + number * 1'000 + step, rank + step);
      }
      SpanColumns spans;
      spans.names = {"k"};
      for (int i = 0; i < 20; ++i)
        spans.start.push_back(kEvictionStart + number * 1'000 + 10 * i), spans.dur.push_back(5), spans.name.push_back(0),
            spans.category.push_back({});
      m_writer->spans(m_writer->track({.attempt = attempt, .rank = rank, .kind = "thread", .name = "t"}), spans);
    }
    return attempt;
  }
  // A commit, which needs at least one row.
  void commit() {
    m_writer->event({.time = kEvictionStart, .kind = "tick"});
    const Status flushed = m_writer->flush();
    ASSERT_TRUE(flushed.ok()) << flushed.message();
  }
  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  RunId m_run;
};

TEST_F(Eviction, RestartsOfAJobCostNoMemory) {
  constexpr int kRanks = 500, kRestarts = 50;
  open(0);
  const auto live = [&](int number) {
    attempt(number, kRanks);
    journal("s" + std::to_string(number));
    commit();
  };
  const auto settle = [&] {
    for (int i = 0; i < 3; ++i) commit();
  };
  live(0);
  live(1);  // the first one has ended
  const std::int64_t one = allocatedBytes();
  settle();
  const std::int64_t after_one = allocatedBytes(), resident_one = residentBytes();
  for (int number = 2; number <= kRestarts; ++number) live(number);
  settle();
  const std::int64_t after_all = allocatedBytes(), resident_all = residentBytes();
  std::printf("allocated with two lives %lld KiB, after one restart %lld KiB, after %d %lld KiB; resident %lld and %lld KiB\n",
              static_cast<long long>(one >> 10), static_cast<long long>(after_one >> 10), kRestarts,
              static_cast<long long>(after_all >> 10), static_cast<long long>(resident_one >> 10),
              static_cast<long long>(resident_all >> 10));
  EXPECT_EQ(m_writer->liveTail()->seriesHeld(), 0);
  EXPECT_EQ(m_writer->liveTail()->tracksHeld(), 0);
  // None of the 1,500 series of an attempt may cost more than some bytes.
  if (kHeapIsCounted) EXPECT_LE(after_all - after_one, one / 10);
  // SQLite's page cache fills as the file grows: 3 MiB more than after one restart, where 50 attempts in memory take 190 MiB.
  if (kHeapIsCounted) EXPECT_LE(resident_all - resident_one, 8 << 20);
  ASSERT_TRUE(m_writer->close().ok());
  auto reader = m_store.reader();
  ASSERT_TRUE(reader.ok());
  EXPECT_THAT(sqlRows(**reader, "SELECT count(*) FROM scalar_all"),
              testing::ElementsAre(std::to_string((kRestarts + 1) * kRanks * 3 * 20)));
  EXPECT_THAT(*(*reader)->verify(), IsEmpty());
}

TEST_F(Eviction, WhatComesBackGoesOnWhereItWas) {
  open(0);
  const AttemptId first = attempt(0, 2);
  commit();
  attempt(1, 2);
  commit(), commit(), commit();
  EXPECT_EQ(m_writer->liveTail()->seriesHeld(), 0);
  // The same names are the same series, ranks and tracks; late and new points are added.
  for (int again = 0; again < 3; ++again) {
    attempt(0, 2);
    const SeriesId id = m_writer->series({.attempt = first, .rank = 0, .metric = "a", .kind = SeriesKind::kScalar});
    m_writer->scalar(id, 100 + again, kEvictionStart + again, 7);
    m_writer->scalar(id, -5 - again, kEvictionStart + again, 8);
    auto reader = m_store.reader({.live = m_writer->liveTail()});
    ASSERT_TRUE(reader.ok());
    const auto points = (*reader)->scalars(id, 0, 200);
    ASSERT_TRUE(points.ok());
    EXPECT_EQ(points->step.size(), static_cast<std::size_t>(20 * (again + 2) + again + 1));
    commit(), commit(), commit();
  }
  ASSERT_TRUE(m_writer->close().ok());
  auto reader = m_store.reader();
  ASSERT_TRUE(reader.ok());
  EXPECT_THAT(*(*reader)->verify(), IsEmpty());
  EXPECT_THAT(sqlRows(**reader, "SELECT count(*), sum(sample_count) FROM series"),
              testing::ElementsAre("12|" + std::to_string(240 + 3 * 122)));
  EXPECT_THAT(sqlRows(**reader, "SELECT count(*) FROM rank"), testing::ElementsAre("4"));
  EXPECT_THAT(sqlRows(**reader, "SELECT count(*) FROM track"), testing::ElementsAre("4"));
  EXPECT_THAT(sqlRows(**reader, "SELECT count(*) FROM span"), testing::ElementsAre(std::to_string(2 * 2 * 20 + 3 * 2 * 20)));
}

TEST_F(Eviction, AStreamIsNotForgottenWithItsMark) {
  open(0);
  journal("s");
  for (int i = 0; i < 4; ++i) commit();
  EXPECT_EQ(m_writer->resumeFrom({"agent", "s", 3}), 1);
  const auto again = m_writer->journal({"agent", "s", 3}, 0, "x");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, Arrival::kDuplicate);
  EXPECT_EQ(m_writer->resumeFrom({"agent", "new", 3}), 0);
}

TEST_F(Eviction, ALivingSeriesStays) {
  open(3600 * kNsPerSecond);
  attempt(0, 2);
  for (int i = 0; i < 4; ++i) commit();
  EXPECT_EQ(m_writer->liveTail()->seriesHeld(), 6);
  EXPECT_EQ(m_writer->liveTail()->tracksHeld(), 2);
}

}  // namespace
}  // namespace runglass
