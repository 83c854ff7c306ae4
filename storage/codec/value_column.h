// SPDX-License-Identifier: Apache-2.0
// One block of up to 256 doubles as bytes: as scaled integers where 10^-k steps hold every value bit-exactly, else as bit patterns.
//
// Threading:  pure functions, any thread.
// Ownership:  none.
// Units:      any double, NaN payloads included, comes back bit-equal.
// Errors:     decode returns false on bytes that no encoder wrote.
// Cost:       about 3 ns a value on top of int_column.h, half of it the test whether a decimal scale holds.
#pragma once

#include "storage/codec/int_column.h"

namespace runglass {

inline constexpr std::size_t kMaxValueBlockBytes = 1 + kMaxIntBlockBytes;
inline constexpr int kBitPattern = 31;  // in place of a decimal exponent

// Doubles of a block as integers. Decimal: value == integer / 10^exponent, to the last bit.
struct MappedValues {
  int exponent = kBitPattern;
  std::int64_t integer[kBlockPoints];
};

// `hint`: the exponent to try first, updated to what held; start a chunk with 0.
void mapValues(const double* values, std::size_t n, int& hint, MappedValues& mapped);
double scaledToDouble(std::int64_t integer, int exponent);  // integer / 10^exponent

std::uint8_t* encodeValueBlock(const MappedValues& mapped, std::size_t n, std::uint8_t* out);
inline std::uint8_t* encodeValueBlock(const double* values, std::size_t n, int& hint, std::uint8_t* out) {
  MappedValues mapped;
  mapValues(values, n, hint, mapped);
  return encodeValueBlock(mapped, n, out);
}
bool decodeValueBlock(ByteReader& in, std::size_t n, double* values);

}  // namespace runglass
