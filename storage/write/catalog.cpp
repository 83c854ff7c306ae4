// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. An id never changes once assigned: it is written with the row, never taken from SQLite.
// 2. A row is in `changed` until the transaction that wrote it has committed; a rollback loses nothing.
// 3. A set field replaces the known value (of starts the earliest wins, of ends the latest); an unset field changes nothing.
#include "storage/write/catalog.h"

#include "model/record_identity.h"
#include "model/url_secrets.h"
#include "storage/read/live_tail.h"
#include "storage/write/catalog_key.h"

namespace runglass {
namespace {

template <class T>
bool set(std::optional<T>& have, const std::optional<T>& said) {
  if (!said || have == said) return false;
  have = said;
  return true;
}
bool set(std::string& have, const std::string& said) {
  if (said.empty() || have == said) return false;
  have = said;
  return true;
}
template <class T>
bool setNonZero(T& have, const T& said) {
  if (said == T{} || have == said) return false;
  have = said;
  return true;
}

// Parts of a run may be reported in any order: the earliest start and the latest end win.
bool setEarlier(std::optional<TimeNs>& have, const std::optional<TimeNs>& said) {
  return said && (!have || *said < *have) && set(have, said);
}
bool setLater(std::optional<TimeNs>& have, const std::optional<TimeNs>& said) {
  return said && (!have || *said > *have) && set(have, said);
}

bool merge(Node& have, const Node& said) {
  bool changed = set(have.name, said.name);
  changed |= set(have.rack, said.rack);
  changed |= set(have.fabric_switch, said.fabric_switch);
  changed |= setNonZero(have.state, said.state);
  changed |= set(have.last_heard, said.last_heard);
  return changed;
}

bool merge(Device& have, const Device& said) {
  bool changed = setNonZero(have.node, said.node);
  changed |= set(have.index, said.index);
  changed |= set(have.kind, said.kind);
  changed |= set(have.model, said.model);
  changed |= set(have.memory_bytes, said.memory_bytes);
  return changed;
}

// The first report with times determines the time domain: later reports without times, or with other ones, do not change it.
bool settle(std::optional<TimeDomain>& have, const std::optional<TimeDomain>& said) {
  return (!have || have == TimeDomain::kNone) && set(have, said);
}

bool merge(Run& have, const Run& said) {
  bool changed = settle(have.time_domain, said.time_domain);
  // A part of a run, as importers report it, has a start as well; an end alone is that of the run, whose outcome is not known.
  const bool over = said.end && !said.start && said.state == RunState::kUnknown && *said.end >= have.end.value_or(*said.end);
  if (over && have.state == RunState::kRunning) {
    have.state = RunState::kUnknown;
    changed = true;
  }
  changed |= setNonZero(have.state, said.state);
  changed |= setEarlier(have.start, said.start);
  changed |= setLater(have.end, said.end);
  changed |= set(have.framework, said.framework);
  changed |= setNonZero(have.simulated, said.simulated);
  return changed;
}

bool merge(Attempt& have, const Attempt& said) {
  bool changed = setEarlier(have.start, said.start);
  changed |= setLater(have.end, said.end);
  changed |= set(have.end_cause, said.end_cause);
  changed |= set(have.planned, said.planned);
  changed |= set(have.resumed_from_step, said.resumed_from_step);
  changed |= setNonZero(have.layout.world, said.layout.world);
  changed |= setNonZero(have.layout.tp, said.layout.tp);
  changed |= setNonZero(have.layout.pp, said.layout.pp);
  changed |= setNonZero(have.layout.dp, said.layout.dp);
  changed |= setNonZero(have.layout.cp, said.layout.cp);
  changed |= setNonZero(have.layout.ep, said.layout.ep);
  changed |= setNonZero(have.layout.vpp, said.layout.vpp);
  return changed;
}

bool merge(Rank& have, const Rank& said) {
  bool changed = setNonZero(have.node, said.node);
  changed |= setNonZero(have.device, said.device);
  changed |= set(have.local_rank, said.local_rank);
  changed |= set(have.pid, said.pid);
  changed |= set(have.tp, said.tp);
  changed |= set(have.pp, said.pp);
  changed |= set(have.dp, said.dp);
  changed |= set(have.cp, said.cp);
  changed |= set(have.ep, said.ep);
  return changed;
}

bool merge(Fact& have, const Fact& said) {
  if (have.value == said.value) return false;
  have.value = said.value;
  return true;
}

bool merge(Checkpoint& have, const Checkpoint& said) {
  bool changed = set(have.begin, said.begin);
  changed |= set(have.durable, said.durable);
  changed |= set(have.bytes, said.bytes);
  return changed;
}

bool merge(CommGroup& have, const CommGroup& said) {
  bool changed = set(have.kind, said.kind);
  changed |= set(have.name, said.name);
  if (!said.ranks.empty() && said.ranks != have.ranks) {
    have.ranks = said.ranks;
    changed = true;
  }
  return changed;
}

// Adds or merges; returns the entry.
template <class Row>
typename CatalogTable<Row>::Entry& upsert(CatalogTable<Row>& table, std::string key, const Row& said) {
  if (auto* entry = table.find(key)) {
    if (merge(entry->row, said)) table.touch(*entry);
    return *entry;
  }
  auto& entry = table.add(std::move(key), said);
  table.touch(entry);
  return entry;
}

}  // namespace

NodeId Catalog::node(const Node& node) {
  Node said = node;
  if (said.uuid.empty()) said.uuid = "name:" + said.name;
  if (said.name.empty() && m_nodes.find(said.uuid) == nullptr) said.name = said.uuid;
  return {upsert(m_nodes, said.uuid, said).id};
}

DeviceId Catalog::device(const Device& device) { return {upsert(m_devices, device.uuid, device).id}; }

RunId Catalog::run(const Run& run) {
  // A run is found by its uuid; without one, or if the uuid is new, by its name.
  std::string key = run.uuid;
  if (key.empty() || m_runs.find(key) == nullptr) {
    const auto named = m_run_uuids.find(run.name.empty() ? run.uuid : run.name);
    if (named != m_run_uuids.end()) {
      key = named->second;
    } else {
      Run added = run;
      if (added.uuid.empty()) added.uuid = "name:" + identityOf(added.name).hex();
      key = added.uuid;
      if (added.name.empty()) added.name = added.uuid;
      m_run_uuids.emplace(added.name, key);
      auto& entry = m_runs.add(key, added);
      m_runs.touch(entry);
      return {entry.id};
    }
  }
  return {upsert(m_runs, key, run).id};
}

AttemptId Catalog::attempt(const Attempt& attempt) {
  if (!attempt.run) return {};  // a row requires a run
  std::string key = keyOf(attempt);
  if (m_attempts.find(key) != nullptr) {
    const AttemptId id{upsert(m_attempts, std::move(key), attempt).id};
    m_lives[id.value].ended |= attempt.end.has_value();
    return id;
  }
  Attempt added = attempt;
  added.number = m_attempt_counts[attempt.run.value]++;
  auto& entry = m_attempts.add(std::move(key), std::move(added));
  m_lives[entry.id] = {attempt.run, attempt.end.has_value()};
  m_attempts.touch(entry);
  m_named[entry.id] = m_now;
  return {entry.id};
}

void Catalog::rank(const Rank& rank) {
  const NodeId before = nodeOf(rank.attempt, rank.rank);
  upsert(m_ranks, keyOf(rank), rank);
  if (!rank.node || rank.node == before) return;
  place(rank.attempt, before, -1);
  place(rank.attempt, rank.node, 1);
}

void Catalog::fact(const Fact& fact) {
  if (looksSecret(fact.key)) return;
  need(fact.attempt);
  Fact without = fact;
  without.value = withoutUrlSecrets(fact.value);
  upsert(m_facts, keyOf(without), without);
}

void Catalog::checkpoint(const Checkpoint& checkpoint) {
  need(checkpoint.attempt);
  upsert(m_checkpoints, keyOf(checkpoint), checkpoint);
}

void Catalog::group(const CommGroup& group) {
  need(group.attempt);
  upsert(m_groups, keyOf(group), group);
}

void Catalog::noteKind(std::uint64_t series_id, SeriesKind kind, bool of_rank) {
  if (m_series_known.size() <= series_id)
    for (auto* flags : {&m_series_known, &m_series_scalar, &m_series_of_rank}) flags->resize(series_id + 1);
  m_series_known[series_id] = true;
  m_series_scalar[series_id] = kind == SeriesKind::kScalar;
  m_series_of_rank[series_id] = of_rank;
}

SeriesId Catalog::series(const SeriesKey& key) {
  need(key.attempt);
  std::string bytes = keyOf(key);
  if (const auto* entry = m_series.find(bytes)) return {entry->id};
  auto& entry = m_series.add(std::move(bytes), key);
  m_series.touch(entry);
  noteKind(entry.id, key.kind, key.rank.has_value());
  return {entry.id};
}

std::optional<SeriesKey> Catalog::seriesKey(SeriesId id) const {
  const SeriesKey* const key = m_series.row(id.value);
  return key == nullptr ? std::nullopt : std::optional(*key);
}

std::optional<TrackKey> Catalog::trackKey(TrackId id) const {
  const TrackKey* const key = m_tracks.row(id.value);
  return key == nullptr ? std::nullopt : std::optional(*key);
}

TrackId Catalog::track(const TrackKey& key) {
  need(key.attempt);
  std::string bytes = keyOf(key);
  if (const auto* entry = m_tracks.find(bytes)) return {entry->id};
  auto& entry = m_tracks.add(std::move(bytes), key);
  m_tracks.touch(entry);
  return {entry.id};
}

void Catalog::progress(const Progress& progress) {
  need(progress.attempt);
  std::string key = keyOf(progress);
  auto* entry = m_progress.find(key);
  if (entry == nullptr) {
    entry = &m_progress.add(std::move(key), progress);
  } else if (entry->row.time <= progress.time) {
    entry->row = progress;
  }
  m_progress.touch(*entry);
}

std::int64_t Catalog::text(std::string_view text) {
  std::string key(text);
  if (const auto* entry = m_texts.find(key)) return static_cast<std::int64_t>(entry->id);
  auto& entry = m_texts.add(key, std::string());
  entry.row = std::move(key);
  m_texts.touch(entry);
  return static_cast<std::int64_t>(entry.id);
}

std::optional<Run> Catalog::findRun(std::string_view name) const {
  const auto named = m_run_uuids.find(std::string(name));
  if (named == m_run_uuids.end()) return std::nullopt;
  const auto* entry = m_runs.find(named->second);
  Run run = entry->row;
  run.id = {entry->id};
  return run;
}

bool Catalog::changed() const {
  return !(m_nodes.changed().empty() && m_devices.changed().empty() && m_runs.changed().empty() && m_attempts.changed().empty() &&
           m_ranks.changed().empty() && m_facts.changed().empty() && m_checkpoints.changed().empty() && m_groups.changed().empty() &&
           m_series.changed().empty() && m_tracks.changed().empty() && m_progress.changed().empty() && m_clock.changes().empty() &&
           m_texts.changed().empty());
}

std::uint32_t Catalog::changedParts() const {
  std::uint32_t parts = 0;
  const auto add = [&](StorePart part, bool changed) { parts |= changed ? 1U << static_cast<unsigned>(part) : 0U; };
  add(StorePart::kNodes, !m_nodes.changed().empty());
  add(StorePart::kDevices, !m_devices.changed().empty());
  add(StorePart::kRuns, !m_runs.changed().empty());
  add(StorePart::kAttempts, !m_attempts.changed().empty());
  add(StorePart::kRanks, !m_ranks.changed().empty());
  add(StorePart::kFacts, !m_facts.changed().empty());
  add(StorePart::kCheckpoints, !m_checkpoints.changed().empty());
  add(StorePart::kGroups, !m_groups.changed().empty());
  add(StorePart::kSeries, !m_series.changed().empty());
  add(StorePart::kTracks, !m_tracks.changed().empty());
  add(StorePart::kProgress, !m_progress.changed().empty());
  add(StorePart::kClocks, !m_clock.changes().empty());
  return parts;
}

void Catalog::committed() {
  m_nodes.committed(), m_devices.committed(), m_runs.committed(), m_attempts.committed(), m_ranks.committed(), m_facts.committed();
  m_checkpoints.committed(), m_groups.committed(), m_series.committed(), m_tracks.committed(), m_progress.committed(), m_texts.committed();
  m_clock_changes += static_cast<std::int64_t>(m_clock.changes().size());
  m_clock.committed();
}

}  // namespace runglass
