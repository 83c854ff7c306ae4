// SPDX-License-Identifier: Apache-2.0
// Decodes the bytes of a ring record.
//
// Threading:  pure.
// Ownership:  views into the payload.
// Units:      bytes.
// Errors:     fields beyond the end of the payload read as zero, or as empty text.
// Cost:       a copy of the fixed part.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace runglass {

template <class T>
T fixedPart(std::string_view payload) {
  T value{};
  std::memcpy(&value, payload.data(), std::min(sizeof(T), payload.size()));
  return value;
}

// The text after a fixed part; cut if the record is shorter than stated.
inline std::string_view textAt(std::string_view payload, std::size_t offset, std::size_t bytes) {
  return offset <= payload.size() ? payload.substr(offset, bytes) : std::string_view();
}

// For stamps, which a hostile ring can set to the limits of an integer.
inline std::int64_t saturatingSum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? INT64_MAX : INT64_MIN) : sum;
}
inline std::int64_t saturatingDifference(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? (b < 0 ? INT64_MAX : INT64_MIN) : difference;
}

}  // namespace runglass
