// SPDX-License-Identifier: Apache-2.0
// Pictures of tracks: a screen must match the spans, at low and high zoom, stored and live.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "storage/codec/span_summary.h"
#include "storage/reader.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using Random = std::mt19937_64;
constexpr TimeNs kEpoch = 1'700'000'000'000'000'000;

struct Span {
  TimeNs start;
  DurNs dur;
  SpanCategory category;
};

// Bursts of short spans with gaps of any width, like kernels of steps.
std::vector<Span> burstySpans(Random& random, std::size_t n) {
  std::vector<Span> spans;
  TimeNs at = kEpoch;
  for (std::size_t i = 0; i < n; ++i) {
    const DurNs gap = static_cast<DurNs>(random() % 100 == 0 ? random() % 50'000'000 : random() % 2'000);
    const DurNs dur = static_cast<DurNs>(random() % 20 == 0 ? random() % 300'000 : random() % 5'000);
    at += gap;
    spans.push_back({at, dur, random() % 5 == 0 ? SpanCategory::kComm : SpanCategory::kCompute});
    at += std::max<DurNs>(dur, 1);
  }
  return spans;
}

SpanColumns columnsOf(const std::vector<Span>& spans) {
  SpanColumns columns;
  columns.names = {"gemm", "all_reduce"};
  for (const Span& span : spans) {
    columns.start.push_back(span.start);
    columns.dur.push_back(span.dur);
    columns.category.push_back(span.category);
    columns.name.push_back(span.category == SpanCategory::kComm ? 1 : 0);
  }
  return columns;
}

class PictureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_writer = std::move(*opened);
    const RunId run = m_writer->run({.name = "r"});
    m_track = m_writer->track({.attempt = m_writer->attempt({.run = run}), .rank = 0, .kind = "gpu_stream", .name = "stream 7"});
  }
  std::unique_ptr<Reader> reader(bool live = false) {
    auto opened = m_store.reader({.live = live ? m_writer->liveTail() : nullptr});
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return std::move(*opened);
  }
  SpanPicture picture(Reader& from, TimeRange range, DurNs pixel) {
    auto made = from.spanPicture({&m_track, 1}, range, pixel);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.ok() ? *made : SpanPicture();
  }
  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  TrackId m_track;
};

double busyNs(const SpanPicture& picture, SpanClass which) {
  double sum = 0;
  for (const auto& lane : picture.lanes)
    for (const SpanBar& bar : lane.bars)
      sum += static_cast<double>(bar.busy[static_cast<std::size_t>(which)]) * static_cast<double>(bar.t1 - bar.t0);
  return sum;
}

std::int64_t countOf(const SpanPicture& picture) {
  std::int64_t count = 0;
  for (const auto& lane : picture.lanes)
    for (const SpanBar& bar : lane.bars) count += bar.count;
  return count;
}

// Columns of a screen that are covered by a span.
std::vector<bool> covered(const std::vector<std::pair<TimeNs, TimeNs>>& stretches, TimeRange range, DurNs pixel, int grow) {
  std::vector<bool> columns(static_cast<std::size_t>((range.t1 - range.t0 + pixel - 1) / pixel));
  for (const auto& [t0, t1] : stretches) {
    const TimeNs from = std::max(t0, range.t0), to = std::min(t1, range.t1);
    for (TimeNs x = (from - range.t0) / pixel - grow; from < to && x <= (to - 1 - range.t0) / pixel + grow; ++x)
      if (x >= 0 && x < static_cast<TimeNs>(columns.size())) columns[static_cast<std::size_t>(x)] = true;
  }
  return columns;
}

TEST_F(PictureTest, ShowsEveryPixelThatHasASpanAndNoneThatIsTwoPixelsAwayFromOneAtEveryZoom) {
  Random random(7);
  const std::vector<Span> spans = burstySpans(random, 60'000);
  m_writer->spans(m_track, columnsOf(spans));
  ASSERT_TRUE(m_writer->flush().ok());
  auto from = reader();
  std::vector<std::pair<TimeNs, TimeNs>> truth;
  for (const Span& span : spans) truth.emplace_back(span.start, span.start + std::max<DurNs>(span.dur, 1));
  const TimeNs end = truth.back().second;
  for (TimeRange range{kEpoch - 1'000, end + 1'000}; range.t1 - range.t0 > 2'000; range.t1 = range.t0 + (range.t1 - range.t0) / 3) {
    const DurNs pixel = std::max<DurNs>((range.t1 - range.t0) / 1'600, 1);
    const SpanPicture shown = picture(*from, range, pixel);
    ASSERT_TRUE(shown.exact);
    std::vector<std::pair<TimeNs, TimeNs>> bars;
    for (const auto& lane : shown.lanes)
      for (const SpanBar& bar : lane.bars) bars.emplace_back(bar.t0, bar.t1);
    const auto must = covered(truth, range, pixel, 0), may = covered(truth, range, pixel, 2), does = covered(bars, range, pixel, 0);
    for (std::size_t x = 0; x < does.size(); ++x) {
      ASSERT_TRUE(does[x] || !must[x]) << "pixel " << x << " of " << pixel << " ns has a span and shows none";
      ASSERT_TRUE(may[x] || !does[x]) << "pixel " << x << " of " << pixel << " ns shows what is two pixels away";
    }
    EXPECT_LE(bars.size(), 2U * 1'600 + 2) << "no more bars than pixels can show";
    range.t0 += (range.t1 - range.t0) / 5;
  }
}

TEST_F(PictureTest, KeepsTheBusyTimeOfEachClassAndTheNumberOfSpans) {
  Random random(8);
  const std::vector<Span> spans = burstySpans(random, 30'000);
  m_writer->spans(m_track, columnsOf(spans));
  ASSERT_TRUE(m_writer->flush().ok());
  double compute = 0, comm = 0;
  for (const Span& span : spans) (span.category == SpanCategory::kComm ? comm : compute) += static_cast<double>(span.dur);
  auto from = reader();
  for (const DurNs pixel : {DurNs{1}, DurNs{1'000}, DurNs{100'000}, DurNs{10'000'000}, DurNs{1'000'000'000'000}}) {
    const SpanPicture shown = picture(*from, {}, pixel);
    EXPECT_EQ(countOf(shown), 30'000);
    EXPECT_NEAR(busyNs(shown, SpanClass::kCompute) / compute, 1, 0.01) << pixel;
    EXPECT_NEAR(busyNs(shown, SpanClass::kComm) / comm, 1, 0.01) << pixel;
    EXPECT_EQ(busyNs(shown, SpanClass::kCopy), 0);
  }
}

TEST_F(PictureTest, ANanosecondBetweenLongGapsStaysAloneAtFullZoomOut) {
  const DurNs day = 86'400LL * kNsPerSecond;
  std::vector<Span> spans;
  for (int i = 0; i < 20'000; ++i) spans.push_back({kEpoch + i * 1'000, 900, SpanCategory::kCompute});
  spans.push_back({kEpoch + day / 2, 1, SpanCategory::kComm});
  for (int i = 0; i < 20'000; ++i) spans.push_back({kEpoch + day + i * 1'000, 900, SpanCategory::kCompute});
  m_writer->spans(m_track, columnsOf(spans));
  ASSERT_TRUE(m_writer->flush().ok());
  const SpanPicture shown = picture(*reader(), {kEpoch - day, kEpoch + 2 * day}, 3 * day / 1'600);
  ASSERT_EQ(shown.lanes.size(), 1U);
  ASSERT_EQ(shown.lanes[0].bars.size(), 3U);
  const SpanBar& lone = shown.lanes[0].bars[1];
  EXPECT_EQ(lone.t0, kEpoch + day / 2);
  EXPECT_EQ(lone.t1, lone.t0 + 1);
  EXPECT_EQ(lone.category, SpanCategory::kComm);
}

TEST_F(PictureTest, ShowsWideSpansWithTheirNamesAndIds) {
  m_writer->spans(m_track, columnsOf({{kEpoch, 1'000, SpanCategory::kCompute}, {kEpoch + 2'000, 500, SpanCategory::kComm}}));
  ASSERT_TRUE(m_writer->flush().ok());
  auto from = reader();
  const SpanPicture shown = picture(*from, {kEpoch - 100, kEpoch + 3'000}, 2);
  ASSERT_EQ(shown.lanes.size(), 1U);
  ASSERT_EQ(shown.lanes[0].bars.size(), 2U);
  const auto spans = from->spans(m_track, {});
  ASSERT_TRUE(spans.ok());
  for (std::size_t i = 0; i < 2; ++i) {
    const SpanBar& bar = shown.lanes[0].bars[i];
    EXPECT_EQ(bar.id, spans->id[i]);
    ASSERT_LT(bar.name, shown.names.size());
    EXPECT_EQ(shown.names[bar.name], spans->names[spans->name[i]]);
  }
}

TEST_F(PictureTest, PutsOverlappingSpansOnOverflowLanesAndCountsThem) {
  m_writer->spans(m_track, columnsOf({{kEpoch, 1'000, SpanCategory::kCompute},
                                      {kEpoch + 500, 1'000, SpanCategory::kComm},
                                      {kEpoch + 700, 10, SpanCategory::kComm},
                                      {kEpoch + 2'000, 10, SpanCategory::kCompute}}));
  ASSERT_TRUE(m_writer->flush().ok());
  auto from = reader();
  const SpanPicture shown = picture(*from, {kEpoch - 100, kEpoch + 3'000}, 2);
  ASSERT_EQ(shown.lanes.size(), 3U);
  EXPECT_EQ(shown.lanes[0].bars.size(), 2U);
  EXPECT_EQ(shown.lanes[1].overflow, 1);
  EXPECT_EQ(shown.lanes[2].overflow, 2);
  EXPECT_EQ(from->spans(m_track, {})->size(), 4U);
  const auto issues = from->issues();
  ASSERT_TRUE(issues.ok());
  ASSERT_EQ(issues->size(), 1U);
  EXPECT_EQ(issues->front().code, "spans.overlap");
  EXPECT_EQ(issues->front().count, 2);
}

TEST_F(PictureTest, LooksTheSameBeforeAndAfterACommit) {
  Random random(9);
  const std::vector<Span> spans = burstySpans(random, 9'000);
  m_writer->spans(m_track, columnsOf({spans.begin(), spans.begin() + 5'000}));
  ASSERT_TRUE(m_writer->flush().ok());
  m_writer->spans(m_track, columnsOf({spans.begin() + 5'000, spans.end()}));
  const auto bars = [](const SpanPicture& shown) {
    std::vector<std::tuple<TimeNs, TimeNs, std::uint32_t>> list;
    for (const auto& lane : shown.lanes)
      for (const SpanBar& bar : lane.bars) list.emplace_back(bar.t0, bar.t1, bar.count);
    return list;
  };
  for (const DurNs pixel : {DurNs{100}, DurNs{100'000}}) {
    auto before = bars(picture(*reader(true), {}, pixel));
    EXPECT_EQ(before, bars(picture(*reader(true), {}, pixel)));
    std::int64_t count = 0;
    for (const auto& bar : before) count += std::get<2>(bar);
    EXPECT_EQ(count, 9'000);
  }
  const auto live = bars(picture(*reader(true), {}, 100));
  ASSERT_TRUE(m_writer->close().ok());
  EXPECT_EQ(bars(picture(*reader(), {}, 100)), live);
}

TEST_F(PictureTest, AReaderThatLookedBeforeDrawsWhatAFreshOneDrawsAsDataComesAndGoes) {
  Random random(23);
  const std::vector<Span> spans = burstySpans(random, 60'000);
  const TimeRange all{spans.front().start, spans.back().start + 1'000'000};
  const auto bars = [](const SpanPicture& made) {
    std::vector<std::tuple<TimeNs, TimeNs, std::uint32_t, std::int64_t>> out;
    for (const auto& lane : made.lanes)
      for (const SpanBar& bar : lane.bars) out.emplace_back(bar.t0, bar.t1, bar.count, bar.id);
    return out;
  };
  const std::unique_ptr<Reader> live = reader(true), stored = reader();
  std::size_t recorded = 0;
  while (recorded < spans.size()) {
    const std::size_t n = std::min<std::size_t>(1 + random() % 6'000, spans.size() - recorded);
    m_writer->spans(m_track, columnsOf({spans.begin() + static_cast<std::ptrdiff_t>(recorded),
                                        spans.begin() + static_cast<std::ptrdiff_t>(recorded + n)}));
    recorded += n;
    if (random() % 3 == 0) {
      ASSERT_TRUE(m_writer->flush().ok());
    }
    if (random() % 8 == 0) {
      ASSERT_TRUE(m_writer->applyRetention({.kernel_spans = all.t1 - spans[recorded / 2].start}, all.t1).ok());
    }
    TimeNs t0 = all.t0 + static_cast<DurNs>(random() % static_cast<std::uint64_t>(all.t1 - all.t0)), t1 = all.t1;
    if (random() % 2 == 0) t0 = all.t0, t1 = t0 + static_cast<DurNs>(random() % static_cast<std::uint64_t>(all.t1 - all.t0)) + 1;
    const DurNs pixel = 1 + (t1 - t0) / 2'000;
    ASSERT_EQ(bars(picture(*live, {t0, t1}, pixel)), bars(picture(*reader(true), {t0, t1}, pixel))) << recorded;
    ASSERT_EQ(bars(picture(*stored, {t0, t1}, pixel)), bars(picture(*reader(), {t0, t1}, pixel))) << recorded;
  }
}

TEST_F(PictureTest, AnOpenSpanReachesToTheEnd) {
  m_writer->spans(m_track, columnsOf({{kEpoch, 10, SpanCategory::kCompute}, {kEpoch + 100, kAbsent, SpanCategory::kComm}}));
  ASSERT_TRUE(m_writer->flush().ok());
  const SpanPicture shown = picture(*reader(), {kEpoch + 1'000'000, kEpoch + 2'000'000}, 1'000);
  ASSERT_EQ(shown.lanes.size(), 1U);
  ASSERT_EQ(shown.lanes[0].bars.size(), 1U);
  EXPECT_EQ(shown.lanes[0].bars[0].t1, std::numeric_limits<TimeNs>::max());
}

// More spans than a picture may decode: it is marked as not exact, and still shows every pixel that has a span.
TEST_F(PictureTest, SaysWhenItShowsStretchesInsteadOfSpans) {
  std::vector<Span> spans;
  spans.reserve(2'100'000);
  for (int i = 0; i < 2'100'000; ++i) spans.push_back({kEpoch + i * 100, 50, SpanCategory::kCompute});
  m_writer->spans(m_track, columnsOf(spans));
  ASSERT_TRUE(m_writer->flush().ok());
  const SpanPicture shown = picture(*reader(), {kEpoch, kEpoch + 210'000'000}, 1'000);
  EXPECT_FALSE(shown.exact);
  EXPECT_EQ(countOf(shown), 2'100'000);
  EXPECT_NEAR(busyNs(shown, SpanClass::kCompute), 105'000'000, 1'050'000);
  EXPECT_TRUE(picture(*reader(), {kEpoch, kEpoch + 1'000'000}, 600).exact);
}

TEST(SpanSummaryTest, ComesBackAsItWasAndRefusesWhatNobodyWrote) {
  Random random(10);
  SpanChunk chunk;
  for (const Span& span : burstySpans(random, 4'096)) {
    chunk.start.push_back(span.start), chunk.dur.push_back(span.dur), chunk.name.push_back(3);
    chunk.category.push_back(static_cast<std::int64_t>(span.category)), chunk.depth.push_back(0);
  }
  const SpanSummary summary = summarise(chunk);
  EXPECT_LE(summary.size(), 48U);
  const std::string blob = encodeSpanSummary(summary);
  SpanSummary back;
  ASSERT_TRUE(decodeSpanSummary(blob, 4'096, back));
  EXPECT_EQ(back.t0, summary.t0);
  EXPECT_EQ(back.t1, summary.t1);
  EXPECT_EQ(back.busy, summary.busy);
  EXPECT_EQ(back.count, summary.count);
  EXPECT_FALSE(decodeSpanSummary(blob, 4'095, back)) << "of another number of spans";
  for (std::size_t cut = 0; cut < blob.size(); ++cut) ASSERT_FALSE(decodeSpanSummary(std::string_view(blob).substr(0, cut), 4'096, back));
  for (std::size_t at = 0; at < blob.size(); ++at) {
    std::string wrong = blob;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x10);
    ASSERT_FALSE(decodeSpanSummary(wrong, 4'096, back)) << "byte " << at;
  }
}

}  // namespace
}  // namespace runglass
