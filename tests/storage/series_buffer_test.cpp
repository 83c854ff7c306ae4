// SPDX-License-Identifier: Apache-2.0
// The open chunk of a series: whatever the length of its blocks in memory, its answers and its row are the same.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "storage/codec/series_buffer.h"

namespace runglass {
namespace {

using Random = std::mt19937_64;
constexpr TimeNs kStart = 1'790'000'000'000'000'000;
constexpr std::size_t kChunk = 512;

// About one per second, with an agent's clock; includes equal x, and all kinds of doubles.
RawPoints gauge(std::size_t n, bool with_time) {
  Random random(n);
  RawPoints points;
  TimeNs now = kStart;
  for (std::size_t i = 0; i < n; ++i) {
    if (random() % 16 != 0) now += 1'000'000'000 + static_cast<TimeNs>(random() % 100'000);
    points.x.push_back(with_time ? static_cast<std::int64_t>(i) : now);
    if (with_time) points.time.push_back(random() % 32 == 0 ? kAbsent : now);
    const bool odd = i >= 300 && random() % 50 == 0;
    points.value.push_back(odd ? std::numeric_limits<double>::quiet_NaN() : std::round(static_cast<double>(random() % 100'000)) / 1000);
  }
  return points;
}

void append(SeriesBuffer& buffer, const RawPoints& points, std::size_t from, std::size_t n) {
  ASSERT_EQ(buffer.append(points.x.data() + from, points.time.empty() ? nullptr : points.time.data() + from, points.value.data() + from, n),
            n);
}

RawPoints firstOf(const RawPoints& points, std::size_t n, std::size_t from = 0) {
  const auto cut = [&](const auto& column) {
    using Column = std::decay_t<decltype(column)>;
    const auto at = [&](std::size_t i) { return column.begin() + static_cast<std::ptrdiff_t>(std::min(i, column.size())); };
    return Column(at(from), at(n));
  };
  return {cut(points.x), cut(points.time), cut(points.value)};
}

std::vector<std::uint64_t> bitsOf(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

void expectSame(const RawPoints& have, const RawPoints& want, const std::string& where) {
  EXPECT_EQ(have.x, want.x) << where;
  EXPECT_EQ(have.time, want.time) << where;
  EXPECT_EQ(bitsOf(have.value), bitsOf(want.value)) << where;
}

// The stored format: blocks of 256, and their pyramid.
std::string storedBlob(const RawPoints& points, Pyramid& pyramid, bool try_zstd) {
  SampleBody body;
  MappedValues mapped;
  for (std::size_t at = 0; at < points.size(); at += kBlockPoints) {
    const std::size_t n = std::min(kBlockPoints, points.size() - at);
    body.append(points.x.data() + at, points.time.empty() ? nullptr : points.time.data() + at, points.value.data() + at, n, mapped);
    appendPyramid(points.x.data() + at, points.value.data() + at, n, mapped, pyramid);
  }
  return sealSampleChunk(body.bytes(), !points.time.empty(), try_zstd);
}

// Reference: checks every point.
std::optional<FoundPoint> newestOf(const RawPoints& points, PointBound bound) {
  std::optional<FoundPoint> found;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::int64_t time = points.time.empty() ? kAbsent : points.time[i];
    const bool by_time = bound.of == PointBound::Of::kTime;
    if (by_time && time == kAbsent) continue;
    if ((by_time ? time : points.x[i]) > bound.last) continue;
    if (!found || points.x[i] >= found->x) found = FoundPoint{points.x[i], points.value[i], time};
  }
  return found;
}

void expectNewest(const SeriesBuffer& buffer, const RawPoints& points, PointBound bound) {
  const auto have = buffer.newest(bound), want = newestOf(points, bound);
  ASSERT_EQ(have.has_value(), want.has_value()) << bound.last;
  if (!have) return;
  EXPECT_EQ(have->x, want->x);
  EXPECT_EQ(have->time, want->time);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(have->value), std::bit_cast<std::uint64_t>(want->value)) << bound.last;
}

struct Shape {
  bool with_time = false;
  std::size_t block = kBlockPoints;
};

class SeriesBufferOf : public testing::TestWithParam<Shape> {
 protected:
  SeriesBufferOf() { m_buffer.setLimit(kChunk, GetParam().block); }
  RawPoints points(std::size_t n) const { return gauge(n, GetParam().with_time); }
  SeriesBuffer m_buffer;
};

INSTANTIATE_TEST_SUITE_P(Blocks, SeriesBufferOf,
                         testing::Values(Shape{false, kBlockPoints}, Shape{true, kBlockPoints}, Shape{false, SeriesBuffer::kShortBlock},
                                         Shape{true, SeriesBuffer::kShortBlock}));

TEST_P(SeriesBufferOf, RepeatsWhatItWasGivenAtEveryLength) {
  const RawPoints all = points(kChunk);
  for (std::size_t n = 1; n <= kChunk; ++n) {
    append(m_buffer, all, n - 1, 1);
    if (n % 32 > 2 && n % 13 != 0) continue;  // near every edge of a block
    const RawPoints so_far = firstOf(all, n);
    expectSame(m_buffer.decoded(), so_far, "of " + std::to_string(n));
    for (const std::size_t reported : {std::size_t{0}, n / 3, n - 1, n, n + 5})
      expectSame(m_buffer.arrivedAfter(reported), firstOf(all, n, std::min(reported, n)),
                 "after " + std::to_string(reported) + " of " + std::to_string(n));
    Pyramid unused;
    const ChunkRow row = m_buffer.row(false, nullptr);
    EXPECT_EQ(row.n, n);
    EXPECT_EQ(row.x0, all.x[0]);
    EXPECT_EQ(row.x1, so_far.x.back());
    EXPECT_EQ(row.blob, storedBlob(so_far, unused, false)) << n;
  }
  EXPECT_TRUE(m_buffer.full());
}

TEST_P(SeriesBufferOf, FindsTheNewestPointWithinAnyBound) {
  const RawPoints all = points(kChunk);
  Random random(5);
  for (std::size_t n = 0; n < kChunk;) {
    const std::size_t more = std::min<std::size_t>(1 + random() % 40, kChunk - n);
    append(m_buffer, all, n, more);
    n += more;
    const RawPoints so_far = firstOf(all, n);
    for (const PointBound::Of of : {PointBound::Of::kX, PointBound::Of::kTime}) {
      const auto& keys = of == PointBound::Of::kX || all.time.empty() ? all.x : all.time;
      for (int i = 0; i < 20; ++i) {
        const std::int64_t key = keys[random() % keys.size()];
        expectNewest(m_buffer, so_far, {of, key == kAbsent ? key : key - static_cast<std::int64_t>(i % 2)});
      }
      expectNewest(m_buffer, so_far, {of, all.x[0] - 1});
      expectNewest(m_buffer, so_far, {of, std::numeric_limits<std::int64_t>::max()});
    }
  }
}

TEST_P(SeriesBufferOf, WritesTheSameChunkAndPyramidWhateverTheLengthOfItsBlocks) {
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{31}, std::size_t{64}, std::size_t{256}, std::size_t{300}, std::size_t{511}, kChunk}) {
    const RawPoints all = points(n);
    append(m_buffer, all, 0, n);
    Pyramid wanted, pyramid;
    const std::string blob = storedBlob(all, wanted, true);
    SeriesBuffer fresh;  // whether zstd is tried depends on the chunks sealed before
    fresh.setLimit(kChunk, GetParam().block);
    append(fresh, all, 0, n);
    EXPECT_EQ(fresh.row(true, &pyramid).blob, blob) << n;
    EXPECT_EQ(encodePyramid(pyramid), encodePyramid(wanted)) << n;
    EXPECT_EQ(fresh.points(), 0U);
    m_buffer.clear();
  }
}

TEST_P(SeriesBufferOf, TakesPointsOutOfOrderAtAnyMomentAndIsInOrderAgainAfterwards) {
  for (const std::size_t before :
       {std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{100}, std::size_t{256}, std::size_t{400}}) {
    RawPoints all = points(before + 20);
    for (std::size_t i = 0; i < 20; ++i) all.x[before + i] = all.x[i % before] - 1;
    append(m_buffer, all, 0, before);
    EXPECT_TRUE(m_buffer.ordered());
    for (std::size_t i = 0; i < 20; ++i) append(m_buffer, all, before + i, 1);
    EXPECT_FALSE(m_buffer.ordered());
    expectSame(m_buffer.arrivedAfter(3), firstOf(all, before + 20, 3), "as it came");
    RawPoints sorted = all;
    sortPoints(sorted);
    expectSame(m_buffer.decoded(), sorted, "in order");
    expectNewest(m_buffer, all, {PointBound::Of::kX, all.x[before / 2]});
    Pyramid wanted, pyramid;
    const std::string blob = storedBlob(sorted, wanted, false);
    EXPECT_EQ(m_buffer.row(false, nullptr).blob, blob);
    (void)m_buffer.row(true, &pyramid);
    EXPECT_EQ(encodePyramid(pyramid), encodePyramid(wanted));
    EXPECT_TRUE(m_buffer.ordered());
    EXPECT_LE(m_buffer.bytes(), sizeof(SeriesBuffer) + 2 * GetParam().block * 24) << "what was out of order is given back";
  }
}

TEST_P(SeriesBufferOf, KeepsItsPointsWhenTheLengthOfItsBlocksChanges) {
  const std::size_t other = GetParam().block == kBlockPoints ? SeriesBuffer::kShortBlock : kBlockPoints;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{33}, std::size_t{290}}) {
    SeriesBuffer buffer;
    buffer.setLimit(kChunk, GetParam().block);
    const RawPoints all = points(kChunk);
    if (n > 0) append(buffer, all, 0, n);
    buffer.chunk_id = 7;
    buffer.dirty = false;
    buffer.setLimit(300, other);
    EXPECT_EQ(buffer.chunk_id, 7);
    EXPECT_FALSE(buffer.dirty) << "the file's row is still what it was";
    expectSame(buffer.decoded(), firstOf(all, n), "then");
    append(buffer, all, n, 300 - n);
    EXPECT_TRUE(buffer.full());
    Pyramid wanted, pyramid;
    (void)storedBlob(firstOf(all, 300), wanted, false);
    expectSame(buffer.decoded(), firstOf(all, 300), "after more");
    EXPECT_EQ(buffer.row(true, &pyramid).n, 300U);
    EXPECT_EQ(encodePyramid(pyramid), encodePyramid(wanted));
  }
}

TEST(SeriesBuffer, ThatHoldsMoreThanANewLimitIsFullAndTakesNoMore) {
  SeriesBuffer buffer;
  const RawPoints all = gauge(700, false);
  append(buffer, all, 0, 700);
  buffer.setLimit(kChunk, SeriesBuffer::kShortBlock);
  EXPECT_TRUE(buffer.full());
  EXPECT_EQ(buffer.append(all.x.data(), nullptr, all.value.data(), 1), 0U);
  expectSame(buffer.decoded(), all, "all of it");
}

TEST(SeriesBuffer, OfShortBlocksNeedsLittleMoreThanWhatIsStored) {
  for (const bool with_time : {false, true}) {
    SeriesBuffer buffer;
    buffer.setLimit(kChunk, SeriesBuffer::kShortBlock);
    const RawPoints all = gauge(4 * kChunk, with_time);
    const std::size_t raw = SeriesBuffer::kShortBlock * (with_time ? 24 : 16);
    EXPECT_LE(buffer.bytes(), 320U) << "empty";
    for (std::size_t i = 0; i < all.size(); ++i) {
      append(buffer, all, i, 1);
      const ChunkRow row = buffer.row(false, nullptr);
      ASSERT_LE(buffer.bytes(), 320 + raw + row.blob.size() * 5 / 4 + 64) << i;
      Pyramid pyramid;
      if (buffer.full()) (void)buffer.row(true, &pyramid);
    }
    EXPECT_LE(buffer.bytes(), 320 + raw) << "what was sealed is given back";
  }
}

TEST(SeriesBuffer, OfShortBlocksNeverHasRoomForMoreThanABlockOfRawPoints) {
  SeriesBuffer buffer;
  buffer.setLimit(kChunk, SeriesBuffer::kShortBlock);
  const RawPoints all = gauge(kChunk, true);
  Random random(9);
  for (std::size_t n = 0; n < kChunk;) {
    const std::size_t more = std::min<std::size_t>(1 + random() % 24, kChunk - n);
    append(buffer, all, n, more);
    n += more;
    EXPECT_LE(buffer.bytes(), 320 + SeriesBuffer::kShortBlock * 24 + buffer.row(false, nullptr).blob.size() * 5 / 4 + 64) << n;
  }
}

}  // namespace
}  // namespace runglass
