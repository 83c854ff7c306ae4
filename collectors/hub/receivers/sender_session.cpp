// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/receivers/sender_session.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "collectors/text/display_name.h"
#include "model/device_catalog.h"
#include "model/random_uuid.h"

namespace runglass {
namespace {

constexpr DurNs kSweepEvery = 3'600 * kNsPerSecond;

// "gpu-01:9400", "[::1]:9100" -> the host.
std::string hostOfInstance(std::string_view instance) {
  if (const std::size_t scheme = instance.find("://"); scheme != std::string_view::npos) instance.remove_prefix(scheme + 3);
  instance = instance.substr(0, instance.find('/'));
  if (instance.starts_with('[')) return std::string(instance.substr(1, instance.find(']') - 1));
  const std::size_t colon = instance.rfind(':');
  return std::string(instance.find(':') == colon ? instance.substr(0, colon) : instance);
}

bool isLoopback(const std::string& host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

}  // namespace

SenderSession::SenderSession(std::string name, const ReceiverPort& port, const SenderLimits& limits)
    : m_name(std::move(name)), m_port(port), m_limits(limits) {}

Status SenderSession::begin() {
  // A batch of the session before may be recorded although it was refused: its sender sends it again.
  RG_TRY(m_port.commit());
  m_store = std::make_unique<StoredSeries>(m_port);
  RG_ASSIGN(m_stored, m_store->newest());
  m_session = randomUuid();
  m_refused = std::make_shared<std::atomic<bool>>(false);
  m_delivered = false;
  m_dictionary = std::make_unique<SessionDictionary>();
  m_defined = 0;
  m_defined_series = 0;
  m_forgot = false;
  m_label_bytes = 0;
  m_by_key.clear();
  m_entries.clear();
  m_free.clear();
  m_nodes.clear();
  m_node_of.clear();
  m_devices.clear();
  m_last_xid.clear();
  m_fresh_times = 0;
  m_previous = kNone;
  m_updated.clear();
  m_payload.clear();
  m_block_times.clear();
  m_blocks = 0;
  m_new_series = static_cast<double>(m_limits.new_series_burst);
  m_refilled = m_now;
  return {};
}

Result<WriteOutcome> SenderSession::take(std::string_view request, const std::string& address, TimeNs now,
                                         std::function<void(const Status&)> done) {
  m_now = now;
  if (now - m_swept >= kSweepEvery) forget(now);
  if (!m_refused || *m_refused || definesTooMuch()) RG_TRY(begin());
  m_new_series = std::min(static_cast<double>(m_limits.new_series_burst),
                          m_new_series + static_cast<double>(std::max<DurNs>(now - m_refilled, 0)) / kNsPerSecond *
                                             static_cast<double>(m_limits.new_series_per_s));
  m_refilled = now;
  m_first_implausible.clear();
  m_first_refused.clear();
  m_late.clear();
  WriteOutcome outcome;
  forEachSeries(request, [&](std::string_view key, std::span<const WriteSample> samples) {
    Entry* const entry = find(key, address, outcome);
    if (entry != nullptr) write(*entry, samples, now, outcome);
  });
  if (!m_late.empty()) RG_TRY(writeLate(outcome));
  reportNodes(now);
  reportIssues(outcome, now);
  deliver(std::move(done));
  return outcome;
}

SenderSession::Entry* SenderSession::find(std::string_view key, const std::string& address, WriteOutcome& outcome) {
  // Requests mostly repeat the order of earlier ones.
  const std::uint32_t expected = m_previous < m_entries.size() ? m_entries[m_previous].next : kNone;
  if (!key.empty() && expected < m_entries.size() && m_entries[expected].key == key) {
    m_previous = expected;
    return &m_entries[expected];
  }
  const auto known = m_by_key.find(key);
  const std::uint32_t index = known != m_by_key.end() ? known->second : add(key, address, outcome);
  if (index == kNone) return nullptr;
  if (m_previous < m_entries.size()) m_entries[m_previous].next = index;
  m_previous = index;
  return &m_entries[index];
}

std::uint32_t SenderSession::nodeOf(const std::string& name) {
  const auto [it, is_new] = m_node_of.try_emplace(name, static_cast<std::uint32_t>(m_nodes.size()));
  if (!is_new) return it->second;
  std::string uuid = m_port.node_uuid ? m_port.node_uuid(name) : std::string();
  if (uuid.empty()) uuid = "name:" + name;
  const NodeId id = m_dictionary->node({.uuid = uuid, .name = name});
  m_nodes.push_back({name, std::move(uuid), id});
  return it->second;
}

std::pair<std::string, DeviceId> SenderSession::deviceOf(const ExporterSample& what, std::uint32_t node) {
  Device device{.uuid = what.uuid, .node = m_nodes[node].id, .index = what.index, .kind = what.device_kind, .model = what.model};
  if (device.uuid.empty()) device.uuid = m_nodes[node].uuid + "/" + device.kind + std::to_string(device.index.value_or(0));
  const auto [it, is_new] = m_devices.try_emplace(device.uuid);
  KnownDevice& known = it->second;
  if (is_new) known.id = m_dictionary->device(device);
  // Its definition has the identity only, and not every metric has all of its labels.
  if ((known.device.model.empty() && !device.model.empty()) || (!known.device.index && device.index)) {
    if (device.model.empty()) device.model = known.device.model;
    if (!device.index) device.index = known.device.index;
    known.device = device;
    m_updated.push_back(known);
  }
  return {it->first, known.id};
}

// Ids of a session are never used again, so that deleted series, nodes and devices go only with their session.
bool SenderSession::definesTooMuch() const {
  return m_forgot && (m_defined_series >= m_limits.defined_series || m_defined >= 2 * m_limits.label_bytes ||
                      m_nodes.size() >= m_limits.nodes || m_devices.size() >= m_limits.devices);
}

// Short-lived series (pods) must not use up the sender's limit permanently.
void SenderSession::forget(TimeNs now) {
  const bool first = std::exchange(m_swept, now) == 0;
  for (std::uint32_t index = 0; index < m_entries.size() && !first; ++index) {
    Entry& entry = m_entries[index];
    if (entry.key.empty() || now - entry.seen < m_limits.forgotten_after) continue;
    m_stored[entry.identity] = entry.newest;
    m_by_key.erase(entry.key);
    m_label_bytes -= entry.key.size();
    m_forgot = true;
    if (entry.fresh) m_fresh_times -= entry.fresh->size();
    entry = Entry();
    m_free.push_back(index);
  }
}

std::uint32_t SenderSession::add(std::string_view key, const std::string& address, WriteOutcome& outcome) {
  ExpositionParser::Sample exposed;
  std::string_view job, instance, node_label;
  for (const auto& [name, value] : labelsOf(key)) {
    if (name == "__name__")
      exposed.name = value;
    else if (name == "job")
      job = value;
    else
      exposed.labels.emplace_back(name, value);
    if (name == "instance") instance = value;
    if (name == "node" || name == "nodename" || name == "kubernetes_node") node_label = value;
  }
  if (exposed.name.empty()) return ++outcome.unnamed, kNone;
  if (series() >= m_limits.series || m_label_bytes + key.size() > m_limits.label_bytes || m_nodes.size() >= m_limits.nodes ||
      m_devices.size() >= m_limits.devices || m_new_series < 1) {
    if (m_first_refused.empty()) m_first_refused = exposed.name.substr(0, 200);
    ++(m_new_series < 1 ? outcome.too_fast : outcome.too_many_series);
    return kNone;
  }
  m_new_series -= 1;
  // Names alone decide: the types that Prometheus sends apart arrive later than the first samples.
  const ExporterSample what = exporterSample(exposed, exposed.name.ends_with("_total") ? "counter" : "");
  Entry entry{.key = std::string(key),
              .unit = what.unit,
              .metric = findMetric(what.metric),
              .metric_name = what.metric,
              .dcgm = what.dcgm,
              .last_xid = what.last_xid};
  std::string node = !what.node.empty() ? what.node : displayName(node_label.empty() ? hostOfInstance(instance) : std::string(node_label));
  if (node.empty() || isLoopback(node)) node = isLoopback(address) ? m_port.this_node : address;
  entry.node = nodeOf(node);
  std::string device_uuid;
  if (!what.device_kind.empty()) {
    std::tie(device_uuid, entry.device) = deviceOf(what, entry.node);
    if (!what.instance_uuid.empty()) {
      ExporterSample instance_device;
      instance_device.device_kind = kMigKind, instance_device.uuid = what.instance_uuid, instance_device.model = what.instance_profile,
      instance_device.index = what.index;
      (void)deviceOf(instance_device, entry.node);
    }
  }
  SeriesKey series{.node = m_nodes[entry.node].id,
                   .device = entry.device,
                   .metric = what.metric,
                   .source = displayName(job),
                   .labels = what.labels,
                   .unit = std::string(unitOfMetric(what.metric)),
                   .kind = what.counter ? SeriesKind::kCounter : SeriesKind::kGauge};
  entry.identity = StoredSeries::identity(m_nodes[entry.node].uuid, device_uuid, series);
  entry.id = m_dictionary->series(series);
  ++m_defined_series;
  m_label_bytes += key.size();
  if (const auto stored = m_stored.find(entry.identity); stored != m_stored.end())
    entry.newest = stored->second, noteSample(entry);
  else
    entry.fresh = std::make_unique<std::vector<TimeNs>>();
  entry.created = m_now;
  const std::uint32_t index = m_free.empty() ? static_cast<std::uint32_t>(m_entries.size()) : m_free.back();
  if (m_free.empty())
    m_entries.emplace_back();
  else
    m_free.pop_back();
  m_entries[index] = std::move(entry);
  m_by_key.emplace(m_entries[index].key, index);
  return index;
}

}  // namespace runglass
