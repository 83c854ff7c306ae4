// SPDX-License-Identifier: Apache-2.0
// Liveness: states of nodes (alive, stale, lost, gone) from the times of their last messages. Pure: times in, transitions out.
//
// Threading:  one thread.
// Ownership:  owns its table.
// Units:      CLOCK_MONOTONIC ns of the hub.
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

  // A node with `state` in an earlier run of the hub: it has until the limits, counted from `now`, to report.
  void expect(const Node& node, DurNs now);
  // The node reported at `now`; a Change if it was not alive before.
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
