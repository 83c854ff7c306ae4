// SPDX-License-Identifier: Apache-2.0
// BadFile: <store>-ingest.bad, for data that could not be stored: batches whose recording failed, and rows that the file refused. Internal
// to storage.
//
// Threading:  one thread at a time.
// Ownership:  opens the file for each append.
// Units:      bytes.
// Errors:     a record that would exceed kMaxBytes or cannot be written is dropped; the result states that.
// Cost:       one write per record, and an fdatasync with power_safe.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace runglass {

class BadFile {
 public:
  static constexpr std::int64_t kMaxBytes = std::int64_t{64} << 20;

  void open(std::string path, bool power_safe) { m_path = std::move(path), m_power_safe = power_safe; }
  const std::string& path() const { return m_path; }
  // Writes a line of JSON with these members and the length of the content, then the content and a newline. Returns the text for the issue.
  std::string append(std::initializer_list<std::pair<std::string_view, std::string>> head, std::string_view content) const;

 private:
  std::string m_path;
  bool m_power_safe = false;
};

}  // namespace runglass
