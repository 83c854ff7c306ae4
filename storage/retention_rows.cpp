// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Points of scalars that are deleted are counted in rg_expired in the same transaction; their pyramid rows stay as long as thinned
// points.
// 2. Rows of an attempt that the writer holds in memory stay: it would name ids that are gone.
// 3. Global scalars, warnings, events of nodes, findings from warning up and those of incidents are never deleted here.
#include "storage/retention_rows.h"

#include <algorithm>
#include <limits>

#include "storage/bind_row.h"
#include "storage/clock_map.h"
#include "storage/codec/sample_chunk.h"
#include "storage/retention_thin.h"

namespace runglass {
namespace {

constexpr std::int64_t kThinBatch = 500, kThinForRoom = 64, kRowBatch = 2000;
constexpr DurNs kOverForRoom = 3600 * kNsPerSecond;  // what was spooled for an attempt may still come
constexpr DurNs kAgeEvery = 3600 * kNsPerSecond;
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

constexpr const char* kRankScalars = "SELECT series_id FROM rg_series WHERE attempt_id = ?1 AND kind = 2 AND rank IS NOT NULL";
constexpr const char* kPlainEvents =
    "severity < 2 AND kind NOT LIKE 'node%' AND NOT EXISTS (SELECT 1 FROM rg_pin p WHERE p.t0_ns <= "
    "e.time_ns AND p.t1_ns > e.time_ns)";
constexpr const char* kPlainFindings =
    "severity < 2 AND finding_id NOT IN (SELECT value FROM rg_incident, json_each(rg_incident.findings))";

}  // namespace

TimeNs RowRetention::before(DurNs age) const {
  const TimeNs lowest = std::numeric_limits<TimeNs>::min();
  return m_now < lowest + age ? lowest : m_now - age;
}

Result<std::int64_t> RowRetention::run(const std::string& sql, std::initializer_list<std::int64_t> args) {
  RG_ASSIGN(auto statement, m_db.prepare(sql));
  int index = 1;
  for (const std::int64_t arg : args) statement.bind(index++, arg);
  RG_TRY(statement.run());
  const std::int64_t changed = m_db.changes();
  m_outcome.rows += changed;
  return changed;
}

Status RowRetention::noteAge() {
  RG_ASSIGN(const auto newest, m_db.queryInt64("SELECT max(time_ns) FROM rg_age"));
  if (newest && m_now - kAgeEvery < *newest) return {};
  RG_ASSIGN(auto add, m_db.prepare("INSERT OR REPLACE INTO rg_age(time_ns, chunk_id) VALUES(?,?)"));
  bindAll(add, m_now, m_scope.next_chunk);
  RG_TRY(add.run());
  RG_ASSIGN(auto old, m_db.prepare("DELETE FROM rg_age WHERE time_ns < ?"));
  bindAll(old, before(2 * std::max(m_policy.scalars, m_policy.thinned)));
  return old.run();
}

Result<std::int64_t> RowRetention::chunksBefore(DurNs age) {
  RG_ASSIGN(auto row, m_db.prepare("SELECT max(chunk_id) FROM rg_age WHERE time_ns <= ?"));
  bindAll(row, before(age));
  RG_TRY(row.step().status());
  return row.int64(0);
}

Status RowRetention::thinScalars() {
  RG_ASSIGN(const std::int64_t below, chunksBefore(m_policy.scalars));
  std::int64_t from = 0;
  while (true) {
    RG_ASSIGN(const bool more, thinBatch(from, below, kThinBatch));
    if (!more || m_time_is_up()) return {};
  }
}

Status RowRetention::shrinkScalars(const Larger& larger) {
  std::int64_t from = 0;
  while (true) {
    RG_ASSIGN(const bool go_on, larger());
    if (!go_on || m_time_is_up()) return {};
    RG_ASSIGN(const bool more, thinBatch(from, kHighest, kThinForRoom));
    if (!more) return {};
  }
}

Result<bool> RowRetention::thinBatch(std::int64_t& from, std::int64_t below, std::int64_t limit) {
  struct Row {
    std::int64_t id, series, x0, x1, n;
    RawPoints points;
  };
  std::vector<Row> rows;
  RG_ASSIGN(auto found,
            m_db.prepare("SELECT c.chunk_id, c.series_id, c.x0, c.x1, c.n, c.crc, c.data FROM rg_chunk c CROSS JOIN rg_series s "
                         "USING(series_id) WHERE c.chunk_id >= ?1 AND c.chunk_id < ?2 AND c.sealed = 1 AND c.late = 0 AND s.kind = "
                         "2 AND s.rank IS NOT NULL ORDER BY c.chunk_id LIMIT ?3"));
  bindAll(found, from, below, limit);
  RG_ASSIGN(auto pinned, m_db.prepare("SELECT 1 FROM rg_pin WHERE t0_ns <= ?2 AND t1_ns > ?1 LIMIT 1"));
  std::int64_t seen = 0;
  while (true) {
    RG_ASSIGN(const bool row, found.step());
    if (!row) break;
    ++seen;
    from = found.int64(0) + 1;
    Row one{found.int64(0), found.int64(1), found.int64(2), found.int64(3), found.int64(4), {}};
    const std::string_view blob = found.blob(6);
    const auto n = static_cast<std::size_t>(std::clamp<std::int64_t>(one.n, 0, static_cast<std::int64_t>(kChunkPoints)));
    one.points.x.resize(n), one.points.value.resize(n), one.points.time.resize(sampleChunkHasTime(blob) ? n : 0);
    // One that is damaged stays as it is, for verify to name.
    if (n == 0 ||
        chunkChecksum(static_cast<std::uint64_t>(one.series), one.x0, one.x1, n, blob) != static_cast<std::uint32_t>(found.int64(5)))
      continue;
    if (!decodeSampleChunk(blob, n, one.x0, one.points.x.data(), one.points.time.empty() ? nullptr : one.points.time.data(),
                           one.points.value.data()))
      continue;
    if (!one.points.time.empty()) {
      const auto [first, last] = std::ranges::minmax(one.points.time);
      pinned.reset();
      bindAll(pinned, first, last);
      RG_ASSIGN(const bool is_pinned, pinned.step());
      if (is_pinned) continue;
    }
    rows.push_back(std::move(one));
  }
  found.reset();
  if (rows.empty()) return seen == limit;
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  RG_ASSIGN(auto add, m_db.prepare("INSERT OR REPLACE INTO rg_thinned(chunk_id, series_id, x0, x1, n, crc, data) VALUES(?,?,?,?,?,?,?)"));
  RG_ASSIGN(auto drop, m_db.prepare("DELETE FROM rg_chunk WHERE chunk_id = ?"));
  RG_ASSIGN(auto count,
            m_db.prepare("INSERT INTO rg_expired(series_id, sample_count, last_x) VALUES(?,?,?) ON CONFLICT(series_id) DO UPDATE SET "
                         "sample_count = sample_count + excluded.sample_count, last_x = max(last_x, excluded.last_x)"));
  for (const Row& one : rows) {
    const RawPoints left = thinned(one.points);
    SeriesBuffer buffer;
    buffer.append(left.x.data(), left.time.empty() ? nullptr : left.time.data(), left.value.data(), left.size());
    Pyramid unused;
    const ChunkRow row = buffer.row(true, &unused);
    bindAll(add, one.id, one.series, row.x0, row.x1, row.n,
            chunkChecksum(static_cast<std::uint64_t>(one.series), row.x0, row.x1, row.n, row.blob));
    add.bindBlob(7, row.blob);
    RG_TRY(add.run());
    bindAll(drop, one.id);
    RG_TRY(drop.run());
    bindAll(count, one.series, one.n, one.x1);
    RG_TRY(count.run());
    m_outcome.thinned_points += one.n - static_cast<std::int64_t>(left.size());
  }
  RG_TRY(transaction.commit());
  return seen == limit;
}

// An attempt without an end was over when the next one of its run began.
Result<std::vector<AttemptId>> RowRetention::endedBefore(TimeNs time) {
  std::vector<AttemptId> found;
  RG_ASSIGN(auto rows,
            m_db.prepare("SELECT attempt_id, ifnull(end_ns, (SELECT min(start_ns) FROM rg_attempt b WHERE b.run_id = a.run_id AND "
                         "b.number > a.number)) AS over_ns FROM rg_attempt a WHERE over_ns < ?1 ORDER BY over_ns"));
  bindAll(rows, time);
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return found;
    const AttemptId id{static_cast<std::uint64_t>(rows.int64(0))};
    RG_ASSIGN(const bool used, inUse(id));
    if (!used) found.push_back(id);
  }
}

Result<bool> RowRetention::inUse(AttemptId attempt) {
  if (m_scope.attempt_in_use && m_scope.attempt_in_use(attempt)) return true;
  if (!m_scope.series_in_use) return false;
  RG_ASSIGN(auto series, m_db.prepare("SELECT series_id FROM rg_series WHERE attempt_id = ?"));
  bindAll(series, attempt.value);
  while (true) {
    RG_ASSIGN(const bool row, series.step());
    if (!row) return false;
    if (m_scope.series_in_use({static_cast<std::uint64_t>(series.int64(0))})) return true;
  }
}

Status RowRetention::dropDataOf(AttemptId attempt) {
  const auto id = static_cast<std::int64_t>(attempt.value);
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  RG_TRY(
      run("INSERT INTO rg_expired(series_id, sample_count, last_x) SELECT series_id, sum(n), max(x1) FROM rg_chunk WHERE series_id IN (" +
              std::string(kRankScalars) +
              ") GROUP BY series_id ON CONFLICT(series_id) DO UPDATE SET sample_count = sample_count + excluded.sample_count, last_x = "
              "max(last_x, excluded.last_x)",
          {id})
          .status());
  for (const char* table : {"rg_chunk", "rg_thinned", "rg_pyramid"})
    RG_TRY(run(std::string("DELETE FROM ") + table + " WHERE series_id IN (" + kRankScalars + ")", {id}).status());
  return transaction.commit();
}

Status RowRetention::dropEmptyRowsOf(AttemptId attempt) {
  const auto id = static_cast<std::int64_t>(attempt.value);
  const std::string empty = std::string("SELECT series_id FROM (") + kRankScalars +
                            ") s WHERE NOT EXISTS (SELECT 1 FROM rg_chunk c WHERE c.series_id = s.series_id) AND NOT EXISTS (SELECT 1 FROM "
                            "rg_pyramid p WHERE p.series_id = s.series_id) AND NOT EXISTS (SELECT 1 FROM rg_thinned t WHERE t.series_id = "
                            "s.series_id)";
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  RG_ASSIGN(auto gone, m_db.prepare(empty));
  bindAll(gone, id);
  while (true) {
    RG_ASSIGN(const bool row, gone.step());
    if (!row) break;
    m_outcome.deleted_series.push_back({static_cast<std::uint64_t>(gone.int64(0))});
  }
  gone.reset();
  RG_TRY(run("DELETE FROM rg_progress WHERE attempt_id = ?1", {id}).status());
  RG_TRY(run("DELETE FROM rg_comm_group WHERE attempt_id = ?1", {id}).status());
  RG_TRY(
      run("DELETE FROM rg_track WHERE attempt_id = ?1 AND NOT EXISTS (SELECT 1 FROM rg_span_chunk c WHERE c.track_id = rg_track.track_id)",
          {id})
          .status());
  for (const char* table : {"rg_expired", "rg_copied", "rg_series"})
    RG_TRY(run(std::string("DELETE FROM ") + table + " WHERE series_id IN (" + empty + ")", {id}).status());
  return transaction.commit();
}

Status RowRetention::dropThinned() {
  RG_ASSIGN(const auto attempts, endedBefore(before(m_policy.thinned)));
  for (const AttemptId attempt : attempts) {
    if (m_time_is_up()) return {};
    RG_TRY(dropDataOf(attempt));
  }
  return {};
}

Status RowRetention::dropEndedAttempts() {
  RG_ASSIGN(const auto attempts, endedBefore(before(m_policy.ended)));
  for (const AttemptId attempt : attempts) {
    if (m_time_is_up()) return {};
    RG_TRY(dropEmptyRowsOf(attempt));
  }
  return {};
}

Status RowRetention::shrinkThinned(const Larger& larger) {
  return dropWhile("DELETE FROM rg_thinned WHERE chunk_id IN (SELECT chunk_id FROM rg_thinned ORDER BY chunk_id LIMIT ?1)", kHighest,
                   larger);
}

Status RowRetention::shrinkEndedAttempts(const Larger& larger) {
  RG_ASSIGN(const auto attempts, endedBefore(before(kOverForRoom)));
  for (const AttemptId attempt : attempts) {
    RG_ASSIGN(const bool go_on, larger());
    if (!go_on || m_time_is_up()) return {};
    RG_TRY(dropDataOf(attempt));
    RG_TRY(dropEmptyRowsOf(attempt));
  }
  return {};
}

Status RowRetention::dropWhile(const std::string& sql, TimeNs time, const Larger& larger) {
  while (!m_time_is_up()) {
    if (larger) {
      RG_ASSIGN(const bool go_on, larger());
      if (!go_on) return {};
    }
    const bool timed = sql.find("?2") != std::string::npos;
    RG_ASSIGN(const std::int64_t deleted, timed ? run(sql, {kRowBatch, time}) : run(sql, {kRowBatch}));
    if (deleted == 0) return {};
  }
  return {};
}

Status RowRetention::dropEvents() {
  return dropWhile(std::string("DELETE FROM rg_event WHERE event_id IN (SELECT event_id FROM rg_event e WHERE time_ns < ?2 AND ") +
                       kPlainEvents + " LIMIT ?1)",
                   before(m_policy.events), {});
}

Status RowRetention::shrinkEvents(const Larger& larger) {
  return dropWhile(std::string("DELETE FROM rg_event WHERE event_id IN (SELECT event_id FROM rg_event e WHERE ") + kPlainEvents +
                       " ORDER BY time_ns LIMIT ?1)",
                   0, larger);
}

Status RowRetention::dropFindings() {
  const TimeNs time = before(m_policy.findings);
  const std::string old = std::string("SELECT finding_id FROM rg_finding WHERE ") + kPlainFindings;
  RG_TRY(
      dropWhile("DELETE FROM rg_finding_told WHERE (finding_id, told_ns) IN (SELECT finding_id, told_ns FROM rg_finding_told WHERE told_ns "
                "< ?2 AND finding_id IN (" +
                    old + ") LIMIT ?1)",
                time, {}));
  return dropWhile("DELETE FROM rg_finding WHERE finding_id IN (" + old +
                       " AND ifnull(end_ns, start_ns) < ?2 AND NOT EXISTS (SELECT 1 FROM rg_finding_told t WHERE t.finding_id = "
                       "rg_finding.finding_id) LIMIT ?1)",
                   time, {});
}

Status RowRetention::shrinkTellings(const Larger& larger) {
  return dropWhile(std::string("DELETE FROM rg_finding_told WHERE (finding_id, told_ns) IN (SELECT finding_id, told_ns FROM "
                               "rg_finding_told WHERE finding_id IN (SELECT "
                               "finding_id FROM rg_finding WHERE ") +
                       kPlainFindings + ") ORDER BY told_ns LIMIT ?1)",
                   0, larger);
}

Status RowRetention::dropStreams() {
  RG_TRY(run("UPDATE rg_stream SET changed_ns = ?1 WHERE changed_ns IS NULL", {m_now}).status());
  return run("DELETE FROM rg_stream WHERE changed_ns < ?1", {before(m_policy.streams)}).status();
}

// Once a day: the first and the last reading of each node and day stay. Their error grows to the distance of those between, so that what
// is stated stays true.
Status RowRetention::thinClocks() {
  constexpr DurNs kDay = Retention::kDay;
  RG_ASSIGN(const auto done, m_db.queryInt64("SELECT value FROM rg_meta WHERE key = 'clocks_thinned_ns'"));
  const TimeNs until = before(m_policy.clocks) / kDay * kDay, since = done.value_or(std::numeric_limits<TimeNs>::min());
  if (until <= since) return {};
  struct Reading {
    TimeNs raw;
    DurNs offset, error;
  };
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  RG_ASSIGN(auto drop, m_db.prepare("DELETE FROM rg_clock_map WHERE node_id = ?1 AND raw_ns > ?2 AND raw_ns < ?3"));
  RG_ASSIGN(auto state, m_db.prepare("UPDATE rg_clock_map SET error_ns = ?3 WHERE node_id = ?1 AND raw_ns = ?2"));
  const auto thinDay = [&](std::int64_t node, const std::vector<Reading>& day) -> Status {
    if (day.size() < 3) return {};
    ClockMap line;
    line.add(day.front().raw, day.front().offset);
    line.add(day.back().raw, day.back().offset);
    DurNs error = std::max(day.front().error, day.back().error);
    for (const Reading& one : day) {
      const DurNs off = line.corrected(one.raw) - one.raw - one.offset;
      error = std::max(error, one.error + (off < 0 ? -off : off));
    }
    bindAll(drop, node, day.front().raw, day.back().raw);
    RG_TRY(drop.run());
    m_outcome.rows += m_db.changes();
    for (const TimeNs raw : {day.front().raw, day.back().raw}) {
      bindAll(state, node, raw, error);
      RG_TRY(state.run());
    }
    return {};
  };
  RG_ASSIGN(auto rows,
            m_db.prepare("SELECT node_id, raw_ns, offset_ns, error_ns FROM rg_clock_map WHERE raw_ns >= ?1 AND raw_ns < ?2 ORDER BY "
                         "node_id, raw_ns"));
  bindAll(rows, since, until);
  std::vector<std::pair<std::int64_t, std::vector<Reading>>> days;
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) break;
    const Reading one{rows.int64(1), rows.int64(2), rows.int64(3)};
    if (days.empty() || days.back().first != rows.int64(0) || days.back().second.front().raw / kDay != one.raw / kDay)
      days.emplace_back(rows.int64(0), std::vector<Reading>());
    days.back().second.push_back(one);
  }
  rows.reset();
  for (const auto& [node, day] : days) RG_TRY(thinDay(node, day));
  RG_ASSIGN(auto mark, m_db.prepare("INSERT OR REPLACE INTO rg_meta(key, value) VALUES('clocks_thinned_ns', ?)"));
  bindAll(mark, until);
  RG_TRY(mark.run());
  return transaction.commit();
}

}  // namespace runglass
