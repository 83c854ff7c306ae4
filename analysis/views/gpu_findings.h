// SPDX-License-Identifier: Apache-2.0
// Which GPUs and hosts the open findings of a run are about.
//
// Threading: pure.
// Units:     TimeNs.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>

#include "model/findings.h"
#include "model/topology.h"

namespace runglass {

// The open findings of one place in one mark: the worst of them, of equals the newest.
struct FindingMark {
  Severity severity = Severity::kDebug;
  std::int64_t finding = 0;  // its id
  std::string summary;
  std::size_t count = 0;
};

// By node and device; device 0: the node as a whole. A finding names a device, or ranks, or a node; what is about a stage or the whole run
// marks nobody.
using FindingMarks = std::map<std::pair<NodeId, DeviceId>, FindingMark>;

// Findings that are open at `at`: begun, and without an end before it. What lasted until the end of a run is open there.
// `ranks` are those of `attempt`: ranks of findings of other attempts ran elsewhere, and mark nobody.
FindingMarks markOpenFindings(std::span<const Finding> findings, AttemptId attempt, std::span<const Rank> ranks,
                              std::span<const Device> devices, TimeNs at);

}  // namespace runglass
