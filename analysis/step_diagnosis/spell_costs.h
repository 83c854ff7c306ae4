// SPDX-License-Identifier: Apache-2.0
// SpellCosts: what the run would gain without what is slow, as a share of its steps.
//
// Measured where it can be: by how much the steps became longer when a spell began, and shorter when it ended, with nothing else going
// on. Where they cannot be compared (as it was from the start), or another spell is as long: what the last rank was ready later than the
// next one, which is never more than the measured loss. Micro-batches and bursts of several ranks add up to more than the excess over
// peers; what is far beyond it has another cause.
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
  double step_ns = 0;     // that it is a share of: the mean one of the spell
  bool measured = false;  // by the lengths of the steps; else at most so much
  double together = 0;    // with what is as long as it: two slow ranks cost nothing each, and much together
};

// Cost at the begin of a spell that lasts: measured once, when enough steps follow it. Its steps are dropped later.
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
  // `excess_ns` and `gain_ns`: a step's. The spell's own ranks, or own stage, may have spells of several kinds at once.
  StepCost ofRanks(const Spell& spell, std::span<const std::size_t> ranks) const;
  StepCost ofStage(const Spell& spell) const;
  StepCost ofRun(const Spell& spell) const;
  // Transfers: who else has slow ones at the time uses the same link.
  StepCost ofLink(const Spell& spell, double excess_ns) const;
  // Loads and collections that wander: ranks are never slow for long by them, so that all spells are others.
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
  std::vector<std::pair<std::int64_t, std::size_t>> m_edges;  // steps at which one of m_all begins or ends, growing
};

}  // namespace runglass
