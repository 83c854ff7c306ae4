// SPDX-License-Identifier: Apache-2.0
// The nodes, devices, runs, attempts, ranks, series, tracks and interned strings of a store, in memory, with their changes since the last
// commit. Internal to storage.
//
// Threading:  the writer's thread.
// Ownership:  owns all rows; ids are assigned here and are those of the file.
// Errors:     save() fails as SQLite does and changes nothing here: uncommitted rows are saved again by the next commit.
// Cost:       one or two hash look-ups per declaration; loading the rows of an attempt when it is declared again; save() is O(changed
//             rows).
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/events.h"
#include "model/samples.h"
#include "model/spans.h"
#include "model/topology.h"
#include "storage/sqlite/connection.h"
#include "storage/write/clock_thinner.h"
#include "storage/write/commit_rows.h"

namespace runglass {

// Rows by key; those changed since the last commit are in `changed`.
template <class Row>
class CatalogTable {
 public:
  struct Entry {
    std::uint64_t id = 0;
    Row row;
    bool changed = false;
  };
  Entry* find(const std::string& key) {
    const auto it = m_entries.find(key);
    return it == m_entries.end() ? nullptr : &it->second;
  }
  const Entry* find(const std::string& key) const { return const_cast<CatalogTable*>(this)->find(key); }
  // `id` 0: the next free one.
  Entry& add(std::string key, Row row, std::uint64_t id = 0) {
    Entry& entry = m_entries[std::move(key)];
    entry.row = std::move(row);
    entry.id = id == 0 ? m_next_id : id;
    m_next_id = std::max(m_next_id, entry.id + 1);
    return entry;
  }
  void touch(Entry& entry) {
    if (!entry.changed) m_changed.push_back(&entry);
    entry.changed = true;
  }
  const std::vector<Entry*>& changed() const { return m_changed; }
  void committed() {
    for (Entry* entry : m_changed) entry->changed = false;
    m_changed.clear();
  }
  std::uint64_t nextId() const { return m_next_id; }
  const Row* row(std::uint64_t id) const {
    for (const auto& [key, entry] : m_entries)
      if (entry.id == id) return &entry.row;
    return nullptr;
  }
  void noteId(std::uint64_t id) { m_next_id = std::max(m_next_id, id + 1); }
  // Calls take(id, row) for each.
  void each(const auto& take) const {
    for (const auto& [key, entry] : m_entries) take(entry.id, entry.row);
  }
  // Evicts the rows for which `gone` returns true, except changed ones.
  void evict(const auto& gone) {
    std::erase_if(m_entries, [&](const auto& item) { return !item.second.changed && gone(item.second.row); });
  }

 private:
  std::unordered_map<std::string, Entry> m_entries;
  std::vector<Entry*> m_changed;
  std::uint64_t m_next_id = 1;
};

class Catalog {
 public:
  // Rows of an attempt are loaded when the attempt is declared; `db` must outlive this.
  Status load(sqlite::Connection& db);
  // The time, monotonic, that the following declarations are touched at.
  void setNow(TimeNs now) { m_now = now; }
  // Evicts the committed rows of ended attempts that were not declared since `before`. Returns whether there were any.
  bool evictIdle(TimeNs before);
  // The first failed look-up in the file: rows that may exist there were declared as new ones.
  Status takeFailure() { return std::exchange(m_failure, Status()); }
  // Writes the changes inside the caller's transaction; call committed() after its commit.
  Status save(sqlite::Connection& db, CommitRows& rows);
  void committed();
  bool changed() const;
  std::uint32_t changedParts() const;  // bits by StorePart (live_tail.h)

  NodeId node(const Node& node);
  DeviceId device(const Device& device);
  RunId run(const Run& run);
  AttemptId attempt(const Attempt& attempt);
  void rank(const Rank& rank);
  void fact(const Fact& fact);
  void checkpoint(const Checkpoint& checkpoint);
  void group(const CommGroup& group);
  SeriesId series(const SeriesKey& key);
  TrackId track(const TrackKey& key);
  void progress(const Progress& progress);
  void clock(const ClockReading& reading) { m_clock.add(reading); }
  std::int64_t text(std::string_view text);  // interned
  // As in model/rank_places.h.
  NodeId nodeOf(AttemptId attempt, std::int32_t rank);
  std::int64_t ranksOn(AttemptId attempt, NodeId node);
  bool hasEnded(AttemptId attempt) const;
  AttemptId newestPlaced(RunId run) const;

  std::optional<Run> findRun(std::string_view name) const;
  RunId findRunByUuid(const std::string& uuid) {
    const auto* entry = m_runs.find(uuid);
    return entry == nullptr ? RunId() : RunId{entry->id};
  }
  // For a known series: whether x is a step.
  bool isScalar(SeriesId id) const { return m_series_scalar[id.value]; }
  bool knowsSeries(SeriesId id);
  bool isOfRank(SeriesId id) const { return m_series_of_rank[id.value]; }  // for a known one
  // Series whose data is all in the file: evicted from the writer's memory since load().
  void noteEvicted(SeriesId id) {
    if (m_evicted.size() <= id.value) m_evicted.resize(id.value + 1);
    m_evicted[id.value] = true;
  }
  bool wasEvicted(SeriesId id) const { return id.value < m_evicted.size() && m_evicted[id.value]; }
  bool holds(AttemptId attempt) const { return m_named.contains(attempt.value); }
  // These series were deleted from the file.
  void forget(const std::vector<SeriesId>& series);
  std::uint64_t nextSeriesId() const { return m_series.nextId(); }
  // Scans all series; absent: no series of that id.
  std::optional<SeriesKey> seriesKey(SeriesId id) const;
  std::optional<TrackKey> trackKey(TrackId id) const;
  bool knowsTrack(TrackId id) const { return id && id.value < m_tracks.nextId(); }

 private:
  Status loadTopology(sqlite::Connection& db);
  Status loadRuns(sqlite::Connection& db);
  void loadPlaced(sqlite::Connection& db);
  Status loadColumns(sqlite::Connection& db);
  Status loadAttempt(AttemptId attempt);
  // Must be called before any look-up of the attempt's rows.
  void need(AttemptId attempt);
  Status saveTopology(sqlite::Connection& db, CommitRows& rows);
  Status saveRuns(sqlite::Connection& db, CommitRows& rows);
  Status saveColumns(sqlite::Connection& db, CommitRows& rows);
  Status saveDetails(sqlite::Connection& db, CommitRows& rows);
  Status loadClocks(sqlite::Connection& db);
  Status saveClocks(sqlite::Connection& db, CommitRows& rows);
  void place(AttemptId attempt, NodeId node, int more);
  void noteKind(std::uint64_t series_id, SeriesKind kind, bool of_rank);

  sqlite::Connection* m_db = nullptr;
  TimeNs m_now = 0;
  Status m_failure;
  std::unordered_map<std::uint64_t, TimeNs> m_named;  // attempts whose rows are in memory, with the time of their last declaration
  CatalogTable<Node> m_nodes;
  CatalogTable<Device> m_devices;
  CatalogTable<Run> m_runs;                                  // by uuid
  std::unordered_map<std::string, std::string> m_run_uuids;  // by name
  CatalogTable<Attempt> m_attempts;
  std::unordered_map<std::uint64_t, std::int32_t> m_attempt_counts;  // by run
  struct Life {
    RunId run;
    bool ended = false;
  };
  std::unordered_map<std::uint64_t, Life> m_lives;        // by attempt
  std::unordered_map<std::uint64_t, AttemptId> m_placed;  // by run: the newest attempt with a rank on a node
  CatalogTable<Rank> m_ranks;
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, std::int64_t>> m_places;  // ranks by attempt and node; 0: any node
  CatalogTable<Fact> m_facts;
  CatalogTable<Checkpoint> m_checkpoints;
  CatalogTable<CommGroup> m_groups;
  CatalogTable<SeriesKey> m_series;
  std::vector<bool> m_series_known{true}, m_series_scalar{false}, m_series_of_rank{false}, m_evicted;  // by id: tens of millions a year
  CatalogTable<TrackKey> m_tracks;
  CatalogTable<Progress> m_progress;
  ClockThinner m_clock;
  std::int64_t m_clock_changes = 0;  // the number of the newest committed one
  CatalogTable<std::string> m_texts;
};

}  // namespace runglass
