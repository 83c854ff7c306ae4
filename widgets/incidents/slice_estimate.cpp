// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/slice_estimate.h"

#include <algorithm>
#include <limits>
#include <set>

#include "model/time_ranges.h"

namespace runglass {
double sharePoints(std::span<const Series> series, std::span<const TimeRange> ranges) {
  double points = 0;
  for (const Series& one : series) {
    if (!one.first_time || !one.last_time || one.sample_count <= 0) continue;
    const double length = static_cast<double>(*one.last_time) - static_cast<double>(*one.first_time) + 1;
    for (const TimeRange& range : ranges) {
      const TimeNs from = std::max(range.t0, *one.first_time), to = std::min(range.t1, *one.last_time);
      if (from <= to) points += static_cast<double>(one.sample_count) * (static_cast<double>(to - from) + 1) / length;
    }
  }
  return points;
}

Result<SliceEstimate> readSliceEstimate(Reader& reader, const Run& run, const Incident& incident, DurNs margin) {
  SliceEstimate out;
  RG_ASSIGN(const StoreInfo info, reader.info());
  RG_ASSIGN(const auto all, reader.series({}));
  RG_ASSIGN(const auto attempts, reader.attempts(run.id));
  std::set<NodeId> nodes;
  for (const Attempt& attempt : attempts) {
    RG_ASSIGN(const auto ranks, reader.ranks(attempt.id));
    for (const Rank& rank : ranks) nodes.insert(rank.node);
  }
  std::vector<TimeRange> ranges;
  if (incident.range) ranges.push_back(widened(*incident.range, margin));
  for (const IncidentEvidence& card : incident.evidence)
    if (card.range) ranges.push_back(*card.range);
  if (ranges.empty()) ranges.push_back({});  // an incident without a time gets the whole run
  std::vector<Series> own;
  for (const Series& one : all) {
    out.of_points += static_cast<double>(one.sample_count);
    if (one.run == run.id || (!one.run && nodes.contains(one.key.node))) own.push_back(one);
  }
  out.points = sharePoints(own, mergedRanges(std::move(ranges)));
  if (out.of_points > 0 && info.file_bytes > 0)
    out.bytes = static_cast<std::int64_t>(static_cast<double>(info.file_bytes) * std::min(1.0, out.points / out.of_points));
  return out;
}

}  // namespace runglass
