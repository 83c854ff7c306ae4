// SPDX-License-Identifier: Apache-2.0
// RowRetention: data and rows of ended attempts.
// Invariants:
// 1. A pyramid row outlives every raw or thinned chunk that it covers.
// 2. Data that a pin may cover stays: points without times may be anywhere in their series, a series without times anywhere in its attempt.
#include <limits>

#include "storage/maintain/retention_rows.h"
#include "storage/schema/past_attempts.h"
#include "storage/sqlite/bind_row.h"

namespace runglass {
namespace {

constexpr DurNs kLate = 3600 * kNsPerSecond;                  // spooled data of an attempt may still arrive this late
constexpr DurNs kProgressOfSuperseded = 7 * Retention::kDay;  // views show the progress of the newest attempt
constexpr std::int64_t kThinnedBatch = 2000;

const std::string kRankScalars = "SELECT series_id FROM rg_series WHERE attempt_id = ?1 AND kind = 2 AND rank IS NOT NULL";
const std::string kRankSeries = "SELECT series_id FROM rg_series WHERE attempt_id = ?1 AND rank IS NOT NULL";
const std::string kPinOfAttempt =
    "SELECT 1 FROM rg_attempt a, rg_pin p WHERE a.attempt_id = ?1 AND p.t0_ns <= ifnull(a.end_ns, 9223372036854775807) AND p.t1_ns > "
    "ifnull(a.start_ns, -9223372036854775807)";
const std::string kUnpinned =
    "SELECT s.series_id FROM rg_series s LEFT JOIN rg_attempt a USING(attempt_id) WHERE s.attempt_id = ?1 AND s.kind = 2 AND s.rank IS NOT "
    "NULL AND NOT EXISTS (SELECT 1 FROM rg_pin p WHERE p.t0_ns <= ifnull(ifnull(s.last_ns, a.end_ns), 9223372036854775807) AND p.t1_ns > "
    "ifnull(ifnull(s.first_ns, a.start_ns), -9223372036854775807))";

}  // namespace

// Those whose rows were not moved yet, in the order of their run. An attempt without an end time ended when the next one began.
Result<std::vector<AttemptId>> RowRetention::supersededBefore(TimeNs time) {
  RG_ASSIGN(
      auto rows,
      m_db.prepare("SELECT attempt_id FROM rg_attempt a WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_past) AND EXISTS (SELECT 1 "
                   "FROM rg_attempt b WHERE b.run_id = a.run_id AND b.number > a.number AND ifnull(a.end_ns, b.start_ns) < ?1) ORDER "
                   "BY attempt_id"));
  bindAll(rows, time);
  return notInUse(rows);
}

// An attempt without an end time ended when the next one of its run began.
Result<std::vector<AttemptId>> RowRetention::endedBefore(TimeNs time) {
  RG_ASSIGN(auto rows,
            m_db.prepare("SELECT attempt_id, ifnull(end_ns, (SELECT min(start_ns) FROM rg_attempt b WHERE b.run_id = a.run_id AND "
                         "b.number > a.number)) AS over_ns FROM rg_attempt a WHERE over_ns < ?1 ORDER BY over_ns"));
  bindAll(rows, time);
  return notInUse(rows);
}

Result<std::vector<AttemptId>> RowRetention::notInUse(sqlite::Statement& attempts) {
  std::vector<AttemptId> found;
  while (true) {
    RG_ASSIGN(const bool row, attempts.step());
    if (!row) return found;
    const AttemptId id{static_cast<std::uint64_t>(attempts.int64(0))};
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

// Except data that a pin may cover. All or nothing.
Status RowRetention::dropDataOfUnpinned(AttemptId attempt) {
  const auto id = static_cast<std::int64_t>(attempt.value);
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  RG_TRY(
      run("INSERT INTO rg_expired(series_id, sample_count, last_x) SELECT series_id, sum(n), max(x1) FROM rg_chunk WHERE series_id IN (" +
              kUnpinned +
              ") GROUP BY series_id ON CONFLICT(series_id) DO UPDATE SET sample_count = sample_count + excluded.sample_count, last_x = "
              "max(last_x, excluded.last_x)",
          {id})
          .status());
  for (const char* table : {"rg_chunk", "rg_thinned", "rg_pyramid"})
    RG_TRY(run(std::string("DELETE FROM ") + table + " WHERE series_id IN (" + kUnpinned + ")", {id}).status());
  return transaction.commit();
}

// Data of a rank's scalars. Where a pin covers some of it, or a page is damaged, one series at a time.
Status RowRetention::dropDataOf(AttemptId attempt) {
  const Status dropped = dropDataOfUnpinned(attempt);
  const bool damaged = m_around.note("rg_chunk", "", dropped);
  if (!damaged) RG_TRY(dropped);
  RG_ASSIGN(const bool any_pin, anyPin());
  if (!damaged && !any_pin) return {};
  std::vector<std::pair<std::int64_t, bool>> series;
  RG_ASSIGN(auto rows, m_db.prepare("SELECT series_id, series_id NOT IN (" + kUnpinned + ") FROM (" + kRankScalars + ')'));
  bindAll(rows, attempt.value);
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) break;
    if (damaged || rows.int64(1) != 0) series.emplace_back(rows.int64(0), rows.int64(1) != 0);
  }
  rows.reset();
  for (const auto& [id, pinned] : series) RG_TRY(m_around.skip("rg_chunk", dropDataOf(id, pinned), "series " + std::to_string(id)));
  return {};
}

Status RowRetention::dropDataOf(std::int64_t series, bool pinned) {
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  const std::int64_t before = m_outcome.rows;
  const auto drop = [&]() -> Status {
    std::vector<std::pair<const char*, std::int64_t>> gone;
    for (const char* table : {"rg_chunk", "rg_thinned"}) {
      RG_ASSIGN(auto rows,
                m_db.prepare(std::string("SELECT chunk_id, series_id, x0, x1, n, crc, data FROM ") + table + " WHERE series_id = ?"));
      bindAll(rows, series);
      while (true) {
        RG_ASSIGN(const bool row, rows.step());
        if (!row) break;
        // For a damaged chunk, it is unknown whether it is pinned.
        const std::optional<ScalarChunk> one = pinned ? scalarChunk(rows) : std::nullopt;
        bool keep = pinned && !one;
        if (one) {
          RG_ASSIGN(keep, isPinned(*one));
        }
        if (!keep) gone.emplace_back(table, rows.int64(0));
      }
    }
    for (const auto& [table, id] : gone) {
      if (std::string_view(table) == "rg_chunk")
        RG_TRY(run("INSERT INTO rg_expired(series_id, sample_count, last_x) SELECT series_id, n, x1 FROM rg_chunk WHERE chunk_id = ?1 ON "
                   "CONFLICT(series_id) DO UPDATE SET sample_count = sample_count + excluded.sample_count, last_x = max(last_x, "
                   "excluded.last_x)",
                   {id})
                   .status());
      RG_TRY(run(std::string("DELETE FROM ") + table + " WHERE chunk_id = ?1", {id}).status());
    }
    return run("DELETE FROM rg_pyramid WHERE series_id = ?1 AND NOT EXISTS (SELECT 1 FROM rg_chunk k WHERE k.series_id = ?1 AND k.x0 <= "
               "rg_pyramid.x1 AND k.x1 >= rg_pyramid.x0) AND NOT EXISTS (SELECT 1 FROM rg_thinned k WHERE k.series_id = ?1 AND k.x0 <= "
               "rg_pyramid.x1 AND k.x1 >= rg_pyramid.x0)",
               {series})
        .status();
  };
  Status dropped = drop();
  if (dropped.ok()) dropped = transaction.commit();
  if (!dropped.ok()) m_outcome.rows = before;
  return dropped;
}

Status RowRetention::dropEmptyRowsOf(AttemptId attempt) {
  const auto id = static_cast<std::int64_t>(attempt.value);
  const std::string empty = "SELECT series_id FROM (" + kRankSeries +
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
  for (const char* table : {"rg_progress", "rg_comm_group"})
    RG_TRY(run(std::string("DELETE FROM ") + table + " WHERE attempt_id = ?1 AND NOT EXISTS (" + kPinOfAttempt + ")", {id}).status());
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

Status RowRetention::moveSuperseded() {
  RG_ASSIGN(const auto attempts, supersededBefore(before(kLate)));
  for (const AttemptId attempt : attempts) {
    if (m_time_is_up()) return {};
    RG_TRY(m_around.skip("rg_rank", moveToPast(m_db, attempt), "attempt " + std::to_string(attempt.value)));
  }
  return run("DELETE FROM rg_progress WHERE attempt_id IN (SELECT attempt_id FROM rg_attempt a WHERE EXISTS (SELECT 1 FROM rg_attempt b "
             "WHERE b.run_id = a.run_id AND b.number > a.number AND ifnull(a.end_ns, b.start_ns) < ?1) AND NOT EXISTS (SELECT 1 FROM "
             "rg_pin "
             "p WHERE p.t0_ns <= ifnull(a.end_ns, 9223372036854775807) AND p.t1_ns > ifnull(a.start_ns, -9223372036854775807)))",
             {before(kProgressOfSuperseded)})
      .status();
}

Status RowRetention::dropEndedAttempts() {
  RG_ASSIGN(const auto attempts, endedBefore(before(m_policy.ended)));
  for (const AttemptId attempt : attempts) {
    if (m_time_is_up()) return {};
    RG_TRY(m_around.skip("rg_series", dropEmptyRowsOf(attempt), "attempt " + std::to_string(attempt.value)));
  }
  return {};
}

Status RowRetention::shrinkThinned(const Larger& larger) {
  std::int64_t from = 0;
  while (!m_time_is_up()) {
    RG_ASSIGN(const bool go_on, larger());
    if (!go_on) return {};
    RG_ASSIGN(const bool any_pin, anyPin());
    std::vector<std::int64_t> ids;
    std::int64_t seen = 0;
    {
      RG_ASSIGN(auto rows, m_db.prepare("SELECT chunk_id, series_id, x0, x1, n, crc, data FROM rg_thinned WHERE chunk_id >= ?1 ORDER BY "
                                        "chunk_id LIMIT ?2"));
      bindAll(rows, from, kThinnedBatch);
      const auto probe = [&](std::int64_t at) -> Result<bool> {
        rows.reset();
        bindAll(rows, at, 1);
        const auto next = rows.step();
        if (!next.ok() && next.status().code() != Code::kDataLoss) return next.status();
        return next.ok();
      };
      while (true) {
        const auto row = rows.step();
        if (!row.ok()) {
          RG_TRY(m_around.skip("rg_thinned", row.status()));
          RG_ASSIGN(from, AroundDamage::nextReadable(from, probe));
          seen = from < std::numeric_limits<std::int64_t>::max() ? kThinnedBatch : seen;
          break;
        }
        if (!*row) break;
        ++seen;
        from = rows.int64(0) + 1;
        const std::optional<ScalarChunk> one = any_pin ? scalarChunk(rows) : std::nullopt;
        bool keep = any_pin && !one;
        if (one) {
          RG_ASSIGN(keep, isPinned(*one));
        }
        if (!keep) ids.push_back(rows.int64(0));
      }
    }
    RG_TRY(m_around.erase("rg_thinned", ids, [&](std::span<const std::int64_t> some) -> Status {
      RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
      RG_ASSIGN(auto drop, m_db.prepare("DELETE FROM rg_thinned WHERE chunk_id = ?"));
      for (const std::int64_t id : some) {
        bindAll(drop, id);
        RG_TRY(drop.run());
      }
      RG_TRY(transaction.commit());
      m_outcome.rows += static_cast<std::int64_t>(some.size());
      return {};
    }));
    if (seen < kThinnedBatch) return {};
  }
  return {};
}

Status RowRetention::shrinkEndedAttempts(const Larger& larger) {
  RG_ASSIGN(const auto attempts, endedBefore(before(kLate)));
  for (const AttemptId attempt : attempts) {
    RG_ASSIGN(const bool go_on, larger());
    if (!go_on || m_time_is_up()) return {};
    RG_TRY(dropDataOf(attempt));
    RG_TRY(m_around.skip("rg_series", dropEmptyRowsOf(attempt), "attempt " + std::to_string(attempt.value)));
  }
  return {};
}

}  // namespace runglass
