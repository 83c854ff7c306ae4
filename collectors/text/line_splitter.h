// SPDX-License-Identifier: Apache-2.0
// LineSplitter: cuts a byte stream into lines at \n, \r and \r\n (progress bars overwrite themselves with \r).
//
// Threading:  one thread.
// Ownership:  a line's view is valid during the callback only.
// Units:      bytes; offsets count from the first byte pushed plus `start`.
// Errors:     a line longer than kMaxLine is passed on once, cut to kMaxLine; the rest is skipped and counted.
// Cost:       O(bytes); buffers at most kMaxLine of an unfinished line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace runglass::train_log {

class LineSplitter {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{1} << 20;

  explicit LineSplitter(std::uint64_t start = 0) : m_line_at(start), m_at(start) {}

  // Calls on_line(std::string_view line, std::uint64_t offset_of_its_first_byte) for every finished line.
  template <class OnLine>
  void push(std::string_view bytes, OnLine&& on_line) {
    while (!bytes.empty()) {
      const std::size_t end = endOfLine(bytes);
      const bool finished = end < bytes.size();
      const std::string_view piece = bytes.substr(0, end);
      m_at += end + (finished ? 1 : 0);
      bytes.remove_prefix(end + (finished ? 1 : 0));
      if (!finished) {
        keep(piece);
      } else if (m_partial.empty() && !m_skipping && piece.size() <= kMaxLine) {
        on_line(piece, m_line_at);
        startLine();
      } else {
        keep(piece);
        on_line(std::string_view(m_partial), m_line_at);
        startLine();
      }
    }
  }

  // The unfinished last line ("" if there is none) and its offset, where a later read must begin.
  std::string_view partial() const { return m_partial; }
  std::uint64_t lineStart() const { return m_line_at; }
  std::uint64_t offset() const { return m_at; }
  std::int64_t longLines() const { return m_long_lines; }
  std::uint64_t skippedBytes() const { return m_skipped_bytes; }

 private:
  static std::size_t endOfLine(std::string_view bytes) {
    const void* newline = std::memchr(bytes.data(), '\n', bytes.size());
    const std::size_t end = newline ? static_cast<std::size_t>(static_cast<const char*>(newline) - bytes.data()) : bytes.size();
    const void* back = std::memchr(bytes.data(), '\r', end);
    return back ? static_cast<std::size_t>(static_cast<const char*>(back) - bytes.data()) : end;
  }
  void keep(std::string_view piece) {
    // A log truncated while it is written has a hole of zeros, perhaps gigabytes long; the zeros are not part of the next line.
    if (m_partial.empty()) piece.remove_prefix(std::min(piece.find_first_not_of('\0'), piece.size()));
    const std::size_t room = kMaxLine - m_partial.size();
    m_partial.append(piece.substr(0, room));
    if (piece.size() <= room) return;
    m_long_lines += m_skipping ? 0 : 1;
    m_skipping = true;
    m_skipped_bytes += piece.size() - room;
  }
  void startLine() {
    m_partial.clear();
    m_skipping = false;
    m_line_at = m_at;
  }

  std::string m_partial;
  bool m_skipping = false;
  std::uint64_t m_line_at, m_at;
  std::int64_t m_long_lines = 0;
  std::uint64_t m_skipped_bytes = 0;
};

// Copies `line` to `out` without ANSI escape sequences (CSI, OSC, two-byte escapes). Only needed for lines with an ESC byte.
void stripAnsi(std::string_view line, std::string& out);

}  // namespace runglass::train_log
