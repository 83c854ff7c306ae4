// SPDX-License-Identifier: Apache-2.0
// Which times of a run an export takes, for each kind of data. Internal to storage.
//
// Threading:  pure.
// Units:      TimeNs of corrected time; half-open, disjoint, by time.
// Cost:       O(cards + findings).
#pragma once

#include <optional>
#include <vector>

#include "model/findings.h"
#include "model/incident.h"

namespace runglass {

using TimeRanges = std::vector<TimeRange>;

struct RunSlice {
  TimeRanges rows, samples, scalars, spans;  // rows: events, log lines, captures, notes
  std::optional<Incident> incident;          // of the findings and incidents only this one and its own
  bool whole() const { return rows == TimeRanges{TimeRange{}}; }
};

RunSlice sliceOf(TimeRange range);
// All of the incident's range, `margin` wider, or of its findings' where it has none; beyond that, of each card what it shows: a "loss"
// needs the scalars of its time and no spans. The whole run where nothing has a time.
RunSlice sliceOf(const Incident& incident, const std::vector<Finding>& its, DurNs margin);

// A time that is absent lies in none.
bool within(const TimeRanges& ranges, std::optional<TimeNs> time);
bool overlaps(const TimeRanges& ranges, const TimeRange& range);
// From the first begin to the last end; empty for none.
TimeRange hull(const TimeRanges& ranges);

}  // namespace runglass
