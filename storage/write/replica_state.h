// SPDX-License-Identifier: Apache-2.0
// ReplicaState: how far this store is in sync with its source store, and the source's judgements. Internal to storage.
// Invariants:
// 1. Data recorded twice is stored once: points are compared with those already stored (lacking()), issues are counted up to the source's
//    count (counted()), rows of judgements are upserted.
// 2. The mark moves in the transaction that stores the data it covers: it is a row of rg_meta written with that data.
// 3. Judgements are committed separately, in order. An invalid one becomes an issue: a journal that contains it must still be replayable.
//    While the disk or another process prevents storing them, they stay queued, and commits of everything wait for them.
//
// Threading:  the writer's thread; saveMark(): the commit's.
// Errors:     those of SQLite and EditRows.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "model/mirror_recorder.h"
#include "storage/read/live_tail.h"
#include "storage/sqlite/connection.h"
#include "storage/write/catalog.h"
#include "storage/write/commit_rows.h"
#include "storage/write/edit_rows.h"
#include "storage/write/first_failure.h"
#include "storage/write/row_log.h"

namespace runglass {

class ReplicaState {
 public:
  ReplicaState(sqlite::Connection& db, CommitRows& rows, Catalog& catalog, LiveTail& tail, RowLog& log, EditRows& edits,
               FirstFailure& failure)
      : m_db(db), m_rows(rows), m_catalog(catalog), m_tail(&tail), m_log(log), m_edits(edits), m_failure(failure) {}
  Status load();

  // Absent: this store is not a replica.
  const std::optional<MirrorMark>& mark() const { return m_mark; }
  void mark(const MirrorMark& mark);
  bool markChanged() const { return m_mark_changed; }
  Status saveMark();  // if changed; inside the caller's transaction
  void committed();

  void judge(const Judgements& judgements);
  // Commits the queued judgements. Fails if the disk or another process is the cause; then they stay queued.
  Status saveJudged();

  // Those of `points` (by step, all that the source has in [step0, step1]) that are not stored here.
  Result<ScalarColumns> lacking(SeriesId id, LiveSeries& series, std::int64_t step0, std::int64_t step1, const ScalarColumns& points);
  // The count of the issue with that code and source in this store.
  Result<std::int64_t> counted(const Issue& issue);

 private:
  Status saveJudged(const Judgements& judgements);
  Status saveJudgements(const Judgements& judgements);
  Status savePublished(const Finding& published);
  Status saveMirrored(const Finding& finding);
  Status countPoints(SeriesId id, LiveSeries& series, std::int64_t x0, std::int64_t x1, std::vector<std::int64_t>& have);

  sqlite::Connection& m_db;
  CommitRows& m_rows;
  Catalog& m_catalog;
  LiveTail* const m_tail;
  RowLog& m_log;
  EditRows& m_edits;
  FirstFailure& m_failure;
  std::optional<MirrorMark> m_mark;
  bool m_mark_changed = false;
  std::deque<Judgements> m_judgements;  // not committed yet
};

}  // namespace runglass
