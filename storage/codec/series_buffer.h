// SPDX-License-Identifier: Apache-2.0
// The open chunk of a series: encoded blocks, one raw block, and the pyramid of the encoded blocks. Internal to storage.
//
// Threading:  guarded by the owner (live_tail.h).
// Ownership:  owns its points.
// Units:      x = TimeNs or step.
// Errors:     points in any order are accepted; equal x stay in order of arrival.
// Cost:       about 12 ns per point in order; with short blocks 16 ns, plus 9 ns per point whenever such a chunk is written. Out of order,
//             the chunk stays raw and is sorted when it is written. Memory: the raw block, at 16 bytes per point (24 with times), plus the
//             encoded blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/codec/pyramid.h"
#include "storage/codec/sample_blocks.h"

namespace runglass {

struct RawPoints {
  std::vector<std::int64_t> x, time;  // time: empty or as long as x
  std::vector<double> value;
  std::size_t size() const { return x.size(); }
  void clear() { x.clear(), time.clear(), value.clear(); }
};

// Stable sort by x.
void sortPoints(RawPoints& points);

// The columns of a chunk's row.
struct ChunkRow {
  std::int64_t id = 0;
  std::int64_t x0 = 0, x1 = 0;  // inclusive
  std::uint32_t n = 0;
  bool late = false;
  std::string blob;
};

class SeriesBuffer {
 public:
  // Block length where there are very many series: raw blocks of 256 points would then take most of their memory.
  static constexpr std::size_t kShortBlock = 32;

  // Appends up to `n` points; returns how many of them fitted within the limit.
  std::size_t append(const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n);
  std::size_t points() const { return m_body.points() + m_raw.size(); }
  // The number of points at which the buffer is full (it may already hold more), and the block length. A change of the block length encodes
  // the held points again.
  void setLimit(std::size_t limit, std::size_t block = kBlockPoints);
  std::size_t limit() const { return m_limit; }
  bool full() const { return points() >= m_limit; }
  bool hasTime() const { return m_has_time; }
  std::int64_t minX() const { return m_min_x; }
  std::int64_t maxX() const { return m_max_x; }

  // The row of the points held now. `final`: also their pyramid, with zstd where it saves space; the buffer is empty afterwards.
  ChunkRow row(bool final, Pyramid* pyramid);
  // Everything decoded, in x order.
  RawPoints decoded() const;
  // The point of the highest x within the bound; of equal x, the last to arrive.
  std::optional<FoundPoint> newest(PointBound bound) const;
  // The points after the first `reported`, in order of arrival. Blocks are decoded only where the raw block does not reach back that far.
  RawPoints arrivedAfter(std::size_t reported) const;
  // Pyramid entries of 64 points each, the last one possibly of fewer. Unordered: those of the points sorted by x.
  Pyramid blocks() const;
  bool ordered() const { return m_ordered; }  // the points arrived in order of x
  void clear();
  std::size_t bytes() const;  // allocated, including this object

  std::int64_t chunk_id = 0;  // 0: not in the file yet
  bool dirty = false;         // differs from the file's row
  std::uint32_t stored = 0;   // points in that row, the first to arrive

 private:
  std::optional<FoundPoint> newestRaw(PointBound bound) const;
  void put(const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n);
  void encodeRaw();
  void fallBackToRaw();

  std::size_t m_limit = kChunkPoints, m_block = kBlockPoints;
  SampleBody m_body;
  std::unique_ptr<Pyramid> m_pyramid;  // null: no points yet, or blocks are short
  RawPoints m_raw;
  bool m_ordered = true, m_has_time = false;
  std::int64_t m_min_x = 0, m_max_x = 0, m_last_x = 0;
  std::uint8_t m_zstd_pause = 0;  // chunks to seal before zstd is tried again, because it did not save enough
};

}  // namespace runglass
