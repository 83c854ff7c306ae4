// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/input/python_json.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace runglass {
namespace {

constexpr std::size_t kMaxBytes = 240 << 20, kReserved = 16 << 20;
// Replacements of the literals, of the same length: texts that do not occur in files, because they begin with DEL.
constexpr std::string_view kNan = "\x7F",
                           kInfinity =
                               "\x7F"
                               "infty",
                           kMinusInfinity =
                               "\x7F"
                               "-infty";
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kLiterals = {
    {{"-Infinity", kMinusInfinity}, {"Infinity", kInfinity}, {"NaN", kNan}}};
static_assert(std::ranges::all_of(kLiterals, [](const auto& one) { return one.first.size() == one.second.size() + 2; }));

void replaceLiterals(std::string& text) {
  if (text.find("NaN") == std::string::npos && text.find("Infinity") == std::string::npos) return;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        in_string = false;
      continue;
    }
    in_string = text[i] == '"';
    for (const auto& [literal, replacement] : kLiterals) {
      if (text.compare(i, literal.size(), literal) != 0) continue;
      text[i] = text[i + literal.size() - 1] = '"';
      text.replace(i + 1, replacement.size(), replacement);
      i += literal.size() - 1;
      break;
    }
  }
}

std::optional<double> literalNumber(const std::string& text) {
  if (text == kNan) return std::numeric_limits<double>::quiet_NaN();
  if (text == kInfinity) return std::numeric_limits<double>::infinity();
  if (text == kMinusInfinity) return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

// Tracks the position of the current value: m_path is where the next value belongs.
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
      return Status(Code::kResourceExhausted,
                    path + ": larger than " + std::to_string(kMaxBytes >> 20) + " MiB, which is more than a file of this kind can be");
    // Reserved at once: unwritten pages cost nothing, while a growing string would need both buffers during a copy.
    if (text.size() <= kReserved && text.size() + bytes.size() > kReserved) text.reserve(kMaxBytes);
    text.append(bytes);
  }
}

Status checkTokens(std::string_view json) {
  constexpr std::size_t kMaxToken = 1 << 20;
  bool in_string = false;
  for (std::size_t i = 0, begin = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      begin = i;
      in_string = !in_string;
    } else if (!in_string && std::string_view("[]{},:").find(c) != std::string_view::npos) {
      begin = i;
    }
    if (i - begin > kMaxToken)
      return {Code::kResourceExhausted,
              "byte " + std::to_string(begin) + ": a text, number or space of more than " + std::to_string(kMaxToken >> 20) + " MiB"};
  }
  return {};
}

Status walkPythonJson(std::string text, const std::string& path, JsonVisitor& visitor) {
  if (const Status tokens = checkTokens(text); !tokens.ok()) return {tokens.code(), path + ": " + tokens.message()};
  replaceLiterals(text);
  Walker walker(visitor);
  try {
    if (nlohmann::ordered_json::sax_parse(text, &walker)) return {};
  } catch (const nlohmann::json::exception& error) {
    walker.parse_error(0, {}, error);
  }
  return {Code::kInvalidArgument, path + ": not valid JSON: " + walker.error()};
}

}  // namespace runglass
