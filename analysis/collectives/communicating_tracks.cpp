// SPDX-License-Identifier: Apache-2.0
#include "analysis/collectives/communicating_tracks.h"

#include <algorithm>
#include <limits>
#include <map>

namespace runglass {
namespace {

// The distance of two odd times may exceed the range of DurNs.
DurNs lengthOf(TimeRange range) {
  DurNs length = 0;
  return __builtin_sub_overflow(range.t1, range.t0, &length) ? std::numeric_limits<DurNs>::max() : std::max<DurNs>(length, 1);
}

}  // namespace

Result<std::vector<CommunicatingTrack>> communicatingTracks(Reader& reader, AttemptId attempt, const std::set<std::int32_t>& ranks,
                                                            TimeRange range, const std::stop_token& stop) {
  RG_ASSIGN(const auto tracks, reader.tracks(attempt));
  std::vector<CommunicatingTrack> lanes;
  std::vector<TrackId> ids;
  for (const Track& track : tracks)
    if (track.key.rank && ranks.contains(*track.key.rank)) {
      const bool device = track.key.kind == "gpu_stream" || track.key.kind == "accel_queue";
      lanes.push_back({.rank = *track.key.rank, .track = track.id, .device = device});
      ids.push_back(track.id);
    }
  if (ids.empty()) return lanes;
  std::ranges::sort(ids);
  RG_ASSIGN(const SpanPicture coarse, reader.spanPicture(ids, range, lengthOf(range), stop));
  std::map<TrackId, std::size_t> count;
  std::set<TrackId> talk;
  for (const auto& lane : coarse.lanes)
    for (const SpanBar& bar : lane.bars) {
      count[lane.track] += bar.count;
      if (bar.busy[static_cast<std::size_t>(SpanClass::kComm)] > 0) talk.insert(lane.track);
    }
  std::erase_if(lanes, [&](const CommunicatingTrack& lane) { return !talk.contains(lane.track); });
  for (CommunicatingTrack& lane : lanes) lane.spans = count[lane.track];
  return lanes;
}

TimeRange newestPart(const std::vector<CommunicatingTrack>& tracks, TimeRange range, std::size_t most) {
  std::size_t spans = 0;
  for (const CommunicatingTrack& track : tracks) spans += track.spans;
  if (spans <= most) return range;
  const double share = static_cast<double>(most) / static_cast<double>(spans);
  return {range.t1 - static_cast<DurNs>(static_cast<double>(lengthOf(range)) * share), range.t1};
}

}  // namespace runglass
