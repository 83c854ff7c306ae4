// SPDX-License-Identifier: Apache-2.0
// Names of GPU and NPU metrics as exporters expose them, and their names in the metric catalogue.
//
// Threading:  immutable.
// Ownership:  static storage.
// Units:      `unit` is the exporter's unit.
// Errors:     nullptr: unknown metric; it keeps its exposed name and unit.
// Cost:       O(log table).
#pragma once

#include <string_view>

namespace runglass {

struct ExporterMetric {
  std::string_view name, newer, oldest;  // of DCGM below 4.6, of 4.6 and above, of 1.x; "" = the same or none
  std::string_view metric, unit;
};
const ExporterMetric* findExporterMetric(std::string_view name);

// Whether metrics of this name are recorded from a service that holds those of a whole cluster: GPUs, NPUs, hosts, network ports and
// collective operations. Those with a series per core and mode or per process are not among them.
bool isClusterMetric(std::string_view name);

// DCGM's special values for missing data: blank, not found, not supported, not permitted.
bool isBlankOfDcgm(double value);

}  // namespace runglass
