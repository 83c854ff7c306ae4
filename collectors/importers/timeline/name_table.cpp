// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/timeline/name_table.h"

#include <algorithm>

namespace runglass {
namespace {

// Reserved for names without their numbers.
constexpr std::size_t kReserve = 4'096;

std::string withoutNumbers(std::string_view name) {
  std::string text;
  bool in_number = false;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || !in_number) text += digit ? '#' : c;
    in_number = digit;
  }
  return text;
}

}  // namespace

const std::string& NameTable::admit(std::string_view name) {
  if (const std::string* kept = find(name, kMaxNames - kReserve)) return *kept;
  if (const std::string* kept = find(withoutNumbers(name), kMaxNames - 1)) return *kept;
  return *m_names.emplace(kOther).first;
}

// Null for a new name while `most` are known, or if it would exceed the limit of text.
const std::string* NameTable::find(std::string_view name, std::size_t most) {
  std::string text(name);
  if (const auto known = m_names.find(text); known != m_names.end()) return &*known;
  if (m_names.size() >= most || m_bytes + text.size() > kMaxBytes) return nullptr;
  m_bytes += text.size();
  return &*m_names.insert(std::move(text)).first;
}

}  // namespace runglass
