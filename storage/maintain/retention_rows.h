// SPDX-License-Identifier: Apache-2.0
// The tiers of retention that are not chunks by time: scalars of ranks, clock readings, rows of ended attempts, events, findings, streams.
// Internal to storage.
//
// Threading:  the writer's thread, outside a transaction.
// Ownership:  borrows everything; must not outlive it.
// Units:      TimeNs.
// Errors:     those of SQLite; batches commit one by one.
// Cost:       batches of at most 500 chunks or 2,000 rows, until time is up.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "storage/codec/series_buffer.h"
#include "storage/maintain/retention.h"
#include "storage/maintain/retention_around.h"

namespace runglass {

class RowRetention {
 public:
  // `time_is_up`: called after each batch.
  RowRetention(sqlite::Connection& db, const Retention& policy, TimeNs now, const RetentionScope& scope, RetentionOutcome& outcome,
               AroundDamage& around, std::function<bool()> time_is_up)
      : m_db(db), m_policy(policy), m_now(now), m_scope(scope), m_outcome(outcome), m_around(around), m_time_is_up(std::move(time_is_up)) {}

  // By age.
  Status noteAge();
  Status thinScalars();
  Status dropThinned();
  Status dropEvents();
  Status dropFindings();
  Status moveSuperseded();
  Status dropEndedAttempts();
  Status thinClocks();
  Status dropStreams();
  // For space, oldest first, while `larger` returns true.
  using Larger = std::function<Result<bool>()>;
  Status shrinkScalars(const Larger& larger);
  Status shrinkThinned(const Larger& larger);
  Status shrinkEvents(const Larger& larger);
  Status shrinkPublished(const Larger& larger);
  Status shrinkEndedAttempts(const Larger& larger);

 private:
  TimeNs before(DurNs age) const;
  Result<std::int64_t> chunksBefore(DurNs age);  // ids below it are older
  // One batch of chunks with ids from `from` up to `below`, advancing `from`; false: no chunks are left.
  Result<bool> thinBatch(std::int64_t& from, std::int64_t below, std::int64_t limit);
  // A chunk of a scalar with its points.
  struct ScalarChunk {
    std::int64_t id, series, x0, x1, n;
    RawPoints points;
  };
  // Absent: the chunk is damaged; it stays as it is, for verify to report. The row has chunk_id, series_id, x0, x1, n, crc and data.
  static std::optional<ScalarChunk> scalarChunk(const sqlite::Statement& row);
  Result<bool> anyPin();
  Result<bool> isPinned(const ScalarChunk& chunk);
  Status thin(std::span<const ScalarChunk> chunks);
  // retention_attempts.cpp
  Result<std::vector<AttemptId>> endedBefore(TimeNs time);
  Result<std::vector<AttemptId>> supersededBefore(TimeNs time);
  // `attempts`: rows of one attempt_id each.
  Result<std::vector<AttemptId>> notInUse(sqlite::Statement& attempts);
  Result<bool> inUse(AttemptId attempt);
  Status dropDataOf(AttemptId attempt);
  Status dropDataOfUnpinned(AttemptId attempt);
  Status dropDataOf(std::int64_t series, bool pinned);
  Status dropEmptyRowsOf(AttemptId attempt);
  // A rowid table: rows of `table` e that satisfy `where` and whose ordering key `key` is below `until`.
  struct Rows {
    std::string table, id, key, where;
  };
  Status dropRows(const Rows& rows, TimeNs until, const Larger& larger);
  // Runs `sql`, with limit ?1 and time ?2 bound, until it deletes nothing.
  Status dropWhile(const std::string& sql, TimeNs time, const Larger& larger);
  Result<std::int64_t> run(const std::string& sql, std::initializer_list<std::int64_t> args);

  sqlite::Connection& m_db;
  const Retention& m_policy;
  TimeNs m_now;
  const RetentionScope& m_scope;
  RetentionOutcome& m_outcome;
  AroundDamage& m_around;
  std::function<bool()> m_time_is_up;
};

}  // namespace runglass
