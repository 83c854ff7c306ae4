// SPDX-License-Identifier: Apache-2.0
#include "analysis/hardware_faults/fault_finding.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/words/sentences.h"
#include "model/clock_reasons.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
using words::Arg;
using words::Message;

constexpr std::size_t kSymptomsListed = 20, kDevicesListed = 64;
constexpr DurNs kNodeTogether = 60 * kNsPerSecond;

std::string nodeName(const Places& places, NodeId node) {
  const auto at = places.nodes.find(node);
  return at == places.nodes.end() ? std::string() : at->second;
}
const Device* deviceOf(const Places& places, DeviceId id) {
  const auto at = places.devices.find(id);
  return at == places.devices.end() ? nullptr : &at->second;
}

Json toJson(const Event& event, const Places& places) {
  Json json = Json::object();
  if (event.time) json["time_ns"] = *event.time;
  json["kind"] = event.kind;
  if (!event.code.empty()) json["code"] = event.code;
  json["message"] = event.message.substr(0, 300);
  if (const std::string node = nodeName(places, event.node); !node.empty()) json["node"] = node;
  if (const Device* device = deviceOf(places, event.device)) json["device_uuid"] = device->uuid;
  if (event.rank) json["rank"] = *event.rank;
  return json;
}

const char* causeName(FaultCause cause) {
  static constexpr const char* kNames[] = {"device", "application", "link_flap", "silent", "hub_or_network"};
  return kNames[static_cast<std::size_t>(cause)];
}

// "GPU 5 of sim-0002 (rank 21)", "sim-0002", "a node".
Arg whereOf(const CorrelatedFault& fault, const Places& places) {
  const std::string name = nodeName(places, fault.root.node);
  Arg node = name.empty() ? Arg(Message{"fault_some_node", {}}) : Arg(name);
  const Device* device = deviceOf(places, fault.root.device);
  if (device == nullptr) return node;
  const auto at = places.ranks.find(device->id);
  const Arg rank = at == places.ranks.end() ? Arg() : Arg(at->second.rank);
  if (device->kind != "gpu") return Message{"fault_device", {{"device", device->kind}, {"node", node}, {"rank", rank}}};
  if (!device->index) return Message{"fault_some_gpu", {{"node", node}, {"rank", rank}}};
  return Message{"fault_gpu", {{"gpu", *device->index}, {"node", node}, {"rank", rank}}};
}

// Absent without symptoms.
Arg symptomsOf(const CorrelatedFault& fault) {
  constexpr std::size_t kMaxListed = 120;  // characters of the list of kinds
  if (fault.symptoms.empty()) return {};
  Arg::List kinds;
  std::size_t bytes = 0;
  for (const auto& [kind, count] : fault.counts) {
    if (bytes > kMaxListed) {
      kinds.emplace_back("...");
      break;
    }
    bytes += (kinds.empty() ? 0 : 2) + (count > 1 ? std::to_string(count).size() + 1 : 0) + kind.size();
    kinds.push_back(count > 1 ? Arg(Message{"fault_counted", {{"count", count}, {"kind", kind}}}) : Arg(kind));
  }
  return Message{"fault_symptoms", {{"count", fault.symptoms.size()}, {"kinds", std::move(kinds)}}};
}

Arg meaningOf(const CorrelatedFault& fault) {
  const words::Term meaning{std::string(fault.info->meaning)};
  if (fault.root.kind == "xid") return Message{"fault_xid", {{"code", fault.root.code}, {"meaning", meaning}}};
  if (fault.root.kind == "sxid") return Message{"fault_sxid", {{"code", fault.root.code}, {"meaning", meaning}}};
  return meaning;
}

Message messageOf(const CorrelatedFault& fault, const Places& places) {
  const Arg times = fault.repeats > 0 ? Arg(fault.repeats + 1) : Arg();
  switch (fault.cause) {
    case FaultCause::kHub:
      return Message{"fault_hub", {{"nodes", fault.nodes.size()}}};
    case FaultCause::kSilent:
      return Message{fault.end ? "fault_silent_back" : "fault_silent", {{"where", whereOf(fault, places)}}};
    case FaultCause::kLinkFlap:
      return Message{"fault_link_flap", {{"where", whereOf(fault, places)}, {"times", times}, {"symptoms", symptomsOf(fault)}}};
    case FaultCause::kApplication:
      return Message{"fault_on_nodes",
                     {{"nodes", fault.nodes.size()}, {"what", meaningOf(fault)}, {"times", times}, {"symptoms", symptomsOf(fault)}}};
    case FaultCause::kDevice:
      break;
  }
  return Message{"fault_at",
                 {{"where", whereOf(fault, places)}, {"what", meaningOf(fault)}, {"times", times}, {"symptoms", symptomsOf(fault)}}};
}

Severity severityOf(const CorrelatedFault& fault) {
  if (fault.cause == FaultCause::kLinkFlap) return Severity::kWarning;
  if (fault.cause == FaultCause::kSilent) return fault.end ? Severity::kWarning : Severity::kError;
  if (fault.info == nullptr) return Severity::kError;
  // The vendor states that no action is needed.
  if (fault.info->action == "IGNORE") return Severity::kInfo;
  if (fault.info->scope == FaultScope::kProcess) return Severity::kWarning;
  return fault.root.severity == Severity::kWarning ? Severity::kInfo : fault.root.severity;
}

Json checksOf(const CorrelatedFault& fault) {
  if (fault.cause == FaultCause::kHub)
    return {"the hub's own machine and its network", "switches that these nodes share", "planned maintenance"};
  if (fault.cause == FaultCause::kSilent)
    return {"does the node answer at all", "its kernel log", "was it drained or restarted on purpose"};
  if (fault.info == nullptr) return Json::array();
  switch (fault.info->scope) {
    case FaultScope::kProcess:
      return {"the program's own log at that time", "whether the same GPU repeats it in other jobs"};
    case FaultScope::kGpu:
      return {"ECC counters and row remaps of the GPU", "recovery_action of the GPU", "whether it has happened to this GPU before"};
    case FaultScope::kLink:
      return {"the other end of the link", "error and replay counters of both ends", "cable, transceiver and switch port"};
    case FaultScope::kNode:
      return {"PCIe errors and temperatures before it", "power supplies and the BMC's event log", "other GPUs of the node"};
    case FaultScope::kStorage:
      return {"other clients of the same storage", "checkpoint and data-loading times"};
  }
  return Json::array();
}

}  // namespace

Finding faultFinding(const CorrelatedFault& fault, const Places& places) {
  Finding finding;
  finding.kind = fault.cause == FaultCause::kLinkFlap ? "slow_link" : "hardware_fault";
  finding.severity = severityOf(fault);
  if (fault.root.time)
    finding.start = fault.start, finding.end = fault.end;
  else
    finding.first_step = fault.root.step;
  words::setMessage(finding, messageOf(fault, places));
  const Device* device = deviceOf(places, fault.root.device);
  const std::string node = nodeName(places, fault.root.node);
  if (fault.cause == FaultCause::kHub)
    finding.subject = "hub";
  else if (fault.cause == FaultCause::kApplication)
    finding.subject = "run:" + fault.root.kind + " " + fault.root.code;
  else  // two faults of one component in the same step are two findings
    finding.subject = (device != nullptr ? "device:" + device->uuid : "node:" + node) + ' ' + fault.root.kind +
                      (fault.root.code.empty() ? std::string() : ' ' + fault.root.code);
  if (fault.cause != FaultCause::kHub && fault.nodes.size() == 1) finding.node = fault.root.node;
  if (const auto rank = places.ranks.find(fault.root.device); rank != places.ranks.end() && fault.cause == FaultCause::kDevice) {
    finding.rank = rank->second.rank;
    finding.dp = rank->second.dp, finding.pp = rank->second.pp, finding.tp = rank->second.tp;
  }
  const bool of_program = fault.info != nullptr && fault.info->scope == FaultScope::kProcess;
  finding.confidence = fault.cause == FaultCause::kSilent ? 0.5 : of_program ? 0.4 : 0.9;
  Json evidence = {{"cause", causeName(fault.cause)}, {"root", toJson(fault.root, places)}, {"repeats", fault.repeats}};
  evidence["nodes"] = Json::array();
  for (const NodeId one : fault.nodes)
    if (evidence["nodes"].size() < kDevicesListed) evidence["nodes"].push_back(nodeName(places, one));
  evidence["node_count"] = fault.nodes.size();
  if (fault.info != nullptr) {
    evidence["meaning"] = fault.info->meaning;
    evidence["advice"] = fault.info->advice;
    if (!fault.info->action.empty()) evidence["action"] = fault.info->action;
    evidence["source"] = fault.root.kind == "xid" ? kXidSource : "runglass fault catalogue";
  }
  evidence["check"] = checksOf(fault);
  evidence["symptom_count"] = fault.symptoms.size();
  evidence["symptoms_by_kind"] = fault.counts;
  evidence["symptoms"] = Json::array();
  for (std::size_t i = 0; i < std::min(fault.symptoms.size(), kSymptomsListed); ++i)
    evidence["symptoms"].push_back(toJson(fault.symptoms[i], places));
  finding.evidence = evidence.dump(-1, ' ', false, Json::error_handler_t::replace);
  return finding;
}

std::vector<ThrottledTogether> throttledTogether(const std::map<DeviceId, DeviceThrottle>& devices) {
  std::vector<ThrottledTogether> all;
  std::map<NodeId, std::vector<std::size_t>> of_node;
  std::set<NodeId> nodes;
  for (const auto& [id, device] : devices) {
    nodes.insert(device.node);
    for (const ThrottleSpan& span : device.spans) {
      if (span.t1 - span.t0 < kThrottleLeast) continue;
      auto& known = of_node[device.node];
      const auto same = std::ranges::find_if(
          known, [&](std::size_t i) { return all[i].t0 - kNodeTogether <= span.t1 && span.t0 <= all[i].t1 + kNodeTogether; });
      const std::size_t index = same == known.end() ? all.size() : *same;
      if (index == all.size()) {
        known.push_back(index);
        all.push_back({.node = device.node, .bits = span.bits, .t0 = span.t0, .t1 = span.t1, .devices = {}});
      }
      ThrottledTogether& to = all[index];
      to.bits |= span.bits, to.t0 = std::min(to.t0, span.t0), to.t1 = std::max(to.t1, span.t1);
      to.open |= device.last - span.t1 <= kThrottleGap;
      to.devices.emplace_back(id, span);
    }
  }
  // Many nodes at once: the room or its power supply, one finding.
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::set<NodeId> together{all[i].node};
    for (const ThrottledTogether& other : all)
      if (other.node && std::abs(other.t0 - all[i].t0) <= kNodeTogether) together.insert(other.node);
    if (!all[i].node || together.size() < 3 || static_cast<double>(together.size()) <= kManyNodes * static_cast<double>(nodes.size()))
      continue;
    for (std::size_t j = all.size(); j-- > i + 1;) {
      if (!all[j].node || std::abs(all[j].t0 - all[i].t0) > kNodeTogether) continue;
      all[i].bits |= all[j].bits, all[i].t1 = std::max(all[i].t1, all[j].t1), all[i].open |= all[j].open;
      all[i].devices.insert(all[i].devices.end(), all[j].devices.begin(), all[j].devices.end());
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
    }
    all[i].node = {};
  }
  return all;
}

Finding throttleFinding(const ThrottledTogether& together, const Places& places) {
  Finding finding;
  const bool brake = (together.bits & kPowerBrake) != 0;
  finding.kind = brake ? "hardware_fault" : "thermal_throttle";
  finding.severity = brake ? Severity::kError : Severity::kWarning;
  finding.start = together.t0;
  if (!together.open) finding.end = together.t1;
  finding.node = together.node;
  const std::string node = nodeName(places, together.node);
  finding.subject = together.node ? "node:" + node : "cluster";
  finding.confidence = 0.95;
  Json evidence = {{"cause", brake ? "power_brake" : "thermal"}, {"reasons", Json::array()}};
  Arg::List reasons;
  for (const ClockReason& reason : clockReasons()) {
    if ((together.bits & reason.bit) == 0) continue;
    reasons.emplace_back(words::Term{std::string(reason.words)});
    evidence["reasons"].push_back({{"bit", reason.bit}, {"words", reason.words}, {"meaning", reason.meaning}, {"advice", reason.advice}});
  }
  evidence["source"] = kClockReasonSource;
  std::set<DeviceId> distinct;
  evidence["devices"] = Json::array();
  for (const auto& [id, span] : together.devices) {
    distinct.insert(id);
    const Device* device = deviceOf(places, id);
    if (evidence["devices"].size() < kDevicesListed)
      evidence["devices"].push_back(
          {{"device_uuid", device != nullptr ? device->uuid : std::string()}, {"start_ns", span.t0}, {"end_ns", span.t1}});
  }
  evidence["device_count"] = distinct.size();
  evidence["check"] = {"inlet temperature and fans of the node", "power supplies and the BMC's event log",
                       "whether the same rack shows it, too"};
  finding.evidence = evidence.dump(-1, ' ', false, Json::error_handler_t::replace);
  const Arg where = node.empty() ? Arg(Message{"fault_several_nodes", {}}) : Arg(node);
  if (together.open)
    words::setMessage(finding, Message{"fault_throttled_now", {{"gpus", distinct.size()}, {"where", where}, {"reasons", reasons}}});
  else
    words::setMessage(
        finding,
        Message{
            "fault_throttled_past",
            {{"gpus", distinct.size()}, {"where", where}, {"seconds", (together.t1 - together.t0) / kNsPerSecond}, {"reasons", reasons}}});
  if (distinct.size() == 1)
    if (const auto rank = places.ranks.find(*distinct.begin()); rank != places.ranks.end()) finding.rank = rank->second.rank;
  return finding;
}

}  // namespace runglass
