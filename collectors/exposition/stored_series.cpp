// SPDX-License-Identifier: Apache-2.0
#include "collectors/exposition/stored_series.h"

#include <algorithm>
#include <utility>

namespace runglass {
namespace {

void mix(std::uint64_t& hash, std::string_view text) {
  hash = (hash ^ std::hash<std::string_view>()(text)) * 0x9E3779B97F4A7C15ULL;
  hash ^= hash >> 32U;
}

}  // namespace

std::uint64_t StoredSeries::identity(const std::string& owner, const std::string& device_uuid, const SeriesKey& key) {
  std::uint64_t hash = static_cast<std::uint64_t>(key.kind) + 1 + (key.rank ? 4 * (static_cast<std::uint64_t>(*key.rank) + 1) : 0);
  for (const std::string* part : {&owner, &device_uuid, &key.metric, &key.source, &key.labels}) mix(hash, *part);
  return hash;
}

Status StoredSeries::load() {
  RG_ASSIGN(const std::vector<Node> nodes, m_reader->nodes());
  for (const Node& node : nodes) {
    m_nodes[node.id.value] = node.uuid;
    if (std::string& uuid = m_uuid_of[node.name]; uuid.empty() || uuid.starts_with("name:")) uuid = node.uuid;
  }
  RG_ASSIGN(const std::vector<Device> devices, m_reader->devices());
  for (const Device& device : devices) m_devices[device.id.value] = device.uuid;
  return {};
}

Status StoredSeries::loadAttempts() {
  RG_ASSIGN(const std::vector<Run> runs, m_reader->runs());
  for (const Run& run : runs) {
    RG_ASSIGN(const std::vector<Attempt> attempts, m_reader->attempts(run.id));
    for (const Attempt& attempt : attempts) m_attempts[attempt.id.value] = "run " + run.name + '\0' + attempt.key;
  }
  return {};
}

std::uint64_t StoredSeries::identityOf(const SeriesKey& key) {
  if (key.attempt) return identity(m_attempts[key.attempt.value], "", key);
  return identity(m_nodes[key.node.value], m_devices[key.device.value], key);
}

std::string StoredSeries::nodeUuid(const std::string& name) const {
  const auto known = m_uuid_of.find(name);
  return known == m_uuid_of.end() ? std::string() : known->second;
}

Result<std::unordered_map<std::uint64_t, TimeNs>> StoredSeries::newest() {
  RG_ASSIGN(const std::vector<Series> all, m_reader->series({}));
  if (std::ranges::any_of(all, [](const Series& one) { return static_cast<bool>(one.key.attempt); })) RG_TRY(loadAttempts());
  std::unordered_map<std::uint64_t, TimeNs> out;
  for (const Series& series : all) {
    if (series.key.kind != SeriesKind::kScalar && series.sample_count > 0) out[identityOf(series.key)] = series.last_x;
  }
  return out;
}

Status StoredSeries::look(const std::string& metric) {
  RG_ASSIGN(const std::vector<Series> named, m_reader->series({.metric = metric}));
  const auto isNew = [this](const Series& one) {
    return (one.key.node && !m_nodes.contains(one.key.node.value)) || (one.key.device && !m_devices.contains(one.key.device.value));
  };
  if (std::ranges::any_of(named, isNew)) RG_TRY(load());
  if (std::ranges::any_of(named, [this](const Series& one) { return one.key.attempt && !m_attempts.contains(one.key.attempt.value); }))
    RG_TRY(loadAttempts());
  for (const Series& series : named)
    if (series.key.kind != SeriesKind::kScalar) m_found[identityOf(series.key)] = {series.id, series.first_x, series.last_x};
  return {};
}

Result<std::optional<SampleColumns>> StoredSeries::samples(std::uint64_t identity, const std::string& metric, TimeRange range,
                                                           bool before) {
  if (!m_found.contains(identity) && m_looked.insert(metric).second) RG_TRY(look(metric));
  const auto found = m_found.find(identity);
  if (found == m_found.end()) return std::optional<SampleColumns>();
  const Found& series = found->second;
  SampleColumns out;
  if (!m_grows && series.first >= range.t1) return std::optional(std::move(out));
  if (before) {
    RG_ASSIGN(const auto newest, m_reader->latestAt({&series.id, 1}, range.t0 - 1));
    if (!newest.empty()) out.time.push_back(newest.front().x), out.value.push_back(newest.front().value);
  }
  if (!m_grows && series.last < range.t0) return std::optional(std::move(out));
  RG_ASSIGN(const SampleColumns inside, m_reader->samples(series.id, range));
  out.time.insert(out.time.end(), inside.time.begin(), inside.time.end());
  out.value.insert(out.value.end(), inside.value.begin(), inside.value.end());
  return std::optional(std::move(out));
}

void StoredSeries::lookAgain() {
  m_looked.clear();
  m_grows = true;
}

}  // namespace runglass
