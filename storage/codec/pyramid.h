// SPDX-License-Identifier: Apache-2.0
// The pyramid over sample chunks: {first, last, min, max, sum, count, nan_count} of every 64 samples, and rows of it as bytes.
//
// Threading:  pure functions and plain values.
// Ownership:  Pyramid owns its columns.
// Units:      x in the series' own unit, inclusive bounds x0..x1 of the block's samples.
// Errors:     decode returns false on bytes that no encoder wrote; entries are bounded before allocation.
// Cost:       about 1 ns per sample to build, 10 ns per entry to decode; 58 bytes per decoded entry.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/samples.h"
#include "storage/codec/value_column.h"

namespace runglass {

inline constexpr std::size_t kPyramidRadix = 64;
inline constexpr std::size_t kMaxPyramidEntries = 4096;  // of one row: 64 chunks of 4,096 points

struct Pyramid {
  std::vector<std::int64_t> x0, x1;
  std::vector<double> first, last, min, max, sum;  // of the values that are not NaN; 0 while count is 0
  std::vector<std::uint8_t> count, nan_count;      // at most 64
  std::size_t size() const { return x0.size(); }
  std::size_t bytes() const { return size() * 58; }
  void append(const Pyramid& other);
  void resize(std::size_t n);
  void reserve(std::size_t n);
  void clear();
};
inline std::int64_t samplesOf(const Pyramid& blocks, std::size_t i) { return blocks.count[i] + blocks.nan_count[i]; }

// Appends the entries of n samples in x order. `mapped`: the values as the value codec mapped them, so that scaled sums are exact decimals.
void appendPyramid(const std::int64_t* x, const double* value, std::size_t n, const MappedValues& mapped, Pyramid& out);
// For values that were not mapped, any n.
void appendPyramid(const std::int64_t* x, const double* value, std::size_t n, Pyramid& out);

// An entry as a Bin whose x1 is inclusive.
Bin blockOf(const Pyramid& pyramid, std::size_t at);
void appendBlock(const Bin& block, Pyramid& out);

std::string encodePyramid(const Pyramid& pyramid);
// Appends to `out`.
bool decodePyramid(std::string_view bytes, Pyramid& out);

// The columns of an rg_pyramid row.
struct PyramidRow {
  std::int64_t x0, x1, chunks, crc;
  std::string_view data;
};
// Appends to `out`; false, with nothing appended, where the checksum does not match or the row cannot be decoded.
bool decodePyramidRow(std::uint64_t series, const PyramidRow& row, Pyramid& out);

}  // namespace runglass
