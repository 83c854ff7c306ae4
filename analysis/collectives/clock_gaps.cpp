// SPDX-License-Identifier: Apache-2.0
#include "analysis/collectives/clock_gaps.h"

#include <map>

namespace runglass {

ClockGapOf clockGaps(const std::vector<RankClock>& clocks) {
  std::map<std::int32_t, RankClock> of_rank;
  for (const RankClock& clock : clocks) of_rank[clock.rank] = clock;
  return [of_rank = std::move(of_rank)](std::int32_t a, std::int32_t b) -> ClockGap {
    const auto left = of_rank.find(a), right = of_rank.find(b);
    if (left == of_rank.end() || right == of_rank.end()) return {.kind = ClockGap::Kind::kUnknown};
    const RankClock &one = left->second, &other = right->second;
    if (one.error && other.error && (!one.node || one.node != other.node))
      return {.kind = ClockGap::Kind::kCompared, .error = *one.error + *other.error};
    if (!one.node && !other.node) return {.kind = ClockGap::Kind::kNodeUnknown};
    return {.kind = one.node == other.node ? ClockGap::Kind::kSame : ClockGap::Kind::kUnknown};
  };
}

Result<ClockGapOf> readClockGaps(Reader& reader, AttemptId attempt, const std::vector<Rank>& ranks, TimeNs time) {
  std::vector<RankClock> clocks;
  for (const Rank& rank : ranks) {
    RG_ASSIGN(const auto error, reader.clockError(attempt, rank.rank, time));
    clocks.push_back({rank.rank, rank.node, error});
  }
  return clockGaps(clocks);
}

}  // namespace runglass
