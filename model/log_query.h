// SPDX-License-Identifier: Apache-2.0
// LogQuery: a search for log lines as typed: words, "quoted phrases", prefix*, -without. Every text is a valid query.
//
// Threading:  immutable after construction.
// Ownership:  owns its words.
// Units:      bytes of the text; half-open.
// Errors:     a query without letters or digits has no terms.
// Cost:       matches(): one pass over the text per term, about 100 ns for a line of 100 bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runglass {

// The words of a text as in the search index: runs of ASCII letters, digits and bytes above 127; ASCII letters ignore case. All other
// characters separate words, so that "NCCL_IB_TIMEOUT" is found by "timeout" and by "ib_timeout".
class WordCursor {
 public:
  // The index keeps this many bytes of a word.
  static constexpr std::size_t kMaxBytes = 32'768;
  explicit WordCursor(std::string_view text) : m_text(text) {}
  // Moves to the next word of the text; false: none left.
  bool next();
  std::string_view word() const { return m_text.substr(m_begin, std::min(m_end - m_begin, kMaxBytes)); }
  std::size_t begin() const { return m_begin; }
  std::size_t end() const { return m_end; }

 private:
  std::string_view m_text;
  std::size_t m_begin = 0, m_end = 0;
};

struct TextPiece {
  std::size_t begin = 0, end = 0;
  friend bool operator==(const TextPiece&, const TextPiece&) = default;
};

class LogQuery {
 public:
  struct Term {
    std::vector<std::string> words;  // in lower case, consecutive in the text
    bool prefix = false;             // the last word is a prefix
    bool without = false;
    friend bool operator==(const Term&, const Term&) = default;
  };

  LogQuery() = default;
  explicit LogQuery(std::string_view typed);

  bool asksNothing() const { return m_terms.empty(); }
  const std::vector<Term>& terms() const { return m_terms; }
  // All terms occur in the text, and none of the -without terms.
  bool matches(std::string_view text) const;
  // The positions of the terms, in order and without overlaps.
  std::vector<TextPiece> marks(std::string_view text) const;
  // An FTS5 expression that every matching text satisfies (other texts may too; short prefixes are not included); empty: only reading every
  // text decides.
  std::string indexExpression() const;

 private:
  std::vector<Term> m_terms;
};

}  // namespace runglass
