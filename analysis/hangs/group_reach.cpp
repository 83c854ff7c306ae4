// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/group_reach.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/pair_group.h"
#include "model/spans.h"

namespace runglass {
namespace {

std::optional<std::int64_t> numberIn(const nlohmann::json& group, const char* key) {
  const auto at = group.find(key);
  return at != group.end() && at->is_number_integer() ? std::optional(at->get<std::int64_t>()) : std::nullopt;
}

struct Numbers {
  std::int64_t last = 0;
  bool rises = true;
};

// Whether the span's number counts collectives of its group, or transfers of a pair: sends and receives in a larger group are numbered
// separately.
bool counts(const SpanColumns& spans, std::size_t i) {
  const std::string& name = spans.names[spans.name[i]];
  const bool transfer = name.find("send") != std::string::npos || name.find("recv") != std::string::npos;
  return !transfer || pairOf(spans.group[i]).has_value();
}

// By group, for one track.
std::map<std::int64_t, Numbers> completedOn(const SpanColumns& spans) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (spans.category[i] == SpanCategory::kComm && spans.dur[i] != kAbsent && counts(spans, i) && spans.group[i] != kAbsent &&
        spans.seq[i] != kAbsent)
      order.push_back(i);
  std::ranges::sort(order, {}, [&](std::size_t i) { return spans.start[i]; });
  std::map<std::int64_t, Numbers> groups;
  for (const std::size_t i : order) {
    const auto [at, added] = groups.try_emplace(spans.group[i], Numbers{.last = spans.seq[i]});
    if (added) continue;
    at->second.rises &= spans.seq[i] >= at->second.last;
    at->second.last = spans.seq[i];
  }
  return groups;
}

}  // namespace

RankReach reachOfDumps(std::span<const Fact> facts, bool whole) {
  RankReach out;
  for (const Fact& fact : facts) {
    if (fact.key != "nccl_pg_status" || !fact.rank) continue;
    const nlohmann::json groups = nlohmann::json::parse(fact.value, nullptr, false);
    if (!groups.is_array()) continue;
    for (const nlohmann::json& group : groups) {
      if (!group.is_object()) continue;
      const auto id = numberIn(group, "group_id");
      if (!id) continue;
      GroupReach reach{.group = *id, .enqueued = {}, .completed = numberIn(group, "last_completed_collective")};
      if (whole) reach.enqueued = numberIn(group, "last_enqueued_collective");
      // Without timing the recorder does not see starts: its number is then below that of completions.
      if (const auto started = numberIn(group, "last_started_collective"); whole && started >= reach.completed && started >= 0)
        reach.started = started;
      out[*fact.rank].push_back(reach);
    }
  }
  return out;
}

Status addReachOfSpans(Reader& reader, AttemptId attempt, const std::set<std::int32_t>& ranks, TimeRange range, std::stop_token stop,
                       RankReach& into) {
  RG_ASSIGN(const auto tracks, reader.tracks(attempt));
  for (const Track& track : tracks) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
    if (!track.key.rank || !ranks.contains(*track.key.rank)) continue;
    RG_ASSIGN(const SpanColumns spans, reader.spans(track.id, range, stop));
    if (spans.group.empty() || spans.seq.empty()) continue;
    std::vector<GroupReach>& known = into[*track.key.rank];
    for (const auto& [group, numbers] : completedOn(spans)) {
      if (!numbers.rises) continue;
      const auto at = std::ranges::find(known, group, &GroupReach::group);
      if (at == known.end())
        known.push_back({.group = group, .enqueued = {}, .completed = numbers.last});
      else
        at->completed = std::max(at->completed.value_or(numbers.last), numbers.last);
    }
  }
  return {};
}

Result<std::map<std::int32_t, std::int64_t>> sizesOf(Reader& reader, AttemptId attempt, std::int64_t group, std::int64_t seq,
                                                     std::stop_token stop) {
  std::map<std::int32_t, std::int64_t> sizes;
  RG_ASSIGN(const auto tracks, reader.tracks(attempt));
  for (const Track& track : tracks) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
    if (!track.key.rank) continue;
    RG_ASSIGN(const SpanColumns spans, reader.spans(track.id, TimeRange{}, stop));
    if (spans.group.empty() || spans.seq.empty() || spans.bytes.empty()) continue;
    for (std::size_t i = 0; i < spans.size(); ++i)
      if (spans.group[i] == group && spans.seq[i] == seq && spans.bytes[i] != kAbsent) sizes[*track.key.rank] = spans.bytes[i];
  }
  return sizes;
}

}  // namespace runglass
