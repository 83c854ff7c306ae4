// SPDX-License-Identifier: Apache-2.0
// StoreWriter: what is idle leaves memory; it is loaded again when something comes for it.
// Invariants:
// 1. Only what the last commit but one, or an earlier one, stored leaves.
// 2. A stream's mark is in memory, or in the file: only marks that were committed leave (StoreWriter::begin).
#include <malloc.h>
#include <sqlite3.h>

#include <algorithm>

#include "storage/sqlite/bind_row.h"
#include "storage/write/store_writer.h"

namespace runglass {
namespace {

constexpr std::size_t kManySeries = 1'000;

// What a large attempt held is free, but spread over pages that malloc keeps, and the next attempt does not fit into the same holes.
// SQLite's cache is of the pages of that attempt.
void giveBackMemory(const sqlite::Connection& db) {
  sqlite3_db_release_memory(db.raw());
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace

void StoreWriter::evictIdle() {
  if (m_tick < m_next_eviction) return;
  m_next_eviction = m_tick + m_options.idle / 4;
  std::vector<TrackId> unsealed;
  const std::vector<SeriesId> gone = m_tail->evictIdle(m_tick - m_options.idle, unsealed);
  for (const SeriesId id : gone) m_catalog.noteEvicted(id);
  if (!gone.empty()) {
    const auto late = std::erase_if(m_late_series, [this](SeriesId id) { return m_tail->find(id) == nullptr; });
    m_next_late = std::min(m_next_late, m_late_series.size());
    countOpenChunks(-static_cast<std::int64_t>(gone.size() + late));
  }
  // Spans of a job that ended: sealed with this commit, gone after the next.
  for (const TrackId id : unsealed) {
    LiveTrack& track = *m_tail->find(id);
    const MutexLock lock(track.mutex);
    for (std::size_t i = 0; i < track.lanes.size(); ++i)
      if (track.lanes[i] && track.lanes[i]->open.size() > 0) sealSpans(*track.lanes[i], i);
    track.listed = true;
    m_dirty_tracks.push_back(id);
  }
  const bool attempts = m_catalog.evictIdle(m_tick - m_options.idle);
  if (attempts || gone.size() >= kManySeries) giveBackMemory(m_db);
}

Result<std::uint64_t> StoreWriter::nextOf(const StreamKey& stream) {
  if (const auto known = m_streams.find(stream); known != m_streams.end()) return known->second.next_seq;
  if (!m_mark_sql) {
    RG_ASSIGN(m_marks_db, sqlite::Connection::open(m_path, sqlite::OpenMode::kReadOnly));
    RG_ASSIGN(m_mark_sql, m_marks_db.prepare("SELECT next_seq FROM rg_stream WHERE agent = ? AND session = ? AND stream = ?", true));
  }
  m_mark_sql.reset();
  bindAll(m_mark_sql, std::string_view(stream.agent), std::string_view(stream.session), stream.stream);
  RG_ASSIGN(const bool row, m_mark_sql.step());
  const auto next = row ? static_cast<std::uint64_t>(m_mark_sql.int64(0)) : 0;
  m_mark_sql.reset();
  if (row) m_streams[stream] = {next, false, m_tick};
  return next;
}

}  // namespace runglass
