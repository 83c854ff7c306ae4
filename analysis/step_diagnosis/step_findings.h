// SPDX-License-Identifier: Apache-2.0
// Findings from an attempt's steps: slow ranks, nodes and stages, the kind of slow work, and the cost.
//
// A slow rank does its own work slower than its peers; if (nearly) all ranks of a node do, the finding is about the node; of a replica,
// about its data. A stage that is slow as a whole from its first step on is an imbalance; if it becomes slow and runs on one node, the
// finding is about the node. Ranks of one tensor- or context-parallel group may wait for each other within their parts: then the finding is
// about the group's node.
//
// Threading:  pure; the memory belongs to one attempt.
// Units:      as Finding; cost: share of the step time, GPU-hours per day.
// Cost:       computes costs and sentences of spells that last or ended recently; others are copied.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/step_diagnosis/attempt_watch.h"
#include "analysis/step_diagnosis/finding_memory.h"
#include "model/findings.h"

namespace runglass {

using NodeNames = std::map<NodeId, std::string>;

// Findings of one attempt, without the run. `over`: the attempt has ended, and so have its findings.
std::vector<Finding> findingsOf(const AttemptWatch& watch, const NodeNames& nodes, bool over, FindingMemory& memory);

}  // namespace runglass
