// SPDX-License-Identifier: Apache-2.0
// LogQuery: what somebody typed to find log lines: words, "quoted phrases", prefix*, -without. Any text is a query; none is an error.
//
// Threading:  immutable once made.
// Ownership:  owns its words.
// Units:      bytes of the text; half-open.
// Errors:     none. What holds no letter or digit asks for nothing.
// Cost:       matches(): one pass over the text per term, about 100 ns for a line of 100 bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runglass {

// The words of a text as the search index has them: runs of ASCII letters, digits and bytes above 127; ASCII letters without case. All
// else parts words, so that "NCCL_IB_TIMEOUT" is found by "timeout" and by "ib_timeout".
class WordCursor {
 public:
  // What the index keeps of a word.
  static constexpr std::size_t kMaxBytes = 32'768;
  explicit WordCursor(std::string_view text) : m_text(text) {}
  // The next word as it stands in the text; false: there is none.
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
    std::vector<std::string> words;  // in lower case, one behind the other in the text
    bool prefix = false;             // the last one may go on
    bool without = false;
    friend bool operator==(const Term&, const Term&) = default;
  };

  LogQuery() = default;
  explicit LogQuery(std::string_view typed);

  bool asksNothing() const { return m_terms.empty(); }
  const std::vector<Term>& terms() const { return m_terms; }
  // Every term is there, and none of those without.
  bool matches(std::string_view text) const;
  // Where the terms are, in order and apart from each other.
  std::vector<TextPiece> marks(std::string_view text) const;
  // An FTS5 expression that no matching text fails (it may admit others, and says nothing of short prefixes); empty: only a look at every
  // text can tell.
  std::string indexExpression() const;

 private:
  std::vector<Term> m_terms;
};

}  // namespace runglass
