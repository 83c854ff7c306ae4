// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/group_history.h"

#include <algorithm>
#include <map>

namespace runglass {
namespace {

using Coordinate = std::optional<std::int32_t> Rank::*;

// "tp" where the members differ in tp only.
std::string kindOf(const std::set<std::int32_t>& members, const std::map<std::int32_t, const Rank*>& places) {
  static constexpr std::pair<const char*, Coordinate> kAll[] = {
      {"tp", &Rank::tp}, {"pp", &Rank::pp}, {"dp", &Rank::dp}, {"cp", &Rank::cp}, {"ep", &Rank::ep}};
  std::string kind;
  for (const auto& [name, coordinate] : kAll) {
    std::set<std::optional<std::int32_t>> values;
    for (const std::int32_t rank : members) {
      const auto place = places.find(rank);
      if (place == places.end()) return {};
      values.insert(place->second->*coordinate);
    }
    if (values.size() == 1) continue;
    if (!kind.empty()) return {};
    kind = name;
  }
  return kind;
}

}  // namespace

Result<std::vector<CommGroup>> learnGroups(Reader& reader, AttemptId attempt, std::span<const Rank> ranks,
                                           const std::set<std::int64_t>& wanted, TimeRange range, std::stop_token stop) {
  std::map<std::int64_t, std::set<std::int32_t>> members;
  RG_ASSIGN(const auto tracks, reader.tracks(attempt));
  for (const Track& track : tracks) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
    if (!track.key.rank) continue;
    RG_ASSIGN(const auto spans, reader.spans(track.id, range, stop));
    for (const std::int64_t group : spans.group)
      if (wanted.contains(group)) members[group].insert(*track.key.rank);
  }
  std::map<std::int32_t, const Rank*> places;
  for (const Rank& rank : ranks) places[rank.rank] = &rank;
  std::vector<CommGroup> learned;
  for (const auto& [id, of] : members)
    learned.push_back({.attempt = attempt, .id = id, .kind = kindOf(of, places), .name = {}, .ranks = {of.begin(), of.end()}});
  return learned;
}

}  // namespace runglass
