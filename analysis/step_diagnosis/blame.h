// SPDX-License-Identifier: Apache-2.0
// Whom slow ranks have in common: spells of single ranks become those of a node or of a replica where (nearly) all its ranks have one.
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
  std::vector<std::size_t> ranks;  // indices, growing; none for the run
  NodeId node;                     // of kNode; of kRank where it is known
  std::optional<std::int32_t> stage, replica;
  Spell spell;  // of all together: the begin of the one that was noticed first, the medians of the rest
};

// What begins within so many steps began together.
inline constexpr std::int64_t kTogether = 20;
inline constexpr double kMaxRanks = 0.8;  // of a node or a replica
// A spell is told when it has lasted so many steps more, so that its neighbours' have been noticed, too.
inline constexpr std::size_t kHoldBack = 3;

std::vector<Blame> blameOf(std::vector<Spell> spells, const std::vector<Rank>& ranks);

}  // namespace runglass
