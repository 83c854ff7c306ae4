// SPDX-License-Identifier: Apache-2.0
#include "analysis/views/gpu_findings.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "analysis/incident/finding_place.h"
#include "analysis/run_summary/open_finding.h"

namespace runglass {
namespace {

using Place = std::pair<NodeId, DeviceId>;

// "device:GPU-1234 xid 79": up to the first space.
std::string_view deviceIn(std::string_view subject) {
  constexpr std::string_view kDevice = "device:";
  if (!subject.starts_with(kDevice)) return {};
  subject.remove_prefix(kDevice.size());
  return subject.substr(0, subject.find(' '));
}

}  // namespace

FindingMarks markOpenFindings(std::span<const Finding> findings, AttemptId attempt, std::span<const Rank> ranks,
                              std::span<const Device> devices, TimeNs at, std::optional<TimeNs> run_end) {
  std::map<std::int32_t, Place> place_of_rank;
  for (const Rank& rank : ranks) place_of_rank[rank.rank] = {rank.node, rank.device};
  std::map<std::string_view, Place> place_of_device;
  for (const Device& device : devices)
    place_of_device[device.uuid] = {device.node, device.kind == "gpu" || device.kind == "npu" ? device.id : DeviceId()};
  FindingMarks marks;
  for (const Finding& finding : findings) {
    if (!isOpen(finding, at, run_end)) continue;
    std::set<Place> places;
    const FindingPlace place = placeOf(finding, {});
    if (const auto device = place_of_device.find(deviceIn(finding.subject)); device != place_of_device.end()) {
      places.insert(device->second);
    } else if (!place.ranks.empty()) {
      if (finding.attempt && finding.attempt != attempt) continue;
      for (const std::int32_t rank : place.ranks)
        if (const auto of = place_of_rank.find(rank); of != place_of_rank.end()) places.insert(of->second);
    } else {
      for (const NodeId node : place.nodes) places.insert({node, {}});
    }
    for (const Place& one : places) {
      FindingMark& mark = marks[one];
      ++mark.count;
      if (std::tuple(finding.severity, finding.id) < std::tuple(mark.severity, mark.finding)) continue;
      mark.severity = finding.severity, mark.finding = finding.id, mark.summary = finding.summary, mark.message = finding.message;
    }
  }
  return marks;
}

}  // namespace runglass
