// SPDX-License-Identifier: Apache-2.0
// The bus bandwidth of communicators of an attempt, from the calls of their members that a store has.
//
// Threading:  on the thread of the Reader.
// Ownership:  values.
// Units:      as bus_bandwidth.h.
// Errors:     the Reader's; CANCELLED when `stop` fires.
// Cost:       that of readCollectives().
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "analysis/collectives/bus_bandwidth.h"
#include "storage/reader.h"

namespace runglass {

struct BusReading {
  BusAnswer bus;
  TimeRange range;  // of what was looked at
  bool all_of_run = true;
};
// `members`: the ranks of each communicator that is asked for; `ranks`: all of those. `within`: only calls of that time; absent: of the
// run.
Result<BusReading> readBus(Reader& reader, RunId run, AttemptId attempt, const GroupMembers& members, const std::vector<Rank>& ranks,
                           std::optional<TimeRange> within, std::stop_token stop);

}  // namespace runglass
