// SPDX-License-Identifier: GPL-3.0-or-later
// Half-open intervals of time: union, length, difference.
//
// Threading:  pure functions.
// Units:      TimeNs.
// Cost:       unite() O(n log n), the others O(n).
#pragma once

#include <utility>
#include <vector>

#include "model/time.h"

namespace runglass {

using Intervals = std::vector<std::pair<TimeNs, TimeNs>>;
void unite(Intervals& intervals);  // sorts and joins
// For united intervals:
DurNs lengthOf(const Intervals& united);
Intervals without(const Intervals& a, const Intervals& b);  // the parts of `a` outside of `b`

}  // namespace runglass
