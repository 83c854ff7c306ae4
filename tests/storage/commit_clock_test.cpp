// SPDX-License-Identifier: Apache-2.0
#include "storage/write/commit_clock.h"

#include <gtest/gtest.h>

#include <optional>

namespace runglass {
namespace {

using Due = CommitClock::Due;
constexpr DurNs kMs = kNsPerMs, kSecond = kNsPerSecond;
constexpr std::int64_t kMiB = std::int64_t{1} << 20;
const auto kUnknownRoom = [] { return std::optional<std::int64_t>(); };

Due dueAt(CommitClock& clock, TimeNs now, const CommitClock::Waiting& waiting) { return clock.due(now, waiting, kUnknownRoom); }

TEST(CommitClock, NothingIsDueWhileNothingWaits) {
  CommitClock clock;
  clock.start(0);
  EXPECT_EQ(dueAt(clock, 3600 * kSecond, {}), Due::kNothing);
}

TEST(CommitClock, EarlyFlushesTakeATenthOfTheTime) {
  CommitClock clock;
  clock.flushed(0, 300 * kMs, 0, 0);
  EXPECT_EQ(dueAt(clock, 3200 * kMs, {.any = true}), Due::kNothing);
  EXPECT_EQ(dueAt(clock, 3300 * kMs, {.any = true}), Due::kAll);
  clock.flushed(0, 100 * kSecond, 0, 0);
  EXPECT_EQ(dueAt(clock, 109 * kSecond, {.any = true}), Due::kNothing);
  EXPECT_EQ(dueAt(clock, 110 * kSecond, {.any = true}), Due::kAll);  // after 10 s in any case
}

TEST(CommitClock, LogLinesDelayNothingAndRewrittenChunksDo) {
  CommitClock clock;
  clock.flushed(0, kSecond, kSecond, 0);
  EXPECT_EQ(dueAt(clock, 1050 * kMs, {.any = true}), Due::kAll);
  clock.flushed(0, kSecond, kSecond, kMiB);
  EXPECT_EQ(dueAt(clock, 2900 * kMs, {.any = true}), Due::kNothing);
  EXPECT_EQ(dueAt(clock, 3 * kSecond, {.any = true}), Due::kAll);
}

TEST(CommitClock, MuchIsStoredAtOnce) {
  CommitClock clock;
  clock.flushed(0, 10 * kSecond, 0, 0);
  const TimeNs now = 10 * kSecond + 1;
  EXPECT_EQ(dueAt(clock, now, {.any = true, .journal_bytes = 63 * kMiB, .chunk_bytes = 63 * kMiB, .log_lines = 30'000}), Due::kNothing);
  EXPECT_EQ(dueAt(clock, now, {.any = true, .journal_bytes = 64 * kMiB}), Due::kAll);
  EXPECT_EQ(dueAt(clock, now, {.any = true, .chunk_bytes = 64 * kMiB}), Due::kAll);
  EXPECT_EQ(dueAt(clock, now, {.any = true, .log_lines = 40'000}), Due::kAll);
}

TEST(CommitClock, AFullDiskOrABrokenJournalIsNotWaitedFor) {
  CommitClock clock;
  clock.flushed(0, 5 * kSecond, 0, 0);
  const auto due = [&](DurNs waited, CommitClock::Waiting waiting, std::int64_t room) {
    return clock.due(5 * kSecond + waited, waiting, [&] { return std::optional(room); });
  };
  EXPECT_EQ(due(400 * kMs, {.any = true, .journal_bytes = kMiB}, 0), Due::kNothing);
  EXPECT_EQ(due(500 * kMs, {.any = true, .journal_bytes = kMiB}, 2 * kMiB - 1), Due::kAll);
  EXPECT_EQ(due(500 * kMs, {.any = true, .journal_bytes = kMiB}, 2 * kMiB), Due::kNothing);
  EXPECT_EQ(due(500 * kMs, {.journal_failed = true}, kMiB), Due::kAll);
}

TEST(CommitClock, TheCatalogueIsCommittedAloneWhereAFlushIsNotDue) {
  CommitClock clock;
  clock.flushed(0, 5 * kSecond, 0, 0);
  EXPECT_EQ(dueAt(clock, 5 * kSecond + 40 * kMs, {.catalog = true}), Due::kNothing);
  EXPECT_EQ(dueAt(clock, 5 * kSecond + 50 * kMs, {.catalog = true}), Due::kCatalog);
  clock.catalogCommitted(5 * kSecond + 50 * kMs, 5 * kSecond + 80 * kMs);
  EXPECT_EQ(dueAt(clock, 5 * kSecond + 370 * kMs, {.catalog = true}), Due::kNothing);  // a tenth of the time, too
  EXPECT_EQ(dueAt(clock, 5 * kSecond + 380 * kMs, {.catalog = true}), Due::kCatalog);
  clock.catalogRefused();
  EXPECT_EQ(dueAt(clock, 5 * kSecond + 381 * kMs, {.catalog = true}), Due::kAll);
  EXPECT_EQ(dueAt(clock, 5 * kSecond + 381 * kMs, {}), Due::kNothing);
}

}  // namespace
}  // namespace runglass
