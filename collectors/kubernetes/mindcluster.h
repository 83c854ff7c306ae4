// SPDX-License-Identifier: Apache-2.0
// Faults in the ConfigMaps of Ascend MindCluster, as events of nodes and devices: device-plugin's (mindx-dl-deviceinfo-NODE), node
// daemon's (mindx-dl-nodeinfo-NODE), those of ClusterD (cluster-info-*), switches' and public faults.
//
// Threading:  one thread.
// Units:      TimeNs; milliseconds in the ConfigMaps.
// Errors:     values that are not JSON are counted (bad()); a fault without a time has none. At most kMaxFaults per ConfigMap.
// Cost:       a JSON tree of one value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/kubernetes/kube_object.h"
#include "model/events.h"

namespace runglass {

struct NodeFault {
  std::string node;    // its name; "": not named
  std::string device;  // "Ascend910-3"; "": of the node
  Event event;         // kind npu_fault, network_fault, node_fault, switch_fault, public_fault, or one of them and "_recovered"
  std::string identity() const {
    return event.kind + "|" + node + "|" + device + "|" + event.code + "|" + std::to_string(event.time.value_or(0));
  }
};

class MindClusterFaults {
 public:
  static constexpr std::size_t kMaxFaults = 4'096;
  static bool isOfMindCluster(const KubeObject& config_map);
  std::vector<NodeFault> faultsOf(const KubeObject& config_map);
  std::int64_t bad() const { return m_bad; }

 private:
  std::int64_t m_bad = 0;
};

}  // namespace runglass
