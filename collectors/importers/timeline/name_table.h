// SPDX-License-Identifier: Apache-2.0
// NameTable: the names of one file's spans, bounded: a writer that puts an address or a counter into every name would fill the memory of
// whoever reads it, and of every later reader of the store.
//
// Threading:  one thread.
// Ownership:  owns the names; what admit() returns lives as long as the book.
// Units:      bytes.
// Errors:     none: a name too many becomes what it is without its numbers ("copy 17" -> "copy #"), or kOther.
// Cost:       one look-up; at most kMaxNames names of kMaxBytes in all.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace runglass {

class NameTable {
 public:
  static constexpr std::size_t kMaxNames = 65'536, kMaxBytes = 16U << 20;
  static constexpr std::string_view kOther = "(one of too many names)";

  const std::string& admit(std::string_view name);

 private:
  const std::string* find(std::string_view name, std::size_t most);
  std::unordered_set<std::string> m_names;
  std::size_t m_bytes = 0;
};

}  // namespace runglass
