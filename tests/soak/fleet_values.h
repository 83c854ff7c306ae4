// SPDX-License-Identifier: Apache-2.0
// What the agents of a Fleet record: names, and values that can be told from each other afterwards.
//
// Threading:  none; the columns are made once.
// Ownership:  static.
// Units:      those of the metrics.
// Cost:       one look-up a value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace runglass::soak {

// The k-th value of an agent's n-th series: a level, noise, and steps of what such a counter can resolve.
double valueOf(std::size_t series, std::int64_t k);
std::string metricName(int number);
std::string deviceUuid(const std::string& fleet, int agent, int gpu);
// Of a rank's step, as metric and labels.
struct ScalarName {
  std::string metric, labels;
};
const std::vector<ScalarName>& scalarNames();

}  // namespace runglass::soak
