// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Deleted points of scalars are counted in rg_expired in the same transaction; their pyramid rows stay as long as thinned points.
// 2. Rows of an attempt that the writer holds in memory stay: the writer would otherwise refer to deleted ids.
// 3. Data covered by a pin is neither deleted nor thinned.
// 4. Global scalars, warnings, events of nodes, findings of severity warning and above, and findings of incidents are never deleted here.
#include "storage/maintain/retention_rows.h"

#include <algorithm>
#include <limits>

#include "storage/clock_map.h"
#include "storage/codec/sample_chunk.h"
#include "storage/maintain/retention_thin.h"
#include "storage/sqlite/bind_row.h"

namespace runglass {
namespace {

constexpr std::int64_t kThinBatch = 500, kThinForRoom = 64, kRowBatch = 2000;
constexpr DurNs kAgeEvery = 3600 * kNsPerSecond;
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

constexpr const char* kPlainEvents =
    "severity < 2 AND kind NOT LIKE 'node%' AND NOT EXISTS (SELECT 1 FROM rg_pin p WHERE p.t0_ns <= "
    "e.time_ns AND p.t1_ns > e.time_ns)";
constexpr const char* kPlainFindings =
    "severity < 2 AND finding_id NOT IN (SELECT value FROM rg_incident, json_each(rg_incident.findings)) AND NOT EXISTS (SELECT 1 FROM "
    "rg_pin p WHERE p.t0_ns <= ifnull(end_ns, start_ns) AND p.t1_ns > start_ns)";

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

Result<bool> RowRetention::anyPin() {
  RG_ASSIGN(const auto pin, m_db.queryInt64("SELECT 1 FROM rg_pin LIMIT 1"));
  return pin.has_value();
}

std::optional<RowRetention::ScalarChunk> RowRetention::scalarChunk(const sqlite::Statement& row) {
  ScalarChunk one{row.int64(0), row.int64(1), row.int64(2), row.int64(3), row.int64(4), {}};
  const std::string_view blob = row.blob(6);
  const auto n = static_cast<std::size_t>(std::clamp<std::int64_t>(one.n, 0, static_cast<std::int64_t>(kChunkPoints)));
  one.points.x.resize(n), one.points.value.resize(n), one.points.time.resize(sampleChunkHasTime(blob) ? n : 0);
  if (n == 0 || chunkChecksum(static_cast<std::uint64_t>(one.series), one.x0, one.x1, n, blob) != static_cast<std::uint32_t>(row.int64(5)))
    return std::nullopt;
  if (!decodeSampleChunk(blob, n, one.x0, one.points.x.data(), one.points.time.empty() ? nullptr : one.points.time.data(),
                         one.points.value.data()))
    return std::nullopt;
  return one;
}

// Points without times may be anywhere in their series, or in their attempt.
Result<bool> RowRetention::isPinned(const ScalarChunk& chunk) {
  if (chunk.points.time.empty()) {
    RG_ASSIGN(auto pinned, m_db.prepare("SELECT 1 FROM rg_series s LEFT JOIN rg_attempt a USING(attempt_id), rg_pin p WHERE s.series_id = "
                                        "?1 AND p.t0_ns <= ifnull(ifnull(s.last_ns, a.end_ns), 9223372036854775807) AND p.t1_ns > "
                                        "ifnull(ifnull(s.first_ns, a.start_ns), -9223372036854775807) LIMIT 1"));
    bindAll(pinned, chunk.series);
    return pinned.step();
  }
  const auto [first, last] = std::ranges::minmax(chunk.points.time);
  RG_ASSIGN(auto pinned, m_db.prepare("SELECT 1 FROM rg_pin WHERE t0_ns <= ?2 AND t1_ns > ?1 LIMIT 1"));
  bindAll(pinned, first, last);
  return pinned.step();
}

Result<bool> RowRetention::thinBatch(std::int64_t& from, std::int64_t below, std::int64_t limit) {
  std::vector<ScalarChunk> chunks;
  RG_ASSIGN(auto found,
            m_db.prepare("SELECT c.chunk_id, c.series_id, c.x0, c.x1, c.n, c.crc, c.data FROM rg_chunk c CROSS JOIN rg_series s "
                         "USING(series_id) WHERE c.chunk_id >= ?1 AND c.chunk_id < ?2 AND c.sealed = 1 AND c.late = 0 AND s.kind = "
                         "2 AND s.rank IS NOT NULL ORDER BY c.chunk_id LIMIT ?3"));
  bindAll(found, from, below, limit);
  RG_ASSIGN(const bool any_pin, anyPin());
  std::int64_t seen = 0;
  bool more = false;
  while (true) {
    const auto row = found.step();
    if (!row.ok()) {
      RG_TRY(m_around.skip("rg_chunk", row.status()));
      const auto probe = [&](std::int64_t at) -> Result<bool> {
        found.reset();
        bindAll(found, at, below, 1);
        const auto next = found.step();
        if (!next.ok() && next.status().code() != Code::kDataLoss) return next.status();
        return next.ok();
      };
      RG_ASSIGN(from, AroundDamage::nextReadable(from, probe));
      more = from < below;
      break;
    }
    if (!*row) break;
    ++seen;
    from = found.int64(0) + 1;
    std::optional<ScalarChunk> one = scalarChunk(found);
    if (!one) continue;
    bool pinned = false;
    if (any_pin) {
      RG_ASSIGN(pinned, isPinned(*one));
    }
    if (!pinned) chunks.push_back(std::move(*one));
  }
  found.reset();
  more = more || seen == limit;
  if (chunks.empty()) return more;
  const Status thinned = thin(chunks);
  if (!m_around.note("rg_chunk", "", thinned)) RG_TRY(thinned);
  if (!thinned.ok())
    for (const ScalarChunk& chunk : chunks) RG_TRY(m_around.skip("rg_chunk", thin({&chunk, 1}), "row " + std::to_string(chunk.id)));
  return more;
}

// All of them or none.
Status RowRetention::thin(std::span<const ScalarChunk> chunks) {
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  RG_ASSIGN(auto add, m_db.prepare("INSERT OR REPLACE INTO rg_thinned(chunk_id, series_id, x0, x1, n, crc, data) VALUES(?,?,?,?,?,?,?)"));
  RG_ASSIGN(auto drop, m_db.prepare("DELETE FROM rg_chunk WHERE chunk_id = ?"));
  RG_ASSIGN(auto count,
            m_db.prepare("INSERT INTO rg_expired(series_id, sample_count, last_x) VALUES(?,?,?) ON CONFLICT(series_id) DO UPDATE SET "
                         "sample_count = sample_count + excluded.sample_count, last_x = max(last_x, excluded.last_x)"));
  std::int64_t gone = 0;
  for (const ScalarChunk& one : chunks) {
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
    gone += one.n - static_cast<std::int64_t>(left.size());
  }
  RG_TRY(transaction.commit());
  m_outcome.thinned_points += gone;
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

Status RowRetention::dropRows(const Rows& rows, TimeNs until, const Larger& larger) {
  const std::string of = " FROM " + rows.table + " e WHERE " + rows.where + " AND " + rows.key + " < " + std::to_string(until);
  const std::string drop = "DELETE FROM " + rows.table + " WHERE " + rows.id;
  const Status dropped = dropWhile(drop + " IN (SELECT " + rows.id + of + " ORDER BY " + rows.key + " LIMIT ?1)", 0, larger);
  if (!m_around.note(rows.table, "", dropped)) return dropped;
  while (true) {
    RG_ASSIGN(const auto found,
              m_around.ordered(
                  rows.table, "SELECT " + rows.id + ", " + rows.key + of + " AND " + rows.key + " >= ?1 ORDER BY " + rows.key + " LIMIT ?2",
                  kRowBatch));
    std::vector<std::int64_t> ids;
    for (const AroundDamage::Row& row : found) ids.push_back(row.id);
    bool go_on = !m_time_is_up();
    if (go_on && larger) {
      RG_ASSIGN(go_on, larger());
    }
    if (!go_on || ids.empty()) return {};
    const auto erase = [&](std::span<const std::int64_t> some) -> Status {
      RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
      RG_ASSIGN(auto row, m_db.prepare(drop + " = ?1"));
      for (const std::int64_t id : some) {
        bindAll(row, id);
        RG_TRY(row.run());
      }
      RG_TRY(transaction.commit());
      m_outcome.rows += static_cast<std::int64_t>(some.size());
      return {};
    };
    const std::int64_t before = m_outcome.rows;
    RG_TRY(m_around.erase(rows.table, ids, erase));
    if (m_outcome.rows == before) return {};
  }
}

Status RowRetention::dropEvents() { return dropRows({"rg_event", "event_id", "time_ns", kPlainEvents}, before(m_policy.events), {}); }

Status RowRetention::shrinkEvents(const Larger& larger) {
  return dropRows({"rg_event", "event_id", "time_ns", kPlainEvents}, kHighest, larger);
}

Status RowRetention::dropFindings() {
  const TimeNs time = before(m_policy.findings);
  const std::string old = std::string("SELECT finding_id FROM rg_finding WHERE ") + kPlainFindings;
  RG_TRY(m_around.skip(
      "rg_finding_told",
      dropWhile("DELETE FROM rg_finding_told WHERE (finding_id, told_ns) IN (SELECT finding_id, told_ns FROM rg_finding_told WHERE told_ns "
                "< ?2 AND finding_id IN (" +
                    old + ") LIMIT ?1)",
                time, {})));
  return dropRows({"rg_finding", "finding_id", "ifnull(end_ns, start_ns)",
                   std::string(kPlainFindings) + " AND NOT EXISTS (SELECT 1 FROM rg_finding_told t WHERE t.finding_id = e.finding_id)"},
                  time, {});
}

Status RowRetention::shrinkPublished(const Larger& larger) {
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

// Once a day: the first and the last reading of each node and day stay. Their error bound is widened to cover the deleted readings between
// them (deviation from the line plus their own error), so that the stated bound stays valid.
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
  // On a pinned day, every reading stays.
  RG_ASSIGN(auto pinned, m_db.prepare("SELECT 1 FROM rg_pin WHERE t0_ns <= ?2 AND t1_ns > ?1 LIMIT 1"));
  for (const auto& [node, day] : days) {
    pinned.reset();
    bindAll(pinned, day.front().raw, day.back().raw);
    RG_ASSIGN(const bool is_pinned, pinned.step());
    if (!is_pinned) RG_TRY(thinDay(node, day));
  }
  pinned.reset();
  RG_ASSIGN(auto mark, m_db.prepare("INSERT OR REPLACE INTO rg_meta(key, value) VALUES('clocks_thinned_ns', ?)"));
  bindAll(mark, until);
  RG_TRY(mark.run());
  return transaction.commit();
}

}  // namespace runglass
