// SPDX-License-Identifier: Apache-2.0
// ConfigMaps of Ascend MindCluster as files (kubectl get cm -o json, one or a list): faults of NPUs, of the switches in a node, of nodes,
// and those that other systems report. Values of the data are JSON as text, and some of them have JSON as text inside.
#include <algorithm>
#include <array>
#include <set>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/json_documents.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/telemetry/device_series.h"
#include "collectors/importers/telemetry/quantity.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxFaults = 100'000;

// A member as JSON, whether it is an object, a list, or their text.
Json member(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return {};
  const Json& value = object[key];
  if (!value.is_string()) return value;
  const std::string& text = value.get_ref<const std::string&>();
  if (!opensJson(text) || text.size() > (8U << 20)) return value;
  auto parsed = Json::parse(text, nullptr, false);
  return parsed.is_discarded() ? value : parsed;
}
std::string text(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? displayName(textIn(object[key])) : std::string();
}

// Levels of chips, nodes and switches, from low to high.
Severity severityOf(std::string_view level) {
  struct Level {
    std::string_view name;
    Severity severity;
  };
  static constexpr std::array kLevels = {Level{"NotHandleFault", Severity::kInfo},
                                         Level{"NotHandle", Severity::kInfo},
                                         Level{"SubHealthFault", Severity::kWarning},
                                         Level{"RestartRequest", Severity::kWarning},
                                         Level{"RestartBusiness", Severity::kError},
                                         Level{"FreeRestartNPU", Severity::kError},
                                         Level{"RestartNPU", Severity::kError},
                                         Level{"PreSeparateNPU", Severity::kError},
                                         Level{"PreSeparateFault", Severity::kError},
                                         Level{"SeparateNPU", Severity::kCritical},
                                         Level{"ManuallySeparateNPU", Severity::kCritical},
                                         Level{"SeparateFault", Severity::kCritical},
                                         Level{"Separate", Severity::kCritical}};
  const auto known = std::ranges::find(kLevels, level, &Level::name);
  return known == kLevels.end() ? Severity::kWarning : known->severity;
}

std::optional<TimeNs> millis(const Json& value) {
  const auto number = numberIn(value);
  constexpr double kFirst = 9e11, kLast = 7e12;
  if (!number || *number < kFirst || *number > kLast) return std::nullopt;
  return static_cast<TimeNs>(*number) * kNsPerMs;
}

// "Ascend910-3", "npu-3" -> 3.
std::optional<std::int32_t> indexOf(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || dash + 1 == name.size() || name.size() - dash > 6) return std::nullopt;
  std::int32_t index = 0;
  for (const char c : name.substr(dash + 1)) {
    if (c < '0' || c > '9') return std::nullopt;
    index = index * 10 + (c - '0');
  }
  return index;
}

class MindCluster {
 public:
  MindCluster(const ImportTarget& target, Recorder& out) : m_target(target), m_out(out), m_series(target, out) {}

  // One ConfigMap, a list of them, or its bare data.
  void document(const Json& document) {
    if (document.is_object() && document.contains("items") && document["items"].is_array()) {
      for (const Json& item : document["items"]) map(item);
    } else {
      map(document);
    }
  }

  void finish(ImportReport& report) {
    m_series.flush();
    if (m_too_many > 0) m_out.issue({.code = "mind_cluster.too_many", .source = m_target.path, .count = m_too_many});
    if (m_unreadable > 0)
      m_out.issue({.code = "mind_cluster.unreadable", .source = m_target.path, .count = m_unreadable, .detail = m_first});
    if (m_series.started()) report.run = m_series.run();
    report.end_time = m_newest;
    if (!m_series.started() && m_target.resume_at == 0) report.skipped_reason = "no fault and no device in it";
  }

 private:
  void map(const Json& map) {
    if (!map.is_object()) return;
    const Json data = map.contains("data") ? map["data"] : map;
    const std::string name = map.contains("metadata") ? text(map["metadata"], "name") : std::string();
    std::string node;
    for (const char* prefix : {"mindx-dl-deviceinfo-", "mindx-dl-nodeinfo-", "cluster-info-node-"})
      if (name.starts_with(prefix)) node = name.substr(std::string_view(prefix).size());
    ofNode(data, node);
    if (const Json faults = member(data, "PublicFault"); faults.is_object()) publicFaults(faults);
    if (!data.is_object()) return;
    // ClusterD's maps hold one entry per node, under the name of the node's own map.
    for (const auto& [key, value] : data.items())
      for (const char* prefix : {"mindx-dl-deviceinfo-", "mindx-dl-nodeinfo-", "mindx-dl-switchinfo-"})
        if (std::string_view(key).starts_with(prefix)) ofNode(member(data, key.c_str()), key.substr(std::string_view(prefix).size()));
  }

  void ofNode(const Json& data, const std::string& node) {
    if (!data.is_object()) return;
    m_series.onHost(node);
    for (const char* key : {"DeviceInfoCfg", "DeviceInfo"})
      if (const Json devices = member(data, key); devices.is_object()) deviceInfo(devices);
    if (data.contains("DeviceList")) deviceInfo(data);
    if (const Json faults = member(data, "SwitchInfoCfg"); faults.is_object()) switchInfo(faults);
    if (const Json info = member(data, "NodeInfo"); info.is_object()) nodeInfo(info);
  }

  void deviceInfo(const Json& outer) {
    const Json inner = member(outer, "DeviceInfo");
    const Json list = member(inner.is_object() ? inner : outer, "DeviceList");
    if (!list.is_object()) return;
    for (const auto& [key, value] : list.items()) {
      if (std::string_view(key).ends_with("-Fault")) {
        const Json faults = member(list, key.c_str());
        if (!faults.is_array()) {
          unreadable(key);
          continue;
        }
        for (const Json& fault : faults) chipFault(fault);
      } else if (value.is_string() && key.find('-') == std::string::npos) {
        // The names of the healthy ones.
        std::string_view names = value.get_ref<const std::string&>();
        while (!names.empty()) {
          const std::size_t comma = std::min(names.find(','), names.size());
          if (const std::string_view one = trimmed(names.substr(0, comma)); !one.empty()) (void)device(one);
          names.remove_prefix(std::min(comma + 1, names.size()));
        }
      }
    }
  }

  void chipFault(const Json& fault) {
    if (!fault.is_object()) return unreadable("-Fault");
    const std::string npu = text(fault, "npu_name"), level = text(fault, "fault_level"), type = text(fault, "fault_type");
    const Json times = member(fault, "fault_time_and_level_map");
    std::string codes = text(fault, "fault_code");
    if (codes.empty()) codes = type;
    for (std::string_view rest = codes; !rest.empty();) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const std::string code = displayName(trimmed(rest.substr(0, comma)));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      const Json own = times.is_object() && times.contains(code) ? times[code] : Json();
      const std::string own_level = text(own, "fault_level").empty() ? level : text(own, "fault_level");
      event({.time = own.is_object() && own.contains("fault_time") ? millis(own["fault_time"]) : std::nullopt,
             .device = npu.empty() ? DeviceId{} : device(npu),
             .kind = "npu_fault",
             .severity = severityOf(own_level),
             .code = code,
             .message = (npu.empty() ? type : npu) + ": " + (type.empty() ? "fault" : type) + " " + code + ", level " + own_level});
    }
  }

  void switchInfo(const Json& info) {
    const Json times = member(info, "FaultTimeAndLevelMap");
    for (const char* key : {"FaultCode", "FaultInfo"}) {
      const Json faults = member(info, key);
      if (!faults.is_array()) continue;
      for (std::size_t i = 0; i < faults.size(); ++i) {
        const Json fault = faults[i].is_string() ? Json::parse(faults[i].get_ref<const std::string&>(), nullptr, false) : faults[i];
        if (!fault.is_object()) {
          unreadable(key);
          continue;
        }
        // 0: the fault has recovered.
        constexpr double kRecovered = 0;
        const bool recovered = fault.contains("Assertion") && numberIn(fault["Assertion"]) == kRecovered;
        const std::string code = text(fault, "AssembledFaultCode"), chip = text(fault, "SwitchChipId"), port = text(fault, "SwitchPortId");
        const Json own = times.is_object() ? member(times, (code + "_" + chip + "_" + port).c_str()) : Json();
        const std::string level = text(own, "fault_level").empty() ? text(info, "FaultLevel") : text(own, "fault_level");
        event({.time = own.is_object() && own.contains("fault_time") ? millis(own["fault_time"])
                       : fault.contains("AlarmRaisedTime")           ? millis(fault["AlarmRaisedTime"])
                                                                     : std::nullopt,
               .kind = "npu_fault",
               .severity = recovered ? Severity::kInfo : severityOf(level),
               .code = code,
               .message = "switch chip " + chip + " port " + port + (recovered ? " recovered from " : ": fault ") + code +
                          (level.empty() ? "" : ", level " + level)});
      }
    }
  }

  void nodeInfo(const Json& outer) {
    const Json inner = member(outer, "NodeInfo");
    const Json& info = inner.is_object() ? inner : outer;
    for (const char* key : {"FaultDevList", "FaultDeviList"}) {
      const Json faults = member(info, key);
      if (!faults.is_array()) continue;
      for (const Json& fault : faults) {
        const std::string type = text(fault, "DeviceType"), id = text(fault, "DeviceId"), level = text(fault, "FaultLevel");
        const Json codes = member(fault, "FaultCode");
        const auto one = [&](const std::string& code) {
          event({.time = m_target.modified,
                 .kind = "npu_fault",
                 .severity = severityOf(level),
                 .code = code,
                 .message = type + " " + id + ": fault " + code + ", level " + level});
        };
        if (codes.is_array())
          for (const Json& code : codes) one(displayName(textIn(code)));
        else
          unreadable("FaultCode");
      }
    }
  }

  void publicFaults(const Json& outer) {
    const std::string resource = text(outer, "resource");
    const Json faults = member(outer, "faults");
    if (!faults.is_array()) return unreadable("PublicFault");
    for (const Json& fault : faults) {
      const bool recovered = text(fault, "assertion") == "recover";
      const Json influence = member(fault, "influence");
      if (!influence.is_array()) {
        unreadable("influence");
        continue;
      }
      for (const Json& hit : influence) {
        const std::string node = text(hit, "nodeName").empty() ? text(hit, "nodeSN") : text(hit, "nodeName");
        if (node.empty()) continue;
        m_series.onHost(node);
        std::string devices;
        if (const Json ids = member(hit, "deviceIds"); ids.is_array())
          for (const Json& id : ids)
            if (devices.size() < 200) devices += (devices.empty() ? "" : ", ") + textIn(id);
        event({.time = fault.contains("faultTime") ? millis(fault["faultTime"]) : std::nullopt,
               .kind = "public_fault",
               .severity = recovered ? Severity::kInfo : Severity::kError,
               .code = text(fault, "faultCode"),
               .message = resource + ": " + text(fault, "faultType") + (recovered ? " recovered from " : " fault ") +
                          text(fault, "faultCode") + (devices.empty() ? "" : " of devices " + devices) +
                          (text(fault, "description").empty() ? "" : ": " + text(fault, "description"))});
      }
    }
  }

  DeviceId device(std::string_view name) {
    const std::size_t dash = name.rfind('-');
    return m_series.device({.kind = "npu", .index = indexOf(name), .bus_id = {}, .model = name.substr(0, dash)});
  }

  void event(Event event) {
    if (++m_events > kMaxFaults) return void(++m_too_many);
    // A map that is saved again holds the same faults.
    event.attempt = m_series.attempt(), event.node = m_series.node();
    std::string identity = std::to_string(event.node.value) + '\n' + std::to_string(event.device.value) + '\n' + event.code + '\n' +
                           std::to_string(event.time.value_or(0)) + '\n' + event.message;
    if (!m_seen.insert(std::move(identity)).second) return;
    if (event.time) m_newest = std::max(m_newest.value_or(*event.time), *event.time);
    m_out.event(event);
  }
  void unreadable(const std::string& what) {
    if (m_unreadable++ == 0) m_first = displayName(what);
  }

  const ImportTarget& m_target;
  Recorder& m_out;
  DeviceSeries m_series;
  std::set<std::string> m_seen;
  std::size_t m_events = 0;
  std::int64_t m_too_many = 0, m_unreadable = 0;
  std::string m_first;
  std::optional<TimeNs> m_newest;
};

class MindClusterImporter : public Importer {
 public:
  std::string_view kind() const override { return "mind_cluster"; }
  int recognise(const ImportProbe& probe) const override {
    if (!opensJson(probe.head)) return 0;
    const auto has = [&](std::string_view text) { return probe.head.find(text) != std::string_view::npos; };
    return has("\"DeviceInfoCfg\"") || has("\"SwitchInfoCfg\"") || has("\"mindx-dl-") || has("\"PublicFault\"") || has("mindx-dl-nodeinfo-")
               ? 93
               : 0;
  }
  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    if (!target.final) return {};
    RG_ASSIGN(const JsonDocuments read, readJsonDocuments(in, target.path, stop));
    MindCluster cluster(target, out);
    for (const Json& document : read.documents) cluster.document(document);
    cluster.finish(report);
    report.committed_offset = read.documents.size();
    if (!read.problem.empty()) report.partial_reason = target.path + ": " + read.problem;
    return {};
  }
};

}  // namespace

std::unique_ptr<Importer> makeMindClusterImporter() { return std::make_unique<MindClusterImporter>(); }

}  // namespace runglass
