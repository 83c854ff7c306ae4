// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/train_log/pairs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace runglass::train_log {
namespace {
constexpr int kMaxDepth = 8;

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isKeyChar(char c) { return isLetter(c) || isDigit(c) || c == '_' || c == '.' || c == '/' || c == '-'; }
// Size in bytes of a Chinese, Japanese or Korean letter at text[i]; 0: none. These are U+3041 to U+D7FF of UTF-8's three-byte letters.
std::size_t wideLetter(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (i + 2 >= text.size() || (byte(i + 1) & 0xC0) != 0x80 || (byte(i + 2) & 0xC0) != 0x80) return 0;
  return (byte(i) == 0xE3 && byte(i + 1) > 0x80) || (byte(i) > 0xE3 && byte(i) < 0xEE) ? 3 : 0;
}

void add(std::vector<Pair>& out, std::string_view key, std::string_view text) {
  key = trimmed(key);
  if (!key.empty() && out.size() < kMaxPairs) out.push_back({std::string(key), std::string(trimmed(text))});
}

// "now/average: 12.5/12.1" and "time (ms): 12.5/12.1": a list of values under one name, or with as many names as values.
void addList(std::vector<Pair>& out, std::string_view key, std::string_view text) {
  const auto parts = [](std::string_view list) { return 1 + std::count(list.begin(), list.end(), '/'); };
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || !parseQuantity(text.substr(0, slash)) || !parseQuantity(text.substr(text.rfind('/') + 1)))
    return add(out, key, text);
  if (parts(key) != parts(text)) return add(out, key, text.substr(0, slash));
  const std::string_view first = key.substr(0, key.find('/'));
  for (bool begin = true; !text.empty(); begin = false) {
    const std::size_t key_end = std::min(key.find('/'), key.size()), text_end = std::min(text.find('/'), text.size());
    add(out, begin ? std::string(first) : std::string(trimmed(first)) + "/" + std::string(trimmed(key.substr(0, key_end))),
        text.substr(0, text_end));
    key.remove_prefix(std::min(key_end + 1, key.size()));
    text.remove_prefix(std::min(text_end + 1, text.size()));
  }
}

// "lm loss 1.05E+01": a name of several words and a number.
void addNameAndNumber(std::vector<Pair>& out, std::string_view piece) {
  const std::size_t space = piece.rfind(' ');
  if (space == std::string_view::npos || !isLetter(piece.front()) || !parseQuantity(piece.substr(space + 1))) return;
  const std::string_view name = piece.substr(0, space);
  if (std::all_of(name.begin(), name.end(), [](char c) { return isLetter(c) || c == ' ' || c == '_' || c == '-'; }))
    add(out, name, piece.substr(space + 1));
}

void readBars(std::string_view text, std::vector<Pair>& out) {
  while (!text.empty()) {
    const std::size_t bar = text.find('|');
    const std::string_view piece = text.substr(0, bar);
    std::size_t colon = piece.rfind(':');
    if (colon == std::string_view::npos) colon = piece.rfind('=');
    if (colon != std::string_view::npos)
      addList(out, piece.substr(0, colon), piece.substr(colon + 1));
    else
      addNameAndNumber(out, trimmed(piece));
    text.remove_prefix(bar == std::string_view::npos ? text.size() : bar + 1);
  }
}

// Position after the bracket that closes the one at text[at], or the end.
std::size_t afterBracket(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '[' || text[at] == '(') ++depth;
    if ((text[at] == ']' || text[at] == ')') && --depth <= 0) return at + 1;
  }
  return at;
}

// "[9.6e-06, 9.6e-06]" -> "9.6e-06": one value for each parameter group, of which the first is used.
std::string_view firstOfList(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of("[( "), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_first_of(",])"));
}

constexpr std::string_view kWideColon = "：", kWideEquals = "＝", kWideComma = "，";

// Size in bytes of the mark between a name and its value at the start of `text`; 0: none.
std::size_t markAt(std::string_view text) {
  for (const std::string_view mark : {kWideColon, kWideEquals})
    if (text.starts_with(mark)) return mark.size();
  return text.starts_with(':') || (text.starts_with('=') && !text.starts_with("==")) ? 1 : 0;
}

void readWords(std::string_view text, std::vector<Pair>& out) {
  for (std::size_t i = 0; i < text.size();) {
    if (!isLetter(text[i]) && text[i] != '_' && wideLetter(text, i) == 0) {
      ++i;
      continue;
    }
    const std::size_t key_at = i;
    for (std::size_t letter = 1; i < text.size() && letter > 0; i += letter) letter = isKeyChar(text[i]) ? 1 : wideLetter(text, i);
    const std::string_view key = text.substr(key_at, i - key_at);
    std::size_t mark_at = i;
    while (mark_at < text.size() && isSpace(text[mark_at])) ++mark_at;
    const std::size_t mark = markAt(text.substr(mark_at));
    if (mark == 0) continue;
    i = mark_at + mark;
    while (i < text.size() && isSpace(text[i])) ++i;
    if (i == text.size()) break;
    const std::size_t value_at = i;
    if (text[i] == '[' || text[i] == '(') {
      i = afterBracket(text, i);
      add(out, key, firstOfList(text.substr(value_at, i - value_at)));
      continue;
    }
    while (i < text.size() && !isSpace(text[i]) && text[i] != '|' && !text.substr(i).starts_with(kWideComma)) ++i;
    std::size_t end = i;
    while (end > value_at && (text[end - 1] == ',' || text[end - 1] == ';')) --end;
    add(out, key, text.substr(value_at, end - value_at));
  }
}

// A tolerant reader of JSON and of Python's repr of dicts: ' or " quotes, None/True/False, a missing end.
class DictReader {
 public:
  DictReader(std::string_view text, std::vector<Pair>& out) : m_text(text), m_out(out) {}
  void read() {
    m_at = std::min(m_text.find('{'), m_text.size());
    dict("", 0);
  }

 private:
  bool done() const { return m_at >= m_text.size() || m_out.size() >= kMaxPairs; }
  void skip() {
    while (m_at < m_text.size() && (isSpace(m_text[m_at]) || m_text[m_at] == ',')) ++m_at;
  }
  std::string quoted() {
    const char quote = m_text[m_at++];
    std::string out;
    while (m_at < m_text.size() && m_text[m_at] != quote) {
      if (m_text[m_at] == '\\' && m_at + 1 < m_text.size()) ++m_at;
      out += m_text[m_at++];
    }
    ++m_at;
    return out;
  }
  void dict(const std::string& prefix, int depth) {
    if (done() || depth > kMaxDepth) return;
    ++m_at;  // '{'
    for (skip(); !done() && m_text[m_at] != '}'; skip()) {
      const std::size_t before = m_at;
      std::string key;
      if (m_text[m_at] == '"' || m_text[m_at] == '\'') {
        key = quoted();
      } else {
        const std::size_t end = std::min(m_text.find_first_of(":,}", m_at), m_text.size());
        key = trimmed(m_text.substr(m_at, end - m_at));
        m_at = end;
      }
      skip();
      if (m_at < m_text.size() && m_text[m_at] == ':') {
        ++m_at;
        skip();
        if (m_at < m_text.size()) value(prefix.empty() ? key : prefix + "." + key, depth);
      }
      if (m_at == before) ++m_at;  // no pair here: advance anyway
    }
    ++m_at;  // '}'
  }
  void value(const std::string& key, int depth) {
    const char c = m_text[m_at];
    if (c == '{') {
      if (depth >= kMaxDepth) m_at = m_text.size();
      dict(key, depth + 1);
    } else if (c == '"' || c == '\'') {
      add(m_out, key, quoted());
    } else if (c == '[' || c == '(') {
      const std::size_t begin = m_at;
      m_at = afterBracket(m_text, m_at);
      add(m_out, key, m_text.substr(begin, m_at - begin));
    } else {
      const std::size_t end = std::min(m_text.find_first_of(",}", m_at), m_text.size());
      add(m_out, key, m_text.substr(m_at, end - m_at));
      m_at = end;
    }
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  std::vector<Pair>& m_out;
};

struct Suffix {
  std::string_view text;
  std::string_view unit;
  double scale;
};
constexpr std::array kSuffixes = {
    Suffix{"", "", 1},
    Suffix{"ns", "ns", 1},
    Suffix{"us", "ns", 1e3},
    Suffix{"ms", "ns", 1e6},
    Suffix{"s", "ns", 1e9},
    Suffix{"sec", "ns", 1e9},
    Suffix{"m", "ns", 60e9},
    Suffix{"min", "ns", 60e9},
    Suffix{"h", "ns", 3600e9},
    Suffix{"%", "ratio", 0.01},
    Suffix{"B", "bytes", 1},
    Suffix{"KB", "bytes", 1e3},
    Suffix{"MB", "bytes", 1e6},
    Suffix{"GB", "bytes", 1e9},
    Suffix{"TB", "bytes", 1e12},
    Suffix{"KiB", "bytes", 1024},
    Suffix{"MiB", "bytes", 1048576},
    Suffix{"GiB", "bytes", 1073741824},
    Suffix{"TiB", "bytes", 1099511627776},
    Suffix{"K", "", 1e3},
    Suffix{"M", "", 1e6},
    Suffix{"G", "", 1e9},
    Suffix{"T", "", 1e12},
    Suffix{"TFLOPS", "flops_per_s", 1e12},
    Suffix{"TFLOP/s", "flops_per_s", 1e12},
    Suffix{"TFLOPs", "flops_per_s", 1e12},
    Suffix{"GFLOPS", "flops_per_s", 1e9},
};

// Copies the number at the start of `text` without its thousands separators ("1,003.47"); returns the number of characters read.
std::size_t readNumber(std::string_view text, char (&out)[64], std::size_t& length) {
  std::size_t i = 0;
  length = 0;
  const auto put = [&](char c) { return length < sizeof(out) ? (out[length++] = c, true) : false; };
  if (i < text.size() && (text[i] == '-' || text[i] == '+') && text[i++] == '-' && !put('-')) return 0;
  const std::size_t first = i;
  for (; i < text.size(); ++i) {
    if (isDigit(text[i])) {
      if (!put(text[i])) return 0;
    } else if (text[i] != ',' || i == first || i + 3 >= text.size() || !isDigit(text[i + 1]) || !isDigit(text[i + 2]) ||
               !isDigit(text[i + 3]) || (i + 4 < text.size() && isDigit(text[i + 4]))) {
      break;
    }
  }
  const std::size_t digits = i - first;
  if (i < text.size() && text[i] == '.') {
    if (!put(text[i++])) return 0;
    for (; i < text.size() && isDigit(text[i]); ++i)
      if (!put(text[i])) return 0;
    if (digits == 0 && (i < 2 || !isDigit(text[i - 1]))) return 0;
  } else if (digits == 0) {
    return 0;
  }
  if (i + 1 < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t e = i + 1;
    if (text[e] == '+' || text[e] == '-') ++e;
    if (e < text.size() && isDigit(text[e])) {
      if (!put('e') || (text[i + 1] == '-' && !put('-'))) return 0;
      for (; e < text.size() && isDigit(text[e]); ++e)
        if (!put(text[e])) return 0;
      i = e;
    }
  }
  return i;
}

bool startsWithFolded(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if ((text[i] | 0x20) != word[i]) return false;
  return true;
}

// "np.float64(0.5)" and "tensor(0.5, device='cuda:0')", Python's output for values not converted to numbers: "0.5". The end can be missing.
std::string_view unwrapped(std::string_view text) {
  if (!text.starts_with("tensor(") && !text.starts_with("np.") && !text.starts_with("numpy.")) return text;
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return text;
  text.remove_prefix(open + 1);
  return trimmed(text.substr(0, text.find_first_of(",)")));
}

// nan, inf, infinity with an optional sign; returns the number of characters read.
std::size_t readNonFinite(std::string_view text, double& value) {
  const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::string_view rest = text.substr(sign);
  value = startsWithFolded(rest, "nan") ? std::nan("") : HUGE_VAL;
  if (sign == 1 && text[0] == '-') value = -value;
  if (startsWithFolded(rest, "nan")) return sign + 3;
  if (startsWithFolded(rest, "infinity")) return sign + 8;
  return startsWithFolded(rest, "inf") ? sign + 3 : 0;
}
}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && isSpace(text.back())) text.remove_suffix(1);
  return text;
}

void readPairs(PairStyle style, std::string_view text, std::vector<Pair>& out) {
  switch (style) {
    case PairStyle::kNone:
      return;
    case PairStyle::kBars:
      return readBars(text, out);
    case PairStyle::kWords:
      return readWords(text, out);
    case PairStyle::kJson:
      return DictReader(text, out).read();
  }
}

std::optional<Quantity> parseQuantity(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  char number[64];
  std::size_t length = 0;
  text = unwrapped(text);
  std::size_t used = readNumber(text, number, length);
  if (used != 0) {
    const auto [end, error] = std::from_chars(number, number + length, value);
    // Out of range uses strtod's result: the printed digits overflow or underflow a double.
    if (error == std::errc::result_out_of_range) value = std::strtod(std::string(number, length).c_str(), nullptr);
    if (error == std::errc::invalid_argument || end != number + length) return std::nullopt;
  } else if (used = readNonFinite(text, value); used == 0) {
    return std::nullopt;
  }
  std::string_view rest = text.substr(used);
  if (const std::size_t remark = rest.find('('); remark != std::string_view::npos && rest.ends_with(')')) rest = rest.substr(0, remark);
  rest = trimmed(rest);
  for (const Suffix& suffix : kSuffixes)
    if (rest == suffix.text) return Quantity{value * suffix.scale, suffix.unit};
  return std::nullopt;
}

std::optional<std::int64_t> parseInteger(std::string_view text) {
  text = trimmed(text);
  std::string digits;
  for (const char c : text)
    if (c != ',') digits += c;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace runglass::train_log
