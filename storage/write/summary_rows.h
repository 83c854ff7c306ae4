// SPDX-License-Identifier: Apache-2.0
// SummaryRows: summaries of series whose samples stay in the source store of this replica. Internal to storage.
// Invariants:
// 1. The samples of a block count as expired (rg_expired), so that every sample of a series is accounted for.
// 2. Their position (rg_copied) moves in the transaction that stores them.
// 3. Their effect on a series' extent and newest sample is in the tail after the commit, not before.
//
// Threading:  the writer's thread; save() and related calls: the commit's, while nothing is recorded.
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

  // For a series over time; blocks are sorted by x0 and none begins before reported.from.
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
  std::map<SeriesId, Summaries> m_waiting;                                             // in the order of the rows, in which they are stored
  std::map<SeriesId, std::pair<SeriesExtent, std::optional<LatestSample>>> m_widened;  // by the current commit
  std::int64_t m_pending_bytes = 0, m_written_bytes = 0;
};

}  // namespace runglass
