// SPDX-License-Identifier: Apache-2.0
// Row = version byte | varint entries | varint body size | body (a zstd frame when shorter).
// Body = per 256 entries: x0 - x1 of the entry before, x1 - x0, count, nan_count (int blocks), then the values: exponent byte, and
// decimal: first, last - first, first - min, max - first, sum - count * first as scaled integers (int blocks),
// else: first, last, min, max, sum (value blocks).
#include "storage/codec/pyramid.h"

#include <algorithm>
#include <cmath>

#include "storage/codec/sample_chunk.h"
#include "storage/codec/vectorize.h"
#include "storage/codec/zstd_frame.h"

namespace runglass {
namespace {

constexpr std::uint8_t kPyramidVersion = 1, kPacked = 0x80;

template <class T>
void appendTo(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

struct Entry {
  double first = 0, last = 0, min = 0, max = 0, sum = 0;
  std::uint8_t count = 0, nan_count = 0;
};

// NaN is excluded and counted separately.
Entry reduce(const double* value, std::size_t n) {
  Entry e;
  for (std::size_t i = 0; i < n; ++i) {
    const double v = value[i];
    if (std::isnan(v)) {
      ++e.nan_count;
      continue;
    }
    if (e.count++ == 0) e.first = e.min = e.max = v;
    if (v < e.min) e.min = v;
    if (v > e.max) e.max = v;
    e.sum += v;
    e.last = v;
  }
  return e;
}

// Scaled integers: no NaN, no -0.0, exact sums.
RG_VECTORIZED Entry reduceScaled(const std::int64_t* integer, const double* value, std::size_t n, int exponent) {
  Entry e;
  e.first = value[0];
  e.last = value[n - 1];
  std::int64_t min = integer[0], max = integer[0], sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    min = std::min(min, integer[i]);
    max = std::max(max, integer[i]);
    sum += integer[i];  // 64 * 2^51 fits
  }
  e.min = scaledToDouble(min, exponent);
  e.max = scaledToDouble(max, exponent);
  e.sum = scaledToDouble(sum, exponent);
  e.count = static_cast<std::uint8_t>(n);
  return e;
}

void appendEntry(Pyramid& out, std::int64_t x0, std::int64_t x1, const Entry& e) {
  out.x0.push_back(x0);
  out.x1.push_back(x1);
  out.first.push_back(e.first);
  out.last.push_back(e.last);
  out.min.push_back(e.min);
  out.max.push_back(e.max);
  out.sum.push_back(e.sum);
  out.count.push_back(e.count);
  out.nan_count.push_back(e.nan_count);
}

}  // namespace

void Pyramid::append(const Pyramid& other) {
  appendTo(x0, other.x0), appendTo(x1, other.x1);
  appendTo(first, other.first), appendTo(last, other.last), appendTo(min, other.min), appendTo(max, other.max), appendTo(sum, other.sum);
  appendTo(count, other.count), appendTo(nan_count, other.nan_count);
}

void Pyramid::resize(std::size_t n) {
  x0.resize(n), x1.resize(n), first.resize(n), last.resize(n), min.resize(n), max.resize(n), sum.resize(n), count.resize(n);
  nan_count.resize(n);
}

void Pyramid::reserve(std::size_t n) {
  x0.reserve(n), x1.reserve(n), first.reserve(n), last.reserve(n), min.reserve(n), max.reserve(n), sum.reserve(n), count.reserve(n);
  nan_count.reserve(n);
}

void Pyramid::clear() {
  x0.clear(), x1.clear(), first.clear(), last.clear(), min.clear(), max.clear(), sum.clear(), count.clear(), nan_count.clear();
}

void appendPyramid(const std::int64_t* x, const double* value, std::size_t n, const MappedValues& mapped, Pyramid& out) {
  if (mapped.exponent == kBitPattern) return appendPyramid(x, value, n, out);
  for (std::size_t i = 0; i < n; i += kPyramidRadix) {
    const std::size_t m = std::min(kPyramidRadix, n - i);
    appendEntry(out, x[i], x[i + m - 1], reduceScaled(mapped.integer + i, value + i, m, mapped.exponent));
  }
}

Bin blockOf(const Pyramid& p, std::size_t i) {
  return {.x0 = p.x0[i],
          .x1 = p.x1[i],
          .first = p.first[i],
          .last = p.last[i],
          .min = p.min[i],
          .max = p.max[i],
          .sum = p.sum[i],
          .count = p.count[i],
          .nan_count = p.nan_count[i]};
}

void appendBlock(const Bin& block, Pyramid& out) {
  out.x0.push_back(block.x0), out.x1.push_back(block.x1);
  out.first.push_back(block.first), out.last.push_back(block.last);
  out.min.push_back(block.min), out.max.push_back(block.max);
  out.sum.push_back(block.sum);
  out.count.push_back(static_cast<std::uint8_t>(block.count)), out.nan_count.push_back(static_cast<std::uint8_t>(block.nan_count));
}

void appendPyramid(const std::int64_t* x, const double* value, std::size_t n, Pyramid& out) {
  for (std::size_t i = 0; i < n; i += kPyramidRadix) {
    const std::size_t m = std::min(kPyramidRadix, n - i);
    appendEntry(out, x[i], x[i + m - 1], reduce(value + i, m));
  }
}

namespace {

constexpr std::size_t kMaxBlockBytes = 1 + 4 * kMaxIntBlockBytes + 5 * kMaxValueBlockBytes;
constexpr int kValueColumns = 5;

// The columns' states, carried from block to block.
struct Columns {
  IntColumnState gap, length, count, nan_count, scaled[kValueColumns];
  ValueColumnState value[kValueColumns];
  std::int64_t last_x1 = 0;
  int hint = 0;
};

std::uint64_t u64(std::int64_t v) { return static_cast<std::uint64_t>(v); }
std::int64_t difference(std::int64_t a, std::int64_t b) { return static_cast<std::int64_t>(u64(a) - u64(b)); }
std::int64_t total(std::int64_t a, std::int64_t b) { return static_cast<std::int64_t>(u64(a) + u64(b)); }

std::uint8_t* encodeScaled(const MappedValues (&mapped)[kValueColumns], const std::uint8_t* count, std::size_t n, Columns& columns,
                           std::uint8_t* end) {
  std::int64_t column[kBlockPoints];
  const std::int64_t* first = mapped[0].integer;
  for (int k = 0; k < kValueColumns; ++k) {
    const std::int64_t* v = mapped[k].integer;
    for (std::size_t i = 0; i < n; ++i) {
      column[i] = k == 0   ? v[i]
                  : k == 2 ? first[i] - v[i]
                  : k == 4 ? v[i] - static_cast<std::int64_t>(count[i]) * first[i]
                           : v[i] - first[i];
    }
    end = encodeIntBlock(column, n, columns.scaled[k], false, end);
  }
  return end;
}

bool decodeScaled(ByteReader& r, int exponent, std::size_t at, std::size_t n, Columns& columns, Pyramid& out) {
  std::int64_t column[kValueColumns][kBlockPoints];
  for (int k = 0; k < kValueColumns; ++k) {
    if (!decodeIntBlock(r, n, columns.scaled[k], column[k])) return false;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t first = column[0][i];
    out.first[at + i] = scaledToDouble(first, exponent);
    out.last[at + i] = scaledToDouble(total(column[1][i], first), exponent);
    out.min[at + i] = scaledToDouble(difference(first, column[2][i]), exponent);
    out.max[at + i] = scaledToDouble(total(column[3][i], first), exponent);
    out.sum[at + i] = scaledToDouble(total(column[4][i], static_cast<std::int64_t>(out.count[at + i] * u64(first))), exponent);
  }
  return true;
}

std::uint8_t* encodeValues(const Pyramid& p, std::size_t at, std::size_t n, Columns& columns, std::uint8_t* end) {
  const std::vector<double>* const values[kValueColumns] = {&p.first, &p.last, &p.min, &p.max, &p.sum};
  MappedValues mapped[kValueColumns];
  // One exponent for all columns, the largest that any of them needs.
  bool scaled = true;
  for (int round = 0; round < 2; ++round) {
    for (int k = 0; k < kValueColumns; ++k) {
      mapValues(values[k]->data() + at, n, columns.hint, mapped[k]);
      scaled = scaled && mapped[k].exponent != kBitPattern;
    }
  }
  scaled = scaled && std::all_of(mapped, mapped + kValueColumns, [&](const MappedValues& m) { return m.exponent == columns.hint; });
  *end++ = static_cast<std::uint8_t>(scaled ? columns.hint : kBitPattern);
  if (scaled) return encodeScaled(mapped, p.count.data() + at, n, columns, end);
  for (int k = 0; k < kValueColumns; ++k) end = encodeValueBlock(mapped[k], n, columns.value[k], end);
  return end;
}

}  // namespace

std::string encodePyramid(const Pyramid& p) {
  std::string body;
  std::vector<std::uint8_t> buffer(kMaxBlockBytes);
  std::int64_t column[kBlockPoints];
  Columns columns;
  for (std::size_t at = 0; at < p.size(); at += kBlockPoints) {
    const std::size_t n = std::min(kBlockPoints, p.size() - at);
    for (std::size_t i = 0; i < n; ++i) {
      column[i] = difference(p.x0[at + i], columns.last_x1);
      columns.last_x1 = p.x1[at + i];
    }
    std::uint8_t* end = encodeIntBlock(column, n, columns.gap, true, buffer.data());
    for (std::size_t i = 0; i < n; ++i) column[i] = difference(p.x1[at + i], p.x0[at + i]);
    end = encodeIntBlock(column, n, columns.length, true, end);
    std::copy_n(p.count.begin() + static_cast<std::ptrdiff_t>(at), n, column);
    end = encodeIntBlock(column, n, columns.count, false, end);
    std::copy_n(p.nan_count.begin() + static_cast<std::ptrdiff_t>(at), n, column);
    end = encodeIntBlock(column, n, columns.nan_count, false, end);
    end = encodeValues(p, at, n, columns, end);
    body.append(reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(end - buffer.data()));
  }
  std::string frame;
  const bool packed = p.size() >= kBlockPoints && zstdPack(body, body.size() - body.size() / 16, frame);
  std::string row(1, static_cast<char>(packed ? kPyramidVersion | kPacked : kPyramidVersion));
  appendVarint(row, p.size());
  appendVarint(row, body.size());
  return row.append(packed ? frame : body);
}

bool decodePyramid(std::string_view bytes, Pyramid& out) {
  ByteReader in(bytes);
  const std::uint8_t version = in.byte();
  const std::uint64_t entries = in.varint();
  const std::uint64_t body_size = in.varint();
  if (!in.ok() || (version & ~kPacked) != kPyramidVersion || entries > kMaxPyramidEntries) return false;
  const std::size_t blocks = (entries + kBlockPoints - 1) / kBlockPoints;
  if (body_size > blocks * kMaxBlockBytes) return false;
  std::string unpacked;
  std::string_view body = in.take(in.left());
  if ((version & kPacked) != 0) {
    if (!zstdUnpack(body, body_size, unpacked)) return false;
    body = unpacked;
  }
  ByteReader r(body);
  const std::size_t start = out.size();
  out.resize(start + entries);
  Columns columns;
  std::int64_t gap[kBlockPoints], length[kBlockPoints], count[kBlockPoints], nan_count[kBlockPoints];
  for (std::size_t at = start; at < start + entries; at += kBlockPoints) {
    const std::size_t n = std::min(kBlockPoints, start + entries - at);
    if (!decodeIntBlock(r, n, columns.gap, gap) || !decodeIntBlock(r, n, columns.length, length) ||
        !decodeIntBlock(r, n, columns.count, count) || !decodeIntBlock(r, n, columns.nan_count, nan_count)) {
      return false;
    }
    for (std::size_t i = 0; i < n; ++i) {
      out.x0[at + i] = total(columns.last_x1, gap[i]);
      out.x1[at + i] = columns.last_x1 = total(out.x0[at + i], length[i]);
      if (out.x1[at + i] < out.x0[at + i] || u64(count[i]) > kPyramidRadix || u64(nan_count[i]) > kPyramidRadix) return false;
      out.count[at + i] = static_cast<std::uint8_t>(count[i]);
      out.nan_count[at + i] = static_cast<std::uint8_t>(nan_count[i]);
    }
    const int exponent = r.byte();
    if (exponent != kBitPattern) {
      if (exponent > kMaxExponent || !decodeScaled(r, exponent, at, n, columns, out)) return false;
      continue;
    }
    int k = 0;
    for (std::vector<double>* values : {&out.first, &out.last, &out.min, &out.max, &out.sum}) {
      if (!decodeValueBlock(r, n, columns.value[k++], values->data() + at)) return false;
    }
  }
  return r.atEnd();
}

bool decodePyramidRow(std::uint64_t series, const PyramidRow& row, Pyramid& out) {
  if (chunkChecksum(series, row.x0, row.x1, static_cast<std::uint64_t>(row.chunks), row.data) != static_cast<std::uint32_t>(row.crc))
    return false;
  const std::size_t before = out.size();
  if (decodePyramid(row.data, out)) return true;
  out.resize(before);
  return false;
}

}  // namespace runglass
