// SPDX-License-Identifier: GPL-3.0-or-later
// Output: a buffered file or stdout that remembers its first failure. A file gets its name when it is complete: until then it is NAME.part.
//
// Threading:  one thread.
// Ownership:  closes files that it opened, and deletes one that was not finished; stdout stays open.
// Units:      bytes.
// Errors:     write() returns no status; ok() shows a failure, finish() returns it (RESOURCE_EXHAUSTED: full disk, UNAVAILABLE: the reader
//             closed).
// Cost:       64 KiB buffer; spooled(): 64 MiB, and a file beyond that.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "model/result.h"

namespace runglass::ctl {

class Output {
 public:
  static Output standard() { return {stdout, "standard output", {}}; }
  // Writes to standard output only at finish(): a slow reader, such as a paused pager, then does not keep a store's snapshot open.
  static Output spooled();
  // Never overwrites a file: ALREADY_EXISTS.
  static Result<Output> create(const std::string& path);
  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output();

  void write(std::string_view text);
  // Prints lines for a terminal: control characters in quoted data become spaces. Not needed for JSON.
  void print(std::string text);
  bool ok() const { return m_errno == 0; }
  Status finish();

 private:
  Output(std::FILE* file, std::string name, std::string part) : m_file(file), m_name(std::move(name)), m_part(std::move(part)) {}
  void drain();
  void unspool();
  std::FILE* m_file;
  std::string m_name;
  std::string m_part;  // the file's name until it is finished; empty: no file, or finished
  std::string m_buffer;
  std::size_t m_buffered = 64 * 1024;  // size at which it is drained
  std::FILE* m_spool = nullptr;        // unnamed file; holds drained data until finish()
  bool m_spooled = false;
  int m_errno = 0;
};

// For a terminal: control characters, which could move the cursor or change the colours, become spaces, and so do line breaks.
std::string oneLine(std::string text);
// Shortest text that reads back as the same double; "inf", "-inf", "nan".
void appendDouble(std::string& text, double value);
// A JSON string literal; invalid UTF-8 becomes U+FFFD.
void appendJsonString(std::string& json, std::string_view text);

}  // namespace runglass::ctl
