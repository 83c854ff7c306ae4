// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. m_next is complete: every (state, column) has an entry, so that a scan never follows a failure link.
// 2. Row numbers are premultiplied by m_columns and stay below kHit (checked at construction).
#include "collectors/importers/train_log/literal_index.h"

#include <queue>

#include "model/result.h"

namespace runglass::train_log {
namespace {
std::uint8_t fold(unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<std::uint8_t>(c - 'A' + 'a') : c; }
constexpr std::uint32_t kNone = 0xFFFFFFFF;
}  // namespace

LiteralIndex::LiteralIndex(const std::vector<std::string>& words) {
  std::array<std::uint8_t, 256> column_of{};
  for (const std::string& word : words)
    for (const char c : word)
      if (auto& column = column_of[fold(static_cast<unsigned char>(c))]; column == 0) column = static_cast<std::uint8_t>(m_columns++);
  for (unsigned c = 0; c < 256; ++c) m_class[c] = column_of[fold(static_cast<unsigned char>(c))];

  // Builds the trie, then folds its failure links into the table in breadth-first order.
  std::vector<std::vector<std::uint32_t>> trie(1, std::vector<std::uint32_t>(m_columns, kNone));
  m_words_here.resize(1);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t state = 0;
    for (const char c : words[i]) {
      const std::uint8_t column = m_class[static_cast<unsigned char>(c)];
      if (trie[state][column] == kNone) {
        trie[state][column] = static_cast<std::uint32_t>(trie.size());
        trie.emplace_back(m_columns, kNone);
        m_words_here.emplace_back();
      }
      state = trie[state][column];
    }
    if (state != 0) m_words_here[state].push_back(static_cast<int>(i));
  }
  RG_CHECK(trie.size() * m_columns < kHit);

  std::vector<std::uint32_t> fail(trie.size(), 0);
  std::queue<std::uint32_t> todo;
  for (auto& next : trie[0]) {
    if (next == kNone)
      next = 0;
    else
      todo.push(next);
  }
  while (!todo.empty()) {
    const std::uint32_t state = todo.front();
    todo.pop();
    const auto& inherited = m_words_here[fail[state]];
    m_words_here[state].insert(m_words_here[state].end(), inherited.begin(), inherited.end());
    for (std::uint32_t column = 0; column < m_columns; ++column) {
      std::uint32_t& next = trie[state][column];
      const std::uint32_t by_suffix = trie[fail[state]][column];
      if (next == kNone) {
        next = by_suffix;
      } else {
        fail[next] = by_suffix;
        todo.push(next);
      }
    }
  }
  m_next.reserve(trie.size() * m_columns);
  for (const auto& row : trie)
    for (const std::uint32_t next : row) m_next.push_back(next * m_columns | (m_words_here[next].empty() ? 0 : kHit));
}

void LiteralIndex::find(std::string_view text, Hits& hits) const {
  hits.words.clear();
  ++hits.call;
  std::uint32_t row = 0;
  for (const char c : text) {
    const std::uint32_t next = m_next[row + m_class[static_cast<unsigned char>(c)]];
    row = next & ~kHit;
    if (next & kHit) [[unlikely]]
      collect(row, hits);
  }
}

void LiteralIndex::collect(std::uint32_t row, Hits& hits) const {
  for (const int word : m_words_here[row / m_columns]) {
    const auto at = static_cast<std::size_t>(word);
    if (hits.seen.size() <= at) hits.seen.resize(at + 1, 0);
    if (hits.seen[at] == hits.call) continue;
    hits.seen[at] = hits.call;
    hits.words.push_back(word);
  }
}

}  // namespace runglass::train_log
