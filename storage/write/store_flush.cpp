// SPDX-License-Identifier: Apache-2.0
// StoreWriter: commits everything recorded since the last commit in one transaction with the high-water marks.
// Invariants:
// 1. All or nothing: a failed transaction is rolled back and everything stays pending; rows are written by id, so that writing them again
//    has the same effect as once. Data that a row or a page refuses is set aside (store_isolate.cpp), and the rest is stored.
// 2. A commit stores the marks as of its begin, and all data recorded by then. The journal releases its content of that time only after the
//    commit. After a crash between the two, that content is not replayed, because the marks have moved, and everything after it is.
// 3. Between begin and end, runBegun() owns everything except the journal, m_streams, m_agents and whether m_begun is set.
#include <algorithm>

#include "storage/write/store_writer.h"
#include "storage/write/writer_parts.h"

namespace runglass {

bool StoreWriter::anythingPending() const {
  return !m_chunks.unsaved().empty() || !m_lanes.unsaved().empty() || m_streams.anyChanged() || m_agents.anyChanged() ||
         m_replica.markChanged() || m_summaries.anyPending() || m_edits.anyPending() || m_log.anyPending();
}

std::int64_t StoreWriter::pendingBytes() const {
  return m_chunks.pendingBytes() + m_lanes.pendingBytes() + m_summaries.pendingBytes() + m_log.pendingBytes();
}

Status StoreWriter::flush() {
  RG_TRY(beginFlush());
  runBegun();
  return endBegun().status();
}

Status StoreWriter::flushIfDue() {
  RG_ASSIGN(const bool begun, beginFlushIfDue());
  if (!begun) return {};
  runBegun();
  return endBegun().status();
}

Result<bool> StoreWriter::applyRetention(const Retention& policy, TimeNs now) {
  RG_TRY(beginRetention(policy, now));
  runBegun();
  return endBegun();
}

void StoreWriter::begin(Begun begun) {
  atRest();
  if (begun.flush) {
    reportRefused();
    m_tick = monotonicNow();
    m_catalog.setNow(m_tick);
    m_chunks.setNow(m_tick);
    m_lanes.setNow(m_tick);
    begun.save = anythingPending() ? Begun::Save::kAll : m_catalog.changed() ? Begun::Save::kCatalog : Begun::Save::kNothing;
    begun.marks = m_streams.take(m_tick);
    begun.agents = m_agents.takeChanged();
    if (begun.journal) {
      begun.journaled = !m_journal.empty();
      if (begun.journaled) ++m_journal_epoch;
      m_journal.setApart();
    }
  }
  m_begun = std::move(begun);
}

Status StoreWriter::beginFlush() {
  RG_TRY(m_replica.saveJudged());
  if (m_failure.any()) return m_failure.take();
  begin({.flush = true});
  return {};
}

Status StoreWriter::beginRetention(const Retention& policy, TimeNs now) {
  m_cap.set(policy.max_bytes, m_chunks.openChunks());
  const bool for_room = m_cap.refusesSamples() || (m_cap.cap > 0 && m_cap.used > m_cap.room);
  RG_TRY(m_chunks.sealAbandoned(for_room ? std::nullopt : std::optional(now - std::min(now, policy.samples)), now));
  // Continued retention needs no flush: it deletes old data. Pins must be stored before it.
  const bool flush = !m_retention_unfinished || m_edits.hasPins();
  if (flush && m_failure.any()) return m_failure.take();
  Retention within_room = policy;
  within_room.max_bytes = m_cap.room;
  begin({.flush = flush, .retention = std::move(within_room), .now = now});
  return {};
}

void StoreWriter::runBegun() {
  RG_CHECK(m_begun);
  m_begun->status = work(*m_begun);
}

Status StoreWriter::work(Begun& begun) {
  const TimeNs start = monotonicNow();
  m_chunks.commitBegins();
  m_lanes.commitBegins();
  m_summaries.commitBegins();
  m_series_rows.commitBegins();
  m_log.commitBegins();
  RG_TRY(m_wal.check(m_db));
  if (begun.save == Begun::Save::kAll) {
    m_tail->forgetStored();
    evictIdle();
    RG_TRY(commitAll());
  } else if (begun.save == Begun::Save::kCatalog) {
    Status saved = commitCatalog();
    if (m_refused_locally && !begun.flush) {
      // A careful commit stores everything, and this one has no marks of the recorded data: the next one leaves out the refused rows.
      m_clock.catalogRefused();
      return {};
    }
    if (m_refused_locally) {
      m_tail->forgetStored();
      saved = commitAll();
    }
    RG_TRY(saved);
  }
  begun.saved = true;
  if (begun.flush) {
    // The journal's content is stored: it needs space no longer.
    m_wal.committed(m_db, roomOnDisk(0));
    begun.durable = true;
    if (begun.journaled && !m_options.power_safe) {
      RG_ASSIGN(begun.durable, m_wal.sync(m_path));
    }
    if (m_cap.cap > 0) {
      RG_ASSIGN(m_cap.used, usedBytes(m_db));
    }
    m_clock.flushed(start, monotonicNow(), m_log.logCost(),
                    m_chunks.writtenBytes() + m_lanes.writtenBytes() + m_summaries.writtenBytes() + m_series_rows.writtenBytes() +
                        m_log.writtenBytes());
  }
  if (!begun.retention) return {};
  RG_ASSIGN(begun.outcome, retain(m_db, *begun.retention, begun.now, retentionScope()));
  return {};
}

Result<bool> StoreWriter::endBegun() {
  RG_CHECK(m_begun);
  const Begun begun = *std::exchange(m_begun, std::nullopt);
  if (!begun.saved) {
    m_agents.putBack(begun.agents);
    m_streams.putBack(begun.marks);
  } else {
    dropRefused();
    if (begun.flush && begun.journal) RG_TRY(m_journal.settle(begun.durable));
    if (const auto blocked = m_wal.blocked(m_db); begun.flush && blocked) issue(*blocked);
    if (begun.flush) m_cap.judge(false);
  }
  RG_TRY(begun.status);
  if (!begun.retention) return true;
  const RetentionOutcome& outcome = begun.outcome;
  m_retention_unfinished = outcome.unfinished;
  if (outcome.sample_chunks + outcome.pyramids + outcome.span_chunks + outcome.captures + outcome.log_lines + outcome.logs_beyond_cap +
          outcome.thinned_points + outcome.rows >
      0)
    m_tail->noteChange();
  reportRetention(outcome, *begun.retention, begun.now);
  return !outcome.unfinished;
}

Result<bool> StoreWriter::beginFlushIfDue() {
  const bool journal_failed = !m_journal.syncIfDue().ok();
  m_chunks.sealIdleLate();
  const CommitClock::Waiting waiting{.any = anythingPending(),
                                     .catalog = m_catalog.changed(),
                                     .journal_failed = journal_failed,
                                     .journal_bytes = m_journal.bytes(),
                                     .chunk_bytes = pendingBytes(),
                                     .log_lines = m_tail->pendingRows().logs.size()};
  const CommitClock::Due due = m_clock.due(monotonicNow(), waiting, [this] { return roomOnDisk(m_journal.bytes()); });
  if (due == CommitClock::Due::kNothing) return false;
  if (due == CommitClock::Due::kAll)
    RG_TRY(beginFlush());
  else
    begin({.save = Begun::Save::kCatalog});
  return true;
}

Status StoreWriter::commitCatalog() {
  const TimeNs begin = monotonicNow();
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  const Status saved = m_catalog.save(m_db, m_rows);
  m_refused_locally = !saved.ok() && m_db.failedLocally();
  RG_TRY(saved);
  RG_TRY(transaction.commit());
  noteCommitted(m_catalog, *m_tail);
  m_tail->noteChange();
  m_clock.catalogCommitted(begin, monotonicNow());
  return {};
}

Status StoreWriter::commitAll() {
  m_lanes.clearRefused();
  const auto commit = [this]() -> Status {
    RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
    const Status saved = saveAll();
    m_refused_locally = !saved.ok() && m_db.failedLocally();
    RG_TRY(saved);
    return transaction.commit();
  };
  Status committed = commit();
  if (m_refused_locally) {
    do {
      m_rows.beCareful();
      committed = commit();
    } while (m_rows.mustRestart());
    m_rows.finish();
  }
  if (!committed.ok()) m_lanes.clearRefused();  // they are still pending, and not set aside
  RG_TRY(committed);
  markStored();
  return {};
}

Status StoreWriter::saveAll() {
  RG_TRY(m_catalog.save(m_db, m_rows));
  if (m_rows.careful()) {
    RG_TRY(saveSeriesCarefully());
  } else {
    RG_TRY(m_chunks.save());
    RG_TRY(m_lanes.save());
  }
  RG_TRY(m_summaries.save());
  RG_TRY(m_log.save());
  RG_TRY(m_edits.saveFindings());
  RG_TRY(StreamMarks::save(m_db, m_begun->marks));
  RG_TRY(AgentTable::save(m_db, m_begun->agents));
  RG_TRY(m_replica.saveMark());
  RG_TRY(m_edits.saveMarks());
  RG_TRY(setAsideRefused());
  return m_db.exec("UPDATE rg_meta SET value = " + std::to_string(m_tail->committed() + 1) + " WHERE key = 'generation'");
}

void StoreWriter::markStored() {
  const PendingRows& rows = m_tail->pendingRows();
  const bool any_rows = !rows.labels.empty() || !rows.issues.empty();
  m_tail->commitDone();
  m_log.committed();
  noteCommitted(m_catalog, *m_tail);
  if (any_rows) noteCommitted(m_catalog, *m_tail, {StorePart::kRows});
  m_edits.committed();
  m_chunks.committed();
  m_lanes.committed();
  m_summaries.committed();
  m_replica.committed();
}

}  // namespace runglass
