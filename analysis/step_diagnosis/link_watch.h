// SPDX-License-Identifier: Apache-2.0
// LinkWatch: whose transfers became slower than they were.
//
// A collective is as slow as its slowest link, on all its members alike: peers tell nothing, a rank's own past does. Transfers are
// communication without waiting. Which link it is only the ports can say: see port_evidence.h. Groups degraded by 10 % over comparable
// transfers is Greyhound's measure (Wu et al., ATC '25).
//
// Threading:  one thread.
// Units:      steps; ns; ratios.
// Errors:     none: without kLevelSteps steps there is no level, and nothing is above it.
// Cost:       O(ranks) a step; 4 bytes x kLevelSteps a rank until the level is known.
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
  // Another regime: another level.
  void regimeChanged();
  // By rank: of transfers that are slower than before.
  std::vector<Spell> spells() const { return m_persistence.spells(); }

 private:
  std::vector<std::vector<float>> m_learning;  // by rank
  std::vector<float> m_level;                  // NaN: not known yet
  PersistenceWatch m_persistence;
};

}  // namespace runglass
