// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. Every rank is in exactly one cell or one strip. 2. Nothing is derived here: see analysis/layout.
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analysis/peers/slower_than_peers.h"
#include "analysis/statistics/median.h"
#include "widgets/topology/topology_data.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxCells = 262'144;  // a larger layout is taken for damaged, and only coordinates that occur are drawn

using Coordinate = std::optional<std::int32_t> Rank::*;

// The values of one dimension that occur; {-1} if no rank has recorded any.
std::vector<std::int32_t> axisOf(std::span<const TopologyRank> ranks, Coordinate member) {
  std::set<std::int32_t> seen;
  for (const TopologyRank& rank : ranks)
    if (const auto& value = rank.place.*member) seen.insert(*value);
  if (seen.empty()) return {-1};
  return {seen.begin(), seen.end()};
}

// Places of the layout that no rank has recorded are part of the picture: they show the missing ranks.
void completeAxis(std::vector<std::int32_t>& axis, std::int32_t size, std::size_t& cells) {
  if (axis.front() < 0 || size <= 0 || axis.back() >= size) return;
  const std::size_t whole = cells / axis.size() * static_cast<std::size_t>(size);
  if (whole > kMaxCells) return;
  cells = whole;
  axis.clear();
  for (std::int32_t i = 0; i < size; ++i) axis.push_back(i);
}

std::optional<std::size_t> positionIn(const std::vector<std::int32_t>& axis, const std::optional<std::int32_t>& value) {
  if (axis.size() == 1 && axis.front() == -1) return 0;
  if (!value) return std::nullopt;
  const auto found = std::ranges::lower_bound(axis, *value);
  return found != axis.end() && *found == *value ? std::optional(static_cast<std::size_t>(found - axis.begin())) : std::nullopt;
}

// Do two ranks with complete coordinates share a place, although their ep differs?
bool needsEp(std::span<const TopologyRank> ranks) {
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>, std::int32_t> taken;
  for (const TopologyRank& rank : ranks) {
    const Rank& p = rank.place;
    if (!p.ep) continue;
    const auto [at, added] = taken.emplace(std::tuple(p.dp.value_or(-1), p.pp.value_or(-1), p.tp.value_or(-1), p.cp.value_or(-1)), *p.ep);
    if (!added && at->second != *p.ep) return true;
  }
  return false;
}

void addStripsByNode(std::span<const TopologyRank> ranks, Lattice& lattice) {
  std::map<std::pair<bool, QString>, std::vector<std::uint32_t>> nodes;  // the unknown node last
  for (std::uint32_t i = 0; i < ranks.size(); ++i) nodes[{ranks[i].node.isEmpty(), ranks[i].node}].push_back(i);
  for (auto& [node, members] : nodes)
    lattice.strips.push_back({node.first ? TopologyText::tr("node not known") : node.second, std::move(members)});
  // In the order of their first ranks: names may sort differently.
  std::ranges::stable_sort(lattice.strips, {}, [](const Lattice::Strip& strip) { return strip.ranks.front(); });
}

}  // namespace

Lattice placeRanks(std::span<const TopologyRank> ranks, const Layout& layout) {
  Lattice out;
  out.dp = axisOf(ranks, &Rank::dp), out.pp = axisOf(ranks, &Rank::pp), out.tp = axisOf(ranks, &Rank::tp);
  auto cp = axisOf(ranks, &Rank::cp);
  if (out.dp.front() < 0 && out.pp.front() < 0 && out.tp.front() < 0) {
    out = {};
    addStripsByNode(ranks, out);
    return out;
  }
  out.by_ep = needsEp(ranks);
  auto ep = out.by_ep ? axisOf(ranks, &Rank::ep) : std::vector<std::int32_t>{-1};
  std::size_t cells = 1;
  for (const auto* axis : {&out.dp, &out.pp, &out.tp, &cp, &ep}) cells = std::min(cells * axis->size(), std::size_t{1} << 40);
  const bool sparse = cells > kMaxCells;
  if (!sparse)
    for (const auto& [axis, size] : {std::pair(&out.dp, layout.dp), {&out.pp, layout.pp}, {&out.tp, layout.tp}, {&cp, layout.cp}})
      completeAxis(*axis, size, cells);
  for (const std::int32_t c : cp)
    for (const std::int32_t e : ep) out.blocks.emplace_back(c, e);
  if (!sparse) out.cells.assign(cells, kNoRank);
  Lattice::Strip without{TopologyText::tr("no coordinates"), {}}, doubled{TopologyText::tr("coordinates that another rank has, too"), {}};
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    const Rank& p = ranks[i].place;
    const auto column = positionIn(out.dp, p.dp), row = positionIn(out.pp, p.pp), tick = positionIn(out.tp, p.tp), c = positionIn(cp, p.cp),
               e = positionIn(ep, p.ep);
    if (sparse || !column || !row || !tick || !c || !e) {
      without.ranks.push_back(i);
      continue;
    }
    std::uint32_t& cell = out.cells[out.at(*row, *column, *c * ep.size() + *e, *tick)];
    if (cell == kNoRank)
      cell = i;
    else
      doubled.ranks.push_back(i);
  }
  if (sparse) {
    out = {};
    without.title = TopologyText::tr("coordinates too far apart to draw");
  }
  for (Lattice::Strip* strip : {&without, &doubled})
    if (!strip->ranks.empty()) out.strips.push_back(std::move(*strip));
  return out;
}

void compareToStages(TopologyData& data) {
  std::map<std::optional<std::int32_t>, std::pair<std::vector<double>, std::vector<TopologyRank*>>> stages;
  for (TopologyRank& rank : data.ranks) {
    rank.deviation.reset();
    if (rank.value) stages[rank.place.pp].first.push_back(*rank.value), stages[rank.place.pp].second.push_back(&rank);
  }
  data.stages.clear();
  std::map<const TopologyRank*, double> usual;  // NaN: alone in its stage
  for (auto& [pp, stage] : stages) {
    auto& [values, members] = stage;
    const auto peers = peerMedians<double>(values, 1);
    for (std::size_t i = 0; i < members.size(); ++i) usual[members[i]] = peers[i];
    data.stages.push_back({pp, medianBetween(values), values.size()});
  }
  double largest = 0;
  for (TopologyRank& rank : data.ranks) {
    if (!rank.value) continue;
    // Not relative to peers: findings deviate from 0, what-if slowdowns from 1 (a step in which all ranks are equal).
    if (data.metric.value == TopologyValue::kFindings || data.metric.value == TopologyValue::kWhatIf) {
      rank.deviation = *rank.value - (data.metric.value == TopologyValue::kWhatIf ? 1 : 0);
      largest = std::max(largest, std::abs(*rank.deviation));
      continue;
    }
    if (data.verdict) {
      if (const auto pace = data.verdict->ranks.find(rank.place.rank); pace != data.verdict->ranks.end())
        rank.deviation = pace->second.slower;
      largest = std::max(largest, std::abs(rank.deviation.value_or(0)));
      continue;
    }
    const double peers = usual[&rank];
    if (std::isnan(peers) || (data.metric.relative && peers == 0)) continue;
    rank.deviation = data.metric.relative ? *rank.value / peers - 1 : *rank.value - peers;
    largest = std::max(largest, std::abs(*rank.deviation));
  }
  // Rounded ends of the scale, so that it does not change with every answer.
  data.spread = data.metric.relative ? 0.05 : 5;
  for (int i = 0; data.spread < largest && i < 30; ++i) data.spread *= i % 3 == 1 ? 2.5 : 2;
}

std::vector<PeerGroup> peersOf(const TopologyData& data, std::uint32_t rank) {
  std::vector<PeerGroup> out;
  if (rank >= data.ranks.size()) return out;
  const Rank& own = data.ranks[rank].place;
  const auto add = [&](PeerKind kind, Coordinate free) {
    if (!(own.*free) || (kind == PeerKind::kEp && !data.lattice.by_ep)) return;
    PeerGroup group{kind, {}};
    for (std::uint32_t i = 0; i < data.ranks.size(); ++i) {
      const Rank& other = data.ranks[i].place;
      bool same = (other.*free).has_value();
      for (const Coordinate member : {&Rank::tp, &Rank::pp, &Rank::dp, &Rank::cp}) same &= member == free || other.*member == own.*member;
      if (data.lattice.by_ep && free != &Rank::ep) same &= other.ep == own.ep;
      if (same) group.ranks.push_back(i);
    }
    if (group.ranks.size() > 1) out.push_back(std::move(group));
  };
  const std::int32_t ep = data.places.sizes.ep;
  if (!data.lattice.by_ep && own.ep && own.dp && ep > 1) {
    // EP divides DP: neighbours in DP with different experts.
    PeerGroup group{PeerKind::kEp, {}};
    for (std::uint32_t i = 0; i < data.ranks.size(); ++i) {
      const Rank& other = data.ranks[i].place;
      if (other.tp == own.tp && other.pp == own.pp && other.cp == own.cp && other.ep && other.dp && *other.dp / ep == *own.dp / ep)
        group.ranks.push_back(i);
    }
    if (group.ranks.size() == static_cast<std::size_t>(ep)) out.push_back(std::move(group));
  }
  add(PeerKind::kTp, &Rank::tp), add(PeerKind::kPp, &Rank::pp), add(PeerKind::kDp, &Rank::dp), add(PeerKind::kEp, &Rank::ep);
  add(PeerKind::kCp, &Rank::cp);
  std::unordered_map<std::int32_t, std::uint32_t> index;
  for (std::uint32_t i = 0; i < data.ranks.size(); ++i) index[data.ranks[i].place.rank] = i;
  for (const auto& [kind, name, member] : {std::tuple(PeerKind::kTp, "tp", &Rank::tp),
                                           {PeerKind::kPp, "pp", &Rank::pp},
                                           {PeerKind::kDp, "dp", &Rank::dp},
                                           {PeerKind::kEp, "ep", &Rank::ep},
                                           {PeerKind::kCp, "cp", &Rank::cp}}) {
    if (own.*member && (kind != PeerKind::kEp || data.lattice.by_ep)) continue;
    if (std::ranges::find(out, kind, &PeerGroup::kind) != out.end()) continue;
    // The largest of several communicators of a kind: smaller ones are subsets of it.
    const CommGroup* best = nullptr;
    for (const CommGroup& group : data.groups)
      if (group.kind == name && group.ranks.size() > 1 && std::ranges::find(group.ranks, own.rank) != group.ranks.end() &&
          (best == nullptr || group.ranks.size() > best->ranks.size()))
        best = &group;
    if (best == nullptr) continue;
    PeerGroup peers{kind, {}};
    for (const std::int32_t other : best->ranks)
      if (const auto at = index.find(other); at != index.end()) peers.ranks.push_back(at->second);
    std::ranges::sort(peers.ranks);
    out.push_back(std::move(peers));
  }
  std::ranges::stable_sort(out, {}, &PeerGroup::kind);
  return out;
}

}  // namespace runglass
