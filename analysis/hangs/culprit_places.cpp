// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/culprit_places.h"

#include <algorithm>

#include "analysis/layout/layout_reading.h"

namespace runglass {

Result<std::vector<HangMember>> withoutTimeout(Reader& reader, const Attempt& attempt, const std::set<std::int32_t>& timed_out) {
  std::vector<HangMember> silent;
  RG_ASSIGN(const auto ranks, reader.ranks(attempt.id));
  RG_ASSIGN(const auto nodes, reader.nodes());
  for (const Rank& rank : ranks) {
    if (timed_out.contains(rank.rank)) continue;
    HangMember member{.rank = rank.rank, .node = {}, .standing = HangStanding::kSilent, .op = {}, .group = {}, .seq = {}, .since = {}};
    if (const auto node = std::ranges::find(nodes, rank.node, &Node::id); node != nodes.end()) member.node = node->name;
    silent.push_back(std::move(member));
  }
  // Where many are without one, logs are missing, not ranks.
  if (silent.size() * 3 > timed_out.size() || silent.size() > kMostListed) silent.clear();
  return silent;
}

// Rank, node and coordinates, as far as all culprits share them.
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
