// SPDX-License-Identifier: GPL-3.0-or-later
// How large a store of what an incident needs will be, told before it is written.
//
// Threading:  readSliceEstimate() on a query worker; sharePoints() is pure.
// Ownership:  values.
// Units:      TimeNs, bytes.
// Errors:     the Reader's.
// Cost:       a catalogue read of the series.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "storage/reader.h"

namespace runglass {

// `bytes` absent: the store is too small or has no times, and nothing can be said.
struct SliceEstimate {
  std::optional<std::int64_t> bytes;
  double points = 0, of_points = 0;  // of the slice, of the store
};

// Points of the series that lie in the ranges, if they came evenly while the series lasted.
double sharePoints(std::span<const Series> series, std::span<const TimeRange> ranges);
// The file's bytes times the slice's share of its points: spans and log lines are taken to be as dense as points are.
Result<SliceEstimate> readSliceEstimate(Reader& reader, const Run& run, const Incident& incident, DurNs margin);

}  // namespace runglass
