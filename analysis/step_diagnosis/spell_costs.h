// SPDX-License-Identifier: Apache-2.0
// SpellCosts: the gain of the run without a slow subject, as a share of its steps.
//
// Measured if possible: by how much steps became longer when a spell began, and shorter when it ended, with no other change at that time.
// If they are not comparable (a spell from the start on), or another spell has the same extent: the delay of the last rank behind the next
// one, which never exceeds the measured loss. Micro-batches and bursts of several ranks add up to more than the excess over peers; a loss
// far above that excess has another cause.
//
// Threading:  one thread; borrows the watch and the memory.
// Units:      shares of the step; ns.
// Cost:       O(spells log spells) to construct; of(): as StepPace::lossAt(), of the spells that begin or end nearby.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "analysis/step_diagnosis/attempt_watch.h"

namespace runglass {

struct StepCost {
  double ratio = 0;       // of a step
  double step_ns = 0;     // the mean step of the spell, the base of `ratio`
  bool measured = false;  // from step times; else an upper limit
  double together = 0;    // including spells of the same extent: two slow ranks may cost nothing each, and much together
};

// Cost at the start of an open spell: measured once, when enough steps follow it. Its steps are dropped later.
struct CostMemory {
  enum class Place : std::uint8_t { kRank, kStage, kRun, kLink, kLoad };
  struct Own {
    Place place;
    std::size_t subject = 0, count = 1;
    auto operator<=>(const Own&) const = default;
  };
  std::map<std::pair<Own, std::int64_t>, std::optional<StepPace::Loss>> begins;  // by first step
};

class SpellCosts {
 public:
  SpellCosts(const AttemptWatch& watch, CostMemory& memory);
  // `excess_ns` and `gain_ns`: per step. The spell's own ranks, or own stage, may have spells of several kinds at once.
  StepCost ofRanks(const Spell& spell, std::span<const std::size_t> ranks) const;
  StepCost ofStage(const Spell& spell) const;
  StepCost ofRun(const Spell& spell) const;
  // Transfers: other ranks with slow transfers at the same time use the same link.
  StepCost ofLink(const Spell& spell, double excess_ns) const;
  // For wandering loads and collections: no rank is slow for long because of them, so that all spells count as others.
  StepCost ofImbalance(const Imbalance& one) const;

 private:
  using Place = CostMemory::Place;
  using Own = CostMemory::Own;
  struct Other {
    StepStretch steps;
    Place place;
    std::size_t subject;
  };
  using IsOwn = std::function<bool(const Other&)>;
  StepCost costOf(const Own& who, const Spell& spell, double most_ns, double gain_ns, const IsOwn& is_own) const;
  std::optional<StepPace::Loss> lossAt(StepPace::Edge edge, StepStretch own, const IsOwn& is_own) const;
  std::optional<StepPace::Loss> lossAtBegin(const Own& who, const Spell& spell, const IsOwn& is_own) const;

  const AttemptWatch& m_watch;
  CostMemory& m_memory;
  std::vector<Other> m_all;
  std::vector<std::pair<std::int64_t, std::size_t>> m_edges;  // steps at which one of m_all begins or ends, ascending
};

}  // namespace runglass
