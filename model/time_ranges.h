// SPDX-License-Identifier: Apache-2.0
// Sets of time ranges.
//
// Units:      ns; ranges are half-open.
#pragma once

#include <vector>

#include "model/time.h"

namespace runglass {

// Open ends stay open. The margin is at least 0.
TimeRange widened(TimeRange range, DurNs margin);
// In order and apart; empty ranges go.
std::vector<TimeRange> mergedRanges(std::vector<TimeRange> ranges);

}  // namespace runglass
