// SPDX-License-Identifier: Apache-2.0
// SummaryRows: summaries of series whose samples stay with the store that this one is a replica of. Internal to storage.
// Invariants:
// 1. A block counts as so many samples that expired (rg_expired), so that every sample of a series is accounted for.
// 2. How far they go (rg_copied) moves in the transaction that stores them.
// 3. What they say of a series' extent and newest sample is in the tail once that is committed, not before.
//
// Threading:  the writer's thread; save() and what goes with it are the commit's, while nothing is recorded.
// Errors:     those of SQLite and CommitRows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/mirror_recorder.h"
#include "storage/codec/pyramid.h"
#include "storage/read/live_tail.h"
#include "storage/sqlite/connection.h"
#include "storage/write/commit_rows.h"
#include "storage/write/series_rows.h"

namespace runglass {

class SummaryRows {
 public:
  SummaryRows(sqlite::Connection& db, CommitRows& rows, LiveTail& tail, SeriesRows& series_rows)
      : m_db(db), m_rows(rows), m_tail(&tail), m_series_rows(series_rows) {}
  Status load();
  void close();

  // Of a series over time; blocks are sorted by x0 and none begins before told.from.
  void add(SeriesId id, const Summaries& reported);
  bool anyPending() const { return !m_waiting.empty(); }
  std::int64_t pendingBytes() const { return m_pending_bytes; }

  // Inside the caller's transaction.
  void commitBegins() { m_written_bytes = 0; }
  Status save();
  void committed();
  std::int64_t writtenBytes() const { return m_written_bytes; }

 private:
  Result<std::int64_t> cut(SeriesId id, std::int64_t from, Pyramid& kept);
  Status addRows(SeriesId id, const Pyramid& blocks);
  Status widenExtent(SeriesId id, const std::vector<Bin>& blocks, std::int64_t more);
  Status save(SeriesId id, const Summaries& reported);

  sqlite::Connection& m_db;
  CommitRows& m_rows;
  LiveTail* const m_tail;
  SeriesRows& m_series_rows;
  sqlite::Statement m_late_pyramids, m_pyramid_counts, m_expired, m_copied;
  std::map<SeriesId, Summaries> m_waiting;  // in the order of the rows, which is that in which they are stored
  std::map<SeriesId, std::pair<SeriesExtent, std::optional<LatestSample>>> m_widened;  // by the commit that is going on
  std::int64_t m_pending_bytes = 0, m_written_bytes = 0;
};

}  // namespace runglass
