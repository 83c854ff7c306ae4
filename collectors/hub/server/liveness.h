// SPDX-License-Identifier: Apache-2.0
// Liveness: which nodes are alive, stale, lost or gone, from when they were last heard. Pure: time comes in, transitions come out.
//
// Threading:  one thread.
// Ownership:  owns its table.
// Units:      CLOCK_MONOTONIC ns of the hub.
// Errors:     none.
// Cost:       O(nodes) a tick.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/topology.h"

namespace runglass {

struct LivenessLimits {
  DurNs stale_after = 6 * kNsPerSecond;  // three missed beats of 2 s
  DurNs lost_after = 15 * kNsPerSecond;
};

class Liveness {
 public:
  struct Change {
    std::string node_uuid, node_name;
    NodeState from, to;
    DurNs silent;
  };
  explicit Liveness(LivenessLimits limits) : m_limits(limits) {}

  // A node that an earlier life of the hub knew in `state`: it has until the limits, from `now`, to be heard.
  void expect(const Node& node, DurNs now);
  // Heard at `now`; a Change if it was not alive before.
  std::vector<Change> heard(const std::string& uuid, const std::string& name, DurNs now);
  std::vector<Change> left(const std::string& uuid, DurNs now);
  std::vector<Change> tick(DurNs now);

 private:
  struct Entry {
    std::string name;
    NodeState state = NodeState::kUnknown;
    DurNs heard = 0;
  };
  LivenessLimits m_limits;
  std::map<std::string, Entry> m_nodes;
};

}  // namespace runglass
