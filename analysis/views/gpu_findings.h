// SPDX-License-Identifier: Apache-2.0
// The GPUs and hosts that a run's open findings are about.
//
// Threading:  pure.
// Units:      TimeNs.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>

#include "model/findings.h"
#include "model/topology.h"

namespace runglass {

// The open findings of one place as one mark: the most severe, among equals the newest.
struct FindingMark {
  Severity severity = Severity::kDebug;
  std::int64_t finding = 0;  // its id
  std::string summary, message;
  std::size_t count = 0;
};

// By node and device; device 0: the node as a whole. A finding names a device, or ranks, or a node; a finding about a stage or the whole
// run gives no mark.
using FindingMarks = std::map<std::pair<NodeId, DeviceId>, FindingMark>;

// Findings that are open at `at`: begun, and without an end before it. A finding that lasted until the end of a run is open there. `ranks`
// are those of `attempt`: ranks in findings of other attempts ran elsewhere and give no mark.
FindingMarks markOpenFindings(std::span<const Finding> findings, AttemptId attempt, std::span<const Rank> ranks,
                              std::span<const Device> devices, TimeNs at, std::optional<TimeNs> run_end = std::nullopt);

}  // namespace runglass
