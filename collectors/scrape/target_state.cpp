// SPDX-License-Identifier: Apache-2.0
// Invariants: 1. A series in m_by_key has its declaration in m_fresh until a scrape is accepted. 2. Node 0 is the target's own; its name is
// fixed by the first part that is handed out.
#include "collectors/scrape/target_state.h"

#include <algorithm>
#include <utility>

#include "collectors/exposition/exporter_metrics.h"
#include "collectors/text/display_name.h"

namespace runglass {
namespace {

constexpr DurNs kSweepEvery = 3'600 * kNsPerSecond, kHeardEvery = 10 * kNsPerSecond;

}  // namespace

TargetState::TargetState(const ScrapeTarget& target, const ScrapePlace& place, std::int64_t& series_of_all)
    : m_target(target), m_place(place), m_series_of_all(series_of_all) {
  m_places.unnamedNode();
}

TargetState::~TargetState() { m_series_of_all -= static_cast<std::int64_t>(m_by_key.size()); }

void TargetState::begin(TimeNs now) {
  m_now = now;
  m_points.clear();
  m_absurd = 0;
  m_at = 0;
  ++m_scrape;
  if (m_swept == 0) m_swept = now;
  if (now - m_swept >= kSweepEvery) forget();
}

// Short-lived series (pods) must not use up the target's quota permanently.
void TargetState::forget() {
  m_swept = m_now;
  for (std::uint32_t index = 0; index < m_entries.size(); ++index) {
    Entry& entry = m_entries[index];
    if (entry.key.empty() || m_now - entry.seen < kForgottenAfter) continue;
    m_by_key.erase(entry.key);
    std::erase_if(m_fresh, [&](const ExporterPart::NewSeries& fresh) { return fresh.index == index; });
    entry = Entry();
    m_free.push_back(index);
    --m_series_of_all;
  }
}

TargetState::Entry* TargetState::find(std::string_view key) {
  std::uint32_t index = 0;
  if (m_at < m_order.size() && m_entries[m_order[m_at]].key == key) {
    index = m_order[m_at];
  } else if (const auto known = m_by_key.find(key); known != m_by_key.end()) {
    index = known->second;
    if (m_at < m_order.size())
      m_order[m_at] = index;
    else
      m_order.push_back(index);
  } else {
    return nullptr;
  }
  ++m_at;
  return &m_entries[index];
}

TargetState::Kept TargetState::sample(const ExpositionParser::Sample& sample, const ExpositionParser& types) {
  Entry* entry = find(sample.key);
  if (entry == nullptr) {
    if (sample.name.size() > kMaxName || sample.labels.size() > kMaxLabels || sample.key.size() > kMaxKey) return Kept::kLongLabels;
    entry = add(sample, types);
    if (entry == nullptr) return Kept::kTooManySeries;
  }
  entry->seen = m_now;
  if (entry->dcgm && isBlankOfDcgm(sample.value)) return Kept::kBlank;
  const double value = entry->unit != nullptr ? entry->unit->apply(sample.value) : sample.value;
  if (entry->metric != nullptr && !isPlausible(*entry->metric, value)) return Kept::kImplausible;
  TimeNs time = m_now;
  if (sample.time && *sample.time <= m_now + kMaxAhead) {
    time = *sample.time;
    if (time <= entry->newest) return Kept::kRepeated;  // the exporter has no newer value
  } else {
    if (entry->scrape == m_scrape) return Kept::kTwice;
    m_absurd += sample.time ? 1 : 0;
  }
  entry->scrape = m_scrape;
  const auto index = m_order[m_at - 1];
  m_points.push_back({index, time, value});
  return Kept::kYes;
}

TargetState::Entry* TargetState::add(const ExpositionParser::Sample& sample, const ExpositionParser& types) {
  if (static_cast<std::int64_t>(m_by_key.size()) >= m_target.most_series || m_series_of_all >= kMaxSeriesOfAll) return nullptr;
  const ExporterSample what = exporterSample(sample, types.typeOf(sample.name));
  Entry entry{.key = std::string(sample.key), .unit = what.unit, .metric = findMetric(what.metric), .dcgm = what.dcgm, .code = what.code};
  if (!what.node.empty() && m_target.node.empty()) {
    const auto node = m_places.node(what.node);
    if (!node) return nullptr;
    entry.node = *node;
  }
  if (!what.device_kind.empty()) {
    entry.device = m_places.device(what, entry.node);
    if (!entry.device) return nullptr;
  }
  if (sample.name == "node_uname_info")
    for (const auto& [name, value] : sample.labels)
      if (name == "nodename") m_uname = displayName(value);

  const std::uint32_t index = m_free.empty() ? static_cast<std::uint32_t>(m_entries.size()) : m_free.back();
  if (m_free.empty())
    m_entries.emplace_back();
  else
    m_free.pop_back();
  m_fresh.push_back({.index = index,
                     .node = entry.node,
                     .device = entry.device,
                     .key = {.metric = what.metric,
                             .source = m_target.source,
                             .labels = what.labels,
                             .unit = std::string(unitOfMetric(what.metric)),
                             .kind = what.counter ? SeriesKind::kCounter : SeriesKind::kGauge}});
  m_entries[index] = std::move(entry);
  m_by_key.emplace(m_entries[index].key, index);
  ++m_series_of_all;
  if (m_at < m_order.size())
    m_order[m_at] = index;
  else
    m_order.push_back(index);
  ++m_at;
  return &m_entries[index];
}

std::string TargetState::defaultNode() const {
  if (!m_target.node.empty()) return m_target.node;
  if (!m_uname.empty()) return m_uname;
  // A GPU exporter names its machine in every sample.
  if (m_places.nodes() == 2) return m_places.nodeName(1);
  std::string host = displayName(hostOf(m_target.url));
  return isLoopbackHost(host) && !m_place.this_node.empty() ? m_place.this_node : host;
}

void TargetState::declare(ExporterPart& part) {
  part.ids = m_ids;
  if (m_places.nodeName(0).empty()) m_places.name(0, defaultNode());
  m_places.declare(part, m_place.node_uuid);
  part.series = std::exchange(m_fresh, {});
}

void TargetState::reportFaults(ExporterPart& part) {
  for (const ExporterPoint& point : m_points) {
    const Entry& entry = m_entries[point.series];
    std::optional<Event> event = m_codes.read(entry.code, entry.node, entry.device ? *entry.device + 1ULL : 0, point.value, point.time);
    if (event) part.events.push_back({.node = entry.node, .device = entry.device, .event = std::move(*event)});
  }
}

ExporterPart TargetState::accept() {
  ExporterPart part;
  declare(part);
  reportFaults(part);
  m_order.resize(m_at);
  for (const ExporterPoint& point : m_points) m_entries[point.series].newest = point.time;
  if (m_now - m_heard >= kHeardEvery && m_places.nodeUuid(0).starts_with("name:")) {
    m_heard = m_now;
    part.nodes.push_back({0, {.uuid = m_places.nodeUuid(0), .name = m_places.nodeName(0), .last_heard = m_now}});
  }
  part.points = std::exchange(m_points, {});
  return part;
}

ExporterPart TargetState::tell(Event event) {
  ExporterPart part;
  // Before the first accepted page only the address is certain; declaring more now would bind the target to it.
  if (m_places.nodeName(0).empty()) {
    const std::string name = defaultNode();
    std::string uuid = m_place.node_uuid ? m_place.node_uuid(name) : std::string();
    if (uuid.empty()) uuid = "name:" + name;
    part.ids = std::make_shared<WrittenIds>();
    part.nodes.push_back({0, {.uuid = std::move(uuid), .name = name}});
  } else {
    declare(part);
  }
  part.events.push_back({.node = 0, .device = {}, .event = std::move(event)});
  return part;
}

}  // namespace runglass
