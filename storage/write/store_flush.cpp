// SPDX-License-Identifier: Apache-2.0
// StoreWriter: everything recorded since the last commit in one transaction with the high-water marks.
// Invariants:
// 1. All or nothing: a failed transaction is rolled back and everything stays pending; rows are written by id, so that writing them again
//    is the same as writing them once. What a row or a page refuses is set aside (store_isolate.cpp), and the rest is stored.
// 2. A commit stores the marks as they were when it began, and all that was recorded by then. The journal gives back what it held then only
//    after the commit. A crash between the two replays none of that, because the marks moved, and all that came since.
// 3. Between begin and end everything but the journal, m_streams, m_agents and m_begun's existence is runBegun()'s.
#include <algorithm>
#include <tuple>

#include "storage/write/store_writer.h"

namespace runglass {
namespace {

constexpr DurNs kFlushInterval = 10 * kNsPerSecond;
constexpr DurNs kShortOfRoomInterval = 500 * kNsPerMs;
constexpr DurNs kCatalogInterval = 50 * kNsPerMs;
constexpr std::int64_t kFlushBytes = std::int64_t{64} << 20;
constexpr std::size_t kFlushLogs = 32'768;                      // whoever looks for words looks at every line that waits
constexpr std::int64_t kRewriteRate = std::int64_t{512} << 10;  // bytes a second that early flushes may write: 42 GiB a day at most
constexpr DurNs kCostShare = 10;                                // early flushes may take a tenth of the time

}  // namespace

bool StoreWriter::anythingPending() const {
  const PendingRows& rows = m_tail->pendingRows();
  return !m_dirty_series.empty() || !m_dirty_tracks.empty() || m_streams_changed || !m_changed_agents.empty() || !m_findings.empty() ||
         !m_marks.empty() || m_mirror_changed || !m_summaries.empty() || !m_pins.empty() || !rows.events.empty() || !rows.logs.empty() ||
         !rows.labels.empty() || !rows.issues.empty() || !rows.captures.empty();
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
    begun.save = anythingPending() ? Begun::Save::kAll : m_catalog.changed() ? Begun::Save::kCatalog : Begun::Save::kNothing;
    for (auto& [stream, state] : m_streams) {
      if (!std::exchange(state.changed, false)) continue;
      state.touched = m_tick;
      begun.marks.emplace_back(stream, state.next_seq);
    }
    // The others are in the file as they are here.
    std::erase_if(m_streams, [this](const auto& one) { return one.second.touched < m_tick - m_options.idle; });
    m_streams_changed = false;
    for (const std::string& agent : std::exchange(m_changed_agents, {})) begun.agents.push_back(m_agents.at(agent));
    if (begun.journal) {
      begun.journaled = !m_journal.empty();
      if (begun.journaled) ++m_journal_epoch;
      m_journal.setApart();
    }
  }
  m_begun = std::move(begun);
}

Status StoreWriter::beginFlush() {
  RG_TRY(saveJudged());
  if (!m_failure.ok()) return std::exchange(m_failure, Status());
  begin({.flush = true});
  return {};
}

Status StoreWriter::beginRetention(const Retention& policy, TimeNs now) {
  m_cap.bytes = policy.max_bytes;
  RG_TRY(sealAbandoned(policy, now));
  // One that goes on needs no flush: it takes what is old. Pins must be there.
  const bool flush = !m_retention_unfinished || !m_pins.empty();
  if (flush && !m_failure.ok()) return std::exchange(m_failure, Status());
  begin({.flush = flush, .retention = policy, .now = now});
  return {};
}

void StoreWriter::runBegun() {
  RG_CHECK(m_begun);
  m_begun->status = work(*m_begun);
}

Status StoreWriter::work(Begun& begun) {
  const TimeNs start = monotonicNow();
  m_flushed_bytes = m_flushed_log_bytes = m_log_cost = 0;
  RG_TRY(m_wal.check(m_db));
  if (begun.save == Begun::Save::kAll) {
    m_tail->forgetStored();
    evictIdle();
    RG_TRY(commitAll());
  } else if (begun.save == Begun::Save::kCatalog) {
    Status saved = commitCatalog();
    if (m_refused_locally && !begun.flush) {
      // A careful commit stores everything, and this one has no marks of what was recorded: the next one leaves out what was refused.
      m_catalog_refused = true;
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
    // The journal is stored: nothing of it needs room any more.
    m_wal.committed(m_db, roomOnDisk(0));
    begun.durable = true;
    if (begun.journaled && !m_options.power_safe) {
      RG_ASSIGN(begun.durable, m_wal.sync(m_path));
    }
    if (m_cap.bytes > 0) {
      RG_ASSIGN(m_cap.used, usedBytes(m_db));
    }
    m_last_flush = m_last_catalog_commit = monotonicNow();
    // Log lines are written once, however often this commits: they make no flush wait.
    m_flush_cost = m_last_flush - start - m_log_cost;
    m_write_debt = (m_flushed_bytes - m_flushed_log_bytes) * kNsPerSecond / kRewriteRate;
  }
  if (!begun.retention) return {};
  RG_ASSIGN(begun.outcome, retain(m_db, *begun.retention, begun.now, retentionScope()));
  return {};
}

Result<bool> StoreWriter::endBegun() {
  RG_CHECK(m_begun);
  const Begun begun = *std::exchange(m_begun, std::nullopt);
  if (!begun.saved) {
    for (const AgentIdentity& one : begun.agents) m_changed_agents.insert(one.agent);
    for (const auto& [stream, next] : begun.marks) m_streams[stream].changed = m_streams_changed = true;
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
  // Its data wait in memory: stored, they need that file no more, and the next one begins.
  const bool journal_failed = !m_journal.syncIfDue().ok();
  sealIdleLate();
  const TimeNs now = monotonicNow();
  const DurNs waited = now - m_last_flush;
  const auto begun = [](Status status) -> Result<bool> {
    if (!status.ok()) return status;
    return true;
  };
  const bool pending = anythingPending();
  const bool cheap = waited >= kCatalogInterval && waited >= m_flush_cost * kCostShare && waited >= m_write_debt;
  const bool large = m_journal.bytes() >= kFlushBytes || m_pending_bytes >= kFlushBytes || m_tail->pendingRows().logs.size() >= kFlushLogs;
  if (std::exchange(m_catalog_refused, false)) return begun(beginFlush());
  if (journal_failed && waited >= kShortOfRoomInterval) return begun(beginFlush());
  if ((pending || m_catalog.changed()) && (cheap || large || waited >= kFlushInterval)) return begun(beginFlush());
  // A disk that fills up: store early what waits, because its journal takes the room twice.
  if (pending && waited >= kShortOfRoomInterval) {
    if (const auto room = roomOnDisk(m_journal.bytes()); room && *room < 2 * m_journal.bytes()) return begun(beginFlush());
  }
  const DurNs since_catalog = now - m_last_catalog_commit;
  if (m_catalog.changed() && since_catalog >= kCatalogInterval && since_catalog >= m_catalog_cost * kCostShare) {
    begin({.save = Begun::Save::kCatalog});
    return true;
  }
  return false;
}

Status StoreWriter::commitCatalog() {
  const TimeNs begin = monotonicNow();
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  const Status saved = m_catalog.save(m_db, m_rows);
  m_refused_locally = !saved.ok() && m_db.failedLocally();
  RG_TRY(saved);
  RG_TRY(transaction.commit());
  catalogCommitted();
  m_tail->noteChange();
  m_last_catalog_commit = monotonicNow();
  m_catalog_cost = m_last_catalog_commit - begin;
  return {};
}

Status StoreWriter::commitAll() {
  m_refused_tracks.clear();
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
  if (!committed.ok()) m_refused_tracks.clear();  // they are still here, and not set aside
  RG_TRY(committed);
  markStored();
  return {};
}

Status StoreWriter::saveAll() {
  RG_TRY(m_catalog.save(m_db, m_rows));
  if (m_rows.careful()) {
    RG_TRY(saveSeriesCarefully());
  } else {
    RG_TRY(saveSealed(m_dirty_series));
    for (const SeriesId id : m_dirty_series) RG_TRY(saveSeries(id, *m_tail->find(id)));
    for (const TrackId id : m_dirty_tracks) RG_TRY(saveTrack(id, *m_tail->find(id)));
  }
  RG_TRY(saveSummaries());
  RG_TRY(saveRows());
  RG_TRY(saveCaptures());
  RG_TRY(saveFindings());
  RG_TRY(saveState());
  RG_TRY(setAsideRefused());
  return m_db.exec("UPDATE rg_meta SET value = " + std::to_string(m_tail->committed() + 1) + " WHERE key = 'generation'");
}

void StoreWriter::catalogCommitted(std::initializer_list<StorePart> also) {
  std::uint32_t parts = m_catalog.changedParts();
  for (const StorePart part : also) parts |= 1U << static_cast<unsigned>(part);
  m_catalog.committed();
  m_tail->noteParts(parts);
}

void StoreWriter::markStored() {
  const PendingRows& rows = m_tail->pendingRows();
  const bool any_rows = !rows.labels.empty() || !rows.issues.empty();
  m_tail->commitDone();
  m_pending_issues.clear();
  catalogCommitted({});
  if (any_rows) catalogCommitted({StorePart::kRows});
  if (!m_findings.empty()) catalogCommitted({StorePart::kFindings});
  const auto settle = [](SeriesBuffer& buffer) {
    buffer.dirty = false;
    buffer.stored = static_cast<std::uint32_t>(buffer.points());
  };
  for (const SeriesId id : m_dirty_series) {
    LiveSeries& series = *m_tail->find(id);
    const MutexLock lock(series.mutex);
    settle(series.main);
    if (series.late) settle(*series.late);
    series.listed = series.extent_changed = false;
  }
  for (const TrackId id : m_dirty_tracks) {
    LiveTrack& track = *m_tail->find(id);
    const MutexLock lock(track.mutex);
    track.listed = false;
    for (const auto& lane : track.lanes) {
      if (lane) lane->dirty = false;
    }
  }
  for (const auto& [id, known] : std::exchange(m_widened, {})) {
    LiveSeries& series = *m_tail->find(id);
    const MutexLock lock(series.mutex);
    std::tie(series.extent, series.latest) = known;
  }
  m_dirty_series.clear();
  m_dirty_tracks.clear();
  m_findings.clear();
  m_marks.clear();
  m_pins.clear();
  m_mirror_changed = false;
  m_summaries.clear();
  m_pending_bytes = 0;
}

}  // namespace runglass
