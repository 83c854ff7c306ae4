// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/input/json_documents.h"

#include <algorithm>
#include <charconv>

#include "collectors/importers/input/python_json.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxBytes = 32U << 20, kMaxDepth = 64, kMaxDocuments = 65'536;

// The end of the document that begins at `from`; npos: truncated or too deep.
std::size_t endOfDocument(std::string_view text, std::size_t from) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return std::string_view::npos;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return i + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace

Result<JsonDocuments> readJsonDocuments(ByteStream& in, const std::string& path, std::stop_token stop) {
  RG_ASSIGN(const std::string text, readAll(in, path, std::move(stop)));
  if (text.size() > kMaxBytes) return Status(Code::kResourceExhausted, path + ": more than 32 MiB, which is no output of this tool");
  RG_TRY(checkTokens(text));
  JsonDocuments found;
  const std::string_view view(text);
  for (std::size_t at = 0;;) {
    // A document begins a line.
    at = view.find_first_of("{[", at);
    if (at == std::string_view::npos) break;
    if (found.documents.size() >= kMaxDocuments) {
      found.problem = "byte " + std::to_string(at) + ": the documents from here on are more than 65,536 and are left out";
      break;
    }
    const std::size_t line = view.find_last_of('\n', at);
    const std::string_view before =
        view.substr(line == std::string_view::npos ? 0 : line + 1, at - (line == std::string_view::npos ? 0 : line + 1));
    const bool own_line = before.find_first_not_of(" \t\r}]") == std::string_view::npos;
    const std::size_t end = own_line ? endOfDocument(view, at) : std::string_view::npos;
    auto document = end == std::string_view::npos ? nlohmann::ordered_json(nlohmann::ordered_json::value_t::discarded)
                                                  : nlohmann::ordered_json::parse(view.substr(at, end - at), nullptr, false);
    if (!document.is_discarded()) {
      found.documents.push_back(std::move(document));
      at = end;
      continue;
    }
    if (own_line && end == std::string_view::npos) {
      found.problem = "byte " + std::to_string(at) + ": the JSON document that begins here has no end";
      break;
    }
    if (own_line && found.problem.empty()) found.problem = "byte " + std::to_string(at) + ": not JSON";
    at = std::min(view.find('\n', at), view.size());
  }
  if (found.documents.empty())
    return Status(Code::kInvalidArgument, path + ": " + (found.problem.empty() ? "no JSON document in it" : found.problem));
  return found;
}

bool opensJson(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
}

std::optional<double> numberIn(const nlohmann::ordered_json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  std::string_view text = value.get_ref<const std::string&>();
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  return number;
}

std::string textIn(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? value.dump() : std::string();
}

}  // namespace runglass
