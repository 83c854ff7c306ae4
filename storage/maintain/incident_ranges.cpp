// SPDX-License-Identifier: Apache-2.0
#include "storage/maintain/incident_ranges.h"

#include <algorithm>
#include <limits>

#include "model/time_ranges.h"
#include "storage/writer.h"

namespace runglass {
namespace {
constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();
}  // namespace

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
