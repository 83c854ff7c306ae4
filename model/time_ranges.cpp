// SPDX-License-Identifier: Apache-2.0
#include "model/time_ranges.h"

#include <algorithm>

namespace runglass {

TimeRange widened(TimeRange range, DurNs margin) { return {plusTime(range.t0, -margin), plusTime(range.t1, margin)}; }

std::vector<TimeRange> mergedRanges(std::vector<TimeRange> ranges) {
  std::ranges::sort(ranges, {}, &TimeRange::t0);
  std::vector<TimeRange> merged;
  for (const TimeRange& range : ranges) {
    if (range.t0 >= range.t1) continue;
    if (merged.empty() || range.t0 > merged.back().t1)
      merged.push_back(range);
    else
      merged.back().t1 = std::max(merged.back().t1, range.t1);
  }
  return merged;
}

}  // namespace runglass
