// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/culprit_places.h"

#include <algorithm>

#include "analysis/layout/layout_reading.h"

namespace runglass {
namespace {
constexpr std::int32_t kMaxRank = 1 << 20;  // a larger number in a log line is no rank
}  // namespace

Result<SilentRanks> withoutTimeout(Reader& reader, const Attempt& attempt, const std::set<std::int32_t>& timed_out) {
  SilentRanks silent;
  RG_ASSIGN(auto ranks, reader.ranks(attempt.id));
  silent.whole = !ranks.empty() || attempt.layout.world > 0;
  if (ranks.empty()) {
    // Ranks are numbered without gaps: the highest one implies all lower ones.
    std::int32_t world = std::max(attempt.layout.world, timed_out.empty() ? 0 : *timed_out.rbegin() + 1);
    EventFilter filter;
    filter.run = attempt.run;
    RG_ASSIGN(const auto events, reader.events(filter));
    for (const Event& event : events)
      if (event.attempt == attempt.id && event.rank && *event.rank < kMaxRank) world = std::max(world, *event.rank + 1);
    for (std::int32_t rank = 0; rank < world; ++rank) ranks.push_back({.attempt = attempt.id, .rank = rank});
  }
  silent.world = static_cast<std::int64_t>(ranks.size());
  RG_ASSIGN(const auto nodes, reader.nodes());
  for (const Rank& rank : ranks) {
    if (timed_out.contains(rank.rank)) continue;
    HangMember member{.rank = rank.rank, .node = {}, .standing = HangStanding::kSilent, .op = {}, .group = {}, .seq = {}, .since = {}};
    if (const auto node = std::ranges::find(nodes, rank.node, &Node::id); node != nodes.end()) member.node = node->name;
    silent.members.push_back(std::move(member));
  }
  if (silent.members.size() * 3 > timed_out.size() || silent.members.size() > kMaxListed) silent.members.clear();
  return silent;
}

// Rank, node and coordinates, where all culprits share them.
Status placeCulprits(Reader& reader, const Attempt& attempt, const HangEvidence& evidence, Finding& finding) {
  if (evidence.culprits.empty() || evidence.culprit_count > static_cast<std::int64_t>(evidence.culprits.size())) return {};
  if (evidence.culprits.size() == 1) finding.rank = evidence.culprits.front().rank;
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
  if (all(&Rank::node)) finding.node = first.node;
  if (all(&Rank::dp)) finding.dp = first.dp;
  if (all(&Rank::pp)) finding.pp = first.pp;
  if (all(&Rank::tp)) finding.tp = first.tp;
  return {};
}

}  // namespace runglass
