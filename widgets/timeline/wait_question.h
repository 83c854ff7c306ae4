// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the calls of the visible collectives from every rank of their communicators, visible or not.
//
// Threading:  the functions run on a query worker; their results are immutable.
// Units:      as CollectiveCall.
// Errors:     as Reader. Too much to read is no error: `note` has the reason.
// Cost:       the tracks that communicate, of the ranks of those communicators, in the time of the calls; at most kMaxWaitSpans spans.
#pragma once

#include <memory>
#include <set>
#include <stop_token>
#include <unordered_map>

#include "analysis/collectives/clock_gaps.h"
#include "widgets/timeline/intervals.h"
#include "widgets/timeline/timeline_data.h"

namespace runglass {

inline constexpr std::size_t kMaxWaitSpans = 400'000;

struct WaitQuestion {
  std::vector<std::pair<std::int32_t, TrackId>> tracks;  // rank and track of lanes whose bars are wide enough to be split
  TimeRange range;
};

struct WaitParts {
  std::unordered_map<std::int64_t, WaitPart> of_span;  // of the requested tracks
  // The times when a rank waited and none of its requested tracks used the network otherwise, by start; only ranks for which this is known.
  std::unordered_map<std::int32_t, Intervals> of_rank;
  QString note;                                       // why some are unknown; empty: nothing was left out
  std::set<std::pair<std::int32_t, TrackId>> tracks;  // of the query
  TimeRange range{0, 0};
  bool answers(const WaitQuestion& question) const;
};
Result<WaitParts> readWaits(Reader& reader, const TimelineCatalog& catalog, const WaitQuestion& question, std::stop_token stop);

// The collective of one call; absent if it names no communicator, or if there was too much to read (see `note`).
Result<std::optional<CollectiveSet>> readCollective(Reader& reader, const TimelineCatalog& catalog, const CollectiveCall& call,
                                                    QString& note, std::stop_token stop);

ClockGapOf clockGaps(const TimelineCatalog& catalog);

}  // namespace runglass
