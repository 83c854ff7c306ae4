// SPDX-License-Identifier: Apache-2.0
// Groups slow ranks by common place: spells of single ranks become one of a node or a replica if (nearly) all its ranks have one.
//
// Threading:  pure.
// Units:      as Spell.
// Cost:       O(spells log spells).
#pragma once

#include <optional>
#include <vector>

#include "analysis/step_diagnosis/persistence.h"
#include "model/topology.h"

namespace runglass {

struct Blame {
  enum class Who : std::uint8_t { kRank, kNode, kReplica, kStage, kRun } who = Who::kRank;
  std::vector<std::size_t> ranks;  // indices, ascending; empty for the run
  NodeId node;                     // for kNode; for kRank if known
  std::optional<std::int32_t> stage, replica;
  Spell spell;  // of all together: the start of the one that was noticed first, and medians
};

// Spells that begin within this many steps began together.
inline constexpr std::int64_t kTogether = 20;
inline constexpr double kMaxRanks = 0.8;  // minimum share of the ranks of a node or a replica
// A spell is published after this many more steps, so that its neighbours' spells are noticed as well.
inline constexpr std::size_t kHoldBack = 3;

std::vector<Blame> blameOf(std::vector<Spell> spells, const std::vector<Rank>& ranks);

}  // namespace runglass
