// SPDX-License-Identifier: Apache-2.0
// Quantities in the output of monitoring tools: "72.03 W", "16x", "0x4", "[N/A]".
//
// Threading:  pure.
// Ownership:  texts are views of the argument.
// Units:      base units of the metric catalogue: bytes, hertz, ns, watts, ratio 0..1.
// Errors:     a value or the reason of its absence, never both; neither: the text is not a quantity.
// Cost:       O(text).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runglass {

enum class Absence : std::uint8_t { kUnsupported, kDenied, kLost, kUnknown };
std::string_view absenceName(Absence absence);

// For "[N/A]", "-", "[Insufficient Permissions]", "ERR!", ...
std::optional<Absence> absenceOf(std::string_view text);

struct Unit {
  std::string_view printed, suffix;  // "MiB", "bytes"; the suffix is empty for plain counts
  double times, per;                 // value * times / per: both are whole numbers, so that 1500 mW is exactly 1.5 W
  double apply(double value) const { return value * times / per; }
};
// nullptr: unknown, such as millivolts, which have no suffix.
const Unit* findUnit(std::string_view printed);

// The whole text is a number of at least 0.
std::optional<std::int32_t> parseIndex(std::string_view text);

struct Quantity {
  std::optional<double> value;  // in base units if the text or `header_unit` has a unit
  const Unit* unit = nullptr;
  std::optional<Absence> absence;
};
// "72.03 W"; `header_unit` applies if the text has no unit. Yes/No and Active/Not Active are 1 and 0.
Quantity parseQuantity(std::string_view text, const Unit* header_unit = nullptr);

// "temperature.gpu [C]" -> {"temperature.gpu", "C"}; without brackets: an empty unit.
struct HeaderName {
  std::string_view name, unit;
};
HeaderName splitHeader(std::string_view header);

// "Clocks Event Reasons/SW Power Cap" + "ns" -> "clocks_event_reasons_sw_power_cap_ns": a name for a metric that is not in the catalogue,
// at most 120 bytes.
std::string metricNameOf(std::string_view printed, std::string_view unit_suffix);

std::string_view trimmed(std::string_view text);
std::string lowered(std::string_view text);

}  // namespace runglass
