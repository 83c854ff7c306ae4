// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/culprit_places.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "analysis/layout/layout_reading.h"

namespace runglass {

Result<std::vector<HangMember>> withoutTimeout(Reader& reader, const Attempt& attempt, const std::set<std::int32_t>& timed_out) {
  std::vector<HangMember> silent;
  RG_ASSIGN(auto ranks, reader.ranks(attempt.id));
  if (ranks.empty())
    for (std::int32_t rank = 0; rank < attempt.layout.world; ++rank) ranks.push_back({.attempt = attempt.id, .rank = rank});
  RG_ASSIGN(const auto nodes, reader.nodes());
  for (const Rank& rank : ranks) {
    if (timed_out.contains(rank.rank)) continue;
    HangMember member{.rank = rank.rank, .node = {}, .standing = HangStanding::kSilent, .op = {}, .group = {}, .seq = {}, .since = {}};
    if (const auto node = std::ranges::find(nodes, rank.node, &Node::id); node != nodes.end()) member.node = node->name;
    silent.push_back(std::move(member));
  }
  // If many ranks have none, logs are missing, not ranks.
  if (silent.size() * 3 > timed_out.size() || silent.size() > kMaxListed) silent.clear();
  return silent;
}

std::vector<HangMember> furthestBehind(std::span<const Event> states) {
  std::map<std::string, std::map<std::int32_t, std::int64_t>> completed;  // by process group, then rank
  for (const Event& event : states) {
    std::int64_t seq = 0;
    const char* const end = event.code.data() + event.code.size();
    if (!event.rank || std::from_chars(event.code.data(), end, seq).ptr != end || event.code.empty()) continue;
    // "[PG 0 Rank 3]", "[PG ID 0 PG GUID 0(default_pg) Rank 3]": sequence numbers of different groups cannot be compared.
    const std::size_t at = event.message.find("[PG "), stop = event.message.find("Rank ", at == std::string::npos ? 0 : at);
    completed[at == std::string::npos || stop == std::string::npos ? "" : event.message.substr(at, stop - at)].emplace(*event.rank, seq);
  }
  const auto widest = std::ranges::max_element(completed, {}, [](const auto& group) { return group.second.size(); });
  std::vector<HangMember> behind;
  if (widest == completed.end()) return behind;
  const auto& ranks = widest->second;
  const std::int64_t fewest = std::ranges::min_element(ranks, {}, [](const auto& one) { return one.second; })->second;
  for (const auto& [rank, seq] : ranks)
    if (seq == fewest)
      behind.push_back(
          {.rank = rank, .node = {}, .standing = HangStanding::kBehind, .op = {}, .group = {}, .seq = fewest + 1, .since = {}});
  if (behind.size() * 2 >= ranks.size() || behind.size() > kMaxListed) behind.clear();
  return behind;
}

// Rank, node and coordinates, where all culprits share them.
Status placeCulprits(Reader& reader, const Attempt& attempt, const HangEvidence& evidence, Finding& finding) {
  if (evidence.culprits.empty() || evidence.culprit_count > static_cast<std::int64_t>(evidence.culprits.size())) return {};
  RG_ASSIGN(const auto ranks, placedRanks(reader, attempt.id));
  std::vector<const Rank*> places;
  for (const HangMember& member : evidence.culprits) {
    const auto at = std::ranges::find(ranks, member.rank, &Rank::rank);
    if (at == ranks.end()) return {};
    places.push_back(&*at);
  }
  const Rank& first = *places.front();
  const auto all = [&](auto member) {
    return std::ranges::all_of(places, [&](const Rank* rank) { return rank->*member == first.*member; });
  };
  if (places.size() == 1) finding.rank = first.rank;
  if (all(&Rank::node)) finding.node = first.node;
  if (all(&Rank::dp)) finding.dp = first.dp;
  if (all(&Rank::pp)) finding.pp = first.pp;
  if (all(&Rank::tp)) finding.tp = first.tp;
  return {};
}

}  // namespace runglass
