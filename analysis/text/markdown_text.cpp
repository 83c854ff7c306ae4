// SPDX-License-Identifier: Apache-2.0
#include "analysis/text/markdown_text.h"

namespace runglass {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Decoded {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

Decoded decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return {first, 1, true};
  const std::size_t more = first >= 0xF0 && first < 0xF5 ? 3 : first >= 0xE0 && first < 0xF0 ? 2 : first >= 0xC2 && first < 0xE0 ? 1 : 0;
  if (more == 0 || at + more >= text.size()) return {};
  char32_t code = first & (0x3FU >> more);
  for (std::size_t i = 1; i <= more; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return {};
    code = code << 6 | (byte(at + i) & 0x3FU);
  }
  constexpr char32_t kMin[] = {0, 0x80, 0x800, 0x10000};
  if (code < kMin[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, more + 1, true};
}

bool isInvisible(char32_t c) {
  const auto in = [&](char32_t low, char32_t high) { return c >= low && c <= high; };
  return c < 0x20 || in(0x7F, 0x9F) || c == 0xAD || c == 0x61C || c == 0x180E || in(0x200B, 0x200F) || in(0x2028, 0x202E) ||
         in(0x2060, 0x206F) || c == 0xFEFF || in(0xFFF9, 0xFFFB) || in(0xE0000, 0xE0FFF);
}

bool isWord(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (u >= '0' && u <= '9') || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z');
}

bool needsEscape(std::string_view text, std::size_t at) {
  constexpr std::string_view kAlways = "\\`*[]<|~&$@";
  const char c = text[at];
  if (kAlways.find(c) != std::string_view::npos) return true;
  // Within a word it is not emphasis.
  if (c == '_') return at == 0 || at + 1 == text.size() || !isWord(text[at - 1]) || !isWord(text[at + 1]);
  // "http://", "mailto:"; times and "word: text" are not links.
  if (c == ':')
    return text.substr(at + 1, 2) == "//" || (at >= 6 && text.substr(at - 6, 6) == "mailto") ||
           (at >= 4 && text.substr(at - 4, 4) == "xmpp");
  const auto lower = [](char one) { return static_cast<char>(one | 0x20); };
  if (c == '.' && at >= 3) return lower(text[at - 1]) == 'w' && lower(text[at - 2]) == 'w' && lower(text[at - 3]) == 'w';
  return false;
}

// Calls `each` with whether the character may be shown, and its bytes.
template <class Each>
bool eachCharacter(std::string_view text, std::size_t most, Each each) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Decoded one = decode(text, at);
    if (at + one.bytes > most) break;
    each(one, at);
    at += one.bytes;
  }
  return at < text.size();
}

}  // namespace

std::string markdownText(std::string_view text, std::size_t most) {
  std::string out;
  const bool cut = eachCharacter(text, most, [&](const Decoded& one, std::size_t at) {
    if (one.valid && (one.code == '\n' || one.code == '\r' || one.code == '\t')) {
      out += ' ';
    } else if (!one.valid || isInvisible(one.code)) {
      out += kReplacement;
    } else {
      if (one.bytes == 1 && needsEscape(text, at)) out += '\\';
      out += text.substr(at, one.bytes);
    }
  });
  return cut ? out + "..." : out;
}

std::string visibleText(std::string_view text, LineBreaks breaks) {
  std::string out;
  eachCharacter(text, std::string_view::npos, [&](const Decoded& one, std::size_t at) {
    if (one.valid && one.code == '\n' && breaks == LineBreaks::kKept)
      out += '\n';
    else if (one.valid && one.code == '\r' && breaks == LineBreaks::kKept && text.substr(at + 1, 1) == "\n")
      return;
    else if (one.valid && (one.code == '\n' || one.code == '\r' || one.code == '\t'))
      out += ' ';
    else if (!one.valid || isInvisible(one.code))
      out += kReplacement;
    else
      out += text.substr(at, one.bytes);
  });
  return out;
}

}  // namespace runglass
