// SPDX-License-Identifier: Apache-2.0
// Who waits least in an attempt's collectives, read from a store.
//
// Threading:  on the thread of the Reader.
// Ownership:  values.
// Units:      as wait_vote.h.
// Errors:     the Reader's; CANCELLED when `stop` fires. An attempt without collectives has no votes.
// Cost:       that of readCollectives().
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "analysis/collectives/wait_vote.h"
#include "storage/reader.h"

namespace runglass {

struct WaitVotes {
  std::vector<WaitVote> ranks;  // by rank
  std::size_t collectives = 0;  // that were known to be one
  TimeRange range{0, 0};        // of what was looked at
  bool all_of_run = true;
};
// `within`: only calls of that time; absent: of the whole run.
Result<WaitVotes> readWaitVotes(Reader& reader, RunId run, AttemptId attempt, const std::vector<Rank>& ranks,
                                std::optional<TimeRange> within, std::stop_token stop);

}  // namespace runglass
