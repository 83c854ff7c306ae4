// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/input/python_json.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace runglass {
namespace {

constexpr std::size_t kMaxBytes = 256 << 20;
// What the literals become: strings that no file has by chance, because they begin with a control character.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kLiterals = {
    {{"-Infinity", "\"\\u0001-inf\""}, {"Infinity", "\"\\u0001inf\""}, {"NaN", "\"\\u0001nan\""}}};

std::string withoutLiterals(std::string text) {
  if (text.find("NaN") == std::string::npos && text.find("Infinity") == std::string::npos) return text;
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\' && i + 1 < text.size())
        out += text[i++];
      else if (c == '"')
        in_string = false;
      out += text[i++];
      continue;
    }
    bool replaced = false;
    for (const auto& [literal, replacement] : kLiterals) {
      if (text.compare(i, literal.size(), literal) != 0) continue;
      out += replacement;
      i += literal.size();
      replaced = true;
      break;
    }
    if (replaced) continue;
    in_string = c == '"';
    out += text[i++];
  }
  return out;
}

std::optional<double> literalNumber(const std::string& text) {
  if (text == "\x01nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "\x01inf") return std::numeric_limits<double>::infinity();
  if (text == "\x01-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

// Keeps the place of the value in hand: m_path is where the next value goes.
class Walker {
 public:
  using number_integer_t = nlohmann::ordered_json::number_integer_t;
  using number_unsigned_t = nlohmann::ordered_json::number_unsigned_t;
  using number_float_t = nlohmann::ordered_json::number_float_t;
  using string_t = std::string;
  using binary_t = nlohmann::ordered_json::binary_t;

  explicit Walker(JsonVisitor& visitor) : m_visitor(visitor) {}
  const std::string& error() const { return m_error; }

  bool null() { return leaf({}); }
  bool boolean(bool) { return leaf({}); }
  bool number_integer(number_integer_t value) { return leaf({static_cast<double>(value), value}); }
  bool number_unsigned(number_unsigned_t value) {
    JsonLeaf number{static_cast<double>(value), {}};
    if (value <= static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
      number.integer = static_cast<std::int64_t>(value);
    return leaf(number);
  }
  bool number_float(number_float_t value, const string_t&) { return leaf({value, {}}); }
  bool string(string_t& value) { return leaf({literalNumber(value), {}}); }
  bool binary(binary_t&) { return leaf({}); }
  bool start_object(std::size_t) { return open({}); }
  bool start_array(std::size_t) { return open({{}, 0}); }
  bool key(string_t& value) {
    m_path.back().key = std::move(value);
    return true;
  }
  bool end_object() { return close(false); }
  bool end_array() { return close(true); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: ...": without the name of the library's exception.
    std::string_view reason = error.what();
    if (reason.starts_with('[')) reason.remove_prefix(std::min(reason.find("] ") + 2, reason.size()));
    m_error = reason.substr(0, kMaxReason);
    return false;
  }

 private:
  static constexpr std::size_t kMaxDepth = 64, kMaxReason = 200;

  bool leaf(const JsonLeaf& value) {
    m_visitor.leaf(m_path, value);
    return next();
  }
  bool next() {
    if (!m_path.empty() && m_path.back().index >= 0) ++m_path.back().index;
    return true;
  }
  bool open(JsonPart first) {
    if (m_path.size() == kMaxDepth) {
      m_error = "nested more than " + std::to_string(kMaxDepth) + " deep";
      return false;
    }
    m_path.push_back(std::move(first));
    return true;
  }
  bool close(bool array) {
    m_path.pop_back();
    m_visitor.closed(m_path, array);
    return next();
  }

  JsonVisitor& m_visitor;
  std::vector<JsonPart> m_path;
  std::string m_error;
};

}  // namespace

Result<std::string> readAll(ByteStream& in, const std::string& path, std::stop_token stop) {
  std::string text;
  for (;;) {
    if (stop.stop_requested()) return Status(Code::kCancelled, path + ": import stopped");
    RG_ASSIGN(const std::string_view bytes, in.next());
    if (bytes.empty()) return text;
    if (text.size() + bytes.size() > kMaxBytes)
      return Status(Code::kResourceExhausted, path + ": larger than 256 MiB, which is more than a file of this kind can be");
    text.append(bytes);
  }
}

Status walkPythonJson(std::string text, const std::string& path, JsonVisitor& visitor) {
  const std::string clean = withoutLiterals(std::move(text));
  Walker walker(visitor);
  try {
    if (nlohmann::ordered_json::sax_parse(clean, &walker)) return {};
  } catch (const nlohmann::json::exception& error) {
    walker.parse_error(0, {}, error);
  }
  return {Code::kInvalidArgument, path + ": not valid JSON: " + walker.error()};
}

}  // namespace runglass
