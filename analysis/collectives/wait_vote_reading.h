// SPDX-License-Identifier: Apache-2.0
// The votes of wait_vote.h over an attempt's collectives, read from a store.
//
// Threading:  on the thread of the Reader.
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
  std::size_t collectives = 0;  // that could be matched
  TimeRange range{0, 0};        // that was read
  bool all_of_run = true;
};
// `within`: only calls in that time; absent: in the whole run.
Result<WaitVotes> readWaitVotes(Reader& reader, RunId run, AttemptId attempt, const std::vector<Rank>& ranks,
                                std::optional<TimeRange> within, std::stop_token stop);

}  // namespace runglass
