// SPDX-License-Identifier: Apache-2.0
// Numbers as words of findings and messages.
//
// Threading:  pure.
// Ownership:  values.
// Units:      ratios 0..1 in.
// Errors:     none.
// Cost:       one string.
#pragma once

#include <string>

namespace runglass {

// "4.2 %", "18 %": as fine as an estimate is; or with as many decimals as asked.
std::string percentText(double ratio);
std::string percentText(double ratio, int decimals);
// Four digits: "0.5777", "2.726e+08"; "NaN", "Inf", "-Inf".
std::string numberText(double value);
// Inside a formula: four digits, and a power of ten where that is shorter: "175e9", "0.5", "8192", "25.01".
std::string formulaNumber(double value);

}  // namespace runglass
