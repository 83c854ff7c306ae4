// SPDX-License-Identifier: Apache-2.0
// StoreWriter: eviction of idle data from memory; it is loaded again when new data arrives for it.
// Invariant: only data stored by the last commit but one, or an earlier one, is evicted.
#include <malloc.h>
#include <sqlite3.h>

#include <algorithm>

#include "storage/write/store_writer.h"

namespace runglass {
namespace {

constexpr std::size_t kManySeries = 1'000;

// The memory of a large attempt is free, but spread over pages that malloc keeps, and the next attempt does not fit into the same holes.
// SQLite's cache holds pages of the evicted attempt.
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
  m_chunks.evicted(gone);
  m_lanes.sealOpen(unsealed);
  const bool attempts = m_catalog.evictIdle(m_tick - m_options.idle);
  if (attempts || gone.size() >= kManySeries) giveBackMemory(m_db);
}

}  // namespace runglass
