// SPDX-License-Identifier: Apache-2.0
// The open chunk of a series: encoded blocks plus one raw block, with the pyramid of what is encoded. Internal to storage.
//
// Threading:  guarded by the owner (live_tail.h).
// Ownership:  owns its points.
// Units:      x = TimeNs or step.
// Errors:     none: points may come in any order; equal x keep their order of arrival.
// Cost:       about 12 ns a point in order, 16 ns in short blocks and 9 ns more whenever such a chunk is written; out of order the chunk is
//             kept raw and sorted when it is written. Memory: the raw block, 16 bytes a point (24 with times), and what is encoded.
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

// Stable by x.
void sortPoints(RawPoints& points);

// A chunk as a row holds it.
struct ChunkRow {
  std::int64_t id = 0;
  std::int64_t x0 = 0, x1 = 0;  // inclusive
  std::uint32_t n = 0;
  bool late = false;
  std::string blob;
};

class SeriesBuffer {
 public:
  // Where series are very many, most of their memory would be raw blocks of 256.
  static constexpr std::size_t kShortBlock = 32;

  // Appends up to `n` points; returns how many fitted below the limit.
  std::size_t append(const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n);
  std::size_t points() const { return m_body.points() + m_raw.size(); }
  // The points after which it is full, which may be fewer than it holds; the length of its blocks. What it holds is encoded anew where that
  // length changes.
  void setLimit(std::size_t limit, std::size_t block = kBlockPoints);
  std::size_t limit() const { return m_limit; }
  bool full() const { return points() >= m_limit; }
  bool hasTime() const { return m_has_time; }
  std::int64_t minX() const { return m_min_x; }
  std::int64_t maxX() const { return m_max_x; }

  // The row of what is held, as it is now. `final`: also its pyramid and, where it pays, zstd; the buffer is empty afterwards.
  ChunkRow row(bool final, Pyramid* pyramid);
  // Everything decoded, in x order.
  RawPoints decoded() const;
  // Of the points within the bound the one of the highest x; of equal x the one that arrived last.
  std::optional<FoundPoint> newest(PointBound bound) const;
  // The points beyond the first `told`, in order of arrival. Blocks are decoded only where the raw one does not reach back so far.
  RawPoints arrivedAfter(std::size_t reported) const;
  // Blocks of 64 of everything, the last one as far as it goes. Unordered, they are those of the points as they are sorted now.
  Pyramid blocks() const;
  bool ordered() const { return m_ordered; }  // they arrived in the order of x
  void clear();
  std::size_t bytes() const;  // allocated, itself included

  std::int64_t chunk_id = 0;  // 0: not in the file yet
  bool dirty = false;         // differs from the file's row
  std::uint32_t stored = 0;   // points of that row, the first to arrive

 private:
  std::optional<FoundPoint> newestRaw(PointBound bound) const;
  void put(const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n);
  void encodeRaw();
  void fallBackToRaw();

  std::size_t m_limit = kChunkPoints, m_block = kBlockPoints;
  SampleBody m_body;
  std::unique_ptr<Pyramid> m_pyramid;  // none: of nothing yet, or blocks are short
  RawPoints m_raw;
  bool m_ordered = true, m_has_time = false;
  std::int64_t m_min_x = 0, m_max_x = 0, m_last_x = 0;
  std::uint8_t m_zstd_pause = 0;  // chunks to seal before zstd is tried again, because it did not pay
};

}  // namespace runglass
