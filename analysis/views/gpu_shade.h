// SPDX-License-Identifier: Apache-2.0
// How far a GPU's value is from its peers' and how strongly that is shaded. The scale belongs to the metric: it is never fitted to the
// values at hand, so that a healthy fleet is neutral and a shade means the same today and tomorrow.
//
// Threading: pure.
// Units:     ratios to the peers' median (0.05 = 5 % more).
#pragma once

namespace runglass {

struct ShadeScale {
  double calm = 0.1, full = 0.5;  // neutral up to the one, full shade from the other; 0 < calm < full
  bool more_is_worse = true;
};

// 0: neutral; up to 1: worse than the peers; down to -1: better. What is past `calm` is visible.
double shadeOf(double deviation, const ShadeScale& scale);

}  // namespace runglass
