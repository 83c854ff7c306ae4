// SPDX-License-Identifier: Apache-2.0
// NameTable: the names of one file's spans, limited: a writer with an address or a counter in every name would fill the memory of this
// reader, and of every later reader of the store.
//
// Threading:  one thread.
// Ownership:  owns the names; results of admit() live as long as the table.
// Units:      bytes.
// Errors:     beyond the limit, a name is replaced by the name without its numbers ("copy 17" -> "copy #"), or by kOther.
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
