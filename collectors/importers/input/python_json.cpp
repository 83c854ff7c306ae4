// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/input/python_json.h"

#include <array>
#include <limits>

#include <nlohmann/json.hpp>

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

Result<nlohmann::ordered_json> parsePythonJson(std::string text, const std::string& path) {
  try {
    return nlohmann::ordered_json::parse(withoutLiterals(std::move(text)));
  } catch (const nlohmann::json::exception& error) {
    return Status(Code::kInvalidArgument, path + ": not valid JSON: " + error.what());
  }
}

std::optional<double> jsonNumber(const nlohmann::ordered_json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text == "\x01nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "\x01inf") return std::numeric_limits<double>::infinity();
  if (text == "\x01-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

}  // namespace runglass
