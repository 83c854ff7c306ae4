// SPDX-License-Identifier: Apache-2.0
// RowLog: events, log lines, labels, issues and captures on their way into the file. Internal to storage.
// Invariants:
// 1. A row stays in the tail until the commit that stores it is done. Ids are assigned when a row is recorded, in order of arrival: a
//    retried commit writes the same rows.
// 2. Pending issues with the same code and source are one row. A store has at most 20,000 distinct ones; the rest is counted in one row.
//
// Threading:  the writer's thread; save(): the commit's, while nothing is recorded.
// Errors:     those of SQLite and CommitRows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "model/captures.h"
#include "model/events.h"
#include "storage/read/live_tail.h"
#include "storage/sqlite/connection.h"
#include "storage/write/catalog.h"
#include "storage/write/commit_rows.h"

namespace runglass {

class RowLog {
 public:
  RowLog(sqlite::Connection& db, CommitRows& rows, Catalog& catalog, LiveTail& tail)
      : m_db(db), m_rows(rows), m_catalog(catalog), m_tail(&tail) {}
  Status load();

  void event(const Event& event);
  void log(const LogLine& line);
  void label(const Label& label);
  void issue(const Issue& issue);
  void capture(const Capture& capture);
  // The uncommitted issue with that code and source; null: none.
  const Issue* waiting(const Issue& issue) const;
  bool anyPending() const;
  std::int64_t pendingBytes() const { return m_pending_bytes; }

  // Inside the caller's transaction; call committed() once it is committed and the tail has been updated.
  void commitBegins();
  Status save();
  Status saveIssues(std::span<const Issue> issues);
  void committed();
  // Of the current commit: bytes without log lines, and the time spent on log lines.
  std::int64_t writtenBytes() const { return m_written_bytes; }
  DurNs logCost() const { return m_log_cost; }

 private:
  Status saveLogs();
  Status saveCaptures();

  sqlite::Connection& m_db;
  CommitRows& m_rows;
  Catalog& m_catalog;
  LiveTail* const m_tail;
  std::int64_t m_next_event = 1, m_next_log = 1, m_next_capture = 1;
  std::unordered_set<std::string> m_known_issues;                 // code and source; in the file and pending
  std::unordered_map<std::string, std::size_t> m_pending_issues;  // index of each pending one in the tail
  std::int64_t m_pending_bytes = 0, m_written_bytes = 0;
  DurNs m_log_cost = 0;
};

}  // namespace runglass
