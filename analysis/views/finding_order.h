// SPDX-License-Identifier: Apache-2.0
// The order in which findings of a run are shown: those that go on first, of these the most severe, of equals the newest.
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
