// SPDX-License-Identifier: Apache-2.0
#include "analysis/collectives/collective_reading.h"

#include <algorithm>

#include "analysis/collectives/communicating_tracks.h"

namespace runglass {
namespace {

// Where a rank's device recorded a call that names no communicator, the host's span is only its launch.
void dropHostCopies(std::vector<CollectiveCall>& calls, const std::set<TrackId>& devices) {
  std::set<std::int32_t> on_device;
  for (const CollectiveCall& call : calls)
    if (call.group == kAbsent && devices.contains(call.track)) on_device.insert(call.rank);
  std::erase_if(calls, [&](const CollectiveCall& call) {
    return call.group == kAbsent && on_device.contains(call.rank) && !devices.contains(call.track);
  });
}

}  // namespace

Result<Collectives> readCollectives(Reader& reader, RunId run, AttemptId attempt, const std::set<std::int32_t>& ranks,
                                    std::optional<TimeRange> within, const std::stop_token& stop) {
  Collectives out;
  RG_ASSIGN(const auto extent, reader.spanExtent(run));
  if (!extent || ranks.empty()) return out;
  TimeRange range = *extent;
  if (within) range = {std::max(range.t0, within->t0), std::min(range.t1, within->t1)};
  if (range.t0 >= range.t1) return out;
  RG_ASSIGN(const auto lanes, communicatingTracks(reader, attempt, ranks, range, stop));
  out.range = newestPart(lanes, range, kMaxCollectiveSpans);
  out.all_of_run = out.range.t0 == extent->t0 && out.range.t1 == extent->t1;
  std::vector<CollectiveCall> calls;
  std::set<TrackId> devices;
  for (const CommunicatingTrack& lane : lanes) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
    if (lane.device) devices.insert(lane.track);
    RG_ASSIGN(const SpanColumns columns, reader.spans(lane.track, out.range, stop));
    std::ranges::move(callsOf(lane.rank, lane.track, columns), std::back_inserter(calls));
  }
  dropHostCopies(calls, devices);
  RG_ASSIGN(const auto groups, reader.groups(attempt));
  GroupMembers members;
  for (const CommGroup& group : groups)
    if (!group.ranks.empty()) members[group.id] = group.ranks;
  out.sets = matchCalls(std::move(calls), members, out.all_of_run, stop);
  if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
  return out;
}

}  // namespace runglass
