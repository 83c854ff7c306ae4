// SPDX-License-Identifier: Apache-2.0
// LinkWatch: ranks whose transfers became slower than they were.
//
// A collective is as slow as its slowest link, on all its members: comparing peers shows nothing, a rank's own history does. Transfers are
// communication without waiting. Only the ports show which link it is: see port_evidence.h. Groups degraded by 10 % over comparable
// transfers is Greyhound's measure (Wu et al., ATC '25).
//
// Threading:  one thread.
// Units:      steps; ns; ratios.
// Errors:     without kLevelSteps steps there is no level, and nothing is above it.
// Cost:       O(ranks) per step; 4 bytes x kLevelSteps per rank until the level is known.
#pragma once

#include <vector>

#include "analysis/step_diagnosis/persistence.h"
#include "analysis/steps/step_frame.h"

namespace runglass {

class LinkWatch {
 public:
  static constexpr std::size_t kLevelSteps = 30;
  static constexpr float kMinRatio = 0.10F, kMinExcessNs = 5e6F, kMinOfStep = 0.01F;

  void push(const StepFrame& frame);
  // A change of regime resets the level.
  void regimeChanged();
  // By rank: transfers that are slower than before.
  std::vector<Spell> spells() const { return m_persistence.spells(); }

 private:
  std::vector<std::vector<float>> m_learning;  // by rank
  std::vector<float> m_level;                  // NaN: unknown yet
  PersistenceWatch m_persistence;
};

}  // namespace runglass
