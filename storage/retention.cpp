// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A chunk that a pin overlaps is never deleted, whatever the policy.
// 2. Every sample chunk deleted is counted in rg_expired in the same transaction, so that verify can still account for every sample.
// 3. A pyramid row outlives every raw chunk it covers.
// 4. Only sealed chunks go: the open one belongs to the writer.
// 5. A log line goes together with its words in the index.
#include "storage/retention.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace runglass {
namespace {

constexpr std::size_t kBatch = 2000;  // rows a transaction, so that readers and ingest never wait long
constexpr std::int64_t kVacuumPages = 4096;

// Row conditions. A metric series has kind 0 or 1; kernels are the tracks of accelerators.
constexpr const char* kMetricSeries = "SELECT series_id FROM rg_series WHERE kind IN (0, 1)";
constexpr const char* kKernelTracks = "SELECT track_id FROM rg_track WHERE kind IN ('gpu_stream', 'accel_queue')";
constexpr const char* kOtherTracks = "SELECT track_id FROM rg_track WHERE kind NOT IN ('gpu_stream', 'accel_queue')";

// A table whose rows retention may delete.
struct Tier {
  const char* table;
  const char* id;
  const char* owner;   // column
  const char* owners;  // which of them
  const char* begin;   // column
  const char* end;     // column, inclusive or later
  const char* extra;   // further condition
};
constexpr Tier kSampleTier = {"rg_chunk", "chunk_id", "series_id", kMetricSeries, "x0", "x1", "AND c.sealed = 1"};
constexpr Tier kPyramidTier = {
    "rg_pyramid",
    "pyramid_id",
    "series_id",
    kMetricSeries,
    "x0",
    "x1",
    "AND NOT EXISTS (SELECT 1 FROM rg_chunk k WHERE k.series_id = c.series_id AND k.x0 <= c.x1 AND k.x1 >= c.x0)"};
constexpr Tier kKernelTier = {"rg_span_chunk", "chunk_id", "track_id", kKernelTracks, "t0", "t1", "AND c.sealed = 1"};
// Of all kinds; its own owner.
constexpr Tier kCaptureTier = {"rg_capture", "capture_id", "capture_id", "SELECT capture_id FROM rg_capture", "time_ns", "time_ns", ""};
constexpr Tier kCoarseTier = {"rg_span_chunk", "chunk_id", "track_id", kOtherTracks, "t0", "t1", "AND c.sealed = 1"};

// Log lines have times only, and no owner that matters; the plain ones are cheaper to lose.
constexpr Tier kPlainLogTier = {"rg_log", "log_id", "severity", "0, 1", "time_ns", "time_ns", ""};
constexpr Tier kSevereLogTier = {"rg_log", "log_id", "severity", "2, 3, 4", "time_ns", "time_ns", ""};

class Keeper {
 public:
  Keeper(sqlite::Connection& db, const Retention& policy, TimeNs now) : m_db(db), m_policy(policy), m_now(now) {}

  Result<RetentionOutcome> run() {
    RG_TRY(expire(kKernelTier, m_policy.kernel_spans, m_outcome.span_chunks));
    RG_TRY(expire(kSampleTier, m_policy.samples, m_outcome.sample_chunks));
    RG_TRY(expire(kPyramidTier, m_policy.pyramids, m_outcome.pyramids));
    RG_TRY(expire(kCaptureTier, m_policy.captures, m_outcome.captures));
    for (const Tier* logs : {&kPlainLogTier, &kSevereLogTier}) RG_TRY(expire(*logs, m_policy.logs, m_outcome.log_lines));
    RG_TRY(keepLogLines());
    // What is cheapest to lose goes first.
    RG_TRY(shrink(kKernelTier, m_outcome.span_chunks));
    RG_TRY(shrink(kSampleTier, m_outcome.sample_chunks));
    RG_TRY(shrink(kPlainLogTier, m_outcome.log_lines));
    RG_TRY(shrink(kCoarseTier, m_outcome.span_chunks));
    RG_TRY(shrink(kCaptureTier, m_outcome.captures));
    RG_TRY(shrink(kSevereLogTier, m_outcome.log_lines));
    RG_TRY(shrink(kPyramidTier, m_outcome.pyramids));
    RG_ASSIGN(const std::int64_t used, usedBytes());
    m_outcome.over_cap = m_policy.max_bytes > 0 && used > m_policy.max_bytes;
    RG_TRY(giveBackPages());
    return m_outcome;
  }

 private:
  static std::string candidates(const Tier& tier) {
    return std::string("SELECT c.") + tier.id + " FROM " + tier.table + " c WHERE c." + tier.owner + " IN (" + tier.owners + ") " +
           tier.extra + " AND NOT EXISTS (SELECT 1 FROM rg_pin p WHERE p.t0_ns <= c." + tier.end + " AND p.t1_ns > c." + tier.begin + ")";
  }

  Status expire(const Tier& tier, DurNs keep, std::int64_t& deleted) {
    const TimeNs lowest = std::numeric_limits<TimeNs>::min();
    const TimeNs cutoff = m_now < lowest + keep ? lowest : m_now - keep;
    RG_ASSIGN(auto found, m_db.prepare(candidates(tier) + " AND c." + tier.begin + " < ?1 AND c." + tier.end + " < ?1"));
    found.bind(1, cutoff);
    RG_ASSIGN(const auto ids, idsOf(found));
    for (std::size_t at = 0; at < ids.size(); at += kBatch)
      RG_TRY(erase(tier, {ids.data() + at, std::min(kBatch, ids.size() - at)}, deleted));
    return {};
  }

  // Oldest first, until the file fits.
  Status shrink(const Tier& tier, std::int64_t& deleted) {
    if (m_policy.max_bytes <= 0) return {};
    RG_ASSIGN(std::int64_t used, usedBytes());
    if (used <= m_policy.max_bytes) return {};
    RG_ASSIGN(auto found, m_db.prepare(candidates(tier) + " ORDER BY c." + tier.end));
    RG_ASSIGN(const auto ids, idsOf(found));
    // Small batches: no more is to be lost than the cap asks for.
    constexpr std::size_t kSmallBatch = 64;
    for (std::size_t at = 0; at < ids.size() && used > m_policy.max_bytes; at += kSmallBatch) {
      RG_TRY(erase(tier, {ids.data() + at, std::min(kSmallBatch, ids.size() - at)}, deleted));
      RG_ASSIGN(used, usedBytes());
    }
    return {};
  }

  // The oldest plain lines beyond the cap on their number, then the oldest severe ones.
  Status keepLogLines() {
    if (m_policy.max_log_lines <= 0) return {};
    // Ids have few gaps and are at hand; counting is for when it matters.
    RG_ASSIGN(const auto most, m_db.queryInt64("SELECT (SELECT max(log_id) FROM rg_log) - (SELECT min(log_id) FROM rg_log) + 1"));
    if (most.value_or(0) <= m_policy.max_log_lines) return {};
    RG_ASSIGN(const auto lines, m_db.queryInt64("SELECT count(*) FROM rg_log"));
    std::int64_t beyond = lines.value_or(0) - m_policy.max_log_lines;
    for (const Tier* logs : {&kPlainLogTier, &kSevereLogTier}) {
      if (beyond <= 0) return {};
      RG_ASSIGN(auto found, m_db.prepare(candidates(*logs) + " ORDER BY c.time_ns, c.log_id LIMIT ?1"));
      found.bind(1, beyond);
      RG_ASSIGN(const auto ids, idsOf(found));
      for (std::size_t at = 0; at < ids.size(); at += kBatch)
        RG_TRY(erase(*logs, {ids.data() + at, std::min(kBatch, ids.size() - at)}, m_outcome.logs_beyond_cap));
      beyond -= static_cast<std::int64_t>(ids.size());
    }
    return {};
  }

  static Result<std::vector<std::int64_t>> idsOf(sqlite::Statement& statement) {
    std::vector<std::int64_t> ids;
    while (true) {
      RG_ASSIGN(const bool row, statement.step());
      if (!row) return ids;
      ids.push_back(statement.int64(0));
    }
  }

  Status erase(const Tier& tier, std::span<const std::int64_t> ids, std::int64_t& deleted) {
    RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
    RG_ASSIGN(auto remember, m_db.prepare("INSERT INTO rg_expired(series_id, sample_count, last_x) SELECT series_id, n, x1 FROM rg_chunk "
                                          "WHERE chunk_id = ?1 ON CONFLICT(series_id) DO UPDATE SET sample_count = sample_count + "
                                          "excluded.sample_count, last_x = max(last_x, excluded.last_x)"));
    RG_ASSIGN(auto drop, m_db.prepare(std::string("DELETE FROM ") + tier.table + " WHERE " + tier.id + " = ?1"));
    RG_ASSIGN(auto forget_words, m_db.prepare("INSERT INTO rg_log_words(rg_log_words, rowid, text) SELECT 'delete', log_id, text FROM "
                                              "rg_log WHERE log_id = ?1"));
    const bool samples = &tier == &kSampleTier, logs = &tier == &kPlainLogTier || &tier == &kSevereLogTier;
    for (const std::int64_t id : ids) {
      if (logs) {
        forget_words.bind(1, id);
        RG_TRY(forget_words.run());
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
    return {};
  }

  Result<std::int64_t> usedBytes() {
    RG_ASSIGN(const auto pages, m_db.queryInt64("PRAGMA page_count"));
    RG_ASSIGN(const auto unused, m_db.queryInt64("PRAGMA freelist_count"));
    RG_ASSIGN(const auto size, m_db.queryInt64("PRAGMA page_size"));
    return (pages.value_or(0) - unused.value_or(0)) * size.value_or(0);
  }

  // One step of incremental_vacuum frees one page: it must be stepped to its end.
  Status giveBackPages() {
    while (true) {
      RG_ASSIGN(const auto before, m_db.queryInt64("PRAGMA freelist_count"));
      if (before.value_or(0) == 0) return {};
      RG_TRY(m_db.exec("PRAGMA incremental_vacuum(" + std::to_string(kVacuumPages) + ")"));
      RG_ASSIGN(const auto after, m_db.queryInt64("PRAGMA freelist_count"));
      // A file made without auto_vacuum keeps its free pages for later rows.
      if (after.value_or(0) >= *before) return {};
    }
  }

  sqlite::Connection& m_db;
  const Retention& m_policy;
  TimeNs m_now;
  RetentionOutcome m_outcome;
};

}  // namespace

Result<RetentionOutcome> retain(sqlite::Connection& db, const Retention& policy, TimeNs now) { return Keeper(db, policy, now).run(); }

}  // namespace runglass
