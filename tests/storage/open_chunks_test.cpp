// SPDX-License-Identifier: Apache-2.0
#include "storage/write/open_chunks.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/storage/writer_ground.h"

namespace runglass {
namespace {

class OpenChunksTest : public testing::Test {
 protected:
  OpenChunksTest() {
    EXPECT_TRUE(log.load().ok());
    EXPECT_TRUE(series_rows.load().ok());
    EXPECT_TRUE(chunks.load().ok());
    const NodeId node = ground.catalog.node({.uuid = "n", .name = "n"});
    series = ground.catalog.series({.node = node, .metric = "power_watts", .unit = "watts"});
  }
  // [from, to), one per nanosecond.
  void append(SeriesId id, std::int64_t from, std::int64_t to) {
    std::vector<std::int64_t> x(static_cast<std::size_t>(to - from));
    std::iota(x.begin(), x.end(), from);
    const std::vector<double> value(x.size(), 1.5);
    chunks.append(id, x.data(), nullptr, value.data(), x.size());
  }
  Status commit() {
    const Status committed = ground.commit([&] { return chunks.save(); });
    if (committed.ok()) chunks.committed();
    return committed;
  }
  std::int64_t stored() { return ground.number("SELECT sum(n) FROM rg_chunk WHERE series_id = " + std::to_string(series.value)); }

  WriterGround ground;
  RowLog log{ground.db, ground.rows, ground.catalog, ground.tail};
  SeriesRows series_rows{ground.db, ground.rows};
  OpenChunks chunks{ground.path, ground.db, ground.rows, ground.catalog, ground.tail, series_rows, log, ground.failure, 0};
  SeriesId series;
};

TEST_F(OpenChunksTest, APointBeforeTheLastSealedOneGoesToTheLateChunk) {
  append(series, 0, 2 * static_cast<std::int64_t>(kChunkPoints));
  EXPECT_GT(chunks.pendingBytes(), 0);
  append(series, 1, 2);
  const LiveSeries* const live = ground.tail.find(series);
  ASSERT_NE(live, nullptr);
  const MutexLock lock(live->mutex);
  EXPECT_FALSE(live->pending.empty());
  ASSERT_TRUE(live->late);
  EXPECT_EQ(live->late->points(), 1U);
  EXPECT_EQ(live->extent.count, 2 * static_cast<std::int64_t>(kChunkPoints) + 1);
}

TEST_F(OpenChunksTest, ACommitThatFailsLosesNothing) {
  append(series, 0, 10'000);
  const Status failed = ground.commit([&]() -> Status {
    RG_TRY(chunks.save());
    return diskFull();
  });
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(chunks.unsaved(), std::vector{series});
  append(series, 10'000, 10'010);
  ASSERT_TRUE(commit().ok());
  EXPECT_TRUE(chunks.unsaved().empty());
  EXPECT_EQ(chunks.pendingBytes(), 0);
  EXPECT_EQ(stored(), 10'010);
  EXPECT_EQ(ground.number("SELECT sample_count FROM rg_series"), 10'010);
}

TEST_F(OpenChunksTest, ASeriesThatLeftMemoryGoesOnInItsOpenChunk) {
  append(series, 0, 100);
  ASSERT_TRUE(commit().ok());
  ground.tail.forgetStored();
  std::vector<TrackId> unsealed;
  chunks.evicted(ground.tail.evictIdle(1, unsealed));
  ASSERT_EQ(ground.tail.find(series), nullptr);
  append(series, 100, 110);
  ASSERT_TRUE(commit().ok());
  EXPECT_EQ(stored(), 110);
  EXPECT_EQ(ground.number("SELECT count(*) FROM rg_chunk"), 1);
}

TEST_F(OpenChunksTest, AnOpenChunkThatCannotBeReadStaysAndAnotherOneBegins) {
  append(series, 0, 100);
  ASSERT_TRUE(commit().ok());
  ground.tail.forgetStored();
  std::vector<TrackId> unsealed;
  chunks.evicted(ground.tail.evictIdle(1, unsealed));
  ASSERT_TRUE(ground.db.exec("UPDATE rg_chunk SET crc = crc + 1").ok());
  append(series, 100, 110);
  EXPECT_EQ(ground.tail.pendingRows().issues.at(0).code, "store.damaged_chunk");
  ASSERT_TRUE(commit().ok());
  EXPECT_EQ(stored(), 110);
  EXPECT_EQ(ground.number("SELECT count(*) FROM rg_chunk"), 2);
}

TEST_F(OpenChunksTest, IdleLateChunksLeaveMemory) {
  append(series, 0, 2 * static_cast<std::int64_t>(kChunkPoints));
  append(series, 0, 600);
  LiveSeries& live = *ground.tail.find(series);
  for (int pass = 0; pass < 3; ++pass) chunks.sealIdleLate();
  const MutexLock lock(live.mutex);
  EXPECT_FALSE(live.late);
}

TEST_F(OpenChunksTest, AnUndeclaredSeriesIsAFailure) {
  append({series.value + 1}, 0, 1);
  EXPECT_EQ(ground.failure.take().code(), Code::kInvalidArgument);
  EXPECT_TRUE(chunks.unsaved().empty());
}

}  // namespace
}  // namespace runglass
