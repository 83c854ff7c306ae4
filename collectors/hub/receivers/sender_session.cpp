// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/receivers/sender_session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "collectors/text/display_name.h"
#include "model/random_uuid.h"

namespace runglass {
namespace {

constexpr DurNs kSweepEvery = 3'600 * kNsPerSecond;

// A series of a device is that of the device whichever exporter's address it came from; several exporters of one job may be on a machine.
std::string sourceOf(std::string job, const std::string& instance, bool of_device) {
  return of_device || instance.empty() ? job : job + (job.empty() ? "" : " ") + instance;
}

bool isOtlpKey(std::string_view key) { return key.starts_with('\0'); }

// The metric's name as it was sent.
std::string nameOf(std::string_view key) {
  std::string_view found;
  if (isOtlpKey(key))
    found = otlpNameOf(key);
  else
    for (const auto& [name, value] : labelsOf(key))
      if (name == "__name__") found = value;
  return displayName(found);
}

}  // namespace

SenderSession::SenderSession(std::string name, const ReceiverPort& port, const SenderLimits& limits)
    : m_name(std::move(name)), m_port(port), m_limits(limits), m_places(limits.nodes, limits.devices) {}

Status SenderSession::begin() {
  // A batch of the session before may be recorded although it was refused: its sender sends it again.
  RG_TRY(m_port.commit());
  m_store.reset();
  RG_ASSIGN(m_reader, m_port.reader());
  m_store.emplace(*m_reader);
  RG_TRY(m_store->load());
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
  m_places = ExporterPlaces(m_limits.nodes, m_limits.devices);
  m_node_ids.clear();
  m_device_ids.clear();
  m_contacts.clear();
  m_codes = {};
  m_fresh_times = 0;
  m_previous = kNone;
  m_payload.clear();
  m_block_times.clear();
  m_blocks = 0;
  m_new_series = static_cast<double>(m_limits.new_series_burst);
  m_refilled = m_now;
  m_origins.clear();
  m_free_origins.clear();
  m_origin_of.clear();
  m_runs.clear();
  m_tracks.clear();
  m_starts.clear();
  m_sent.emplace(*m_reader, m_now, m_limits.compared);
  return {};
}

Result<WriteOutcome> SenderSession::take(const SenderRequest& request, TimeNs now, std::function<void(const Status&)> done) {
  m_now = now;
  if (now - m_swept >= kSweepEvery) forget(now);
  if (!m_refused || *m_refused || definesTooMuch()) RG_TRY(begin());
  m_new_series = std::min(static_cast<double>(m_limits.new_series_burst),
                          m_new_series + static_cast<double>(std::max<DurNs>(now - m_refilled, 0)) / kNsPerSecond *
                                             static_cast<double>(m_limits.new_series_per_s));
  m_refilled = now;
  m_first_implausible.clear();
  m_first_refused.clear();
  // What a request left that failed is not of the next one.
  m_late.clear();
  m_item_refused.clear();
  m_times.clear();
  m_values.clear();
  WriteOutcome outcome;
  if (request.otlp)
    RG_TRY(takeOtlp(request, outcome));
  else
    forEachSeries(request.bytes, [&](std::string_view key, std::span<const WriteSample> samples) {
      Entry* const entry = find(key, request.address, outcome);
      if (entry != nullptr) write(*entry, samples, outcome);
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

// Ids of a session are never used again, so that deleted series, nodes and devices go only with their session.
bool SenderSession::definesTooMuch() const {
  return m_forgot &&
         (m_defined_series >= m_limits.defined_series || m_defined >= 2 * m_limits.label_bytes || m_places.nodes() >= m_limits.nodes ||
          m_places.devices() >= m_limits.devices || m_tracks.size() >= m_limits.tracks || m_runs.size() >= m_limits.runs);
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
  // After their series, which were not seen for as long.
  for (std::uint32_t index = 0; index < m_origins.size() && !first; ++index) {
    Origin& origin = m_origins[index];
    if (origin.key.empty() || now - origin.seen < m_limits.forgotten_after) continue;
    m_origin_of.erase(origin.key);
    m_forgot = true;
    origin = Origin();
    m_free_origins.push_back(index);
  }
}

std::optional<std::uint32_t> SenderSession::nodeOf(std::string name, const std::string& address) {
  if (name.empty() || isLoopbackHost(name)) name = isLoopbackHost(address) ? m_port.this_node : address;
  return m_places.node(name);
}

std::optional<SenderSession::Meaning> SenderSession::meaningOf(std::string_view key, const std::string& address) {
  ExpositionParser::Sample exposed;
  std::string_view job, instance, node_label;
  for (const auto& [name, value] : labelsOf(key)) {
    if (name == "__name__")
      exposed.name = value;
    else if (name == "job")
      job = value;
    else if (name == "instance")
      instance = value;
    else
      exposed.labels.emplace_back(name, value);
    if (name == "node" || name == "nodename" || name == "kubernetes_node") node_label = value;
  }
  if (exposed.name.empty()) return std::nullopt;
  // Names alone decide: the types that Prometheus sends apart arrive later than the first samples.
  Meaning meaning{.what = exporterSample(exposed, exposed.name.ends_with("_total") ? "counter" : "")};
  const ExporterSample& what = meaning.what;
  meaning.unit = unitOfMetric(what.metric);
  meaning.source = sourceOf(displayName(job), displayName(instance), !what.device_kind.empty());
  const std::string node = !what.node.empty() ? what.node : node_label.empty() ? hostOfInstance(instance) : displayName(node_label);
  meaning.node = nodeOf(node, address);
  return meaning;
}

std::uint32_t SenderSession::add(std::string_view key, const std::string& address, WriteOutcome& outcome) {
  const auto refuse = [&](std::int64_t& count) {
    if (m_first_refused.empty()) m_first_refused = nameOf(key);
    ++count;
    return kNone;
  };
  if (m_new_series < 1) return refuse(outcome.too_fast);
  if (series() >= m_limits.series || m_label_bytes + key.size() > m_limits.label_bytes) return refuse(outcome.too_many_series);
  const std::optional<Meaning> meaning = isOtlpKey(key) ? meaningOfOtlp(key) : meaningOf(key, address);
  if (!meaning) return ++outcome.unnamed, kNone;
  if (!meaning->node) return refuse(outcome.too_many_series);
  const ExporterSample& what = meaning->what;
  const std::optional<std::uint32_t> device = what.device_kind.empty() ? std::nullopt : m_places.device(what, *meaning->node);
  if (!device && !what.device_kind.empty()) return refuse(outcome.too_many_series);
  declarePlaces();
  m_new_series -= 1;
  Entry entry{.key = std::string(key),
              .unit = what.unit,
              .metric = findMetric(what.metric),
              .metric_name = what.metric,
              .dcgm = what.dcgm,
              .delta = meaning->delta,
              .code = what.code,
              .node = *meaning->node};
  SeriesKey series{.metric = what.metric,
                   .source = meaning->source,
                   .labels = what.labels,
                   .unit = meaning->unit,
                   .kind = what.counter ? SeriesKind::kCounter : SeriesKind::kGauge};
  if (meaning->attempt && !device) {
    series.attempt = meaning->attempt;
    series.rank = meaning->rank;
    entry.identity = StoredSeries::identity(meaning->owner, "", series);
  } else {
    series.node = m_node_ids[entry.node];
    std::string device_uuid;
    if (device) series.device = entry.device = m_device_ids[*device], device_uuid = m_places.declared(*device).uuid;
    entry.identity = StoredSeries::identity(m_places.nodeUuid(entry.node), device_uuid, series);
  }
  entry.id = m_dictionary->series(series);
  ++m_defined_series;
  m_label_bytes += key.size();
  if (const auto stored = m_stored.find(entry.identity); stored != m_stored.end())
    resume(entry, stored->second);
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

// A total continues from the stored one: earlier increments are in it, or are sent again with their times.
void SenderSession::resume(Entry& entry, TimeNs newest) {
  entry.newest = newest;
  noteSample(entry);
  if (!entry.delta) return;
  const auto stored = m_store->samples(entry.identity, entry.metric_name, {newest, newest + 1});
  if (stored.ok() && *stored && !(*stored)->value.empty() && std::isfinite((*stored)->value.back())) entry.total = (*stored)->value.back();
}

}  // namespace runglass
