// SPDX-License-Identifier: Apache-2.0
#include "storage/maintain/incident_ranges.h"

#include <algorithm>
#include <limits>

#include "storage/writer.h"

namespace runglass {
namespace {
constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min();
constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();
}  // namespace

TimeRange widened(TimeRange range, DurNs margin) {
  return {range.t0 < kLowest + margin ? kLowest : range.t0 - margin, range.t1 > kHighest - margin ? kHighest : range.t1 + margin};
}

std::vector<TimeRange> mergedRanges(std::vector<TimeRange> ranges) {
  std::ranges::sort(ranges, {}, &TimeRange::t0);
  std::vector<TimeRange> merged;
  for (const TimeRange& range : ranges) {
    if (range.t0 >= range.t1) continue;
    if (merged.empty() || range.t0 > merged.back().t1) {
      merged.push_back(range);
    } else {
      merged.back().t1 = std::max(merged.back().t1, range.t1);
    }
  }
  return merged;
}

TimeRange pastOf(const Incident& incident, TimeRange range) {
  if (range.t1 == kHighest && incident.state != IncidentState::kOpen && incident.updated)
    range.t1 = std::max(range.t0 + 1, *incident.updated);
  return range;
}

std::vector<TimeRange> pinnedRanges(const Incident& incident) {
  if (incident.state == IncidentState::kDismissed) return {};
  std::vector<TimeRange> ranges;
  const auto add = [&](const std::optional<TimeRange>& range) {
    if (range) ranges.push_back(widened(pastOf(incident, *range), kIncidentMargin));
  };
  add(incident.range);
  for (const IncidentEvidence& card : incident.evidence) add(card.range);
  return mergedRanges(std::move(ranges));
}

}  // namespace runglass
