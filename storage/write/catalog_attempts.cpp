// SPDX-License-Identifier: Apache-2.0
// Catalog: rows of an attempt are loaded from the file when the attempt is declared and evicted once it has ended.
#include <algorithm>

#include "storage/schema/rows.h"
#include "storage/write/catalog.h"
#include "storage/write/catalog_key.h"

namespace runglass {

void Catalog::need(AttemptId attempt) {
  if (!attempt) return;
  const auto [named, first] = m_named.try_emplace(attempt.value, m_now);
  named->second = m_now;
  if (!first) return;
  if (Status loaded = loadAttempt(attempt); !loaded.ok() && m_failure.ok()) m_failure = std::move(loaded);
}

// For no attempt: the rows that belong to none.
Status Catalog::loadAttempt(AttemptId attempt) {
  const std::initializer_list<std::int64_t> id = {static_cast<std::int64_t>(attempt.value)};
  const auto add = [](auto& table, const auto& row, std::uint64_t row_id) {
    std::string key = keyOf(row);
    if (table.find(key) == nullptr) table.add(std::move(key), row, row_id);
  };
  const std::string_view of_attempt = " WHERE attempt_id = ?1";
  RG_TRY(rows::each<Series>(
      *m_db, attempt ? " WHERE s.attempt_id = ?1" : " WHERE s.attempt_id IS NULL OR s.attempt_id = ?1",
      [&](const Series& s) {
        add(m_series, s.key, s.id.value);
        noteKind(s.id.value, s.key.kind, s.key.rank.has_value());
      },
      id));
  RG_TRY(rows::each<Track>(
      *m_db, " WHERE t.attempt_id = ?1", [&](const Track& t) { add(m_tracks, t.key, t.id.value); }, id));
  RG_TRY(rows::each<Rank>(
      *m_db, of_attempt,
      [&](const Rank& r) {
        add(m_ranks, r, 0);
        place(r.attempt, r.node, 1);
      },
      id));
  RG_TRY(rows::each<Fact>(
      *m_db, of_attempt, [&](const Fact& f) { add(m_facts, f, 0); }, id));
  RG_TRY(rows::each<Checkpoint>(
      *m_db, of_attempt, [&](const Checkpoint& c) { add(m_checkpoints, c, 0); }, id));
  RG_TRY(rows::each<CommGroup>(
      *m_db, of_attempt, [&](const CommGroup& g) { add(m_groups, g, 0); }, id));
  return rows::each<Progress>(
      *m_db, of_attempt, [&](const Progress& p) { add(m_progress, p, 0); }, id);
}

bool Catalog::evictIdle(TimeNs before) {
  std::vector<std::uint64_t> over;
  m_attempts.each([&](std::uint64_t id, const Attempt& attempt) {
    const auto named = m_named.find(id);
    if (named == m_named.end() || named->second >= before) return;
    if (attempt.end || attempt.number + 1 < m_attempt_counts[attempt.run.value]) over.push_back(id);
  });
  if (over.empty()) return false;
  std::ranges::sort(over);
  const auto gone = [&](const auto& row) { return std::ranges::binary_search(over, row.attempt.value); };
  m_series.evict(gone), m_tracks.evict(gone), m_ranks.evict(gone), m_facts.evict(gone);
  m_checkpoints.evict(gone), m_groups.evict(gone), m_progress.evict(gone);
  for (const std::uint64_t id : over) m_named.erase(id), m_places.erase(id);
  return true;
}

void Catalog::place(AttemptId attempt, NodeId node, int more) {
  if (!node) return;
  auto& places = m_places[attempt.value];
  places[node.value] += more;
  places[0] += more;
  const auto life = m_lives.find(attempt.value);
  if (more <= 0 || life == m_lives.end()) return;
  // Attempts of a run get their ids in the order of their numbers.
  AttemptId& newest = m_placed[life->second.run.value];
  newest = std::max(newest, attempt);
}

NodeId Catalog::nodeOf(AttemptId attempt, std::int32_t rank) {
  need(attempt);
  const auto* entry = m_ranks.find(keyOf(Rank{.attempt = attempt, .rank = rank}));
  return entry == nullptr ? NodeId() : entry->row.node;
}

std::int64_t Catalog::ranksOn(AttemptId attempt, NodeId node) {
  need(attempt);
  const auto places = m_places.find(attempt.value);
  if (places == m_places.end()) return 0;
  const auto on = places->second.find(node.value);
  return on == places->second.end() ? 0 : on->second;
}

bool Catalog::hasEnded(AttemptId attempt) const {
  const auto life = m_lives.find(attempt.value);
  return life != m_lives.end() && life->second.ended;
}

AttemptId Catalog::newestPlaced(RunId run) const {
  const auto placed = m_placed.find(run.value);
  return placed == m_placed.end() ? AttemptId() : placed->second;
}

// Ids of an earlier run of the writer may be used without a declaration.
bool Catalog::knowsSeries(SeriesId id) {
  if (id.value < m_series_known.size() && m_series_known[id.value]) return id.value != 0;
  if (!id || id.value >= m_series.nextId()) return false;
  const auto kind = m_db->queryInt64("SELECT kind * 2 + (rank IS NOT NULL) FROM rg_series WHERE series_id = " + std::to_string(id.value));
  if (!kind.ok() || !*kind) return false;
  noteKind(id.value, **kind / 2 == static_cast<int>(SeriesKind::kScalar) ? SeriesKind::kScalar : SeriesKind::kGauge, **kind % 2 != 0);
  return true;
}

void Catalog::forget(const std::vector<SeriesId>& series) {
  for (const SeriesId id : series)
    if (id.value < m_series_known.size()) m_series_known[id.value] = false;
}

}  // namespace runglass
