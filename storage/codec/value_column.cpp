// SPDX-License-Identifier: Apache-2.0
// Block = exponent byte (0..15, or kBitPattern) | int block.
#include "storage/codec/value_column.h"

#include <bit>
#include <cmath>
#include <limits>

#include "storage/codec/vectorize.h"

namespace runglass {
namespace {

constexpr double kPow10[kMaxExponent + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
// Adding this rounds a double below 2^51 to an integer and leaves the integer in the low mantissa bits.
constexpr double kRounder = 6755399441055744.0;      // 1.5 * 2^52
constexpr double kScaledLimit = 2251799813685248.0;  // 2^51

// The number of leading values that equal integer / 10^exponent bit for bit; fills `integer` for them (and possibly beyond).
RG_VECTORIZED std::size_t scaleWhileExact(const double* values, std::size_t n, double scale, std::int64_t* integer) {
  constexpr std::size_t kStride = 16;
  const auto rounder_bits = std::bit_cast<std::uint64_t>(kRounder);
  std::size_t i = 0;
  for (; i + kStride <= n; i += kStride) {
    std::uint64_t wrong = 0;
    for (std::size_t j = i; j < i + kStride; ++j) {
      const double scaled = values[j] * scale;
      const double rounded = scaled + kRounder;
      integer[j] = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(rounded) - rounder_bits);
      const double back = (rounded - kRounder) / scale;
      wrong |= std::bit_cast<std::uint64_t>(back) ^ std::bit_cast<std::uint64_t>(values[j]);
      wrong |= static_cast<std::uint64_t>(!(std::fabs(scaled) < kScaledLimit));
    }
    if (wrong != 0) break;
  }
  for (; i < n; ++i) {
    const double scaled = values[i] * scale;
    const double rounded = scaled + kRounder;
    integer[i] = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(rounded) - rounder_bits);
    const double back = (rounded - kRounder) / scale;
    if (std::bit_cast<std::uint64_t>(back) != std::bit_cast<std::uint64_t>(values[i]) || !(std::fabs(scaled) < kScaledLimit)) break;
  }
  return i;
}

// Order-preserving, its own inverse: negative doubles sort below positive ones.
RG_INLINE std::int64_t flipNegative(std::int64_t bits) { return bits ^ ((bits >> 63) & std::numeric_limits<std::int64_t>::max()); }

}  // namespace

void mapValues(const double* values, std::size_t n, int& hint, MappedValues& mapped) {
  std::size_t exact = 0;
  for (int exponent = hint; exponent <= kMaxExponent; ++exponent) {
    if (exact > 0) {
      // The value that did not fit the last exponent is tried alone first: if it does not fit this one either, the rest need not be tried.
      std::int64_t one = 0;
      if (scaleWhileExact(values + exact, 1, kPow10[exponent], &one) == 0) continue;
    }
    exact = scaleWhileExact(values, n, kPow10[exponent], mapped.integer);
    if (exact == n) {
      hint = mapped.exponent = exponent;
      return;
    }
  }
  mapped.exponent = kBitPattern;
  for (std::size_t i = 0; i < n; ++i) mapped.integer[i] = flipNegative(std::bit_cast<std::int64_t>(values[i]));
}

double scaledToDouble(std::int64_t integer, int exponent) { return static_cast<double>(integer) / kPow10[exponent]; }

std::uint8_t* encodeValueBlock(const MappedValues& mapped, std::size_t n, ValueColumnState& state, std::uint8_t* out) {
  if (mapped.exponent != state.exponent) state = {mapped.exponent, {}};
  *out++ = static_cast<std::uint8_t>(mapped.exponent);
  return encodeIntBlock(mapped.integer, n, state.integers, false, out);
}

namespace {

bool decodeIntegers(ByteReader& in, std::size_t n, ValueColumnState& state, std::int64_t* integer) {
  const int exponent = in.byte();
  if (exponent > kMaxExponent && exponent != kBitPattern) return false;
  if (exponent != state.exponent) state = {exponent, {}};
  return decodeIntBlock(in, n, state.integers, integer);
}

}  // namespace

bool passValueBlock(ByteReader& in, std::size_t n, ValueColumnState& state) {
  std::int64_t integer[kBlockPoints];
  return decodeIntegers(in, n, state, integer);
}

RG_VECTORIZED bool decodeValueBlock(ByteReader& in, std::size_t n, ValueColumnState& state, double* values) {
  std::int64_t integer[kBlockPoints];
  if (!decodeIntegers(in, n, state, integer)) return false;
  const int exponent = state.exponent;
  if (exponent == kBitPattern) {
    for (std::size_t i = 0; i < n; ++i) values[i] = std::bit_cast<double>(flipNegative(integer[i]));
  } else if (exponent == 0) {
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(integer[i]);
  } else {
    const double scale = kPow10[exponent];
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(integer[i]) / scale;
  }
  return true;
}

}  // namespace runglass
