// SPDX-License-Identifier: Apache-2.0
#include "storage/maintain/retention_thin.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace runglass {
namespace {

constexpr double kSigmas = 5, kSigmaOfMedianDistance = 1.4826;
constexpr std::size_t kOutlierShare = 16;

double nth(std::vector<double>& values, std::size_t at) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

}  // namespace

RawPoints thinned(const RawPoints& points) {
  std::vector<double> values;
  for (const double value : points.value)
    if (std::isfinite(value)) values.push_back(value);
  double median = 0, farthest = std::numeric_limits<double>::infinity();
  if (!values.empty()) {
    median = nth(values, values.size() / 2);
    for (double& value : values) value = std::fabs(value - median);
    const double rare = nth(values, values.size() - 1 - values.size() / kOutlierShare);
    farthest = std::max(rare, kSigmas * kSigmaOfMedianDistance * nth(values, values.size() / 2));
  }
  RawPoints kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double value = points.value[i];
    const bool outlier = !std::isfinite(value) || std::fabs(value - median) > farthest;
    if (i != 0 && i + 1 != points.size() && points.x[i] % kThinnedEvery != 0 && !outlier) continue;
    kept.x.push_back(points.x[i]);
    kept.value.push_back(value);
    if (!points.time.empty()) kept.time.push_back(points.time[i]);
  }
  return kept;
}

}  // namespace runglass
