// SPDX-License-Identifier: Apache-2.0
// Row = version byte | varint entries | varint body size | body (a zstd frame when shorter).
// Body = per 256 entries: x0, x1 - x0, count, nan_count (int blocks), first, last, min, max, sum (value blocks).
#include "storage/codec/pyramid.h"

#include <algorithm>
#include <cmath>

#include "storage/codec/zstd_frame.h"

namespace runglass {
namespace {

constexpr std::uint8_t kVersion = 1, kPacked = 0x80;

template <class T>
void appendTo(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

struct Entry {
  double first = 0, last = 0, min = 0, max = 0, sum = 0;
  std::uint8_t count = 0, nan_count = 0;
};

// NaN is left out and counted.
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
Entry reduceScaled(const std::int64_t* integer, const double* value, std::size_t n, int exponent) {
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

void appendPyramid(const std::int64_t* x, const double* value, std::size_t n, Pyramid& out) {
  for (std::size_t i = 0; i < n; i += kPyramidRadix) {
    const std::size_t m = std::min(kPyramidRadix, n - i);
    appendEntry(out, x[i], x[i + m - 1], reduce(value + i, m));
  }
}

std::string encodePyramid(const Pyramid& p) {
  std::string body;
  std::uint8_t buffer[4 * kMaxIntBlockBytes + 5 * kMaxValueBlockBytes];
  std::int64_t column[kBlockPoints];
  int hint[5] = {};
  for (std::size_t at = 0; at < p.size(); at += kBlockPoints) {
    const std::size_t n = std::min(kBlockPoints, p.size() - at);
    std::uint8_t* end = encodeIntBlock(p.x0.data() + at, n, at == 0 ? 0 : p.x0[at - 1], true, buffer);
    for (std::size_t i = 0; i < n; ++i) {
      column[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(p.x1[at + i]) - static_cast<std::uint64_t>(p.x0[at + i]));
    }
    end = encodeIntBlock(column, n, 0, true, end);
    std::copy_n(p.count.begin() + static_cast<std::ptrdiff_t>(at), n, column);
    end = encodeIntBlock(column, n, 0, false, end);
    std::copy_n(p.nan_count.begin() + static_cast<std::ptrdiff_t>(at), n, column);
    end = encodeIntBlock(column, n, 0, false, end);
    int k = 0;
    for (const std::vector<double>* values : {&p.first, &p.last, &p.min, &p.max, &p.sum}) {
      end = encodeValueBlock(values->data() + at, n, hint[k++], end);
    }
    body.append(reinterpret_cast<const char*>(buffer), static_cast<std::size_t>(end - buffer));
  }
  std::string frame;
  const bool packed = zstdPack(body, body.size() - body.size() / 16, frame);
  std::string row(1, static_cast<char>(packed ? kVersion | kPacked : kVersion));
  appendVarint(row, p.size());
  appendVarint(row, body.size());
  return row.append(packed ? frame : body);
}

bool decodePyramid(std::string_view bytes, Pyramid& out) {
  ByteReader in(bytes);
  const std::uint8_t version = in.byte();
  const std::uint64_t entries = in.varint();
  const std::uint64_t body_size = in.varint();
  if (!in.ok() || (version & ~kPacked) != kVersion || entries > kMaxPyramidEntries) return false;
  const std::size_t blocks = (entries + kBlockPoints - 1) / kBlockPoints;
  if (body_size > blocks * (4 * kMaxIntBlockBytes + 5 * kMaxValueBlockBytes)) return false;
  std::string unpacked;
  std::string_view body = in.take(in.left());
  if ((version & kPacked) != 0) {
    if (!zstdUnpack(body, body_size, unpacked)) return false;
    body = unpacked;
  }
  ByteReader r(body);
  const std::size_t start = out.size();
  out.x0.resize(start + entries), out.x1.resize(start + entries);
  for (std::vector<double>* values : {&out.first, &out.last, &out.min, &out.max, &out.sum}) values->resize(start + entries);
  out.count.resize(start + entries), out.nan_count.resize(start + entries);
  std::int64_t column[kBlockPoints];
  bool good = true;
  for (std::size_t at = start; good && at < start + entries; at += kBlockPoints) {
    const std::size_t n = std::min(kBlockPoints, start + entries - at);
    good = decodeIntBlock(r, n, at == start ? 0 : out.x0[at - 1], out.x0.data() + at) && decodeIntBlock(r, n, 0, column);
    if (!good) break;
    for (std::size_t i = 0; i < n; ++i) {
      out.x1[at + i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(out.x0[at + i]) + static_cast<std::uint64_t>(column[i]));
      good = good && out.x1[at + i] >= out.x0[at + i];
    }
    for (std::vector<std::uint8_t>* counts : {&out.count, &out.nan_count}) {
      good = good && decodeIntBlock(r, n, 0, column);
      for (std::size_t i = 0; good && i < n; ++i) {
        good = column[i] >= 0 && column[i] <= std::int64_t{kPyramidRadix};
        (*counts)[at + i] = static_cast<std::uint8_t>(column[i]);
      }
    }
    for (std::vector<double>* values : {&out.first, &out.last, &out.min, &out.max, &out.sum}) {
      good = good && decodeValueBlock(r, n, values->data() + at);
    }
  }
  return good && r.atEnd();
}

}  // namespace runglass
