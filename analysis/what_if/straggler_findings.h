// SPDX-License-Identifier: Apache-2.0
// Findings from a what-if analysis: a stage with more than its share of the work, slow workers or machines, sequence lengths that differ.
//
// Lin et al., OSDI '25: straggling from S > 1.1; a cause is named if it explains at least half of the slowdown (M >= 0.5, sections 4 and
// 5); sequence imbalance if forward and backward times correlate at 0.9 or more (section 5.3), and here only if the slowest replica changes
// from step to step and is 5 % slower than the mean one. The slow rank within a tensor- or context-parallel group cannot be identified.
//
// Threading:  pure.
// Units:      score: S; coverage: of workers and steps; evidence: docs/guide/findings.md.
// Errors:     without status kOk there are no findings.
// Cost:       one replay per machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/what_if/what_if_data.h"
#include "model/findings.h"

namespace runglass {

std::vector<Finding> stragglerFindings(const WhatIfData& data, RunId run, const std::map<NodeId, std::string>& nodes);

}  // namespace runglass
