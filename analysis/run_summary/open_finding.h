// SPDX-License-Identifier: Apache-2.0
// Whether a finding is open, and the count of open ones: the only rules for badges, counts and outlines.
//
// Threading:  pure.
// Units:      TimeNs.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

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
};
// Of RunSummary::open_findings: those of severity warning and above, which are what the run strip, the badge at *Findings*, the window's
// title and the start page count.
inline OpenCount openCount(const std::array<int, 5>& by_severity) {
  OpenCount open;
  for (const Severity severity : {Severity::kWarning, Severity::kError, Severity::kCritical})
    if (const int count = by_severity[static_cast<std::size_t>(severity)]; count > 0) open = {open.count + count, severity};
  return open;
}

}  // namespace runglass
