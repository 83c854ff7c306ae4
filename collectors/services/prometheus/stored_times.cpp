// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/stored_times.h"

#include <utility>

namespace runglass {
namespace {

std::string identity(const std::string& node_uuid, const std::string& device_uuid, const SeriesKey& key) {
  std::string all;
  for (const std::string* part : {&node_uuid, &device_uuid, &key.metric, &key.source, &key.labels}) all.append(*part).append(1, '\0');
  return all;
}

}  // namespace

Result<StoredTimes> StoredTimes::of(Reader& reader) {
  StoredTimes stored(reader);
  std::map<NodeId, std::string> nodes;
  std::map<DeviceId, std::string> devices;
  RG_ASSIGN(const auto all_nodes, reader.nodes());
  for (const Node& node : all_nodes) {
    nodes[node.id] = node.uuid;
    if (std::string& uuid = stored.m_node_uuids[node.name]; uuid.empty() || uuid.starts_with("name:")) uuid = node.uuid;
  }
  RG_ASSIGN(const auto all_devices, reader.devices());
  for (const Device& device : all_devices) devices[device.id] = device.uuid;
  RG_ASSIGN(auto series, reader.series({}));
  for (Series& one : series)
    if (!one.key.attempt && one.sample_count > 0)
      stored.m_series.emplace(identity(nodes[one.key.node], devices[one.key.device], one.key), std::move(one));
  return stored;
}

std::string StoredTimes::nodeUuid(const std::string& name) const {
  const auto known = m_node_uuids.find(name);
  return known == m_node_uuids.end() ? std::string() : known->second;
}

Result<SampleColumns> StoredTimes::samples(const std::string& node_uuid, const std::string& device_uuid, const SeriesKey& key,
                                           TimeRange range, bool before) {
  const auto known = m_series.find(identity(node_uuid, device_uuid, key));
  if (known == m_series.end() || known->second.first_x >= range.t1) return SampleColumns();
  const Series& series = known->second;
  SampleColumns out;
  if (before) {
    RG_ASSIGN(const auto newest, m_reader->latestAt({&series.id, 1}, range.t0 - 1));
    if (!newest.empty()) out.time.push_back(newest.front().x), out.value.push_back(newest.front().value);
  }
  if (series.last_x < range.t0) return out;
  RG_ASSIGN(const SampleColumns inside, m_reader->samples(series.id, range));
  out.time.insert(out.time.end(), inside.time.begin(), inside.time.end());
  out.value.insert(out.value.end(), inside.value.begin(), inside.value.end());
  return out;
}

}  // namespace runglass
