// SPDX-License-Identifier: Apache-2.0
// BinReader: blocks of which only the summary is left, because retention deleted their samples or because the store is a replica that never
// had them.
// Invariants:
// 1. A block is summary-only if no chunk holds its samples: the blocks of a chunk follow each other, begin and end with it and count its
//    samples.
// 2. A summary-only block counts as a whole for every range it overlaps: there are no samples to cut it with.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "storage/codec/pyramid.h"
#include "storage/read/bin_blocks.h"
#include "storage/read/bin_points.h"
#include "storage/read/bin_reader.h"

namespace runglass {
namespace {

void addTouching(const Pyramid& blocks, std::int64_t x0, std::int64_t x1, Pyramid& out) {
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (blocks.x0[i] <= x1 && blocks.x1[i] >= x0) appendBlock(blockOf(blocks, i), out);
}

Pyramid sorted(const Pyramid& blocks) {
  std::vector<std::size_t> order(blocks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return blocks.x0[i]; });
  Pyramid out;
  out.reserve(blocks.size());
  for (const std::size_t i : order) appendBlock(blockOf(blocks, i), out);
  return out;
}

// For a block that continues past x: the position of its newest sample up to x, assuming evenly spaced samples.
std::int64_t newestEven(const Pyramid& blocks, std::size_t i, std::int64_t x) {
  const auto length = static_cast<std::uint64_t>(blocks.x1[i]) - static_cast<std::uint64_t>(blocks.x0[i]);
  const std::uint64_t apart =
      std::max<std::uint64_t>(1, length / static_cast<std::uint64_t>(std::max<std::int64_t>(1, samplesOf(blocks, i) - 1)));
  const auto passed = static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(blocks.x0[i]);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(blocks.x0[i]) + passed / apart * apart);
}

// The blocks whose samples are in a chunk.
class Covered {
 public:
  Covered(const std::vector<PyramidSegment>& segments, const std::vector<ChunkView>& chunks) {
    for (const PyramidSegment& segment : segments) m_is.emplace_back(segment.pyramid->size());
    if (std::ranges::all_of(chunks, [](const ChunkView& chunk) { return chunk.points.has_value(); })) return;
    std::unordered_multimap<std::int64_t, std::pair<std::size_t, std::size_t>> begins;  // x0 -> segment, block
    for (std::size_t s = 0; s < segments.size(); ++s)
      for (std::size_t i = 0; i < segments[s].pyramid->size(); ++i) begins.emplace(segments[s].pyramid->x0[i], std::pair(s, i));
    for (const ChunkView& chunk : chunks) {
      if (chunk.points) continue;
      const auto [from, to] = begins.equal_range(chunk.x0);
      for (auto at = from; at != to; ++at) {
        const auto [s, first] = at->second;
        const Pyramid& blocks = *segments[s].pyramid;
        std::size_t end = first;
        std::int64_t samples = 0;
        while (end < blocks.size() && samples < static_cast<std::int64_t>(chunk.n)) samples += samplesOf(blocks, end++);
        if (samples != static_cast<std::int64_t>(chunk.n) || blocks.x1[end - 1] != chunk.x1) continue;
        std::fill(m_is[s].begin() + static_cast<std::ptrdiff_t>(first), m_is[s].begin() + static_cast<std::ptrdiff_t>(end), true);
        break;
      }
    }
  }
  bool is(std::size_t segment, std::size_t block) const { return m_is[segment][block]; }

 private:
  std::vector<std::vector<bool>> m_is;
};

}  // namespace

Result<Pyramid> BinReader::summariesAlone(SeriesId id, XBounds bounds, const std::vector<ChunkView>& chunks) {
  std::vector<PyramidSegment> segments;
  std::string damage;
  RG_TRY(storedSegments(id, segments, damage));
  const Covered covered(segments, chunks);
  Pyramid alone;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const Pyramid& blocks = *segments[s].pyramid;
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (blocks.x0[i] <= bounds.x1 && blocks.x1[i] >= bounds.x0 && !covered.is(s, i)) appendBlock(blockOf(blocks, i), alone);
  }
  if (!damage.empty() && alone.size() == 0 && chunks.empty())
    return Status(Code::kDataLoss, "damaged pyramid: " + m_file.path() + ": " + damage);
  return sorted(alone);
}

Result<std::vector<Bin>> BinReader::summarisedBins(SeriesId id, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                                   const std::stop_token& stop, SeriesSnapshot& tail) {
  const XBounds bounds{x0, x1 == std::numeric_limits<std::int64_t>::max() ? x1 : x1 - 1};
  std::vector<ChunkView> held;
  RG_TRY(m_points.chunks(id, bounds, false, tail, held));
  Pyramid blocks;
  std::size_t samples = 0;
  for (const ChunkView& chunk : held) samples += chunk.n;
  std::vector<PyramidSegment> segments;
  if (samples > bins * kPyramidRadix && pyramidSegments(id, tail, segments).ok()) {
    // So many blocks that the part of a block outside the range does not matter.
    for (const PyramidSegment& segment : segments) addTouching(*segment.pyramid, bounds.x0, bounds.x1, blocks);
  } else {
    RG_ASSIGN(blocks, summariesAlone(id, bounds, held));
    RawPoints points;
    std::string damage;
    RG_TRY(m_points.decode(id, held, bounds, stop, points, damage));
    const std::size_t together = points.size() <= bins * kPyramidRadix ? 1 : kPyramidRadix;
    for (std::size_t at = 0; at < points.size(); at += together)
      appendPyramid(points.x.data() + at, points.value.data() + at, std::min(together, points.size() - at), blocks);
  }
  const Pyramid all = sorted(blocks);
  return reduceBlocks(Blocks({{&all, 0, all.size()}}), x0, x1, bins);
}

Result<Pyramid> BinReader::summarisedBlocks(SeriesId id, XBounds bounds) {
  RG_ASSIGN(const auto to, m_points.forgottenTo(id));
  if (!to || bounds.x0 > *to) return Pyramid();
  ReaderFile::Snapshot file;
  SeriesSnapshot tail;
  RG_TRY(m_points.openSnapshot(id, file, tail));
  std::vector<ChunkView> held;
  RG_TRY(m_points.chunks(id, bounds, false, tail, held));
  return summariesAlone(id, bounds, held);
}

Result<std::vector<Bin>> BinReader::summaries(SeriesId series, TimeRange range) {
  RG_ASSIGN(const SeriesIdentity identity, m_points.identityOf(series));
  std::vector<Bin> out;
  if (identity.correctsX()) range = {identity.clock->rawFrom(range.t0), identity.clock->rawFrom(range.t1)};
  if (range.t0 >= range.t1 || identity.kind == SeriesKind::kScalar) return out;
  const std::int64_t last = range.t1 == std::numeric_limits<std::int64_t>::max() ? range.t1 : range.t1 - 1;
  RG_ASSIGN(const Pyramid alone, summarisedBlocks(series, {range.t0, last}));
  for (std::size_t i = 0; i < alone.size(); ++i) {
    Bin& block = out.emplace_back(blockOf(alone, i));
    if (identity.correctsX()) block.x0 = identity.clock->corrected(block.x0), block.x1 = identity.clock->corrected(block.x1);
  }
  return out;
}

Result<std::int64_t> BinReader::samplesSummarised(SeriesId series, TimeRange range) {
  std::int64_t samples = 0;
  RG_ASSIGN(const auto to, m_points.forgottenTo(series));
  if (!to) return samples;
  RG_ASSIGN(const SeriesIdentity identity, m_points.identityOf(series));
  if (identity.correctsX()) range = {identity.clock->rawFrom(range.t0), identity.clock->rawFrom(range.t1)};
  if (range.t0 >= range.t1) return samples;
  const std::int64_t last = range.t1 == std::numeric_limits<std::int64_t>::max() ? range.t1 : range.t1 - 1;
  RG_ASSIGN(const Pyramid alone, summarisedBlocks(series, {range.t0, last}));
  for (std::size_t i = 0; i < alone.size(); ++i) samples += samplesOf(alone, i);
  return samples;
}

Result<std::optional<FoundPoint>> BinReader::newestSummarised(SeriesId id, std::int64_t x) {
  std::optional<FoundPoint> found;
  RG_ASSIGN(const auto to, m_points.forgottenTo(id));
  if (!to) return found;
  // The row with the highest x0 at or before x. Late rows may begin earlier and end later, so the row before it is read too.
  RG_ASSIGN(sqlite::Statement * rows,
            m_file.kept(m_block_sql,
                        "SELECT x0, x1, chunks, crc, data FROM rg_pyramid WHERE series_id = ?1 AND x0 <= ?2 ORDER BY x0 "
                        "DESC LIMIT 2"));
  rows->bind(1, id.value);
  rows->bind(2, x);
  Pyramid blocks;
  while (true) {
    RG_ASSIGN(const bool row, rows->step());
    if (!row) break;
    blocks.clear();
    const PyramidRow stored{rows->int64(0), rows->int64(1), rows->int64(2), rows->int64(3), rows->blob(4)};
    if (!decodePyramidRow(id.value, stored, blocks)) continue;  // bins() reports it
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      // Among NaN values, it is unknown which sample was the first or last number.
      if (blocks.nan_count[i] > 0 || blocks.x0[i] > x) continue;
      const bool over = blocks.x1[i] <= x;
      const std::int64_t at = over ? blocks.x1[i] : newestEven(blocks, i, x);
      if (!found || at >= found->x)
        found = FoundPoint{at, over ? blocks.last[i] : blocks.first[i], kAbsent, blocks.sum[i] / blocks.count[i]};
    }
  }
  rows->reset();
  return found;
}

}  // namespace runglass
