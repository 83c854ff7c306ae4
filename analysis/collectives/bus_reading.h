// SPDX-License-Identifier: Apache-2.0
// The bus bandwidth of communicators of an attempt, from the calls of their members that a store has.
//
// Threading:  on the thread of the Reader.
// Ownership:  values.
// Units:      as bus_bandwidth.h.
// Errors:     the Reader's; CANCELLED when `stop` fires.
// Cost:       O(spans of the members' tracks that communicate), at most kMostBusSpans: beyond, the newest part of the run that has so many.
#pragma once

#include <stop_token>
#include <vector>

#include "analysis/collectives/bus_bandwidth.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kMostBusSpans = 400'000;

struct BusReading {
  BusAnswer bus;
  TimeRange range;  // of what was looked at
  bool all_of_run = true;
};
// `members`: the ranks of each communicator that is asked for; `ranks`: all of those.
Result<BusReading> readBus(Reader& reader, RunId run, AttemptId attempt, const GroupMembers& members, const std::vector<Rank>& ranks,
                           std::stop_token stop);

}  // namespace runglass
