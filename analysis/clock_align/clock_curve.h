// SPDX-License-Identifier: Apache-2.0
// How far a clock is ahead over time: straight lines between knots.
//
// Threading:  values.
// Ownership:  values.
// Units:      ns; `at` is the clock's own time.
// Errors:     none; a curve has at least one knot.
// Cost:       aheadAt() O(log knots), simplify() O(knots x kept ones) at worst.
#pragma once

#include <cstddef>
#include <vector>

#include "model/time.h"

namespace runglass {

struct CurveKnot {
  std::size_t window = 0;  // it was estimated in
  TimeNs at = 0;
  DurNs ahead = 0;
};
using ClockCurve = std::vector<CurveKnot>;  // by `at`

// Before the first and after the last knot it goes on as it went between the two nearest.
DurNs aheadAt(const ClockCurve& curve, TimeNs time);
// Leaves out knots that the others tell to within the tolerance (Douglas and Peucker, "Algorithms for the reduction of the number of
// points", Cartographica 10, 1973); a curve that hardly moves is one knot.
void simplify(ClockCurve& curve, DurNs tolerance);

DurNs distance(TimeNs a, TimeNs b);

}  // namespace runglass
