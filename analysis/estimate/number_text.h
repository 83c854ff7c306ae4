// SPDX-License-Identifier: Apache-2.0
// Numbers inside formulas: four digits, and a power of ten where that is shorter.
//
// Threading:  any thread; no state.
// Ownership:  returns values.
// Units:      none: the caller writes them.
// Errors:     none.
// Cost:       one conversion.
#pragma once

#include <string>

namespace runglass {

std::string formulaNumber(double value);  // "175e9", "0.5", "8192", "25.01"

}  // namespace runglass
