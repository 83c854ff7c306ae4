// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/receivers/stored_series.h"

namespace runglass {
namespace {

void mix(std::uint64_t& hash, std::string_view text) {
  hash = (hash ^ std::hash<std::string_view>()(text)) * 0x9E3779B97F4A7C15ULL;
  hash ^= hash >> 32U;
}

}  // namespace

std::uint64_t StoredSeries::identity(const std::string& node_uuid, const std::string& device_uuid, const SeriesKey& key) {
  std::uint64_t hash = static_cast<std::uint64_t>(key.kind) + 1;
  for (const std::string* part : {&node_uuid, &device_uuid, &key.metric, &key.source, &key.labels}) mix(hash, *part);
  return hash;
}

Status StoredSeries::refresh() {
  if (!m_reader) {
    RG_ASSIGN(m_reader, m_port.reader());
  }
  RG_ASSIGN(const std::vector<Node> nodes, m_reader->nodes());
  for (const Node& node : nodes) m_nodes[node.id.value] = node.uuid;
  RG_ASSIGN(const std::vector<Device> devices, m_reader->devices());
  for (const Device& device : devices) m_devices[device.id.value] = device.uuid;
  return {};
}

Result<std::unordered_map<std::uint64_t, TimeNs>> StoredSeries::newest() {
  RG_TRY(refresh());
  RG_ASSIGN(const std::vector<Series> all, m_reader->series({}));
  std::unordered_map<std::uint64_t, TimeNs> out;
  for (const Series& series : all) {
    if (series.key.attempt || series.sample_count == 0) continue;
    out[identity(m_nodes[series.key.node.value], m_devices[series.key.device.value], series.key)] = series.last_x;
  }
  return out;
}

Result<std::optional<std::vector<TimeNs>>> StoredSeries::times(std::uint64_t identity, const std::string& metric, TimeRange range) {
  if (!m_found.contains(identity) && m_looked.insert(metric).second) {
    RG_TRY(refresh());
    RG_ASSIGN(const std::vector<Series> named, m_reader->series({.metric = metric}));
    for (const Series& series : named)
      m_found[StoredSeries::identity(m_nodes[series.key.node.value], m_devices[series.key.device.value], series.key)] = series.id;
  }
  const auto found = m_found.find(identity);
  if (found == m_found.end()) return std::optional<std::vector<TimeNs>>();
  RG_ASSIGN(SampleColumns stored, m_reader->samples(found->second, range));
  return std::optional(std::move(stored.time));
}

}  // namespace runglass
