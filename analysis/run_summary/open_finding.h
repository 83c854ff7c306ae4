// SPDX-License-Identifier: Apache-2.0
// Whether a finding is open, and the count of open ones: the only rules for badges, counts and outlines.
//
// Threading:  pure.
// Units:      TimeNs.
#pragma once

#include <array>

#include "model/findings.h"

namespace runglass {

// Begun, and without an end before `at`: a finding that lasted until the end of a run is open there.
inline bool isOpen(const Finding& finding, TimeNs at) {
  return (!finding.start || *finding.start <= at) && (!finding.end || *finding.end >= at);
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
