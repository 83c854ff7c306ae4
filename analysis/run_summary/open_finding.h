// SPDX-License-Identifier: Apache-2.0
// Whether a finding is open, and the count of open ones: the only rules for badges, counts and outlines.
//
// Threading:  pure.
// Units:      TimeNs.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "model/findings.h"

namespace runglass {

// Begun, and without an end before `at`. A finding that lasted until the end of its run is open from then on, though events about the run
// may come later.
inline bool isOpen(const Finding& finding, TimeNs at, std::optional<TimeNs> run_end = std::nullopt) {
  return (!finding.start || *finding.start <= at) && (!finding.end || *finding.end >= std::min(at, run_end.value_or(at)));
}

struct OpenCount {
  int count = 0;
  Severity worst = Severity::kInfo;
  std::vector<std::pair<Severity, int>> by_severity;  // those that exist, the most severe first
};
// Of RunSummary::open_findings: those of severity warning and above, which are what the run strip, the badge at *Findings*, the window's
// title, the start page and `runglassctl status` count.
inline OpenCount openCount(const std::array<int, 5>& counts) {
  OpenCount open;
  for (const Severity severity : {Severity::kCritical, Severity::kError, Severity::kWarning})
    if (const int count = counts[static_cast<std::size_t>(severity)]; count > 0) {
      open.count += count;
      open.worst = std::max(open.worst, severity);
      open.by_severity.emplace_back(severity, count);
    }
  return open;
}

}  // namespace runglass
