// SPDX-License-Identifier: Apache-2.0
#include "analysis/collectives/wait_vote_reading.h"

#include <algorithm>
#include <set>

#include "analysis/collectives/communicating_tracks.h"

namespace runglass {

Result<WaitVotes> readWaitVotes(Reader& reader, RunId run, AttemptId attempt, const std::vector<Rank>& ranks,
                                std::optional<TimeRange> within, std::stop_token stop) {
  WaitVotes out;
  std::set<std::int32_t> wanted;
  for (const Rank& rank : ranks) wanted.insert(rank.rank);
  RG_ASSIGN(const auto extent, reader.spanExtent(run));
  if (!extent || wanted.size() < 2) return out;
  TimeRange range = *extent;
  if (within) range = {std::max(range.t0, within->t0), std::min(range.t1, within->t1)};
  if (range.t0 >= range.t1) return out;
  RG_ASSIGN(const auto lanes, communicatingTracks(reader, attempt, wanted, range, stop));
  if (lanes.empty()) return out;
  RG_ASSIGN(const auto groups, reader.groups(attempt));
  GroupMembers members;
  for (const CommGroup& group : groups) members[group.id] = group.ranks;
  out.range = newestPart(lanes, range, kMostVoteSpans);
  out.all_of_run = out.range.t0 == extent->t0 && out.range.t1 == extent->t1;
  std::vector<CollectiveCall> calls;
  for (const CommunicatingTrack& lane : lanes) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
    RG_ASSIGN(const SpanColumns columns, reader.spans(lane.track, out.range, stop));
    std::ranges::move(callsOf(lane.rank, lane.track, columns), std::back_inserter(calls));
  }
  const auto sets = matchCalls(std::move(calls), members, out.all_of_run);
  using Match = CollectiveSet::Match;
  out.collectives = static_cast<std::size_t>(std::ranges::count_if(
      sets, [](const CollectiveSet& set) { return !set.pair && (set.match == Match::kMatched || set.match == Match::kDisjoint); }));
  out.ranks = waitVotes(sets);
  return out;
}

}  // namespace runglass
