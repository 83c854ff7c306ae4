// SPDX-License-Identifier: Apache-2.0
// LiteralIndex: finds which of many words occur in a text, in one pass for any number of words (Aho-Corasick, letters A-Z folded).
//
// Threading:  immutable after construction; find() can run on many threads, each with its own Hits.
// Ownership:  copies the words.
// Units:      bytes; words are numbered in the order given.
// Errors:     an empty word is never found.
// Cost:       build O(total length x distinct bytes); find() one table look-up per byte.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace runglass::train_log {

class LiteralIndex {
 public:
  // Numbers of the found words, each once, in no particular order. Reused from call to call.
  struct Hits {
    std::vector<int> words;
    std::vector<std::uint32_t> seen;  // per word: the last call that found it
    std::uint32_t call = 0;
  };

  explicit LiteralIndex(const std::vector<std::string>& words);
  void find(std::string_view text, Hits& hits) const;

 private:
  static constexpr std::uint32_t kHit = 1U << 31;  // in a table entry: a word ends in the next state
  void collect(std::uint32_t row, Hits& hits) const;

  std::array<std::uint8_t, 256> m_class{};  // byte -> column; 0 = in no word
  std::uint32_t m_columns = 1;
  std::vector<std::uint32_t> m_next;           // row of the next state | kHit
  std::vector<std::vector<int>> m_words_here;  // per state, with those of its suffixes
};

}  // namespace runglass::train_log
