// SPDX-License-Identifier: Apache-2.0
// One block of up to 256 doubles as bytes: as scaled integers where 10^-k steps hold every value bit-exactly, else as bit patterns.
//
// Threading:  pure functions, any thread.
// Units:      any double, NaN payloads included, is restored bit for bit.
// Errors:     decode returns false on bytes that no encoder wrote.
// Cost:       about 3 ns per value on top of int_column.h; half of it is the test for a decimal scale.
#pragma once

#include "storage/codec/int_column.h"

namespace runglass {

inline constexpr std::size_t kMaxValueBlockBytes = 1 + kMaxIntBlockBytes;
inline constexpr int kMaxExponent = 15;
inline constexpr int kBitPattern = 31;  // in place of a decimal exponent

// Doubles of a block as integers. Decimal: value == integer / 10^exponent, to the last bit.
struct MappedValues {
  int exponent = kBitPattern;
  std::int64_t integer[kBlockPoints];
};

// `hint`: the exponent to try first; set to the exponent that was used. Start a chunk with 0.
void mapValues(const double* values, std::size_t n, int& hint, MappedValues& mapped);
double scaledToDouble(std::int64_t integer, int exponent);  // integer / 10^exponent

// State carried from a block to the next one of the same column.
struct ValueColumnState {
  int exponent = kBitPattern;
  IntColumnState integers;
};

std::uint8_t* encodeValueBlock(const MappedValues& mapped, std::size_t n, ValueColumnState& state, std::uint8_t* out);
bool decodeValueBlock(ByteReader& in, std::size_t n, ValueColumnState& state, double* values);
// Skips a block without returning its values.
bool passValueBlock(ByteReader& in, std::size_t n, ValueColumnState& state);

}  // namespace runglass
