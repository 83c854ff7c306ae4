// SPDX-License-Identifier: Apache-2.0
// Attributes of OTLP: KeyValue and AnyValue, read from their bytes.
//
// Threading:  pure.
// Ownership:  views point into the bytes.
// Errors:     values nested deeper than kMaxValueDepth are malformed; the others are read up to the first malformed field.
// Cost:       O(bytes), no allocation but of the result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/wire/wire_reader.h"

namespace runglass {

inline constexpr int kMaxValueDepth = 16;

// Calls `use` with each message of a repeated field until it returns false; false: that, or malformed bytes.
template <class Use>
bool eachMessage(std::string_view bytes, std::uint32_t field, const Use& use) {
  WireReader reader(bytes);
  while (reader.next()) {
    if (reader.field() != field || reader.wireType() != 2) {
      reader.skip();
      continue;
    }
    const std::string_view one = reader.bytes();
    if (!reader.ok() || !use(one)) return false;
  }
  return reader.ok();
}
// The last value of a field of texts, bytes or a message.
std::string_view bytesOf(std::string_view message, std::uint32_t field);

struct OtlpAttribute {
  std::string_view key, value;  // value: an AnyValue
};
OtlpAttribute attributeOf(std::string_view key_value);
bool isValue(std::string_view any_value, int depth = kMaxValueDepth);
bool isAttribute(std::string_view key_value);

// A text as it is; a number or truth as in JSON; an array, list or bytes as JSON.
std::string textOf(std::string_view any_value);
std::optional<std::int64_t> wholeOf(std::string_view any_value);  // of a number, or a text that is one
void appendJson(std::string& out, std::string_view any_value, int depth = kMaxValueDepth);
void appendJsonText(std::string& out, std::string_view text);
std::string hexOf(std::string_view bytes);

}  // namespace runglass
