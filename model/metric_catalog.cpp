// SPDX-License-Identifier: Apache-2.0
#include "model/metric_catalog.h"

#include <algorithm>
#include <array>

namespace runglass {
namespace {
using enum MetricScope;

constexpr MetricInfo metric(std::string_view name, std::string_view unit, MetricScope scope, bool counter, std::string_view title,
                            std::string_view help) {
  return {name, unit, scope, counter, title, help};
}

// Sorted by name within a section; findMetric() sorts the whole once.
constexpr std::array kMetrics = {
    // --- devices (NVML) ---
    metric("power_watts", "watts", kDevice, false, "Power", "Board power as the driver reports it (NVML)."),
    metric("temperature_celsius", "celsius", kDevice, false, "Temperature", "GPU core temperature (NVML)."),
    // --- hosts ---
    metric("cpu_busy_ratio", "ratio", kNode, false, "CPU busy", "Share of CPU time not idle, all cores (/proc/stat)."),
    // --- runs ---
    metric("step_time_ns", "ns", kRank, false, "Step time", "Wall time of one training step on one rank."),
};
constexpr std::array<std::string_view, 12> kUnits = {"flops_per_s", "bytes_per_s", "per_s",  "ns",    "bytes", "watts",
                                                     "celsius",     "hertz",       "joules", "ratio", "count", "total"};
}  // namespace

std::span<const MetricInfo> metricCatalog() { return kMetrics; }

const MetricInfo* findMetric(std::string_view name) {
  static const auto kSorted = [] {
    auto sorted = kMetrics;
    std::sort(sorted.begin(), sorted.end(), [](const MetricInfo& a, const MetricInfo& b) { return a.name < b.name; });
    return sorted;
  }();
  const auto it =
      std::lower_bound(kSorted.begin(), kSorted.end(), name, [](const MetricInfo& m, std::string_view n) { return m.name < n; });
  return it != kSorted.end() && it->name == name ? &*it : nullptr;
}

std::string_view unitOfMetric(std::string_view name) {
  for (std::string_view unit : kUnits)
    if (name.size() > unit.size() && name.ends_with(unit) && name[name.size() - unit.size() - 1] == '_')
      return name.substr(name.size() - unit.size());
  return {};
}

}  // namespace runglass
