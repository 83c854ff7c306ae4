// SPDX-License-Identifier: Apache-2.0
// FindingMemory: findings of ended spells, so that a look at a live run costs only its new steps, and stored findings do not change.
//
// Threading:  one thread; belongs to one attempt.
// Ownership:  borrows the watch during a call.
// Units:      steps.
// Cost:       a map lookup.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "analysis/step_diagnosis/attempt_watch.h"
#include "analysis/step_diagnosis/spell_costs.h"
#include "model/findings.h"

namespace runglass {

// An ended spell is judged for the last time when StepPace::kSettled steps follow it: later steps do not change its finding.
class FindingMemory {
 public:
  using Key = std::tuple<std::string, std::string, std::int64_t>;  // kind, subject, first step
  // The final judgement; it holds no finding if there was none. Null: not final yet.
  const std::optional<Finding>* find(const Key& key) const;
  // Adds a judgement made from the steps up to `last_step`.
  void add(const AttemptWatch& watch, Key key, bool goes_on, std::int64_t last_step, const std::optional<Finding>& finding);
  std::size_t timesJudged() const { return m_judged; }
  CostMemory& costs() { return m_costs; }

 private:
  std::map<Key, std::optional<Finding>> m_settled;
  CostMemory m_costs;
  std::size_t m_judged = 0;
};

}  // namespace runglass
