// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/receivers/otlp/otlp_value.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

#include "collectors/text/display_name.h"

namespace runglass {
namespace {

constexpr std::uint32_t kText = 1, kBool = 2, kArray = 5, kList = 6, kBytes = 7;  // numbers: the other two

template <class Number>
void appendNumber(std::string& out, Number number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
  out.append(text.data(), end.ptr);
}

}  // namespace

std::string_view bytesOf(std::string_view message, std::uint32_t field) {
  std::string_view found;
  eachMessage(message, field, [&](std::string_view one) { return found = one, true; });
  return found;
}

OtlpAttribute attributeOf(std::string_view key_value) { return {bytesOf(key_value, 1), bytesOf(key_value, 2)}; }

bool isValue(std::string_view any_value, int depth) {
  if (depth <= 0) return false;
  WireReader reader(any_value);
  while (reader.next()) {
    if (reader.wireType() != 2 || (reader.field() != kArray && reader.field() != kList)) {
      reader.skip();
      continue;
    }
    const bool array = reader.field() == kArray;
    const std::string_view nested = reader.bytes();
    if (!reader.ok() || !eachMessage(nested, 1, [&](std::string_view one) {
          return array ? isValue(one, depth - 1) : isValue(bytesOf(one, 2), depth - 1);
        }))
      return false;
  }
  return reader.ok();
}

bool isAttribute(std::string_view key_value) {
  WireReader reader(key_value);
  while (reader.next()) {
    if (reader.field() != 2 || reader.wireType() != 2) {
      reader.skip();
      continue;
    }
    const std::string_view value = reader.bytes();
    if (!reader.ok() || !isValue(value)) return false;
  }
  return reader.ok();
}

std::string hexOf(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) out += kDigits[static_cast<unsigned char>(c) >> 4U], out += kDigits[static_cast<unsigned char>(c) & 15U];
  return out;
}

void appendJsonText(std::string& out, std::string_view text) {
  std::string sanitized;
  for (const char c : text)
    // Foreign bytes are made UTF-8 only where there are any.
    if (static_cast<unsigned char>(c) >= 0x80) {
      sanitized = printable(text);
      text = sanitized;
      break;
    }
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\', out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00", out += hexOf({&c, 1});
    } else {
      out += c;
    }
  }
  out += '"';
}

void appendJson(std::string& out, std::string_view any_value, int depth) {
  WireReader reader(any_value);
  const std::size_t begin = out.size();
  while (reader.next()) {
    const std::uint32_t field = reader.field(), type = reader.wireType();
    if (field > kBytes || (type != 0 && type != 1 && type != 2)) {
      reader.skip();
      continue;
    }
    out.resize(begin);  // the last member of a oneof counts
    if (type == 0) {
      const std::uint64_t value = reader.varint();
      if (field == kBool)
        out += value != 0 ? "true" : "false";
      else
        appendNumber(out, static_cast<std::int64_t>(value));
    } else if (type == 1) {
      const auto value = std::bit_cast<double>(reader.fixed64());
      if (std::isfinite(value))
        appendNumber(out, value);
      else
        out += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    } else if (field == kText) {
      appendJsonText(out, reader.bytes());
    } else if (field == kBytes) {
      appendJsonText(out, hexOf(reader.bytes()));
    } else {
      const std::string_view nested = reader.bytes();
      bool first = true;
      out += field == kArray ? '[' : '{';
      eachMessage(nested, 1, [&](std::string_view one) {
        if (depth <= 1) return false;
        if (!std::exchange(first, false)) out += ',';
        if (field == kList) appendJsonText(out, bytesOf(one, 1)), out += ':';
        appendJson(out, field == kArray ? one : bytesOf(one, 2), depth - 1);
        return true;
      });
      out += field == kArray ? ']' : '}';
    }
  }
  if (out.size() == begin) out += "null";
}

std::string textOf(std::string_view any_value) {
  WireReader reader(any_value);
  if (reader.next() && reader.field() == kText && reader.wireType() == 2) return std::string(reader.bytes());
  if (any_value.empty()) return {};
  std::string out;
  appendJson(out, any_value);
  return out;
}

std::optional<std::int64_t> wholeOf(std::string_view any_value) {
  const std::string text = textOf(any_value);
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace runglass
