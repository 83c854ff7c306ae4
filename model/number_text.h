// SPDX-License-Identifier: Apache-2.0
// Formats numbers, durations and sizes for display: the only place where a value becomes text.
//
// Threading:  pure.
// Units:      base units in, as stored (ns, bytes, hertz, ratio 0..1). Memory is IEC (KiB, GiB), rates are decimal (GB/s).
// Errors:     NaN and infinity become "NaN", "+Inf", "-Inf".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/time.h"

namespace runglass {

// The number of decimals at which a percentage other than 100 does not print as 100: `decimals`, or up to 6. Every formatted percentage
// uses it: with one of 10,000 GPUs missing it is "99.99 %", and "99.995 %" is not "100.00 %".
int percentDecimals(double percent, int decimals);
// Four digits: "0.5777", "2.726e+08"; "NaN", "Inf", "-Inf".
std::string numberText(double value);
// In a formula: four digits, and a power of ten where that is shorter: "175e9", "0.5", "8192", "25.01".
std::string formulaNumber(double value);

// The separator between a number and its unit, the thousands separator, and the minus sign.
struct NumberStyle {
  std::string_view space = " ", thousands = ",", minus = "-";
};
// For screens and documents: narrow no-break spaces.
inline constexpr NumberStyle kTypeset{"\u202F", "\u202F", "\u2212"};

// The format of values of one unit between min and max along an axis or in a column: text = value * factor with `decimals`.
struct UnitScale {
  double factor = 1;
  int decimals = 0;
  std::string suffix;  // "ms", "GiB", "W", "" for a pure number
};
// `unit` is a metric's suffix ("ns", "bytes", "watts", "ratio", "flops_per_s", ..., "" for a pure number). The scale fits the larger of
// |min| and |max|; decimals resolve `step` (tick distance or required precision), or three significant digits when step is 0.
UnitScale unitScale(std::string_view unit, double min, double max, double step = 0);
// Only the number, in that scale.
std::string scaledText(double value, const UnitScale& scale, const NumberStyle& style = {});
// Number and unit in the scale that fits the value: "12.3 ms", "1.50 GiB", "693 W", "97.1 %".
std::string valueText(double value, std::string_view unit, const NumberStyle& style = {});

// "4.2 %", "18 %": the precision of an estimate; or with the given number of decimals. What rounds to zero has no sign.
std::string percentText(double ratio);
std::string percentText(double ratio, int decimals, const NumberStyle& style = {});
// A difference: "+3.2 %", "-5.1 %", "0.0 %".
std::string signedPercentText(double ratio, int decimals = 1, const NumberStyle& style = {});
// Values that are compared with each other, to four digits: "312.4 ms", "1.502 s".
std::string preciseText(double value, std::string_view unit, const NumberStyle& style = {});
// "1.083": one quantity over another, as a slowdown.
std::string ratioText(double ratio, int decimals = 3, const NumberStyle& style = {});
std::string gpuHoursText(double hours, const NumberStyle& style = {});  // "5.61", "27,260"
// In any currency: "2.50", "1,204".
std::string moneyText(double amount, const NumberStyle& style = {});

std::string fixedText(double value, int decimals, const NumberStyle& style = {});                  // "48,210.0"
std::string significantText(double value, int significant_digits, const NumberStyle& style = {});  // losses, norms: "10.93", "1.200e-05"
std::string countText(std::int64_t count, const NumberStyle& style = {});                          // "48,210"
std::string shortCountText(double count, const NumberStyle& style = {});                           // "1.05 M"; exact below 100,000
std::string bytesText(double bytes, const NumberStyle& style = {});                                // IEC
std::string ageText(DurNs age, const NumberStyle& style = {});        // coarse: "now", "12 s", "5 min", "2 h 05", "3 d 4 h"
std::string lengthText(DurNs length, const NumberStyle& style = {});  // rounded: "24.1 s", "5.6 min", "28 min", "2 h 05", "3 d 4 h"

}  // namespace runglass
