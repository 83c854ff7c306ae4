// SPDX-License-Identifier: Apache-2.0
// slow_link: transfers that became slower together, and the outlier among the ports in that time.
//
// Threading:  on the thread of the Reader; LinkMemory belongs to one analysis.
// Units:      as Finding.
// Errors:     the Reader's.
// Cost:       portEvidence() for each stretch, repeated every kAskAgain while it lasts; findings that ended long ago are copied.
#pragma once

#include <map>
#include <vector>

#include "analysis/step_diagnosis/port_evidence.h"
#include "analysis/step_diagnosis/step_findings.h"

namespace runglass {

struct LinkMemory {
  static constexpr DurNs kAskAgain = 60 * kNsPerSecond;
  struct Said {
    TimeNs until = 0;
    PortEvidence evidence;
  };
  std::map<std::pair<AttemptId, std::int64_t>, Said> said;  // by first step
  static constexpr DurNs kCountAgain = 600 * kNsPerSecond;
  struct Counted {
    TimeNs until = 0;
    std::optional<OddPort> port;
  };
  std::map<AttemptId, Counted> counted;
};

// Without an outlier port the finding is of severity info: throughput_shift reports the total cost.
Status addLinkFindings(Reader& reader, const AttemptWatch& watch, const NodeNames& nodes, TimeNs now, bool over, LinkMemory& memory,
                       FindingMemory& judged, std::vector<Finding>& findings, const std::stop_token& stop);

// A port whose error counters grow far more than the others' is reported with severity info even while nothing is slow.
Status addCounterFinding(Reader& reader, const AttemptWatch& watch, const NodeNames& nodes, TimeNs now, bool over, LinkMemory& memory,
                         std::vector<Finding>& findings, const std::stop_token& stop);

}  // namespace runglass
