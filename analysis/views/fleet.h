// SPDX-License-Identifier: Apache-2.0
// Fleet: the hosts and devices of a run with their series, and the meaning of "now" for them.
//
// Threading:  readFleet() on a query worker; the value is immutable afterwards.
// Units:      TimeNs.
// Errors:     the Reader's.
// Cost:       one read of the catalogue; find() is O(log devices + metrics of one).
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/steps/attempt_steps.h"
#include "model/result.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr DurNs kLiveWithin = 120 * kNsPerSecond;  // a store without data for this long is not being written

class Fleet {
 public:
  std::optional<Run> run;  // the chosen one; its ranks are those of its newest attempt
  AttemptId attempt;       // its newest attempt; 0: none
  // Nodes with devices, ranks or metrics; for an imported run, those that its files name. By rack, then name.
  std::vector<Node> nodes;
  std::vector<Device> devices;    // accelerators
  std::vector<Device> instances;  // MIG instances of those
  std::vector<Rank> ranks;
  // Ages are relative to this time: the clock while data arrive, else the end of the data (the run ended, or the store is not being
  // written).
  TimeNs now = 0;
  bool live = false;

  // Metrics of a device, or of a node (device 0). Several if labels distinguish them (interfaces, mounts).
  std::vector<const Series*> find(NodeId node, DeviceId device, std::string_view metric) const;
  // By uuid; the instances of a GPU.
  std::vector<const Device*> instancesOf(DeviceId device) const;
  // Who used the GPU when it last reported, each once: pods, else processes ("python train.py (pid 10291)"), with their MIG instance. More
  // than one: it is shared, by MIG, MPS or time slices.
  std::vector<std::string> tenantsOf(NodeId node, DeviceId device) const;
  const Series* first(NodeId node, DeviceId device, std::string_view metric) const;
  std::optional<TimeNs> lastHeard(NodeId node, DeviceId device) const;
  const Rank* rankOf(NodeId node, DeviceId device) const;  // the first rank on it
  const Series* stepTime(std::int32_t rank) const;         // of the newest attempt
  const std::vector<Series>& series() const { return m_series; }

 private:
  friend Result<Fleet> readFleet(Reader& reader, RunId run, TimeNs now);
  void index();
  void chooseNow(TimeNs now);

  std::vector<Series> m_series;                                          // of nodes and devices
  std::map<std::pair<NodeId, DeviceId>, std::vector<std::size_t>> m_of;  // indices into m_series
  AttemptSteps m_steps;
};

Result<Fleet> readFleet(Reader& reader, RunId run, TimeNs now);

}  // namespace runglass
