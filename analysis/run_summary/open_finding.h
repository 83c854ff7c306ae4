// SPDX-License-Identifier: Apache-2.0
// Whether a finding is open: the only rule for badges, counts and outlines.
//
// Threading:  pure.
// Units:      TimeNs.
#pragma once

#include "model/findings.h"

namespace runglass {

// Begun, and without an end before `at`: a finding that lasted until the end of a run is open there.
inline bool isOpen(const Finding& finding, TimeNs at) {
  return (!finding.start || *finding.start <= at) && (!finding.end || *finding.end >= at);
}

}  // namespace runglass
