// SPDX-License-Identifier: Apache-2.0
// Which times an incident keeps: its range and those of its cards, with a margin. Internal to storage.
//
// Threading:  pure.
// Units:      TimeNs of corrected time; half-open.
// Cost:       O(cards log cards).
#pragma once

#include <vector>

#include "model/incident.h"

namespace runglass {

// Wider by `margin` on both sides; ends stay within int64.
TimeRange widened(TimeRange range, DurNs margin);
// Disjoint and by time, for the same times.
std::vector<TimeRange> mergedRanges(std::vector<TimeRange> ranges);
// A range of the incident's that is not over ends, once the incident is no longer open, when that was changed last.
TimeRange pastOf(const Incident& incident, TimeRange range);
// What retention must leave alone: nothing of a dismissed one. One that is not over pins all that comes while it is open.
std::vector<TimeRange> pinnedRanges(const Incident& incident);

}  // namespace runglass
