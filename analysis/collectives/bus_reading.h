// SPDX-License-Identifier: Apache-2.0
// The bus bandwidth of an attempt's communicators, from the stored calls of their members.
//
// Threading:  on the thread of the Reader.
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
  TimeRange range;  // that was read
  bool all_of_run = true;
};
// `members`: the ranks of each requested communicator; `ranks`: all of those. `within`: only calls in that time; absent: in the whole run.
Result<BusReading> readBus(Reader& reader, RunId run, AttemptId attempt, const GroupMembers& members, const std::vector<Rank>& ranks,
                           std::optional<TimeRange> within, std::stop_token stop);

}  // namespace runglass
