// SPDX-License-Identifier: Apache-2.0
// Which texts a spreadsheet would evaluate when it opens them as a cell of a CSV file (OWASP, "CSV Injection").
//
// Threading:  a pure function.
// Units:      UTF-8.
// Cost:       a look at the first character.
#pragma once

#include <string_view>

namespace runglass {

inline bool startsFormula(std::string_view text) {
  if (text.empty()) return false;
  // NUL is what spreadsheets skip before they look for a formula.
  if (std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos || text.front() == '\0') return true;
  // Full-width forms are formulas in some locales.
  for (const std::string_view wide : {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"})
    if (text.starts_with(wide)) return true;
  return false;
}

}  // namespace runglass
