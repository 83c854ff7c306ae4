// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A chunk that overlaps a pinned range is never deleted, whatever the policy.
// 2. Each deletion of a sample chunk is counted in rg_expired in the same transaction, so that verify can still account for every sample.
// 3. A pyramid row outlives every raw chunk it covers.
// 4. Only sealed chunks are deleted: the open one belongs to the writer.
// 5. A log line is deleted together with its words in the index.
// 6. After the first deletion, a batch only begins within the budget; the remaining work is reported as unfinished.
// 7. Rows that cannot be read or deleted because a page is damaged stay and are reported; all others are deleted. rg_pin must be readable.
// 8. To free space, the tiers are deleted one after the other, in the order of docs/formats/schema.md.
#include "storage/maintain/retention.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "storage/maintain/free_pages.h"
#include "storage/maintain/retention_around.h"
#include "storage/maintain/retention_rows.h"

namespace runglass {
namespace {

constexpr std::size_t kBatch = 2000;        // rows per transaction, so that readers and ingest never wait long
constexpr std::size_t kCapBatch = 64;       // small, so that no more is deleted than the size cap requires
constexpr std::size_t kLogBatch = 5000;     // log lines are small
constexpr std::int64_t kMaxFound = 50'000;  // ids looked up at a time

// Row conditions. A metric series has kind 0 or 1; kernels are the tracks of accelerators.
constexpr const char* kMetricSeries = "SELECT series_id FROM rg_series WHERE kind IN (0, 1)";
constexpr const char* kKernelTracks = "SELECT track_id FROM rg_track WHERE kind IN ('gpu_stream', 'accel_queue')";
constexpr const char* kOtherTracks = "SELECT track_id FROM rg_track WHERE kind NOT IN ('gpu_stream', 'accel_queue')";

// A table whose rows retention may delete.
struct Tier {
  const char* table;
  const char* id;
  const char* owner;   // column of the owner's id
  const char* owners;  // which owners, as a list of ids or a SELECT
  const char* begin;   // column
  const char* end;     // column, inclusive or later
  const char* extra;   // further condition
  const char* what;    // what the owner is; "": the owner does not matter
};
constexpr Tier kSampleTier = {"rg_chunk", "chunk_id", "series_id", kMetricSeries, "x0", "x1", "AND c.sealed = 1", "series"};
constexpr Tier kPyramidTier = {
    "rg_pyramid",
    "pyramid_id",
    "series_id",
    kMetricSeries,
    "x0",
    "x1",
    "AND NOT EXISTS (SELECT 1 FROM rg_chunk k WHERE k.series_id = c.series_id AND k.x0 <= c.x1 AND k.x1 >= c.x0)",
    "series"};
constexpr Tier kKernelTier = {"rg_span_chunk", "chunk_id", "track_id", kKernelTracks, "t0", "t1", "AND c.sealed = 1", "track"};
constexpr Tier kScalarPyramidTier = {
    "rg_pyramid",
    "pyramid_id",
    "series_id",
    "SELECT series_id FROM rg_series WHERE kind = 2 AND rank IS NOT NULL",
    "x0",
    "x1",
    "AND NOT EXISTS (SELECT 1 FROM rg_chunk k WHERE k.series_id = c.series_id AND k.x0 <= c.x1 AND k.x1 >= c.x0) AND NOT "
    "EXISTS (SELECT 1 FROM rg_thinned k WHERE k.series_id = c.series_id AND k.x0 <= c.x1 AND k.x1 >= c.x0) AND NOT EXISTS (SELECT 1 FROM "
    "rg_series s JOIN rg_pin p ON p.t0_ns <= ifnull(s.last_ns, 9223372036854775807) AND p.t1_ns > ifnull(s.first_ns, "
    "-9223372036854775807) WHERE s.series_id = c.series_id)",
    "series"};
// Captures of all kinds; each is its own owner.
constexpr Tier kCaptureTier = {"rg_capture", "capture_id", "capture_id", "SELECT capture_id FROM rg_capture",
                               "time_ns",    "time_ns",    "",           "capture"};
constexpr Tier kCoarseTier = {"rg_span_chunk", "chunk_id", "track_id", kOtherTracks, "t0", "t1", "AND c.sealed = 1", "track"};

// Log lines have only a time, and no owner that matters; plain lines are deleted before severe ones.
constexpr Tier kPlainLogTier = {"rg_log", "log_id", "severity", "0, 1", "time_ns", "time_ns", "", ""};
constexpr Tier kSevereLogTier = {"rg_log", "log_id", "severity", "2, 3, 4", "time_ns", "time_ns", "", ""};

class Keeper {
 public:
  Keeper(sqlite::Connection& db, const Retention& policy, TimeNs now, const RetentionScope& scope)
      : m_db(db),
        m_policy(policy),
        m_now(now),
        m_until(policy.budget > 0 ? monotonicNow() + policy.budget : std::numeric_limits<TimeNs>::max()),
        m_around(db, m_outcome),
        m_rows(db, policy, now, scope, m_outcome, m_around, [this] {
          m_deleted_any = m_deleted_any || m_outcome.rows + m_outcome.thinned_points > 0;
          return timeIsUp();
        }) {}

  Result<RetentionOutcome> run() {
    RG_TRY(m_around.skip("rg_age", m_rows.noteAge()));
    RG_TRY(expire(kKernelTier, m_policy.kernel_spans, m_outcome.span_chunks));
    RG_TRY(expire(kSampleTier, m_policy.samples, m_outcome.sample_chunks));
    RG_TRY(expire(kPyramidTier, m_policy.pyramids, m_outcome.pyramids));
    RG_TRY(expire(kCoarseTier, m_policy.spans, m_outcome.span_chunks));
    RG_TRY(expire(kCaptureTier, m_policy.captures, m_outcome.captures));
    for (const Tier* logs : {&kPlainLogTier, &kSevereLogTier}) RG_TRY(expire(*logs, m_policy.logs, m_outcome.log_lines));
    RG_TRY(keepLogLines());
    const std::pair<const char*, Status (RowRetention::*)()> steps[] = {
        {"rg_chunk", &RowRetention::thinScalars},    {"rg_attempt", &RowRetention::dropThinned},
        {"rg_rank", &RowRetention::moveSuperseded},  {"rg_attempt", &RowRetention::dropEndedAttempts},
        {"rg_event", &RowRetention::dropEvents},     {"rg_finding", &RowRetention::dropFindings},
        {"rg_clock_map", &RowRetention::thinClocks}, {"rg_stream", &RowRetention::dropStreams}};
    for (const auto& [table, step] : steps)
      if (!m_outcome.unfinished) RG_TRY(m_around.skip(table, (m_rows.*step)()));
    RG_TRY(shrinkAll());
    RG_ASSIGN(m_outcome.used_bytes, usedBytes(m_db));
    m_outcome.over_cap = !m_outcome.unfinished && m_policy.max_bytes > 0 && m_outcome.used_bytes > m_policy.max_bytes;
    RG_TRY(m_around.skip("the free pages", giveBack()));
    return m_outcome;
  }

 private:
  static std::string candidates(const Tier& tier) {
    return std::string("SELECT c.") + tier.id + " FROM " + tier.table + " c WHERE c." + tier.owner + " IN (" + tier.owners + ") " +
           tier.extra + " AND NOT EXISTS (SELECT 1 FROM rg_pin p WHERE p.t0_ns <= c." + tier.end + " AND p.t1_ns > c." + tier.begin + ")";
  }

  static bool isLog(const Tier& tier) { return &tier == &kPlainLogTier || &tier == &kSevereLogTier; }

  // At least one small step is always done, so that every call makes progress.
  bool timeIsUp() {
    if (m_deleted_any && monotonicNow() >= m_until) m_outcome.unfinished = true;
    return m_outcome.unfinished;
  }

  Status expire(const Tier& tier, DurNs keep, std::int64_t& deleted) {
    const TimeNs lowest = std::numeric_limits<TimeNs>::min();
    const TimeNs cutoff = m_now < lowest + keep ? lowest : m_now - keep;
    const Status expired = expireAll(tier, cutoff, deleted);
    if (!m_around.note(tier.table, "", expired)) return expired;
    return eraseAround(tier, cutoff, kBatch, deleted, [] { return Result<bool>(true); });
  }

  Status expireAll(const Tier& tier, TimeNs cutoff, std::int64_t& deleted) {
    RG_ASSIGN(auto found, m_db.prepare(candidates(tier) + " AND c." + tier.begin + " < ?1 AND c." + tier.end + " < ?1 LIMIT ?2"));
    while (!m_outcome.unfinished) {
      found.bind(1, cutoff);
      found.bind(2, kMaxFound);
      RG_ASSIGN(const auto ids, idsOf(found));
      if (ids.empty()) return {};
      const std::size_t batch = isLog(tier) ? kLogBatch : kBatch;
      for (std::size_t at = 0; at < ids.size() && !timeIsUp(); at += batch)
        RG_TRY(erase(tier, {ids.data() + at, std::min(batch, ids.size() - at)}, deleted));
    }
    return {};
  }

  // Deletes the readable rows of the tier up to `cutoff`, oldest first, while `more`.
  Status eraseAround(const Tier& tier, TimeNs cutoff, std::size_t batch, std::int64_t& deleted, const RowRetention::Larger& more) {
    const std::string until = std::to_string(cutoff), id = std::string("c.") + tier.id, of = std::string(" FROM ") + tier.table + " c";
    const std::string old = std::string(" AND c.") + tier.begin + " < " + until + " AND c." + tier.end + " < " + until;
    const std::string columns = id + ", c." + tier.end + of, own = std::string("c.") + tier.owner;
    const std::string rest = candidates(tier).substr(candidates(tier).find(" WHERE ")) + old;
    const bool owned = *tier.what != '\0';
    const AroundDamage::Owners owners{
        .sql = owned ? "SELECT " + std::string(tier.owner) + " AS id FROM (" + tier.owners + ")" : "",
        .table = tier.table,
        .what = tier.what,
        .rows = "SELECT " + columns + rest + " AND " + own + " = ?1 LIMIT ?2",
        .listed = "SELECT " + id + ", c." + tier.begin + of + " WHERE " + own + " = ?1 AND c." + tier.begin + " < " + until,
        .order = &tier == &kKernelTier || &tier == &kCoarseTier ? "c.lane" : std::string("c.") + tier.begin,
        .one = "SELECT " + columns + rest + " AND " + id + " = ?1"};
    const std::string in_order = "SELECT " + columns + rest + " AND c." + tier.end + " >= ?1 ORDER BY c." + tier.end + " LIMIT ?2";
    while (true) {
      RG_ASSIGN(const auto rows,
                owned ? m_around.ofOwners(owners, static_cast<std::int64_t>(kBatch)) : m_around.ordered(tier.table, in_order, kMaxFound));
      const std::int64_t before = deleted;
      std::vector<std::int64_t> ids;
      for (const AroundDamage::Row& row : rows) ids.push_back(row.id);
      for (std::size_t at = 0; at < ids.size(); at += batch) {
        RG_ASSIGN(const bool go_on, more());
        if (!go_on || timeIsUp()) return {};
        RG_TRY(m_around.erase(tier.table, std::span(ids).subspan(at, std::min(batch, ids.size() - at)),
                              [&](std::span<const std::int64_t> some) { return erase(tier, some, deleted); }));
      }
      if (deleted == before) return {};
    }
  }

  // The least valuable tiers are deleted first.
  Status shrinkAll() {
    if (m_policy.max_bytes <= 0) return {};
    const RowRetention::Larger larger = [this]() -> Result<bool> {
      RG_ASSIGN(const std::int64_t used, usedBytes(m_db));
      return used > m_policy.max_bytes && !m_outcome.unfinished;
    };
    RG_TRY(shrink(kKernelTier, m_outcome.span_chunks));
    RG_TRY(shrink(kSampleTier, m_outcome.sample_chunks));
    RG_TRY(shrink(kPlainLogTier, m_outcome.log_lines));
    RG_TRY(m_around.skip("rg_chunk", m_rows.shrinkScalars(larger)));
    RG_TRY(shrink(kCoarseTier, m_outcome.span_chunks));
    RG_TRY(shrink(kCaptureTier, m_outcome.captures));
    RG_TRY(shrink(kSevereLogTier, m_outcome.log_lines));
    RG_TRY(m_around.skip("rg_thinned", m_rows.shrinkThinned(larger)));
    RG_TRY(shrink(kPyramidTier, m_outcome.pyramids));
    RG_TRY(shrink(kScalarPyramidTier, m_outcome.pyramids));
    RG_TRY(m_around.skip("rg_event", m_rows.shrinkEvents(larger)));
    RG_TRY(m_around.skip("rg_finding_told", m_rows.shrinkPublished(larger)));
    return m_around.skip("rg_attempt", m_rows.shrinkEndedAttempts(larger));
  }

  // Oldest first, until the file fits.
  Status shrink(const Tier& tier, std::int64_t& deleted) {
    const Status shrunk = shrinkTier(tier, deleted);
    if (!m_around.note(tier.table, "", shrunk)) return shrunk;
    return eraseAround(tier, std::numeric_limits<TimeNs>::max(), isLog(tier) ? kBatch : kCapBatch, deleted, [this]() -> Result<bool> {
      RG_ASSIGN(const std::int64_t used, usedBytes(m_db));
      return used > m_policy.max_bytes;
    });
  }

  Status shrinkTier(const Tier& tier, std::int64_t& deleted) {
    RG_ASSIGN(std::int64_t used, usedBytes(m_db));
    RG_ASSIGN(auto found, m_db.prepare(candidates(tier) + " ORDER BY c." + tier.end + " LIMIT ?1"));
    while (used > m_policy.max_bytes && !m_outcome.unfinished) {
      found.bind(1, kMaxFound);
      RG_ASSIGN(const auto ids, idsOf(found));
      if (ids.empty()) return {};
      const std::size_t batch = isLog(tier) ? kBatch : kCapBatch;
      for (std::size_t at = 0; at < ids.size() && used > m_policy.max_bytes && !timeIsUp(); at += batch) {
        RG_TRY(erase(tier, {ids.data() + at, std::min(batch, ids.size() - at)}, deleted));
        RG_ASSIGN(used, usedBytes(m_db));
      }
    }
    return {};
  }

  // Deletes lines above the cap on their number: the oldest plain ones, then the oldest severe ones.
  Status keepLogLines() {
    if (m_policy.max_log_lines <= 0) return {};
    const auto lines = logLines();
    if (!lines.ok()) return m_around.skip("rg_log", lines.status());
    std::int64_t beyond = *lines - m_policy.max_log_lines;
    const Status kept = dropLogLines(beyond);
    if (!m_around.note("rg_log", "", kept)) return kept;
    for (const Tier* logs : {&kPlainLogTier, &kSevereLogTier}) {
      const std::int64_t before = m_outcome.logs_beyond_cap;
      const std::int64_t most = before + beyond;
      RG_TRY(eraseAround(*logs, std::numeric_limits<TimeNs>::max(), 256, m_outcome.logs_beyond_cap,
                         [&] { return Result<bool>(m_outcome.logs_beyond_cap < most); }));
      beyond -= m_outcome.logs_beyond_cap - before;
    }
    return {};
  }

  Status dropLogLines(std::int64_t& beyond) {
    for (const Tier* logs : {&kPlainLogTier, &kSevereLogTier}) {
      if (beyond <= 0) return {};
      RG_ASSIGN(auto found, m_db.prepare(candidates(*logs) + " ORDER BY c.time_ns, c.log_id LIMIT ?1"));
      while (beyond > 0 && !m_outcome.unfinished) {
        found.bind(1, std::min(beyond, kMaxFound));
        RG_ASSIGN(const auto ids, idsOf(found));
        if (ids.empty()) break;
        const std::int64_t before = m_outcome.logs_beyond_cap;
        for (std::size_t at = 0; at < ids.size() && !timeIsUp(); at += kLogBatch)
          RG_TRY(erase(*logs, {ids.data() + at, std::min(kLogBatch, ids.size() - at)}, m_outcome.logs_beyond_cap));
        beyond -= m_outcome.logs_beyond_cap - before;
      }
    }
    return {};
  }

  // Counting 20 M rows would block ingest: the number is read from the index of words, as the first varint of its "averages" record
  // (fts5_index.c). The range of ids is an upper bound, in case that record is damaged.
  Result<std::int64_t> logLines() {
    RG_ASSIGN(const auto most, m_db.queryInt64("SELECT (SELECT max(log_id) FROM rg_log) - (SELECT min(log_id) FROM rg_log) + 1"));
    RG_ASSIGN(auto averages, m_db.prepare("SELECT block FROM rg_log_words_data WHERE id = 1"));
    RG_ASSIGN(const bool there, averages.step());
    std::int64_t lines = 0;
    for (const char c : there ? averages.blob(0).substr(0, 8) : std::string_view()) {
      lines = lines << 7 | (c & 0x7f);
      if ((c & 0x80) == 0) break;
    }
    return std::min(lines, most.value_or(0));
  }

  static Result<std::vector<std::int64_t>> idsOf(sqlite::Statement& statement) {
    std::vector<std::int64_t> ids;
    while (true) {
      RG_ASSIGN(const bool row, statement.step());
      if (!row) break;
      ids.push_back(statement.int64(0));
    }
    statement.reset();
    return ids;
  }

  Status erase(const Tier& tier, std::span<const std::int64_t> ids, std::int64_t& deleted) {
    RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
    RG_ASSIGN(auto remember, m_db.prepare("INSERT INTO rg_expired(series_id, sample_count, last_x) SELECT series_id, n, x1 FROM rg_chunk "
                                          "WHERE chunk_id = ?1 ON CONFLICT(series_id) DO UPDATE SET sample_count = sample_count + "
                                          "excluded.sample_count, last_x = max(last_x, excluded.last_x)"));
    RG_ASSIGN(auto drop, m_db.prepare(std::string("DELETE FROM ") + tier.table + " WHERE " + tier.id + " = ?1"));
    // Not INSERT ... SELECT: SQLite begins a savepoint for it, and at each savepoint FTS5 writes out a segment.
    RG_ASSIGN(auto text, m_db.prepare("SELECT text FROM rg_log WHERE log_id = ?1"));
    RG_ASSIGN(auto forget_words, m_db.prepare("INSERT INTO rg_log_words(rg_log_words, rowid, text) VALUES('delete', ?1, ?2)"));
    const bool samples = &tier == &kSampleTier, logs = isLog(tier);
    for (const std::int64_t id : ids) {
      if (logs) {
        text.bind(1, id);
        RG_TRY(text.step().status());
        forget_words.bind(1, id);
        forget_words.bind(2, text.text(0));
        RG_TRY(forget_words.run());
        text.reset();
      }
      if (samples) {
        remember.bind(1, id);
        RG_TRY(remember.run());
      }
      drop.bind(1, id);
      RG_TRY(drop.run());
    }
    RG_TRY(transaction.commit());
    deleted += static_cast<std::int64_t>(ids.size());
    m_deleted_any = true;
    return {};
  }

  Status giveBack() {
    RG_ASSIGN(const GivenBack given, giveBackPages(m_db, [this] { return monotonicNow() >= m_until; }));
    if (given.unfinished) m_outcome.unfinished = true;
    return given.damage.empty() ? Status() : Status(Code::kDataLoss, given.damage);
  }

  sqlite::Connection& m_db;
  const Retention& m_policy;
  TimeNs m_now;
  TimeNs m_until;  // monotonic
  bool m_deleted_any = false;
  RetentionOutcome m_outcome;
  AroundDamage m_around;
  RowRetention m_rows;
};

}  // namespace

Result<std::int64_t> usedBytes(sqlite::Connection& db) {
  RG_ASSIGN(const auto pages, db.queryInt64("PRAGMA page_count"));
  RG_ASSIGN(const auto unused, db.queryInt64("PRAGMA freelist_count"));
  RG_ASSIGN(const auto size, db.queryInt64("PRAGMA page_size"));
  return (pages.value_or(0) - unused.value_or(0)) * size.value_or(0);
}

Result<RetentionOutcome> retain(sqlite::Connection& db, const Retention& policy, TimeNs now, const RetentionScope& scope) {
  return Keeper(db, policy, now, scope).run();
}

}  // namespace runglass
