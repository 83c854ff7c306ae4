// SPDX-License-Identifier: Apache-2.0
// The data that the agents of a Fleet record: names, and values that are distinguishable afterwards.
//
// Ownership:  static.
// Units:      those of the metrics.
// Cost:       one look-up per value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace runglass::soak {

// The k-th value of an agent's n-th series: a level, noise, and the resolution of such a counter.
double valueOf(std::size_t series, std::int64_t k);
std::string metricName(int number);
std::string deviceUuid(const std::string& fleet, int agent, int gpu);
// A scalar of a rank's step, as metric and labels.
struct ScalarName {
  std::string metric, labels;
};
const std::vector<ScalarName>& scalarNames();

}  // namespace runglass::soak
