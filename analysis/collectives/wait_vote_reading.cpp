// SPDX-License-Identifier: Apache-2.0
#include "analysis/collectives/wait_vote_reading.h"

#include <algorithm>
#include <set>

#include "analysis/collectives/collective_reading.h"

namespace runglass {

Result<WaitVotes> readWaitVotes(Reader& reader, RunId run, AttemptId attempt, const std::vector<Rank>& ranks,
                                std::optional<TimeRange> within, std::stop_token stop) {
  WaitVotes out;
  std::set<std::int32_t> wanted;
  for (const Rank& rank : ranks) wanted.insert(rank.rank);
  if (wanted.size() < 2) return out;
  RG_ASSIGN(const Collectives read, readCollectives(reader, run, attempt, wanted, within, stop));
  out.range = read.range, out.all_of_run = read.all_of_run;
  using Match = CollectiveSet::Match;
  out.collectives = static_cast<std::size_t>(std::ranges::count_if(
      read.sets, [](const CollectiveSet& set) { return !set.pair && (set.match == Match::kMatched || set.match == Match::kDisjoint); }));
  out.ranks = waitVotes(read.sets);
  return out;
}

}  // namespace runglass
