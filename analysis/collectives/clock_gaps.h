// SPDX-License-Identifier: Apache-2.0
// The clock error between any two ranks of an attempt.
//
// Threading:  readClockGaps() on the thread of the Reader; the returned function on any thread.
// Ownership:  the returned function owns its data.
// Units:      DurNs.
// Errors:     the Reader's.
// Cost:       one lookup per rank.
#pragma once

#include <optional>
#include <vector>

#include "analysis/collectives/collective_waits.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

struct RankClock {
  std::int32_t rank = -1;
  NodeId node;
  std::optional<DurNs> error;  // of its clock against the others; absent: never compared
};

// Ranks of one node share a clock; ranks whose nodes are both unknown may share one (kNodeUnknown).
ClockGapOf clockGaps(const std::vector<RankClock>& clocks);
// The clocks of the attempt's ranks at `time`.
Result<ClockGapOf> readClockGaps(Reader& reader, AttemptId attempt, const std::vector<Rank>& ranks, TimeNs time);

}  // namespace runglass
