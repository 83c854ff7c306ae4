// SPDX-License-Identifier: Apache-2.0
// A correlated fault, or devices throttled together, as a Finding: sentence, evidence, severity.
//
// Threading:  pure.
// Ownership:  borrows Places.
// Units:      as Finding.
// Cost:       O(symptoms).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/hardware_faults/symptoms.h"
#include "analysis/hardware_faults/throttle.h"
#include "model/findings.h"
#include "model/topology.h"

namespace runglass {

// Names of the nodes and devices in events, and the placement of ranks.
struct Places {
  std::map<NodeId, std::string> nodes;
  std::map<DeviceId, Device> devices;
  std::map<DeviceId, Rank> ranks;  // of the newest attempt
};

Finding faultFinding(const CorrelatedFault& fault, const Places& places);

// Devices with overlapping throttle spans: on one node, or on many.
struct ThrottledTogether {
  NodeId node;  // 0: several
  std::uint32_t bits = 0;
  TimeNs t0 = 0, t1 = 0;
  bool open = false;  // still throttled
  std::vector<std::pair<DeviceId, ThrottleSpan>> devices;
};
std::vector<ThrottledTogether> throttledTogether(const std::map<DeviceId, DeviceThrottle>& devices);
Finding throttleFinding(const ThrottledTogether& together, const Places& places);

}  // namespace runglass
