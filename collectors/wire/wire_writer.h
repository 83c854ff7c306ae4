// SPDX-License-Identifier: Apache-2.0
// Appends protobuf fields to a string; the counterpart of WireReader.
//
// Threading:  pure.
// Ownership:  the caller's string.
// Cost:       amortised O(bytes).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace runglass::wire {

inline char* putVarint(char* at, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80U);
  *at++ = static_cast<char>(value);
  return at;
}
inline void appendVarint(std::string& out, std::uint64_t value) {
  char buffer[10];
  out.append(buffer, putVarint(buffer, value));
}
constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::size_t varintSize(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}
inline void appendTag(std::string& out, std::uint32_t field, std::uint32_t wire_type) {
  appendVarint(out, static_cast<std::uint64_t>(field) << 3 | wire_type);
}
inline void appendBytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  appendTag(out, field, 2);
  appendVarint(out, bytes.size());
  out.append(bytes);
}
inline void appendFixed64(std::string& out, std::uint32_t field, std::int64_t value) {
  appendTag(out, field, 1);
  out.append(reinterpret_cast<const char*>(&value), 8);
}

}  // namespace runglass::wire
