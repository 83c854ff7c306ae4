// SPDX-License-Identifier: Apache-2.0
// One block of up to 256 int64 values as bytes: delta or frame-of-reference, bit-packed, or the few exceptions from a constant.
// Every integer column of a chunk (times, steps, scaled values, bit patterns, span fields) goes through here.
//
// Threading:  pure functions, any thread.
// Units:      values are int64 with wrap-around arithmetic: any value is stored exactly.
// Errors:     decode returns false on bytes that no encoder wrote; it reads only inside the reader's bytes and writes only `n` values.
// Cost:       about 3 ns per value to encode, 1 ns to decode; a block needs at most kMaxIntBlockBytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/codec/bytes.h"

namespace runglass {

inline constexpr std::size_t kBlockPoints = 256;
inline constexpr std::size_t kMaxIntBlockBytes = 2 + 10 + 10 + 1 + kBlockPoints + kBlockPoints * 8 + 8;

// State carried from a block to the next one of the same column; encoder and decoder start from equal states.
struct IntColumnState {
  std::int64_t last = 0;  // value
  std::int64_t base = 0;
};

// Encodes n in 1..256 values at `out`, which has kMaxIntBlockBytes of room; returns the end.
// `decimal_steps`: also look for a common factor 10^3, 10^6, 10^9 (clocks).
std::uint8_t* encodeIntBlock(const std::int64_t* values, std::size_t n, IntColumnState& state, bool decimal_steps, std::uint8_t* out);

// Decodes n values into `values`.
bool decodeIntBlock(ByteReader& in, std::size_t n, IntColumnState& state, std::int64_t* values);

}  // namespace runglass
