// SPDX-License-Identifier: Apache-2.0
// The deviation of a GPU's value from its peers as a shade. The scale belongs to the metric and is never fitted to the current values, so
// that a healthy fleet is neutral and a shade always has the same meaning.
//
// Threading:  pure.
// Units:      ratios to the peers' median (0.05 = 5 % more).
#pragma once

namespace runglass {

struct ShadeScale {
  double calm = 0.1, full = 0.5;  // neutral up to `calm`, full shade from `full`; 0 < calm < full
  bool more_is_worse = true;
};

// 0: neutral; up to 1: worse than the peers; down to -1: better. Values beyond `calm` are visible.
double shadeOf(double deviation, const ShadeScale& scale);

}  // namespace runglass
