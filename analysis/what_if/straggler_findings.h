// SPDX-License-Identifier: Apache-2.0
// Findings from a what-if analysis: a stage that holds more than its share, workers or a machine that are slow, sequence lengths that
// differ.
//
// Lin et al., OSDI '25: straggling from S > 1.1; a cause is named where it explains at least half of the slowdown (M >= 0.5, sections 4 and
// 5); sequence imbalance where forward and backward times correlate at 0.9 and more (section 5.3), and here only where the slowest replica
// changes from step to step and is 5 % slower than the mean one. Which rank of a tensor- or context-parallel group is slow cannot be told.
//
// Threading:  pure.
// Units:      score: S; coverage: of workers and steps; evidence: docs/guide/findings.md.
// Errors:     none: without a status kOk there are no findings.
// Cost:       one replay a machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/what_if/what_if_data.h"
#include "model/findings.h"

namespace runglass {

std::vector<Finding> stragglerFindings(const WhatIfData& data, RunId run, const std::map<NodeId, std::string>& nodes);

}  // namespace runglass
