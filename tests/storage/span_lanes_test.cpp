// SPDX-License-Identifier: Apache-2.0
#include "storage/write/span_lanes.h"

#include <gtest/gtest.h>

#include "tests/storage/writer_ground.h"

namespace runglass {
namespace {

class SpanLanesTest : public testing::Test {
 protected:
  SpanLanesTest() {
    EXPECT_TRUE(log.load().ok());
    EXPECT_TRUE(lanes.load().ok());
    const RunId run = ground.catalog.run({.uuid = "r", .name = "r"});
    const AttemptId attempt = ground.catalog.attempt({.run = run, .key = "0"});
    track = ground.catalog.track({.attempt = attempt, .rank = 0, .kind = "thread", .name = "main"});
  }
  // `n` spans of 10 ns that begin every `apart` ns from `start` on.
  std::int64_t append(TrackId& id, TimeNs start, int n, DurNs apart) {
    SpanColumns spans;
    spans.names = {"step"};
    for (int i = 0; i < n; ++i) {
      spans.start.push_back(start + i * apart);
      spans.dur.push_back(10);
      spans.name.push_back(0);
      spans.category.push_back(SpanCategory::kCompute);
    }
    return lanes.append(id, spans);
  }
  Status commit() {
    const Status committed = ground.commit([&] { return lanes.save(); });
    if (committed.ok()) lanes.committed();
    return committed;
  }
  std::int64_t stored() { return ground.number("SELECT sum(n) FROM rg_span_chunk"); }

  WriterGround ground;
  RowLog log{ground.db, ground.rows, ground.catalog, ground.tail};
  SpanLanes lanes{ground.path, ground.db, ground.rows, ground.catalog, ground.tail, log, ground.failure};
  TrackId track;
};

TEST_F(SpanLanesTest, OverlappingSpansGoToOverflowLanes) {
  EXPECT_EQ(append(track, 0, 100, 10), 0);
  EXPECT_EQ(append(track, 500, 3, 10), 3);
  ASSERT_TRUE(commit().ok());
  EXPECT_EQ(ground.number("SELECT count(DISTINCT lane) FROM rg_span_chunk"), 2);
  EXPECT_EQ(stored(), 103);
}

TEST_F(SpanLanesTest, ACommitThatFailsLosesNothing) {
  append(track, 0, 3 * static_cast<int>(kSpanChunkSpans) / 2, 10);
  EXPECT_GT(lanes.pendingBytes(), 0);
  const Status failed = ground.commit([&]() -> Status {
    RG_TRY(lanes.save());
    return diskFull();
  });
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(lanes.unsaved(), std::vector{track});
  ASSERT_TRUE(commit().ok());
  EXPECT_TRUE(lanes.unsaved().empty());
  EXPECT_EQ(stored(), 3 * static_cast<std::int64_t>(kSpanChunkSpans) / 2);
}

TEST_F(SpanLanesTest, ATrackThatTheFileRefusesGoesOnInAnother) {
  append(track, 0, 5, 10);
  lanes.noteRefused(track, {Code::kDataLoss, "a damaged page"});
  lanes.dropRefused();
  TrackId id = track;
  append(id, 100, 5, 10);
  EXPECT_NE(id, track);
  EXPECT_EQ(ground.catalog.trackKey(id)->name, "main (after damage 1)");
  EXPECT_EQ(ground.tail.pendingRows().issues.at(0).code, "store.series_continued");
  EXPECT_EQ(ground.tail.find(track), nullptr);
}

TEST_F(SpanLanesTest, WhatIsOpenOfAnEndedJobIsSealed) {
  append(track, 0, 5, 10);
  ASSERT_TRUE(commit().ok());
  EXPECT_EQ(ground.number("SELECT sum(sealed) FROM rg_span_chunk"), 0);
  lanes.sealOpen({track});
  ASSERT_TRUE(commit().ok());
  EXPECT_EQ(ground.number("SELECT sum(sealed) FROM rg_span_chunk"), 1);
  EXPECT_EQ(stored(), 5);
}

TEST_F(SpanLanesTest, ColumnsThatDifferInLengthAreAFailure) {
  SpanColumns spans;
  spans.names = {"step"};
  spans.start = {1, 2};
  spans.dur = {1};
  EXPECT_EQ(lanes.append(track, spans), 0);
  EXPECT_EQ(ground.failure.take().code(), Code::kInvalidArgument);
  EXPECT_TRUE(lanes.unsaved().empty());
}

}  // namespace
}  // namespace runglass
