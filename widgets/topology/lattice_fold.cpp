// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: a folded lattice has every rank of the unfolded one in exactly one cell or strip.
#include <algorithm>
#include <map>

#include "widgets/topology/topology_data.h"

namespace runglass {
namespace {

// How much worse than its stage a rank is; in a hang, how close it is to the cause.
double worseOf(const TopologyData& data, const TopologyRank& rank) {
  if (data.hang_mode || data.hang) {
    static constexpr double kOrder[] = {0, 2, 4, 5, 3};  // of WaitState
    if (rank.wait != WaitState::kNone || data.hang_mode) return kOrder[static_cast<std::size_t>(rank.wait)] + (rank.at_root ? 0.5 : 0);
  }
  if (!rank.deviation) return rank.value ? 0 : -1e300;
  return data.metric.more_is_worse ? *rank.deviation : -*rank.deviation;
}

}  // namespace

Lattice foldLattice(const TopologyData& data, Fold fold) {
  const Lattice& whole = data.lattice;
  if (whole.cells.empty() || fold == Fold::kNone) return whole;
  Lattice out;
  out.dp = whole.dp, out.pp = whole.pp, out.strips = whole.strips;
  out.tp = fold == Fold::kTensor ? whole.tp : std::vector<std::int32_t>{-1};
  std::map<std::int32_t, std::size_t> contexts;  // block by cp
  std::vector<std::size_t> block_of;
  for (const auto& [cp, ep] : whole.blocks) {
    const std::int32_t kept = fold == Fold::kStages ? -1 : cp;
    const auto [at, added] = contexts.emplace(kept, out.blocks.size());
    if (added) out.blocks.emplace_back(kept, -1);
    block_of.push_back(at->second);
  }
  out.cells.assign(out.dp.size() * out.pp.size() * out.blocks.size() * out.tp.size(), kNoRank);
  out.shown.resize(data.ranks.size());
  for (std::uint32_t i = 0; i < out.shown.size(); ++i) out.shown[i] = i;
  std::vector<std::pair<std::uint32_t, std::size_t>> placed;  // rank, cell
  for (std::size_t row = 0; row < whole.pp.size(); ++row)
    for (std::size_t column = 0; column < whole.dp.size(); ++column)
      for (std::size_t block = 0; block < whole.blocks.size(); ++block)
        for (std::size_t tick = 0; tick < whole.tp.size(); ++tick) {
          const std::uint32_t rank = whole.cells[whole.at(row, column, block, tick)];
          if (rank == kNoRank) continue;
          const std::size_t cell = out.at(row, column, block_of[block], out.tp.size() > 1 ? tick : 0);
          std::uint32_t& shown = out.cells[cell];
          if (shown == kNoRank || worseOf(data, data.ranks[rank]) > worseOf(data, data.ranks[shown])) shown = rank;
          placed.emplace_back(rank, cell);
        }
  for (const auto& [rank, cell] : placed) out.shown[rank] = out.cells[cell];
  return out;
}

}  // namespace runglass
