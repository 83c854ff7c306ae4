// SPDX-License-Identifier: Apache-2.0
// throughput_shift: the steps of the whole run became longer or shorter; with the finding that explains it, if there is one.
//
// Threading:  pure.
// Units:      as Finding.
// Cost:       O(shifts x findings); the evidence of findings that began or lasted at the time of a shift is parsed once.
#pragma once

#include <vector>

#include "analysis/step_diagnosis/attempt_watch.h"
#include "model/findings.h"

namespace runglass {

// `explaining`: findings of the attempts; a shift that began with one of them is attributed to it.
std::vector<Finding> findingsOf(const std::vector<ThroughputShift>& shifts, const std::vector<const AttemptWatch*>& attempts,
                                const std::vector<Finding>& explaining);

}  // namespace runglass
