// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/finding_memory.h"

namespace runglass {

const std::optional<Finding>* FindingMemory::find(const Key& key) const {
  const auto known = m_settled.find(key);
  return known == m_settled.end() ? nullptr : &known->second;
}

void FindingMemory::add(const AttemptWatch& watch, Key key, bool goes_on, std::int64_t last_step, const std::optional<Finding>& finding) {
  ++m_judged;
  if (!goes_on && watch.pace().stepsAfter(last_step) >= StepPace::kSettled) m_settled.emplace(std::move(key), finding);
}

}  // namespace runglass
