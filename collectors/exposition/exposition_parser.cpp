// SPDX-License-Identifier: Apache-2.0
#include "collectors/exposition/exposition_parser.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace runglass {
namespace {

constexpr std::int64_t kLastSecond = 7'258'118'400;  // 2200
constexpr std::string_view kBlank = " \t";

bool isNameBegin(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':'; }
bool isNamePart(char c) { return isNameBegin(c) || (c >= '0' && c <= '9'); }

std::string_view takeName(std::string_view& rest) {
  std::size_t n = 0;
  if (!rest.empty() && isNameBegin(rest.front()))
    while (n < rest.size() && isNamePart(rest[n])) ++n;
  const std::string_view name = rest.substr(0, n);
  rest.remove_prefix(n);
  return name;
}

void skipBlanks(std::string_view& rest) { rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size())); }

std::string_view takeWord(std::string_view& rest) {
  skipBlanks(rest);
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlank));
  rest.remove_prefix(word.size());
  skipBlanks(rest);
  return word;
}

}  // namespace

std::optional<double> exposedNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text == "NaN" || text == "nan") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

ExpositionParser::Line ExpositionParser::line(std::string_view text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  skipBlanks(text);
  if (text.empty()) return Line::kBlank;
  if (text.front() == '#') return comment(text.substr(1));
  m_sample.labels.clear();
  m_sample.time.reset();
  m_sample.exemplar = false;
  m_unescaped.clear();
  m_unescaped.reserve(text.size());
  std::string_view rest = text;
  m_sample.name = takeName(rest);
  if (m_sample.name.empty()) return Line::kBad;
  const bool blank = !rest.empty() && kBlank.find(rest.front()) != std::string_view::npos;
  skipBlanks(rest);
  if (!rest.empty() && rest.front() == '{') {
    rest.remove_prefix(1);
    if (!labels(rest)) return Line::kBad;
  } else if (!blank) {
    return Line::kBad;
  }
  m_sample.key = text.substr(0, text.size() - rest.size());
  const auto value = exposedNumber(takeWord(rest));
  if (!value) return Line::kBad;
  m_sample.value = *value;
  if (!rest.empty() && rest.front() != '#' && !time(takeWord(rest))) return Line::kBad;
  if (rest.starts_with("# {")) {
    m_sample.exemplar = true;
    rest = {};
  }
  return rest.empty() ? Line::kSample : Line::kBad;
}

// `rest` begins after the opening brace; on return, after the closing one.
bool ExpositionParser::labels(std::string_view& rest) {
  for (skipBlanks(rest); !rest.empty() && rest.front() != '}'; skipBlanks(rest)) {
    const std::string_view name = takeName(rest);
    skipBlanks(rest);
    if (name.empty() || m_sample.labels.size() >= kMaxLabels || !rest.starts_with('=')) return false;
    rest.remove_prefix(1);
    skipBlanks(rest);
    if (!rest.starts_with('"')) return false;
    rest.remove_prefix(1);
    std::size_t end = 0;
    bool escaped = false;
    for (; end < rest.size() && rest[end] != '"'; ++end)
      if (rest[end] == '\\') escaped = true, ++end;
    if (end >= rest.size()) return false;
    std::string_view value = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (escaped) {
      const std::size_t begin = m_unescaped.size();
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] == '\\' && i + 1 < value.size())
          m_unescaped += value[++i] == 'n' ? '\n' : value[i];
        else
          m_unescaped += value[i];
      }
      value = std::string_view(m_unescaped).substr(begin);
    }
    m_sample.labels.emplace_back(name, value);
    skipBlanks(rest);
    if (rest.starts_with(','))
      rest.remove_prefix(1);
    else if (!rest.starts_with('}'))
      return false;
  }
  if (rest.empty()) return false;
  rest.remove_prefix(1);
  return true;
}

bool ExpositionParser::time(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::int64_t units = 0;
  const auto parsed = std::from_chars(whole.data(), whole.data() + whole.size(), units);
  if (parsed.ec != std::errc() || parsed.ptr != whole.data() + whole.size() || units < 0) return false;
  const bool seconds = m_clock == Clock::kSeconds || point != std::string_view::npos || (m_clock == Clock::kGuess && units <= kLastSecond);
  if (m_clock == Clock::kMilliseconds && point != std::string_view::npos) return false;
  if (units > (seconds ? kLastSecond : kLastSecond * 1'000)) return false;
  std::int64_t ns = 0, scale = kNsPerSecond / 10;
  if (point != std::string_view::npos) {
    for (const char c : text.substr(point + 1)) {
      if (c < '0' || c > '9') return false;
      ns += (c - '0') * scale;
      scale /= 10;
    }
  }
  m_sample.time = units * (seconds ? kNsPerSecond : kNsPerMs) + ns;
  return true;
}

ExpositionParser::Line ExpositionParser::comment(std::string_view text) {
  const std::string_view word = takeWord(text);
  if (word == "EOF" && text.empty()) return Line::kEnd;
  if (word == "HELP") return Line::kHelp;
  if (word == "UNIT") return Line::kUnit;
  if (word != "TYPE") return Line::kComment;
  const std::string_view family = takeWord(text), type = takeWord(text);
  if (family.empty() || type.empty() || type.size() > 32 || !text.empty()) return Line::kBad;
  if (m_types.size() < kMaxFamilies && family.size() <= 1'024) m_types.insert_or_assign(std::string(family), std::string(type));
  return Line::kType;
}

std::string_view ExpositionParser::typeOf(std::string_view metric) const {
  if (const auto known = m_types.find(metric); known != m_types.end()) return known->second;
  // Suffixes of the samples of histograms, summaries and OpenMetrics counters: their TYPE line names the family without the suffix.
  for (const std::string_view part : {"_bucket", "_count", "_sum", "_total", "_created", "_info", "_gsum", "_gcount"}) {
    if (!metric.ends_with(part)) continue;
    if (const auto known = m_types.find(metric.substr(0, metric.size() - part.size())); known != m_types.end()) return known->second;
  }
  return {};
}

}  // namespace runglass
