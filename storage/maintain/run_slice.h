// SPDX-License-Identifier: Apache-2.0
// The times of a run that an export includes, for each kind of data. Internal to storage.
//
// Units:      TimeNs of corrected time; half-open, disjoint, sorted by time.
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
  std::optional<Incident> incident;          // set: only this incident and its own findings
  bool whole() const { return rows == TimeRanges{TimeRange{}}; }
};

RunSlice sliceOf(TimeRange range);
// All data of the incident's range widened by `margin`, or of its findings' ranges where it has none; in addition, the data that each card
// shows: a "loss" card needs the scalars of its time and no spans. The whole run where nothing has a time.
RunSlice sliceOf(const Incident& incident, const std::vector<Finding>& its, DurNs margin);

// An absent time is within none.
bool within(const TimeRanges& ranges, std::optional<TimeNs> time);
bool overlaps(const TimeRanges& ranges, const TimeRange& range);
// From the first begin to the last end; empty without ranges.
TimeRange hull(const TimeRanges& ranges);

}  // namespace runglass
