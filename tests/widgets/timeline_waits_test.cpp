// SPDX-License-Identifier: GPL-3.0-or-later
// Waiting inside collectives: which calls are one collective, how much of each was waiting, and cases without a result.
#include "storage/open_store.h"
#include "tests/widgets/timeline_fixture.h"
#include "widgets/timeline/timeline_raster.h"
#include "widgets/timeline/wait_words.h"

namespace runglass {
namespace {

using Match = CollectiveSet::Match;
using Kind = WaitPart::Kind;

CollectiveCall call(std::int32_t rank, TimeNs t0, TimeNs t1, std::int64_t seq, std::int64_t step = kAbsent,
                    std::string name = "AllReduce") {
  static std::int64_t id = 0;
  return {.rank = rank, .track = TrackId{1}, .id = ++id, .t0 = t0, .t1 = t1, .group = 5, .seq = seq, .step = step, .name = std::move(name)};
}

ClockGap oneClock(std::int32_t, std::int32_t) { return {}; }
ClockGap within10(std::int32_t, std::int32_t) { return {.kind = ClockGap::Kind::kCompared, .error = 10}; }

TEST(WaitPartsTest, TransferBeginsWithTheLastMemberAndWhatIsBeforeItIsWaiting) {
  const auto sets = matchCalls({call(0, 100, 200, 7), call(1, 160, 201, 7), call(2, 130, 200, 7), call(0, 300, 310, 8)}, {{5, {0, 1, 2}}});
  ASSERT_EQ(sets.size(), 2U);
  const WaitPart first = waitOf(sets[0], 0, oneClock), last = waitOf(sets[0], 2, oneClock);
  EXPECT_EQ(first.kind, Kind::kWaited);
  EXPECT_EQ(first.until, 160);
  EXPECT_EQ(plain(waitSentence(first)), "waited 60 ns of 100 ns for rank 1");
  EXPECT_EQ(last.kind, Kind::kLast);
  EXPECT_EQ(plain(waitSentence(last)), "the last to begin: rank 0 waited longest for it, 60 ns");
  EXPECT_EQ(sets[1].match, Match::kAlone);
  EXPECT_EQ(waitOf(sets[1], 0, oneClock).kind, Kind::kUnmatched);
}

TEST(WaitPartsTest, ClaimsNothingBelowTheErrorOfTheClocks) {
  const auto sets = matchCalls({call(0, 100, 200, 7), call(1, 110, 200, 7)}, {{5, {0, 1}}});
  EXPECT_EQ(waitOf(sets[0], 0, within10).kind, Kind::kBelowError);
  EXPECT_EQ(waitOf(sets[0], 1, within10).kind, Kind::kBelowError);
  const auto apart = matchCalls({call(0, 99, 200, 7), call(1, 110, 200, 7)}, {{5, {0, 1}}});
  EXPECT_EQ(waitOf(apart[0], 0, within10).kind, Kind::kWaited);
  const auto never = [](std::int32_t, std::int32_t) { return ClockGap{.kind = ClockGap::Kind::kUnknown}; };
  EXPECT_EQ(waitOf(apart[0], 0, never).kind, Kind::kNotClocked);
}

TEST(WaitPartsTest, SaysAtLeastWhereMembersAreMissing) {
  const auto sets = matchCalls({call(0, 100, 200, 7), call(1, 160, 201, 7)}, {{5, {0, 1, 2}}});
  EXPECT_EQ(plain(waitSentence(waitOf(sets[0], 0, oneClock))),
            "waited 60 ns of 100 ns for rank 1; at least: 2 of its 3 members are in the store");
}

TEST(WaitPartsTest, CountsCallsWithoutNumbersWhereAllMembersHaveAsMany) {
  const GroupMembers members{{5, {0, 1}}};
  auto calls =
      std::vector{call(0, 10, 20, kAbsent, 3), call(0, 30, 50, kAbsent, 3), call(1, 12, 20, kAbsent, 3), call(1, 40, 50, kAbsent, 3)};
  auto sets = matchCalls(calls, members);
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(waitOf(sets[1], 0, oneClock).until, 40);
  calls.push_back(call(1, 60, 61, kAbsent, 3));
  sets = matchCalls(calls, members);
  ASSERT_EQ(sets.size(), 3U);
  EXPECT_EQ(waitOf(sets[1], 0, oneClock).until, 40) << "by their ends";
  EXPECT_EQ(sets[2].match, Match::kAlone) << "the call that only rank 1 has";
  calls.back().step = 4;
  calls[3].name = "AllGather";
  sets = matchCalls(calls, members);
  EXPECT_EQ(sets[0].match, Match::kDiffers) << "the one before may be shifted as well";
  EXPECT_EQ(sets[1].match, Match::kDiffers);
  EXPECT_EQ(matchCalls({call(0, 10, 20, kAbsent, 3), call(1, 12, 20, kAbsent, 3)}, {})[0].match, Match::kCounts)
      << "members that nobody named may be missing";
}

TEST(WaitPartsTest, AReceiveWaitsForItsSendAndABufferedSendForNobody) {
  auto sets = matchCalls({call(0, 100, 110, 7, 1, "ncclSend"), call(1, 50, 140, 7, 1, "ncclRecv")}, {{5, {0, 1, 2, 3}}});
  ASSERT_TRUE(sets[0].pair);
  EXPECT_EQ(plain(waitSentence(waitOf(sets[0], 0, oneClock))), "waited 50 ns of 90 ns for rank 0") << "the pair is whole";
  sets = matchCalls({call(0, 100, 110, 7, 1, "ncclSend"), call(1, 120, 140, 7, 1, "ncclRecv")}, {});
  EXPECT_EQ(waitOf(sets[0], 0, oneClock).kind, Kind::kBuffered);
  sets = matchCalls({call(0, 100, 110, 7, 1, "ncclSend"), call(1, 90, 110, 7, 1, "ncclRecv"), call(2, 95, 110, 7, 1, "ncclSend")}, {});
  EXPECT_EQ(sets[0].match, Match::kDiffers) << "two pairs of one number cannot be told apart";
}

TEST(WaitPartsTest, OddNumbersMatchNothing) {
  EXPECT_EQ(matchCalls({call(0, 1, 9, 7), call(1, 1, 9, 7), call(1, 20, 30, 7)}, {})[0].match, Match::kTwice);
  const auto sets = matchCalls({call(0, 1, 9, 7, 1), call(1, 4, 9, 7, 1), call(0, 20, 30, 7, 2), call(1, 21, 30, 7, 2)}, {{5, {0, 1}}});
  ASSERT_EQ(sets.size(), 2U) << "a counter that begins anew in each step";
  EXPECT_EQ(sets[0].match, Match::kMatched);
  EXPECT_EQ(matchCalls({call(0, 1, 9, 7), call(1, 12, 19, 7)}, {})[0].match, Match::kDisjoint);
}

TEST(WaitPartsTest, CountsTheWholeRunWhereRanksBeginTheirStepsAtOtherTimes) {
  const GroupMembers members{{5, {0, 1}}};
  // The second call is in step 3 on rank 0 and in step 4 on rank 1.
  const std::vector calls{call(0, 10, 20, kAbsent, 3), call(0, 30, 50, kAbsent, 3), call(1, 12, 20, kAbsent, 3),
                          call(1, 40, 50, kAbsent, 4)};
  EXPECT_EQ(waitOf(matchCalls(calls, members)[1], 0, oneClock).until, 40) << "by their ends";
  const auto sets = matchCalls(calls, members, true);
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(waitOf(sets[1], 0, oneClock).until, 40);
  auto shifted = calls;
  shifted[2].t0 = 60, shifted[2].t1 = 70;
  EXPECT_EQ(matchCalls(shifted, members, true)[0].match, Match::kDisjoint) << "equal counts of other calls do not overlap";
}

// Four ranks on one node; the collective of a step has no number.
class TimelineWaitsTest : public TimelineViewTest {
 protected:
  void record(Writer& writer, RunId, AttemptId attempt) override {
    const NodeId node = writer.node({.uuid = "n", .name = "n"});
    writer.group({.attempt = attempt, .id = 9, .kind = "dp", .name = "dp", .ranks = {4, 5, 6, 7}});
    for (std::int32_t r = 4; r < 8; ++r) {
      writer.rank({.attempt = attempt, .rank = r, .node = node});
      const TrackId stream = writer.track({.attempt = attempt, .rank = r, .kind = "gpu_stream", .name = "GPU 0 stream 7"});
      SpanColumns spans;
      spans.names = {"AllReduce"};
      for (int i = 0; i < 3; ++i) {
        spans.start.push_back(kStart + (20 + 10 * i) * kNsPerMs + r * 500'000),
            spans.dur.push_back((26 + 10 * i) * kNsPerMs + kStart - spans.start.back());
        spans.name.push_back(0), spans.category.push_back(SpanCategory::kComm), spans.group.push_back(9), spans.step.push_back(1);
      }
      writer.spans(stream, spans);
      if (r < 6) {
        SpanColumns open;
        open.names = {"AllGather"};
        open.start = {kStart + 60 * kNsPerMs + (r - 4) * kNsPerMs}, open.dur = {kAbsent}, open.name = {0};
        open.category = {SpanCategory::kComm}, open.group = {10}, open.seq = {77};
        writer.spans(writer.track({.attempt = attempt, .rank = r, .kind = "gpu_stream", .name = "GPU 0 stream 9"}), open);
      }
      const SeriesId steps =
          writer.series({.attempt = attempt, .rank = r, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
      const std::int64_t step = 1;
      const TimeNs time = kStart + 15 * kNsPerMs;
      const double value = 50e6;
      writer.scalars(steps, {&step, 1}, {&time, 1}, {&value, 1});
    }
  }
};

TEST_F(TimelineWaitsTest, PeersThatAreNotOnScreenAreReadFromTheStore) {
  auto reader = openStore(m_store.path()).reader();
  ASSERT_TRUE(reader.ok());
  const auto catalog = readTimelineCatalog(**reader, {}, {}, {}, {});
  ASSERT_TRUE(catalog.ok());
  const TrackId of_four = catalog->ranks[2].tracks.front().id;
  const auto waits = readWaits(**reader, *catalog, {{{4, of_four}}, {kStart + 31 * kNsPerMs, kStart + 33 * kNsPerMs}}, {});
  ASSERT_TRUE(waits.ok()) << waits.status().message();
  EXPECT_EQ(waits->note, QString());
  ASSERT_EQ(waits->of_span.size(), 3U) << "the step's other calls come along";
  for (const auto& [id, part] : waits->of_span) {
    EXPECT_EQ(part.kind, Kind::kWaited);
    EXPECT_EQ(part.until - part.t0, 1'500'000);
    EXPECT_EQ(plain(waitSentence(part)), "waited 1.50 ms of 4.00 ms for rank 7");
  }
}

TEST_F(TimelineWaitsTest, ACallThatIsStillOpenTellsWhomItWaitedFor) {
  auto reader = openStore(m_store.path()).reader();
  ASSERT_TRUE(reader.ok());
  const auto catalog = readTimelineCatalog(**reader, {}, {}, {}, {});
  ASSERT_TRUE(catalog.ok());
  const TrackId open = catalog->ranks[2].tracks[1].id;
  const auto waits = readWaits(**reader, *catalog, {{{4, open}}, {kStart + 60 * kNsPerMs, kStart + 70 * kNsPerMs}}, {});
  ASSERT_TRUE(waits.ok()) << waits.status().message();
  ASSERT_EQ(waits->of_span.size(), 1U);
  EXPECT_EQ(plain(waitSentence(waits->of_span.begin()->second)), "waited 1.00 ms for rank 5; among the 2 members in the store");
}

TEST_F(TimelineWaitsTest, TheWaitingPartOfAWideBarIsHatched) {
  m_view->showAllRanks();
  QTest::keyClick(m_view->canvas(), Qt::Key_W);
  settle();
  const auto split = m_view->canvas()->splittable();
  ASSERT_FALSE(split.empty());
  QImage image(100, 20, QImage::Format_RGB32);
  image.fill(currentTheme().ground);
  TimelineRaster raster(image, {0, 100, 0, 100}, currentTheme());
  WaitParts waits;
  waits.of_span[3].kind = Kind::kWaited;
  waits.of_span[3].until = 50;
  raster.bars({{.t0 = 10, .t1 = 90, .id = 3, .count = 1, .category = SpanCategory::kComm}}, {}, &waits, 0, 14, 100, nullptr);
  std::set<QRgb> waiting, working;
  for (int x = 15; x < 45; ++x) waiting.insert(image.pixel(x, 5));
  for (int x = 55; x < 85; ++x) working.insert(image.pixel(x, 5));
  EXPECT_EQ(waiting.size(), 2U) << "stripes";
  EXPECT_EQ(working, std::set<QRgb>{currentTheme().communication.rgb()});
}

// Four ranks on one node, whose all-reduces record 64 MiB each.
class TimelineBandwidthTest : public TimelineViewTest {
 protected:
  void record(Writer& writer, RunId, AttemptId attempt) override {
    const NodeId node = writer.node({.uuid = "n", .name = "n"});
    writer.group({.attempt = attempt, .id = 9, .kind = "dp", .name = "dp", .ranks = {4, 5, 6, 7}});
    for (std::int32_t r = 4; r < 8; ++r) {
      writer.rank({.attempt = attempt, .rank = r, .node = node});
      SpanColumns spans;
      spans.names = {"AllReduce"};
      for (int i = 0; i < 3; ++i) {
        spans.start.push_back(kStart + (20 + 10 * i) * kNsPerMs + r * 500'000);
        spans.dur.push_back((26 + 10 * i) * kNsPerMs + kStart - spans.start.back());
        spans.name.push_back(0), spans.category.push_back(SpanCategory::kComm), spans.group.push_back(9);
        spans.seq.push_back(i), spans.bytes.push_back(64 << 20);
      }
      writer.spans(writer.track({.attempt = attempt, .rank = r, .kind = "gpu_stream", .name = "GPU 0 stream 7"}), spans);
    }
  }
};

TEST_F(TimelineBandwidthTest, TheBusBandwidthOfTheRanksCommunicatorIsALane) {
  auto reader = openStore(m_store.path()).reader();
  ASSERT_TRUE(reader.ok());
  const auto catalog = readTimelineCatalog(**reader, {}, {}, 5, {});
  ASSERT_TRUE(catalog.ok());
  ASSERT_EQ(catalog->metrics.size(), 1U);
  EXPECT_EQ(catalog->metrics[0].title.toStdString(), "Bus bandwidth, dp");
  TimelineQuestion question{
      .run = catalog->run.id, .attempt = catalog->attempt.number, .range = {kStart, kStart + 100 * kNsPerMs}, .pixel = 100'000};
  question.rows.push_back({.tracks = {}, .group = catalog->metrics[0].group});
  const auto picture = readTimeline(**reader, question, {});
  ASSERT_TRUE(picture.ok()) << picture.status().message();
  const auto& bins = picture->rows.at(0).bins;
  ASSERT_EQ(bins.size(), 3U) << "one for each collective";
  // All-reduce of 4 (nccl-tests: 2 x 3/4) in the 2.5 ms after rank 7 began.
  EXPECT_NEAR(bins[0].first, 67'108'864 * 1.5 / 0.0025, 1);
  EXPECT_EQ(bins[0].x0, kStart + 20 * kNsPerMs + 3'500'000);
}

TEST_F(TimelineBandwidthTest, RanksWhoseCallsSayNoBytesHaveNoLane) {
  auto reader = openStore(m_store.path()).reader();
  ASSERT_TRUE(reader.ok());
  const auto catalog = readTimelineCatalog(**reader, {}, {}, 0, {});
  ASSERT_TRUE(catalog.ok());
  EXPECT_TRUE(catalog->metrics.empty());
}

}  // namespace
}  // namespace runglass
