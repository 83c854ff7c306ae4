// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/median.h"

#include <algorithm>
#include <cmath>

namespace runglass {

std::optional<double> median(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace runglass
