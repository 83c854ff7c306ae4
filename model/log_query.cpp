// SPDX-License-Identifier: Apache-2.0
#include "model/log_query.h"

#include <algorithm>

namespace runglass {
namespace {

constexpr std::size_t kMinPrefix = 3;                   // bytes: so many words begin with a shorter one that the index needs seconds
constexpr std::size_t kMaxTerms = 64, kMaxWords = 256;  // per query; the excess is ignored

bool partOfWord(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 128 || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool sameWord(std::string_view in_text, std::string_view wanted, bool prefix) {
  if (prefix ? in_text.size() < wanted.size() : in_text.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (lower(in_text[i]) != wanted[i]) return false;
  }
  return true;
}

// Chinese, Japanese and Korean text has no spaces between words: a run of it is searched within.
bool isRun(std::string_view word) {
  // A byte that begins a character from U+3000 on.
  return std::ranges::any_of(word, [](char c) { return static_cast<unsigned char>(c) >= 0xE3; });
}

// Where the words begin in that of the text, as the term's word number `i`.
std::optional<std::size_t> placeIn(std::string_view in_text, const LogQuery::Term& term, std::size_t i) {
  const std::string& wanted = term.words[i];
  const bool last = i + 1 == term.words.size();
  if (!isRun(wanted)) return sameWord(in_text, wanted, term.prefix && last) ? std::optional<std::size_t>(0) : std::nullopt;
  if (in_text.size() < wanted.size()) return std::nullopt;
  // Of a phrase, the first word ends a run and the last begins one.
  const std::size_t end = in_text.size() - wanted.size();
  for (std::size_t at = i == 0 && !last ? end : 0; at <= (i == 0 ? end : 0); ++at)
    if (sameWord(in_text.substr(at, wanted.size()), wanted, false)) return at;
  return std::nullopt;
}

// The first position at or after `from` where the term's words follow each other.
std::optional<TextPiece> find(std::string_view text, const LogQuery::Term& term, std::size_t from) {
  WordCursor at(text.substr(from));
  while (at.next()) {
    WordCursor ahead = at;
    std::size_t found = 0, begin = 0;
    while (const auto place = placeIn(ahead.word(), term, found)) {
      if (found == 0) begin = from + at.begin() + *place;
      const std::string& word = term.words[found];
      if (++found == term.words.size())
        return TextPiece{begin, isRun(word) ? from + ahead.begin() + *place + word.size() : from + ahead.end()};
      if (!ahead.next()) return std::nullopt;
    }
  }
  return std::nullopt;
}

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

bool WordCursor::next() {
  m_begin = m_end;
  while (m_begin < m_text.size() && !partOfWord(m_text[m_begin])) ++m_begin;
  m_end = m_begin;
  while (m_end < m_text.size() && partOfWord(m_text[m_end])) ++m_end;
  return m_end > m_begin;
}

LogQuery::LogQuery(std::string_view typed) {
  std::size_t at = 0, words = 0;
  while (at < typed.size() && m_terms.size() < kMaxTerms) {
    if (isSpace(typed[at])) {
      ++at;
      continue;
    }
    Term term;
    if (typed[at] == '-') term.without = true, ++at;
    const bool quoted = at < typed.size() && typed[at] == '"';
    const std::size_t begin = quoted ? at + 1 : at;
    std::size_t end = begin;
    while (end < typed.size() && (quoted ? typed[end] != '"' : !isSpace(typed[end]))) ++end;
    const std::string_view piece = typed.substr(begin, end - begin);
    at = quoted && end < typed.size() ? end + 1 : end;
    term.prefix = quoted ? at < typed.size() && typed[at] == '*' : piece.ends_with('*');
    if (quoted && term.prefix) ++at;
    for (WordCursor word(piece); word.next() && words < kMaxWords; ++words) {
      term.words.emplace_back(word.word());
      std::ranges::transform(term.words.back(), term.words.back().begin(), lower);
    }
    if (!term.words.empty()) m_terms.push_back(std::move(term));
  }
}

bool LogQuery::matches(std::string_view text) const {
  return std::ranges::all_of(m_terms, [&](const Term& term) { return find(text, term, 0).has_value() != term.without; });
}

std::vector<TextPiece> LogQuery::marks(std::string_view text) const {
  std::vector<TextPiece> marks;
  for (const Term& term : m_terms) {
    if (term.without) continue;
    for (auto piece = find(text, term, 0); piece; piece = find(text, term, piece->end)) marks.push_back(*piece);
  }
  std::ranges::sort(marks, {}, &TextPiece::begin);
  std::vector<TextPiece> apart;
  for (const TextPiece& piece : marks) {
    if (!apart.empty() && piece.begin < apart.back().end) {
      apart.back().end = std::max(apart.back().end, piece.end);
    } else {
      apart.push_back(piece);
    }
  }
  return apart;
}

std::string LogQuery::indexExpression() const {
  std::string expression;
  for (const Term& term : m_terms) {
    if (term.without) continue;
    for (std::size_t i = 0; i < term.words.size(); ++i) {
      const bool prefix = term.prefix && i + 1 == term.words.size();
      if (isRun(term.words[i]) || (prefix && term.words[i].size() < kMinPrefix)) continue;
      if (!expression.empty()) expression += " AND ";
      // Words contain no quotes.
      expression.append("\"").append(term.words[i]).append("\"");
      if (prefix) expression += " *";
    }
  }
  return expression;
}

}  // namespace runglass
