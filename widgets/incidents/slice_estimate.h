// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates the size of a store with the data of an incident, before it is written.
//
// Threading:  readSliceEstimate() on a query worker; sharePoints() is pure.
// Units:      TimeNs, bytes.
// Errors:     the Reader's.
// Cost:       a catalogue read of the series.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "storage/reader.h"

namespace runglass {

// `bytes` absent: the store is too small or has no times for an estimate.
struct SliceEstimate {
  std::optional<std::int64_t> bytes;
  double points = 0, of_points = 0;  // of the slice, of the store
};

// Number of the series' points within the ranges, assuming that they are evenly spaced over each series' duration.
double sharePoints(std::span<const Series> series, std::span<const TimeRange> ranges);
// The file's bytes times the slice's share of its points: assumes that spans and log lines are as dense as points.
Result<SliceEstimate> readSliceEstimate(Reader& reader, const Run& run, const Incident& incident, DurNs margin);

}  // namespace runglass
