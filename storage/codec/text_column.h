// SPDX-License-Identifier: Apache-2.0
// TextColumn: many short texts in one piece of memory, in the order they came in.
//
// Threading:  a plain value.
// Ownership:  owns the texts; what operator[] returns lives until the next change.
// Units:      bytes.
// Errors:     none.
// Cost:       8 bytes a text and no allocation of its own; clear() keeps the room.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace runglass {

class TextColumn {
 public:
  void push_back(std::string_view text) {
    m_text.append(text);
    m_ends.push_back(m_text.size());
  }
  void resize(std::size_t n) {  // with empty texts, to n or more
    if (n > size()) m_ends.resize(n, m_text.size());
  }
  void clear() { m_text.clear(), m_ends.clear(); }
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : m_ends[i - 1];
    return std::string_view(m_text).substr(begin, m_ends[i] - begin);
  }
  std::size_t size() const { return m_ends.size(); }
  bool empty() const { return m_ends.empty(); }
  const std::string& text() const { return m_text; }  // all of them, one behind the other
  friend bool operator==(const TextColumn&, const TextColumn&) = default;

 private:
  std::string m_text;
  std::vector<std::size_t> m_ends;
};

}  // namespace runglass
