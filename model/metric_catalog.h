// SPDX-License-Identifier: Apache-2.0
// The metric catalogue: one line declares a metric, its unit, its meaning and how it is displayed.
//
// Threading:  immutable after start.
// Ownership:  static storage.
// Units:      the unit is the suffix of the name: _ns _bytes _bytes_per_s _per_s _flops_per_s _watts _celsius _hertz _joules _ratio _count
//             _total; a pure number has none.
// Errors:     unknown metrics are allowed: a user's own tags are shown by their name.
// Cost:       find() is O(log n).
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace runglass {

enum class MetricScope : unsigned char { kDevice, kNode, kRank, kRun };

struct MetricInfo {
  std::string_view name;  // catalogue id = series.metric
  std::string_view unit;  // derived suffix without "_": "watts", "bytes_per_s", "" for a pure number
  MetricScope scope;
  bool counter;            // only grows; shown as a rate
  std::string_view title;  // for display: "Power"
  std::string_view help;   // one sentence: the meaning and the source
};

std::span<const MetricInfo> metricCatalog();
const MetricInfo* findMetric(std::string_view name);  // nullptr: not catalogued
// Whether the metric can have this value: a ratio up to 1.5 (the clocks of the two ends of an interval differ), a temperature up to 200 °C.
// NaN is plausible. An implausible value was read from the wrong column, in the wrong unit, or from a failed sensor.
bool isPlausible(const MetricInfo& metric, double value);
// "power_watts" -> "watts"; "" without a known suffix.
std::string_view unitOfMetric(std::string_view name);

}  // namespace runglass
