// SPDX-License-Identifier: Apache-2.0
#include "analysis/views/gpu_shade.h"

#include <algorithm>
#include <cmath>

namespace runglass {
namespace {

constexpr double kFaintest = 0.25;  // the faintest shade that the eye distinguishes from neutral

}  // namespace

double shadeOf(double deviation, const ShadeScale& scale) {
  const double distance = std::fabs(deviation);
  if (!(distance > scale.calm)) return 0;
  const double share = std::min(1.0, (distance - scale.calm) / (scale.full - scale.calm));
  return ((deviation > 0) == scale.more_is_worse ? 1 : -1) * (kFaintest + (1 - kFaintest) * share);
}

}  // namespace runglass
