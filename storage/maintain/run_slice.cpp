// SPDX-License-Identifier: Apache-2.0
#include "storage/maintain/run_slice.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "model/time_ranges.h"
#include "storage/maintain/incident_ranges.h"

namespace runglass {
namespace {

// The data that a card shows outside the incident's own range.
struct CardNeeds {
  std::string_view kind;
  bool rows, samples, scalars, spans;
};
constexpr std::array kCardNeeds = {
    CardNeeds{"loss", false, false, true, false},     CardNeeds{"steps", false, false, true, false},
    CardNeeds{"timeline", false, false, false, true}, CardNeeds{"device", false, true, false, false},
    CardNeeds{"series", false, true, true, false},    CardNeeds{"log", true, false, false, false},
};
constexpr CardNeeds kEverything = {"", true, true, true, true};  // for an unknown kind

}  // namespace

RunSlice sliceOf(TimeRange range) { return {.rows = {range}, .samples = {range}, .scalars = {range}, .spans = {range}, .incident = {}}; }

RunSlice sliceOf(const Incident& incident, const std::vector<Finding>& its, DurNs margin) {
  RunSlice slice{.rows = {}, .samples = {}, .scalars = {}, .spans = {}, .incident = incident};
  const auto add = [&](const CardNeeds& needs, TimeRange range) {
    range = widened(pastOf(incident, range), margin);
    if (needs.rows) slice.rows.push_back(range);
    if (needs.samples) slice.samples.push_back(range);
    if (needs.scalars) slice.scalars.push_back(range);
    if (needs.spans) slice.spans.push_back(range);
  };
  bool any = incident.range.has_value();
  if (incident.range) add(kEverything, *incident.range);
  for (const Finding& finding : its) {
    if (incident.range || !finding.start) continue;
    add(kEverything, {*finding.start, std::max(*finding.start, finding.end.value_or(*finding.start)) + 1});
    any = true;
  }
  for (const IncidentEvidence& card : incident.evidence) {
    if (!card.range) continue;
    const auto* const found = std::ranges::find(kCardNeeds, card.kind, &CardNeeds::kind);
    add(found == kCardNeeds.end() ? kEverything : *found, *card.range);
    any = true;
  }
  if (!any) add(kEverything, {});
  for (TimeRanges* const ranges : {&slice.rows, &slice.samples, &slice.scalars, &slice.spans}) *ranges = mergedRanges(std::move(*ranges));
  return slice;
}

bool within(const TimeRanges& ranges, std::optional<TimeNs> time) {
  return time && std::ranges::any_of(ranges, [&](const TimeRange& range) { return *time >= range.t0 && *time < range.t1; });
}

bool overlaps(const TimeRanges& ranges, const TimeRange& range) {
  return std::ranges::any_of(ranges, [&](const TimeRange& one) { return one.t0 < range.t1 && range.t0 < one.t1; });
}

TimeRange hull(const TimeRanges& ranges) { return ranges.empty() ? TimeRange{0, 0} : TimeRange{ranges.front().t0, ranges.back().t1}; }

}  // namespace runglass
