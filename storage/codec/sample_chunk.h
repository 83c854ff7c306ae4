// SPDX-License-Identifier: Apache-2.0
// Up to 4,096 points of a series as one blob: blocks of 256 points, column by column, with zstd on top where it saves space.
// In memory, blocks may be shorter (all of the same length); stored blobs always use blocks of 256.
//
// Threading:  pure functions and plain values.
// Ownership:  values own their bytes.
// Units:      x = TimeNs or step; an optional time column. Points of a chunk are in x order (equal x: order of arrival).
// Errors:     decode returns false on bytes that no encoder wrote and never writes beyond `n` points.
// Cost:       G-like data: 10 ns per point to encode, 4 ns to decode, 2 bytes stored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/codec/value_column.h"

namespace runglass {

inline constexpr std::size_t kChunkPoints = 4096;

// Grows a chunk's body block by block.
class SampleBody {
 public:
  // n in 1..256; only the last block may be shorter than the others. `time` may be null, for all blocks of a chunk or for none. `mapped`
  // receives the mapped values, for the pyramid.
  void append(const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n, MappedValues& mapped);
  const std::string& bytes() const { return m_bytes; }
  std::size_t points() const { return m_points; }
  std::int64_t firstX() const { return m_first_x; }  // undefined while empty
  void clear();

 private:
  std::string m_bytes;
  std::size_t m_points = 0;
  std::int64_t m_first_x = 0;
  IntColumnState m_x, m_time;
  ValueColumnState m_value;
  int m_exponent_hint = 0;
};

// The blob of a body. `try_zstd`: also try zstd, and use it when it saves 1/16.
std::string sealSampleChunk(std::string_view body, bool has_time, bool try_zstd, bool* zstd_paid = nullptr);

// Whether the points have times, from the blob's first byte.
bool sampleChunkHasTime(std::string_view blob);
// The body of up to n points, unpacked from zstd.
bool sampleChunkBody(std::string_view blob, std::size_t n, std::string& body);
// `n` and `x0` come from the row. `time` is written when the chunk has times and `time` is not null; each has room for n.
bool decodeSampleChunk(std::string_view blob, std::size_t n, std::int64_t x0, std::int64_t* x, std::int64_t* time, double* value);
// For a body whose blocks are `block` points long.
bool decodeSampleBody(std::string_view body, bool has_time, std::size_t n, std::size_t block, std::int64_t x0, std::int64_t* x,
                      std::int64_t* time, double* value);

// The checksum of a row: over owner id, bounds, count and blob.
std::uint32_t chunkChecksum(std::uint64_t owner, std::int64_t x0, std::int64_t x1, std::uint64_t n, std::string_view blob);

}  // namespace runglass
