// SPDX-License-Identifier: Apache-2.0
// Texts that a spreadsheet would evaluate as a formula when it opens them as a cell of a CSV file (OWASP, "CSV Injection").
//
// Threading:  a pure function.
// Units:      UTF-8.
// Cost:       O(1).
#pragma once

#include <string_view>

namespace runglass {

inline bool startsFormula(std::string_view text) {
  if (text.empty()) return false;
  // Spreadsheets skip NUL before they look for a formula.
  if (std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos || text.front() == '\0') return true;
  // Full-width characters start a formula in some locales.
  for (const std::string_view wide : {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"})
    if (text.starts_with(wide)) return true;
  return false;
}

}  // namespace runglass
