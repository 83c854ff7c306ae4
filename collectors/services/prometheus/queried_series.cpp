// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/queried_series.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "collectors/exposition/exporter_metrics.h"
#include "collectors/text/display_name.h"

namespace runglass {
namespace {

std::string_view labelOf(const MetricLabels& labels, std::string_view name) {
  const auto found = std::ranges::find(labels, name, [](const auto& label) -> std::string_view { return label.first; });
  return found == labels.end() ? std::string_view() : std::string_view(found->second);
}

std::string keyOf(const MetricLabels& labels) {
  std::string key;
  for (const auto& [name, value] : labels) key.append(name).append(1, '\0').append(value).append(1, '\0');
  return key;
}

std::string_view shortName(std::string_view host) { return host.substr(0, host.find('.')); }

// As an exporter exposes it: without the labels that Prometheus adds.
ExpositionParser::Sample exposed(const MetricLabels& labels) {
  ExpositionParser::Sample sample;
  for (const auto& [name, value] : labels) {
    if (name == "__name__")
      sample.name = value;
    else if (name != "instance" && name != "job")
      sample.labels.emplace_back(name, value);
  }
  return sample;
}

}  // namespace

QueriedSeries::QueriedSeries(std::string url, QueriedPlaces places, StoredSeries* stored, DurNs overlap, ExporterPlaces::NodeUuid node_uuid)
    : m_url(std::move(url)), m_wanted(std::move(places)), m_stored(stored), m_overlap(overlap), m_node_uuid(std::move(node_uuid)) {}

void QueriedSeries::learnHosts(const std::vector<MetricLabels>& series) {
  const std::size_t before = m_host_of.size();
  std::map<std::string, std::set<std::string>> named;  // by instance: GPU exporters name their machine in every sample
  for (const MetricLabels& labels : series) {
    const std::string instance(labelOf(labels, "instance"));
    if (labelOf(labels, "__name__") == "node_uname_info") {
      const std::string_view name = labelOf(labels, "nodename");
      if (!name.empty() && !m_by_address.contains(instance)) m_host_of[instance] = displayName(name);
    } else if (const std::string node = exporterSample(exposed(labels), "").node; !node.empty()) {
      named[instance].insert(node);
    }
  }
  for (const auto& [instance, nodes] : named)
    if (nodes.size() == 1 && !m_by_address.contains(instance)) m_host_of.try_emplace(instance, *nodes.begin());
  // What was left out under its address may be of a wanted node.
  if (!m_wanted.nodes.empty() && m_host_of.size() > before) std::erase_if(m_origins, [](const auto& known) { return !known.second.entry; });
}

std::string QueriedSeries::unnamedInstance(const MetricLabels& labels) const {
  const std::string instance(labelOf(labels, "instance"));
  if (m_host_of.contains(instance) || m_by_address.contains(instance) || !exporterSample(exposed(labels), "").node.empty()) return "";
  return instance;
}

void QueriedSeries::learnTypes(std::vector<std::pair<std::string, std::string>> types) {
  for (auto& [metric, type] : types) m_types.insert_or_assign(std::move(metric), std::move(type));
}

std::optional<QueriedSeries::LabelledPlace> QueriedSeries::placeOf(const MetricLabels& labels) const {
  const ExporterSample what = exporterSample(exposed(labels), "");
  std::string name = what.node;
  const std::string instance(labelOf(labels, "instance"));
  if (const auto known = m_host_of.find(instance); name.empty() && known != m_host_of.end()) name = known->second;
  if (name.empty()) name = hostOfInstance(instance);
  if (name.empty()) return std::nullopt;
  if (!m_wanted.nodes.empty() && std::ranges::find(m_wanted.nodes, name) == m_wanted.nodes.end()) {
    // A scheduler has short names where exporters have qualified ones, or the other way round.
    const auto same = [&name](const std::string& wanted) {
      return shortName(wanted) == shortName(name) && (wanted.find('.') == std::string::npos || name.find('.') == std::string::npos);
    };
    const auto wanted = std::ranges::find_if(m_wanted.nodes, same);
    if (wanted == m_wanted.nodes.end()) return std::nullopt;
    name = *wanted;
  }
  std::string device;
  if (!what.device_kind.empty()) device = what.uuid.empty() ? what.device_kind + std::to_string(what.index.value_or(0)) : what.uuid;
  return LabelledPlace{std::move(name), std::move(device)};
}

std::optional<std::string> QueriedSeries::nodeOf(const MetricLabels& labels) const {
  const auto place = placeOf(labels);
  return place ? std::optional(place->node) : std::nullopt;
}

QueriedSeries::Origin QueriedSeries::originOf(const MetricLabels& labels) {
  const std::optional<std::string> node_name = nodeOf(labels);
  if (!node_name) {
    if (m_wanted.nodes.empty()) issue("prometheus.no_node", 1, std::string(labelOf(labels, "__name__")));
    return {};
  }
  if (std::string instance = unnamedInstance(labels); !instance.empty()) m_by_address.insert(std::move(instance));
  const std::string_view name = labelOf(labels, "__name__");
  const auto type = m_types.find(name);
  // Where no type is known, the name says it: OpenMetrics' counters end in _total.
  const std::string_view known_type = type != m_types.end() ? std::string_view(type->second) : name.ends_with("_total") ? "counter" : "";
  const ExporterSample what = exporterSample(exposed(labels), known_type);
  const auto gpus = m_wanted.gpus.find(*node_name);
  if (!what.device_kind.empty() && gpus != m_wanted.gpus.end() && !(what.index && gpus->second.contains(*what.index))) return {};
  const auto node = m_places.node(*node_name);
  const auto device = node && !what.device_kind.empty() ? m_places.device(what, *node) : std::nullopt;
  if (!node || (!what.device_kind.empty() && !device)) {
    issue("prometheus.too_many_series", 1, std::string(name));
    return {};
  }
  const std::string job = displayName(labelOf(labels, "job")), instance = displayName(labelOf(labels, "instance"));
  Entry entry{.key = {.metric = what.metric,
                      .source = "prometheus" + (job.empty() ? "" : "/" + job) + (device || instance.empty() ? "" : " " + instance),
                      .labels = what.labels,
                      .unit = std::string(unitOfMetric(what.metric)),
                      .kind = what.counter ? SeriesKind::kCounter : SeriesKind::kGauge},
              .node = *node,
              .device = device,
              .metric = findMetric(what.metric),
              .code = what.code};
  const std::string identity = keyOf({{std::to_string(*node), device ? std::to_string(*device) : ""},
                                      {entry.key.metric, entry.key.source},
                                      {entry.key.labels, entry.key.unit}});
  if (m_entries.size() >= kMaxSeries && !m_by_key.contains(identity)) {
    issue("prometheus.too_many_series", 1, std::string(name));
    return {};
  }
  const auto [known, fresh] = m_by_key.try_emplace(identity, static_cast<std::uint32_t>(m_entries.size()));
  if (fresh) {
    m_fresh.push_back({.index = known->second, .node = *node, .device = device, .key = entry.key});
    m_entries.push_back(std::move(entry));
  }
  return {.entry = known->second, .unit = what.unit, .dcgm = what.dcgm};
}

void QueriedSeries::add(const QueriedColumn& column) {
  if (column.time.empty()) return;
  std::string key = keyOf(column.labels);
  auto known = m_origins.find(key);
  // A recording of weeks meets ever new labels of the same series, such as pods.
  if (known == m_origins.end() && m_origins.size() >= kMaxSeries) m_origins.clear();
  if (known == m_origins.end()) known = m_origins.emplace(std::move(key), originOf(column.labels)).first;
  const Origin& origin = known->second;
  if (!origin.entry) return;
  Entry& entry = m_entries[*origin.entry];
  const bool untouched = entry.pending.empty();
  entry.pending.reserve(entry.pending.size() + column.time.size());
  for (std::size_t i = 0; i < column.time.size(); ++i) {
    if (isTaken(entry, column.time[i])) continue;
    const bool refused_before = std::ranges::binary_search(entry.refused, column.time[i]);
    const double exposed = column.value[i], value = origin.unit != nullptr ? origin.unit->apply(exposed) : exposed;
    const char* fault = nullptr;
    if (origin.dcgm && isBlankOfDcgm(exposed))
      fault = "prometheus.blank_value";
    else if (entry.metric != nullptr && !isPlausible(*entry.metric, value))
      fault = "prometheus.implausible_value";
    if (fault == nullptr || !refused_before) entry.pending.push_back({column.time[i], fault != nullptr ? exposed : value, fault});
  }
  if (untouched && !entry.pending.empty()) m_touched.push_back(*origin.entry);
}

Result<ExporterPart> QueriedSeries::take(TimeRange range) {
  // Where a read fails, the next call continues: what is declared and taken by then is in its part.
  ExporterPart part = std::exchange(m_unsent, {});
  part.ids = m_ids;
  const auto stored_uuid = [this](const std::string& name) { return m_stored != nullptr ? m_stored->nodeUuid(name) : std::string(); };
  m_places.declare(part, m_node_uuid ? m_node_uuid : stored_uuid);
  part.series.insert(part.series.end(), std::make_move_iterator(m_fresh.begin()), std::make_move_iterator(m_fresh.end()));
  m_fresh.clear();
  for (std::size_t at = 0; at < m_touched.size(); ++at) {
    const std::uint32_t index = m_touched[at];
    Entry& entry = m_entries[index];
    SampleColumns stored;
    if (m_stored != nullptr) {
      const std::string device = entry.device ? m_places.declared(*entry.device).uuid : std::string();
      const std::uint64_t identity = StoredSeries::identity(m_places.nodeUuid(entry.node), device, entry.key);
      auto found = m_stored->samples(identity, entry.key.metric, range, entry.code != CodeGauge::kNone && entry.newest == INT64_MIN);
      if (!found.ok()) {
        m_touched.erase(m_touched.begin(), m_touched.begin() + static_cast<std::ptrdiff_t>(at));
        m_unsent = std::move(part);
        return found.status();
      }
      if (*found) stored = std::move(**found);
    }
    takeEntry(index, stored, part);
  }
  m_touched.clear();
  reportFaults(part);
  for (const auto& [code, left] : std::exchange(m_left_out, {}))
    part.issues.push_back({.code = code, .source = m_url, .count = left.count, .detail = left.first});
  return part;
}

bool QueriedSeries::isTaken(const Entry& entry, TimeNs time) const {
  if (entry.newest == INT64_MIN || time > entry.newest) return false;
  return time <= entry.newest - m_overlap || std::ranges::binary_search(entry.overlap, time);
}

void QueriedSeries::takeEntry(std::uint32_t index, const SampleColumns& stored, ExporterPart& part) {
  Entry& entry = m_entries[index];
  auto& pending = entry.pending;
  // Columns of one series come in any order: a label that is not of the series changed. A value takes precedence over a refused one.
  std::ranges::stable_sort(pending, {}, [](const Pending& one) { return std::pair(one.time, one.fault != nullptr); });
  std::size_t at = 0;
  std::size_t kept = 0;
  for (const Pending& one : pending) {
    while (at < stored.time.size() && stored.time[at] < one.time) ++at;
    if (at < stored.time.size() && stored.time[at] == one.time) continue;
    if (kept > 0 && pending[kept - 1].time == one.time) {
      if (one.fault == nullptr && pending[kept - 1].value != one.value) issue("prometheus.conflicting_sample", 1, entry.key.metric);
      continue;
    }
    pending[kept++] = one;
  }
  pending.resize(kept);
  if (entry.code != CodeGauge::kNone) {
    // By device: the labels change with the pod that uses the GPU. A late sample is no new change.
    auto& readings = m_code_readings[{entry.code, entry.node, entry.device}];
    for (std::size_t i = 0; i < stored.size(); ++i)
      if (stored.time[i] > entry.newest) readings.push_back({stored.time[i], stored.value[i], true});
    for (const Pending& one : pending)
      if (one.fault == nullptr && one.time > entry.newest) readings.push_back({one.time, one.value, false});
  }
  for (const Pending& one : pending) {
    // A refused time is not taken: another exporter of the same series may have its value.
    if (one.fault != nullptr) {
      issue(one.fault, 1, entry.metric != nullptr ? std::string(entry.metric->name) + ": " + std::to_string(one.value) : entry.key.metric);
      if (m_overlap > 0) entry.refused.push_back(one.time);
      continue;
    }
    part.points.push_back({index, one.time, one.value});
    entry.newest = std::max(entry.newest, one.time);
    if (m_overlap > 0) entry.overlap.push_back(one.time);
  }
  for (std::vector<TimeNs>* times : {&entry.overlap, &entry.refused}) {
    if (times->empty()) continue;
    std::ranges::sort(*times);
    std::erase_if(*times, [from = std::max(entry.newest, times->back()) - m_overlap](TimeNs time) { return time <= from; });
  }
  entry.pending = {};
}

// What the store has between the new samples is recorded already.
void QueriedSeries::reportFaults(ExporterPart& part) {
  for (auto& [place, readings] : std::exchange(m_code_readings, {})) {
    const auto& [gauge, node, device] = place;
    std::ranges::stable_sort(readings, {}, &CodeReading::time);
    TimeNs& newest = m_code_newest.try_emplace(place, INT64_MIN).first->second;
    for (const CodeReading& reading : readings) {
      // Of labels that come back with a stored reading older than the device's newest one.
      if (reading.time < newest) continue;
      newest = reading.time;
      std::optional<Event> event = m_codes.read(gauge, node, device ? *device + 1ULL : 0, reading.value, reading.time);
      if (event && !reading.stored) part.events.push_back({.node = node, .device = device, .event = std::move(*event)});
    }
  }
}

void QueriedSeries::issue(const char* code, std::int64_t count, const std::string& detail) {
  Count& left = m_left_out[code];
  if (left.count == 0) left.first = displayName(detail);
  left.count += count;
}

std::vector<QueriedSeries::Place> QueriedSeries::places() const {
  std::vector<Place> all;
  for (std::uint32_t i = 0; i < m_places.nodes(); ++i)
    all.push_back({.node = {.uuid = m_places.nodeUuid(i), .name = m_places.nodeName(i)}, .devices = {}});
  for (std::uint32_t i = 0; i < m_places.devices(); ++i) all[m_places.nodeOf(i)].devices.push_back(m_places.declared(i));
  return all;
}

std::vector<std::string> QueriedSeries::silentNodes() const {
  std::set<std::string> silent(m_wanted.nodes.begin(), m_wanted.nodes.end());
  for (std::uint32_t i = 0; i < m_places.nodes(); ++i) silent.erase(m_places.nodeName(i));
  return {silent.begin(), silent.end()};
}

}  // namespace runglass
