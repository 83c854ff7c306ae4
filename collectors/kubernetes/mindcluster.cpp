// SPDX-License-Identifier: Apache-2.0
#include "collectors/kubernetes/mindcluster.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "collectors/kubernetes/json_member.h"
#include "collectors/text/display_name.h"

namespace runglass {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kDeviceMap = "mindx-dl-deviceinfo-", kNodeMap = "mindx-dl-nodeinfo-", kClusterMaps = "cluster-info-";
constexpr std::size_t kMaxText = 512;
constexpr int kMaxDepth = 64;

// The values are JSON of JSON: each level is parsed for itself, as deep as the stream's own limit.
Json parsed(std::string_view text) {
  const auto keep = [](int depth, Json::parse_event_t, Json&) { return depth <= kMaxDepth; };
  return Json::parse(text, keep, false);
}

std::string textOf(const Json& value) {
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  const auto* text = value.get_ptr<const Json::string_t*>();
  return text == nullptr ? std::string() : printable(std::string_view(*text).substr(0, kMaxText));
}
std::optional<TimeNs> millis(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  const auto ms = value.get<std::int64_t>();
  return ms > 0 && ms < INT64_MAX / kNsPerMs ? std::optional(ms * kNsPerMs) : std::nullopt;
}

// Levels of chips, nodes and switches, from low to high.
Severity severityOf(std::string_view level) {
  using enum Severity;
  struct Level {
    std::string_view name;
    Severity severity;
  };
  static constexpr std::array kLevels = {
      Level{"NotHandleFault", kInfo},    Level{"NotHandle", kInfo},        Level{"SubHealthFault", kWarning},
      Level{"RestartRequest", kWarning}, Level{"RestartBusiness", kError}, Level{"FreeRestartNPU", kError},
      Level{"RestartNPU", kError},       Level{"PreSeparateNPU", kError},  Level{"PreSeparateFault", kError},
      Level{"PreSeparate", kError},      Level{"SeparateNPU", kCritical},  Level{"ManuallySeparateNPU", kCritical},
      Level{"SeparateFault", kCritical}, Level{"Separate", kCritical}};
  const auto known = std::ranges::find(kLevels, level, &Level::name);
  return known == kLevels.end() ? kWarning : known->severity;
}

class Collector {
 public:
  Collector(std::vector<NodeFault>& out, std::int64_t& bad) : m_out(out), m_bad(bad) {}

  // A value that may be JSON in a text.
  Json opened(const Json& value) {
    const auto* text = value.get_ptr<const Json::string_t*>();
    if (text == nullptr) return value;
    Json json = parsed(*text);
    if (json.is_discarded()) {
      ++m_bad;
      return {};
    }
    return json;
  }

  void deviceInfo(const std::string& node, const Json& value) {
    const Json config = opened(value);
    const Json& list = member(member(config, "DeviceInfo").is_object() ? member(config, "DeviceInfo") : config, "DeviceList");
    if (!list.is_object()) return;
    for (const auto& [key, text] : list.items()) {
      if (!key.ends_with("-Fault")) continue;
      const Json faults = opened(text);
      if (faults.is_array())
        for (const Json& fault : faults) deviceFault(node, fault);
    }
  }
  void nodeInfo(const std::string& node, const Json& value) {
    const Json config = opened(value);
    const Json& info = member(config, "NodeInfo").is_object() ? member(config, "NodeInfo") : config;
    for (const Json& device : elements(info, member(info, "FaultDevList").is_array() ? "FaultDevList" : "FaultDeviList"))
      for (const Json& code : elements(device, "FaultCode"))
        add({.node = node,
             .device = textOf(member(device, "DeviceType")) + "-" + textOf(member(device, "DeviceId")),
             .event = {.kind = "node_fault",
                       .severity = severityOf(textOf(member(device, "FaultLevel"))),
                       .code = textOf(code),
                       .message = textOf(member(device, "FaultLevel"))}});
  }
  void switchInfo(const std::string& node, const Json& value) {
    const Json config = opened(value);
    const Json& times = member(config, "FaultTimeAndLevelMap");
    for (const Json& one : elements(config, member(config, "FaultCode").is_array() ? "FaultCode" : "FaultInfo")) {
      const Json fault = opened(one);
      if (!fault.is_object()) continue;
      const std::string code = textOf(member(fault, "AssembledFaultCode")), chip = textOf(member(fault, "SwitchChipId")),
                        port = textOf(member(fault, "SwitchPortId"));
      std::string key = code;
      key.append("_").append(chip).append("_").append(port);
      const Json& timed = member(times, key);
      const Json& level_of = member(timed, "fault_level").is_string() ? member(timed, "fault_level") : member(config, "FaultLevel");
      const std::string level = textOf(level_of);
      const Json& assertion = member(fault, "Assertion");
      const bool recovered = assertion.is_number_integer() && assertion.get<std::int64_t>() == 0;
      std::string device = "switch chip ";
      device.append(chip).append(" port ").append(port);
      add({.node = node,
           .device = std::move(device),
           .event = {.time = millis(member(fault, "AlarmRaisedTime")) ? millis(member(fault, "AlarmRaisedTime"))
                                                                      : millis(member(timed, "fault_time")),
                     .kind = recovered ? "switch_fault_recovered" : "switch_fault",
                     .severity = recovered ? Severity::kInfo : severityOf(level),
                     .code = code,
                     .message = level}});
    }
  }
  void publicFaults(const Json& value) {
    const Json config = opened(value);
    for (const Json& fault : elements(config, "faults")) {
      const std::string assertion = textOf(member(fault, "assertion"));
      const bool recovered = assertion == "recover";
      const Json& time = member(fault, "faultTime");
      const Event event{.time = millis(time.is_number() ? time : member(config, "timestamp")),
                        .kind = recovered ? "public_fault_recovered" : "public_fault",
                        .severity = recovered ? Severity::kInfo : Severity::kWarning,
                        .code = textOf(member(fault, "faultCode")),
                        .message = textOf(member(config, "resource")) + ": " + textOf(member(fault, "faultType")) + ": " +
                                   textOf(member(fault, "description"))};
      for (const Json& one : elements(fault, "influence")) {
        std::string devices;
        for (const Json& id : elements(one, "deviceIds")) devices += (devices.empty() ? "NPU " : ", ") + textOf(id);
        const std::string name = textOf(member(one, "nodeName"));
        add({.node = name.empty() ? textOf(member(one, "nodeSN")) : name, .device = devices, .event = event});
      }
    }
  }

 private:
  void deviceFault(const std::string& node, const Json& fault) {
    const std::string type = textOf(member(fault, "fault_type")), level = textOf(member(fault, "fault_level"));
    const Json& times = member(fault, "fault_time_and_level_map");
    const char* const kind = type == "CardNetworkUnhealthy" ? "network_fault" : type == "NodeUnhealthy" ? "node_fault" : "npu_fault";
    const std::string codes = textOf(member(fault, "fault_code"));
    for (std::size_t begin = 0; begin <= codes.size();) {
      const std::size_t comma = std::min(codes.find(',', begin), codes.size());
      std::string code = codes.substr(begin, comma - begin);
      code.erase(0, std::min(code.find_first_not_of(' '), code.size()));
      begin = comma + 1;
      if (code.empty()) continue;
      const Json& timed = member(times, code);
      const std::string own = textOf(member(timed, "fault_level"));
      const std::string& shown = own.empty() ? level : own;
      add({.node = node,
           .device = textOf(member(fault, "npu_name")),
           .event = {.time = millis(member(timed, "fault_time")),
                     .kind = kind,
                     .severity = severityOf(shown),
                     .code = code,
                     .message = type + ": " + shown}});
    }
  }
  void add(NodeFault fault) {
    if (m_out.size() < MindClusterFaults::kMaxFaults && !fault.event.code.empty()) m_out.push_back(std::move(fault));
  }

  std::vector<NodeFault>& m_out;
  std::int64_t& m_bad;
};

std::string nodeOf(std::string_view name) {
  for (const std::string_view prefix : {kDeviceMap, kNodeMap})
    if (name.starts_with(prefix)) return std::string(name.substr(prefix.size()));
  return {};
}

}  // namespace

bool MindClusterFaults::isOfMindCluster(const KubeObject& map) {
  return map.kind == "ConfigMap" && (!nodeOf(map.name).empty() || map.name.starts_with(kClusterMaps) || map.data.contains("PublicFault") ||
                                     map.label("mc-consumer-publicfault") == "true");
}

std::vector<NodeFault> MindClusterFaults::faultsOf(const KubeObject& map) {
  std::vector<NodeFault> out;
  Collector collector(out, m_bad);
  const std::string own = nodeOf(map.name);
  for (const auto& [key, value] : map.data) {
    if (key == "DeviceInfoCfg") collector.deviceInfo(own, value);
    if (key == "SwitchInfoCfg") collector.switchInfo(own, value);
    if (key == "NodeInfo") collector.nodeInfo(own, value);
    if (key == "PublicFault") collector.publicFaults(value);
    if (!map.name.starts_with(kClusterMaps)) continue;
    // ClusterD: the nodes' ConfigMaps by their names, in one value.
    const Json nodes = collector.opened(value);
    if (!nodes.is_object()) continue;
    for (const auto& [name, config] : nodes.items()) {
      std::string node = nodeOf(name);
      if (const std::size_t info = name.rfind("switchinfo-"); node.empty() && info != std::string::npos) node = name.substr(info + 11);
      if (map.name.starts_with("cluster-info-switch"))
        collector.switchInfo(node, config);
      else if (map.name.starts_with("cluster-info-node"))
        collector.nodeInfo(node, config);
      else
        collector.deviceInfo(node, config);
    }
  }
  return out;
}

}  // namespace runglass
