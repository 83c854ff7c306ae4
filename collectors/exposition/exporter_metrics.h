// SPDX-License-Identifier: Apache-2.0
// What exporters of GPU and NPU metrics call things, and what the metric catalogue calls them.
//
// Threading:  immutable.
// Ownership:  static storage.
// Units:      `unit` is that of the exporter.
// Errors:     nullptr: not known; such metrics keep their own name and unit.
// Cost:       O(log table).
#pragma once

#include <string_view>

namespace runglass {

struct ExporterMetric {
  std::string_view name, newer, oldest;  // of DCGM below 4.6, from 4.6 on, and 1.x; "" = the same or none
  std::string_view metric, unit;
};
const ExporterMetric* findExporterMetric(std::string_view name);

// DCGM's values that stand for none: blank, not found, not supported, not permitted.
bool isBlankOfDcgm(double value);

}  // namespace runglass
