// SPDX-License-Identifier: Apache-2.0
// What an attempt's steps show, as findings: who is slow and in what, and what it costs.
//
// A slow rank is one that does its own work slower than its peers; where (nearly) all ranks of a node are, it is the node; of a replica,
// its data. A stage that is slow as a whole from its first step on is out of balance; one that becomes so and lives on one node, its node
// is. Ranks of one tensor- or context-parallel group may wait for each other inside their parts: then the group is named, as its node.
//
// Threading:  pure; the memory belongs to one attempt.
// Units:      as Finding; cost: share of the step time, GPU-hours a day.
// Cost:       costs and sentences of the spells that last or ended a moment ago; the others are copied.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/step_diagnosis/attempt_watch.h"
#include "analysis/step_diagnosis/finding_memory.h"
#include "model/findings.h"

namespace runglass {

using NodeNames = std::map<NodeId, std::string>;

// Findings of one attempt, without the run. `over`: the attempt has ended, so has what it shows.
std::vector<Finding> findingsOf(const AttemptWatch& watch, const NodeNames& nodes, bool over, FindingMemory& memory);

}  // namespace runglass
