// SPDX-License-Identifier: Apache-2.0
// How far a clock is ahead over time: piecewise linear between knots.
//
// Units:      ns; `at` is the clock's own time.
// Errors:     a curve has at least one knot.
// Cost:       aheadAt() O(log knots), simplify() O(knots x kept knots) at worst.
#pragma once

#include <cstddef>
#include <vector>

#include "model/time.h"

namespace runglass {

struct CurveKnot {
  std::size_t window = 0;  // the window that it was estimated in
  TimeNs at = 0;
  DurNs ahead = 0;
};
using ClockCurve = std::vector<CurveKnot>;  // by `at`

// Before the first knot and after the last one, the line of the two nearest knots is extended.
DurNs aheadAt(const ClockCurve& curve, TimeNs time);
// Leaves out knots that the remaining ones interpolate within the tolerance (Douglas and Peucker, "Algorithms for the reduction of the
// number of points", Cartographica 10, 1973). A curve that varies by less than the tolerance becomes one knot.
void simplify(ClockCurve& curve, DurNs tolerance);

DurNs distance(TimeNs a, TimeNs b);

}  // namespace runglass
