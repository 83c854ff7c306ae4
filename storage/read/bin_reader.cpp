// SPDX-License-Identifier: Apache-2.0
#include "storage/read/bin_reader.h"

#include <algorithm>
#include <limits>

#include "storage/read/bin_blocks.h"
#include "storage/read/bin_points.h"

namespace runglass {
namespace {

constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

bool isOrdered(const Pyramid& p) {
  for (std::size_t i = 1; i < p.size(); ++i) {
    if (p.x0[i] < p.x1[i - 1]) return false;
  }
  return true;
}

std::vector<BlockSlice> slicesOf(const std::vector<PyramidSegment>& segments) {
  std::vector<BlockSlice> slices;
  for (const PyramidSegment& segment : segments) slices.push_back({segment.pyramid.get(), 0, segment.pyramid->size()});
  return slices;
}

PyramidSegment segmentOf(const RawPoints& points) {
  auto pyramid = std::make_shared<Pyramid>();
  appendPyramid(points.x.data(), points.value.data(), points.size(), *pyramid);
  return {std::move(pyramid), true};
}

}  // namespace

Status BinReader::storedSegments(SeriesId id, std::vector<PyramidSegment>& out, std::string& damage) {
  RG_ASSIGN(sqlite::Statement * rows,
            m_file.kept(m_pyramid_sql, "SELECT pyramid_id, x0, x1, chunks, crc FROM rg_pyramid WHERE series_id = ?1"));
  rows->bind(1, id.value);
  while (true) {
    RG_ASSIGN(const bool row, rows->step());
    if (!row) break;
    const std::int64_t pyramid_id = rows->int64(0);
    const auto crc = static_cast<std::uint32_t>(rows->int64(4));
    if (const PyramidSegment* cached = m_pyramids.find(pyramid_id, crc)) {
      out.push_back(*cached);
      continue;
    }
    RG_ASSIGN(sqlite::Statement * data, m_file.kept(m_pyramid_data_sql, "SELECT data FROM rg_pyramid WHERE pyramid_id = ?1"));
    data->bind(1, pyramid_id);
    RG_ASSIGN(const bool there, data->step());
    auto pyramid = std::make_shared<Pyramid>();
    const bool good =
        there && decodePyramidRow(id.value, {rows->int64(1), rows->int64(2), rows->int64(3), rows->int64(4), data->blob(0)}, *pyramid);
    data->reset();
    if (!good) {
      const std::string object = "series " + std::to_string(id.value) + " pyramid " + std::to_string(pyramid_id);
      m_file.damage().note(object);
      if (damage.empty()) damage = object;
      continue;
    }
    const PyramidSegment segment{std::move(pyramid), false};
    const PyramidSegment checked{segment.pyramid, isOrdered(*segment.pyramid)};
    m_pyramids.put(pyramid_id, crc, checked);
    out.push_back(checked);
  }
  rows->reset();
  return {};
}

Status BinReader::pyramidSegments(SeriesId id, SeriesSnapshot& tail, std::vector<PyramidSegment>& out) {
  std::string damage;
  RG_TRY(storedSegments(id, out, damage));
  if (!damage.empty()) return {Code::kDataLoss, "damaged pyramid: " + m_file.path() + ": " + damage};
  for (const PendingChunk& pending : tail.sealed) out.push_back({pending.pyramid, isOrdered(*pending.pyramid)});
  std::vector<ChunkView> open;
  RG_TRY(m_points.chunks(id, {std::numeric_limits<std::int64_t>::min(), kHighest}, true, tail, open));
  RawPoints points;
  RG_TRY(m_points.decode(id, open, {std::numeric_limits<std::int64_t>::min(), kHighest}, {}, points, damage));
  if (points.size() > 0) out.push_back(segmentOf(points));
  std::erase_if(out, [](const PyramidSegment& segment) { return segment.pyramid->size() == 0; });
  std::stable_sort(out.begin(), out.end(),
                   [](const PyramidSegment& a, const PyramidSegment& b) { return a.pyramid->x0.front() < b.pyramid->x0.front(); });
  return {};
}

Result<std::vector<Bin>> BinReader::bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                         std::stop_token stop) {
  RG_ASSIGN(const SeriesIdentity identity, m_points.identityOf(series));
  if (bins > kMaxBins) return Status(Code::kInvalidArgument, "cannot make bins: " + std::to_string(bins) + ": more than 16 million");
  if (bins == 0) return std::vector<Bin>();
  if (x1 <= x0) return emptyBins(x0, x0, bins);
  if (identity.kind == SeriesKind::kScalar && axis == Axis::kTime) return binsByTime(series, identity, x0, x1, bins, stop);
  if (!identity.correctsX()) return rawBins(series, identity, x0, x1, bins, stop);
  const ClockMap& clock = *identity.clock;
  const std::int64_t raw0 = clock.rawFrom(x0), raw1 = clock.rawFrom(x1);
  if (raw1 <= raw0) return emptyBins(x0, x1, bins);
  RG_ASSIGN(std::vector<Bin> out, rawBins(series, identity, raw0, raw1, bins, stop));
  for (std::size_t k = 0; k < bins; ++k) {
    out[k].x0 = k == 0 ? x0 : out[k - 1].x1;
    out[k].x1 = k + 1 == bins ? x1 : std::clamp(clock.corrected(out[k].x1), out[k].x0, x1);
  }
  return out;
}

Result<std::vector<Bin>> BinReader::rawBins(SeriesId series, const SeriesIdentity& identity, std::int64_t x0, std::int64_t x1,
                                            std::size_t bins, const std::stop_token& stop) {
  const XBounds bounds{x0, x1 == kHighest ? x1 : x1 - 1};
  ReaderFile::Snapshot file;
  SeriesSnapshot tail;
  RG_TRY(m_points.openSnapshot(series, file, tail));
  RG_ASSIGN(const auto forgotten, m_points.forgottenTo(series));
  if (forgotten && x0 <= *forgotten) return summarisedBins(series, x0, x1, bins, stop, tail);
  // So few samples in total that the pyramid is not needed.
  const bool few = identity.count <= static_cast<std::int64_t>(bins * kPyramidRadix);
  std::vector<PyramidSegment> segments;
  bool ordered = !few && pyramidSegments(series, tail, segments).ok();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    ordered = ordered && segments[i].ordered;
    ordered = ordered && (i == 0 || segments[i - 1].pyramid->x1.back() <= segments[i].pyramid->x0.front());
  }
  const Blocks entries(slicesOf(segments));
  if (!ordered || entries.size() <= bins) {
    RawPoints points;
    RG_TRY(decodeRange(series, bounds, stop, tail, points));
    if (points.size() <= bins * kPyramidRadix) {
      std::vector<Bin> out = emptyBins(x0, x1, bins);
      addPoints(out, points.x, points.value);
      return out;
    }
    // Blocks that overlap or are damaged: rebuilt from the merged points.
    const PyramidSegment merged = segmentOf(points);
    return reduceBlocks(Blocks(slicesOf({merged})), x0, x1, bins);
  }
  // Complete blocks inside the range are [begin, end); a block that overlaps an end of the range is decoded.
  std::size_t begin = entries.firstFrom(x0), end = std::max(begin, entries.firstFrom(bounds.x1));
  while (end < entries.size() && entries.x1(end) <= bounds.x1) ++end;
  PyramidSegment head, tail_part;
  if (begin > 0 && entries.x1(begin - 1) >= x0) {
    std::int64_t last = entries.x1(begin - 1);
    // Points of equal x may continue in the next block, and a range of x does not separate them.
    while (begin < end && entries.x0(begin) <= last) last = std::max(last, entries.x1(begin++));
    RG_ASSIGN(head, cutBlock(series, {x0, std::min(last, bounds.x1)}, stop, tail));
  }
  while (end > begin && entries.x1(end - 1) > bounds.x1) --end;
  if (end < entries.size() && entries.x0(end) <= bounds.x1 && end >= begin) {
    std::int64_t first = entries.x0(end);
    while (end > begin && entries.x1(end - 1) >= first) first = entries.x0(--end);
    if (head.pyramid && head.pyramid->size() > 0)
      first = std::max(first, head.pyramid->x1.back() == kHighest ? kHighest : head.pyramid->x1.back() + 1);
    RG_ASSIGN(tail_part, cutBlock(series, {std::max(first, x0), bounds.x1}, stop, tail));
  }
  std::vector<BlockSlice> parts;
  if (head.pyramid) parts.push_back({head.pyramid.get(), 0, head.pyramid->size()});
  for (const BlockSlice& slice : entries.slices(begin, end)) parts.push_back(slice);
  if (tail_part.pyramid) parts.push_back({tail_part.pyramid.get(), 0, tail_part.pyramid->size()});
  return reduceBlocks(Blocks(std::move(parts)), x0, x1, bins);
}

Status BinReader::decodeRange(SeriesId series, XBounds bounds, const std::stop_token& stop, SeriesSnapshot& tail, RawPoints& points) {
  std::vector<ChunkView> found;
  RG_TRY(m_points.chunks(series, bounds, false, tail, found));
  std::string damage;
  return m_points.decode(series, found, bounds, stop, points, damage);
}

Result<PyramidSegment> BinReader::cutBlock(SeriesId series, XBounds bounds, const std::stop_token& stop, SeriesSnapshot& tail) {
  RawPoints points;
  if (bounds.x0 <= bounds.x1) RG_TRY(decodeRange(series, bounds, stop, tail, points));
  return segmentOf(points);
}

Result<std::vector<Bin>> BinReader::binsByTime(SeriesId series, const SeriesIdentity& identity, std::int64_t x0, std::int64_t x1,
                                               std::size_t bins, const std::stop_token& stop) {
  RG_ASSIGN(RawPoints points, m_points.points(series, {std::numeric_limits<std::int64_t>::min(), kHighest}, stop));
  // Points come in order of step; bins by time need order of time. Points without a time are in no bin.
  RawPoints timed;
  const std::int64_t last = x1 == kHighest ? x1 : x1 - 1;
  for (std::size_t i = 0; i < points.time.size(); ++i) {
    if (points.time[i] == kAbsent) continue;
    const TimeNs time = identity.clock == nullptr ? points.time[i] : identity.clock->corrected(points.time[i]);
    if (time < x0 || time > last) continue;
    timed.x.push_back(time);
    timed.value.push_back(points.value[i]);
  }
  sortPoints(timed);
  std::vector<Bin> out = emptyBins(x0, x1, bins);
  addPoints(out, timed.x, timed.value);
  return out;
}

}  // namespace runglass
