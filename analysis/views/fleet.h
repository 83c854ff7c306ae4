// SPDX-License-Identifier: Apache-2.0
// Fleet: the hosts and devices of a run with the series that speak of them, and what "now" means for them.
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

inline constexpr DurNs kLiveWithin = 120 * kNsPerSecond;  // a store in which nothing newer arrived is not being written

class Fleet {
 public:
  std::optional<Run> run;  // the chosen one; its ranks are of its newest attempt
  AttemptId attempt;       // that one; 0: none
  // That have devices, ranks or metrics; of an imported run those that its files name; by rack, then name.
  std::vector<Node> nodes;
  std::vector<Device> devices;    // accelerators
  std::vector<Device> instances;  // MIG instances of those
  std::vector<Rank> ranks;
  // Ages count from here: the clock while data arrive; the end of the data of a run that is over or of a store that nobody writes.
  TimeNs now = 0;
  bool live = false;

  // Metrics of a device, or of a node (device 0). Several where labels tell them apart (interfaces, mounts).
  std::vector<const Series*> find(NodeId node, DeviceId device, std::string_view metric) const;
  // By uuid; those of a GPU.
  std::vector<const Device*> instancesOf(DeviceId device) const;
  const Series* first(NodeId node, DeviceId device, std::string_view metric) const;
  std::optional<TimeNs> lastHeard(NodeId node, DeviceId device) const;
  const Rank* rankOf(NodeId node, DeviceId device) const;  // the first one on it
  const Series* stepTime(std::int32_t rank) const;         // of the newest attempt
  const std::vector<Series>& series() const { return m_series; }

 private:
  friend Result<Fleet> readFleet(Reader& reader, RunId run, TimeNs now);
  void index();
  void chooseNow(TimeNs now);

  std::vector<Series> m_series;                                          // of nodes and devices
  std::map<std::pair<NodeId, DeviceId>, std::vector<std::size_t>> m_of;  // into m_series
  AttemptSteps m_steps;
};

Result<Fleet> readFleet(Reader& reader, RunId run, TimeNs now);

}  // namespace runglass
