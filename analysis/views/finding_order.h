// SPDX-License-Identifier: Apache-2.0
// The display order of a run's findings: open ones first, then the most severe, then the newest.
//
// Threading:  pure.
#pragma once

#include <algorithm>
#include <functional>
#include <tuple>
#include <vector>

#include "model/findings.h"

namespace runglass {

inline void sortByUrgency(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, std::greater{}, [](const Finding& finding) {
    return std::tuple(!finding.end.has_value(), finding.severity, finding.start.value_or(0));
  });
}

}  // namespace runglass
