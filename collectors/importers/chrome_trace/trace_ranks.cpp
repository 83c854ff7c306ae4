// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/chrome_trace/trace_ranks.h"

namespace runglass {
namespace {

__extension__ using Wide = __int128;
using Coordinate = std::optional<std::int32_t> Coordinates::*;
constexpr Coordinate kRankAxes[] = {&Coordinates::tp, &Coordinates::pp, &Coordinates::dp, &Coordinates::cp, &Coordinates::ep};
constexpr std::int32_t Layout::*kSizes[] = {&Layout::tp, &Layout::pp, &Layout::dp, &Layout::cp, &Layout::ep};

}  // namespace

void TraceRanks::note(std::int32_t rank, const Coordinates& at) {
  if (m_newest == rank && m_newest_said == at) return;
  m_newest = rank;
  m_newest_said = at;
  Coordinates& known = m_ranks[rank];
  for (const Coordinate axis : kRankAxes) {
    if (!(at.*axis)) continue;
    if (!(known.*axis))
      known.*axis = at.*axis;
    else if (known.*axis != at.*axis)
      ++m_disagreements;
  }
}

void TraceRanks::declare(Recorder& out, AttemptId attempt, const Layout& layout) const {
  for (const auto& [rank, at] : m_ranks) {
    const std::optional<std::int32_t> cp = at.cp ? at.cp : contextRank(rank, at, layout);
    out.rank({.attempt = attempt, .rank = rank, .tp = at.tp, .pp = at.pp, .dp = at.dp, .cp = cp, .ep = at.ep});
  }
}

std::int64_t TraceRanks::outside(const Layout& layout) const {
  std::int64_t count = 0;
  for (const auto& [rank, at] : m_ranks) {
    bool out = layout.world > 0 && rank >= layout.world;
    for (std::size_t i = 0; i < std::size(kRankAxes); ++i) {
      const std::int32_t size = layout.*kSizes[i];
      out |= size > 0 && at.*kRankAxes[i] && *(at.*kRankAxes[i]) >= size;
    }
    count += out;
  }
  return count;
}

std::optional<std::int32_t> contextRank(std::int32_t rank, const Coordinates& at, const Layout& layout) {
  if (layout.cp == 1) return 0;
  if (layout.cp <= 0 || layout.dp <= 0 || layout.tp <= 0 || !at.pp || !at.dp || !at.tp) return std::nullopt;
  // All are below 2^31, so that a product of four does not overflow 128 bits.
  const auto cell = (static_cast<Wide>(*at.pp) * layout.dp + *at.dp) * layout.cp * layout.tp;
  const Wide rest = rank - cell - *at.tp;
  if (rest < 0 || rest % layout.tp != 0 || rest / layout.tp >= layout.cp) return std::nullopt;
  return static_cast<std::int32_t>(rest / layout.tp);
}

}  // namespace runglass
