// SPDX-License-Identifier: Apache-2.0
// Escapes outside text for HTML, CSV, links and file names.
#include "analysis/report/report_writers.h"
#include "analysis/text/markdown_text.h"
#include "model/formula_text.h"

namespace runglass::report {
namespace {

constexpr std::size_t kLongestSlug = 60;

bool isAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

std::string htmlText(std::string_view text) {
  std::string out;
  for (const char c : visibleText(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '`':
        out += "&#96;";
        break;  // quotes an attribute in old browsers
      default:
        out += c;
    }
  }
  return out;
}

std::string csvText(std::string_view text) {
  if (text.empty()) return "\"\"";
  std::string out = startsFormula(text) ? "'" : "";
  out += visibleText(text, LineBreaks::kKept);
  if (out.find_first_of(",\"\r\n'") == std::string::npos) return out;
  std::string quoted = "\"";
  for (const char c : out) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

bool isSafeLink(std::string_view target) {
  if (!target.starts_with("runglass://")) return false;
  for (const char c : target)
    if (!isAlnum(c) && std::string_view("-._~:/?#=&%,+").find(c) == std::string_view::npos) return false;
  return true;
}

std::string slugOf(std::string_view text) {
  std::string slug;
  for (const char c : text) {
    if (slug.size() == kLongestSlug) break;
    if (isAlnum(c))
      slug += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug.empty() ? "report" : slug;
}

}  // namespace runglass::report
