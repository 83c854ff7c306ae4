// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/telemetry/device_series.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "collectors/importers/input/node_name.h"
#include "collectors/importers/input/run_name.h"
#include "model/device_catalog.h"
#include "model/metric_catalog.h"
#include "model/number_text.h"
#include "model/record_identity.h"

namespace runglass {
namespace {

constexpr std::size_t kFolderDigits = 12;

// "GPU-00000000-0000-…": anonymised by the publisher of the file. Two such devices are not the same.
bool isMasked(std::string_view uuid) {
  const std::size_t begin = std::min(uuid.find_first_of("-") + 1, uuid.size());
  return uuid.find_first_not_of("0-", begin) == std::string_view::npos;
}

}  // namespace

RunId DeviceSeries::run() {
  if (m_run) return m_run;
  m_run = m_out.run({.name = m_target.run_name});
  m_attempt = m_out.attempt({.run = m_run, .key = m_target.attempt_key});
  return m_run;
}

void DeviceSeries::onHost(std::string_view host) {
  if (host == m_host) return;
  m_host = displayName(host);
  // With more hosts than this, the column does not contain hosts.
  if (!m_nodes.contains(m_host) && m_nodes.size() >= kMaxNodes) m_host.clear();
}

DeviceSeries::OfNode& DeviceSeries::ofNode() {
  run();
  OfNode& node = m_nodes[m_host];
  if (node.id) return node;
  std::string name = m_host;
  node.uuid = "name:" + name;
  if (name.empty()) {
    if (const NodeOfPath of_path = nodeOfPath(m_target.path); !of_path.name.empty()) {
      // Folders of two runs often have the same name ("logs/node0" twice): the whole path identifies the node.
      const std::filesystem::path file(m_target.canonical_path.empty() ? m_target.path : m_target.canonical_path);
      const std::string folder = (of_path.of_folder ? file.parent_path().parent_path() : file.parent_path()).string();
      name = of_path.name;
      node.uuid = "name:" + of_path.folder + "~" + identityOf(folder).hex().substr(0, kFolderDigits) + "/" + name;
    } else {
      // Files imported into one run (--run, a folder) are not necessarily from one machine.
      const std::string file = runNameOfFile(m_target.path);
      name = m_target.run_name;
      if (!m_target.source.empty()) name += "/" + displayName(m_target.source);
      if (m_target.run_name != file) name += "/" + file;
      node.uuid = "name:" + name;
    }
  }
  node.id = m_out.node({.uuid = node.uuid, .name = name});
  // Associates the node with the run, because a telemetry file has no ranks.
  m_out.fact({.attempt = m_attempt, .node = node.id, .key = "telemetry_file", .value = displayName(m_target.file_name)});
  return node;
}

NodeId DeviceSeries::node() { return ofNode().id; }

AttemptId DeviceSeries::attempt() {
  run();
  return m_attempt;
}

DeviceId DeviceSeries::device(const DeviceName& name) {
  OfNode& node = ofNode();
  const std::string kind(name.kind);
  std::vector<std::string> keys;
  const std::string uuid = name.uuid.empty() || isMasked(name.uuid) ? std::string() : displayName(name.uuid);
  if (!uuid.empty()) keys.push_back("uuid:" + uuid);
  if (name.index) keys.push_back(kind + ":" + std::to_string(*name.index));
  if (!name.bus_id.empty()) keys.push_back("bus:" + displayName(name.bus_id));
  if (keys.empty()) keys.push_back(kind);
  // The most reliable name decides: after a reboot an index can belong to another card, a UUID cannot.
  for (const std::string& key : keys) {
    const auto known = node.devices.find(key);
    if (known == node.devices.end()) continue;
    const DeviceId id = known->second;
    const bool other_card = !uuid.empty() && key != keys.front() && node.with_uuid.contains(id.value);
    if (other_card) continue;
    if (!uuid.empty()) node.with_uuid.insert(id.value);
    for (const std::string& other : keys) node.devices.insert_or_assign(other, id);
    return id;
  }
  if (m_device_count >= kMaxDevices) return {};
  ++m_device_count;
  Device device{.node = node.id, .index = name.index, .kind = kind, .model = displayName(name.model)};
  device.uuid = !uuid.empty() ? uuid
                              : node.uuid + "/" + kind +
                                    (name.index            ? std::to_string(*name.index)
                                     : name.bus_id.empty() ? std::string()
                                                           : "@" + displayName(name.bus_id));
  const DeviceId id = m_out.device(device);
  m_devices.emplace(id.value, device);
  if (!uuid.empty()) node.with_uuid.insert(id.value);
  for (const std::string& key : keys) node.devices.insert_or_assign(key, id);
  return id;
}

void DeviceSeries::instance(DeviceId gpu, std::string_view id, std::string_view profile) {
  const auto parent = m_devices.find(gpu.value);
  if (parent == m_devices.end()) return;
  device({.kind = kMigKind, .uuid = parent->second.uuid + "/gi" + displayName(id), .index = parent->second.index, .model = profile});
}

void DeviceSeries::fact(const std::string& key, std::string_view value) {
  OfNode& node = ofNode();
  const std::string text = displayName(value);
  if (const auto known = node.facts.find(key); known != node.facts.end() && known->second == text) return;
  node.facts[key] = text;
  m_out.fact({.attempt = m_attempt, .node = node.id, .key = key, .value = text});
}

void DeviceSeries::put(DeviceId device, std::string_view metric, std::string_view labels, TimeNs time, double value, bool counter) {
  const NodeId node = ofNode().id;
  std::string key = std::to_string(node.value) + " " + std::to_string(device.value);
  key.append(1, '\n').append(metric).append(1, '\n').append(labels);
  auto known = m_series.find(key);
  if (known == m_series.end()) {
    if (m_series.size() >= kMaxSeries) {
      ++m_left_out;
      return;
    }
    const MetricInfo* const info = findMetric(metric);
    if (refuses(info, value)) return;
    const SeriesId id = m_out.series({.node = node,
                                      .device = device,
                                      .metric = std::string(metric),
                                      .source = m_target.source,
                                      .labels = std::string(labels),
                                      .unit = std::string(unitOfMetric(metric)),
                                      .kind = counter || (info != nullptr && info->counter) ? SeriesKind::kCounter : SeriesKind::kGauge});
    known = m_series.emplace(std::move(key), Column{.id = id, .metric = info, .time = {}, .value = {}}).first;
  }
  Column& column = known->second;
  if (refuses(column.metric, value)) return;
  column.time.push_back(time);
  column.value.push_back(value);
  m_oldest = std::min(m_oldest.value_or(time), time);
  m_newest = std::max(m_newest.value_or(time), time);
  if (column.time.size() >= kBatch)
    hand(column);
  else if (++m_held >= kMaxHeld)
    for (auto& [name, waiting] : m_series) hand(waiting);
}

bool DeviceSeries::refuses(const MetricInfo* metric, double value) {
  if (metric == nullptr || isPlausible(*metric, value)) return false;
  Refused& refused = m_refused[metric->name];
  if (refused.count++ == 0) refused.first = value;
  return true;
}

void DeviceSeries::hand(Column& column) {
  if (column.time.empty()) return;
  m_out.samples(column.id, column.time, column.value);
  m_held -= std::min(m_held, column.time.size());
  column.time.clear();
  column.value.clear();
}

void DeviceSeries::flush() {
  for (auto& [name, column] : m_series) hand(column);
  for (const auto& [metric, refused] : std::exchange(m_refused, {}))
    m_out.issue({.code = "import.implausible_value",
                 .source = m_target.path,
                 .count = refused.count,
                 .detail = std::string(metric) + ": " + numberText(refused.first)});
  if (m_oldest) {
    m_out.run({.name = m_target.run_name, .start = m_oldest, .end = m_newest});
    m_out.attempt({.run = m_run, .key = m_target.attempt_key, .start = m_oldest, .end = m_newest});
  }
}

}  // namespace runglass
