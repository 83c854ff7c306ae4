// SPDX-License-Identifier: Apache-2.0
#include "analysis/collectives/wait_vote.h"

#include <algorithm>
#include <limits>
#include <map>

namespace runglass {
namespace {

// Calls that do not overlap may still be one collective: the clocks may be apart.
bool votes(const CollectiveSet& set) {
  using Match = CollectiveSet::Match;
  if (set.pair || set.calls.size() < 2 || (set.match != Match::kMatched && set.match != Match::kDisjoint)) return false;
  return std::ranges::all_of(set.calls,
                             [](const CollectiveCall& call) { return call.t1 != std::numeric_limits<TimeNs>::max() && call.t1 > call.t0; });
}

}  // namespace

std::vector<WaitVote> waitVotes(const std::vector<CollectiveSet>& sets) {
  std::map<std::int32_t, WaitVote> votes_of;
  for (const CollectiveSet& set : sets) {
    if (!votes(set)) continue;
    // Unsigned: the difference of two odd times fits, and a present-day time as a double is exact to 256 ns only.
    const auto length = [](const CollectiveCall& call) {
      return static_cast<double>(static_cast<std::uint64_t>(call.t1) - static_cast<std::uint64_t>(call.t0));
    };
    double sum = 0;
    for (const CollectiveCall& call : set.calls) sum += length(call);
    for (const CollectiveCall& call : set.calls) {
      const double peers = (sum - length(call)) / static_cast<double>(set.calls.size() - 1);
      WaitVote& vote = votes_of[call.rank];
      vote.rank = call.rank;
      ++vote.compared;
      vote.shorter += length(call) < kShortCall * peers ? 1 : 0;
    }
  }
  std::vector<WaitVote> out;
  for (const auto& [rank, vote] : votes_of) out.push_back(vote);
  return out;
}

}  // namespace runglass
