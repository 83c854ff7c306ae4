// SPDX-License-Identifier: Apache-2.0
#include "analysis/hardware_faults/machine_faults.h"

#include <set>

#include "analysis/hardware_faults/fault_finding.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxMachineEvents = 10'000;
constexpr DurNs kRepeatsLookBack = 2LL * 3600 * kNsPerSecond;  // longer than a fault's repeats: finds faults that began before the range

bool isOfMachine(const FaultInfo* info) { return info != nullptr && !info->secondary && info->scope != FaultScope::kProcess; }

}  // namespace

Result<std::vector<Finding>> machineFaults(Reader& reader, TimeRange range, const std::stop_token& stop) {
  std::vector<Finding> found;
  EventFilter filter{.range = range, .run = std::nullopt, .at_least = Severity::kWarning, .kind = ""};
  filter.limit = kMaxMachineEvents;
  RG_ASSIGN(const std::vector<Event> events, reader.events(filter));
  std::set<NodeId> suspects;
  for (const Event& event : events)
    if (event.node && isOfMachine(findFault(event.kind, event.code))) suspects.insert(event.node);
  if (suspects.empty()) return found;
  Places places;
  RG_ASSIGN(const std::vector<Node> nodes, reader.nodes());
  for (const Node& node : nodes) places.nodes[node.id] = node.name;
  RG_ASSIGN(const std::vector<Device> devices, reader.devices());
  for (const Device& device : devices) places.devices[device.id] = device;
  for (const NodeId node : suspects) {
    RowQuery query;
    query.range = {range.t0 - kRepeatsLookBack, range.t1}, query.node = node, query.at_least = Severity::kInfo,
    query.limit = kMaxMachineEvents;
    RG_ASSIGN(const EventPage page, reader.searchEvents(query, stop));
    for (const CorrelatedFault& fault : correlate(page.events, 1)) {
      if (fault.start < range.t0 || !isOfMachine(fault.info)) continue;
      // An event may arrive before its device: without the device's name the subject would differ.
      if (fault.root.device && !places.devices.contains(fault.root.device)) continue;
      Finding finding = faultFinding(fault, places);
      if (finding.severity >= Severity::kWarning) found.push_back(std::move(finding));
    }
  }
  return found;
}

}  // namespace runglass
