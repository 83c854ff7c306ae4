// SPDX-License-Identifier: Apache-2.0
// Invariant: a range covers only attempts that are in rg_past: it grows by the attempt that follows its last one in the run.
#include "storage/schema/past_attempts.h"

#include <sqlite3.h>

#include <algorithm>

#include "storage/codec/bytes.h"
#include "storage/codec/sample_chunk.h"
#include "storage/codec/zstd_frame.h"
#include "storage/sqlite/bind_row.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxPidBytes = std::size_t{64} << 20;

// ?1: the run, ?2: the attempt, ?3: the one before it, 0 where ranges cannot grow. In this order.
const std::string kMoves[] = {
    "UPDATE rg_past_rank INDEXED BY rg_past_rank_fork SET last_attempt = ?2, fork = past_fork(first_attempt, ?2) WHERE run_id = ?1 AND "
    "fork "
    "IN (SELECT ((?3 >> d) | 1) << d FROM " +
        std::string(kPlaces) +
        ") AND last_attempt = ?3 AND EXISTS (SELECT 1 FROM rg_rank r WHERE "
        "r.attempt_id = ?2 AND r.rank = rg_past_rank.rank AND r.node_id IS rg_past_rank.node_id AND r.device_id IS rg_past_rank.device_id "
        "AND "
        "r.local_rank IS rg_past_rank.local_rank AND r.tp IS rg_past_rank.tp AND r.pp IS rg_past_rank.pp AND r.dp IS rg_past_rank.dp AND "
        "r.cp "
        "IS rg_past_rank.cp AND r.ep IS rg_past_rank.ep)",
    "INSERT INTO rg_past_rank(run_id, rank, first_attempt, last_attempt, node_id, device_id, local_rank, tp, pp, dp, cp, ep, fork) SELECT "
    "?1, "
    "rank, ?2, ?2, node_id, device_id, local_rank, tp, pp, dp, cp, ep, ?2 FROM rg_rank r WHERE attempt_id = ?2 AND ifnull((SELECT "
    "last_attempt FROM rg_past_rank p WHERE p.run_id = ?1 AND p.rank = r.rank AND p.first_attempt <= ?2 ORDER BY p.first_attempt DESC "
    "LIMIT "
    "1), 0) <> ?2",
    "DELETE FROM rg_rank WHERE attempt_id = ?2",
    "UPDATE rg_past_fact INDEXED BY rg_past_fact_fork SET last_attempt = ?2, fork = past_fork(first_attempt, ?2) WHERE run_id = ?1 AND "
    "fork "
    "IN (SELECT ((?3 >> d) | 1) << d FROM " +
        std::string(kPlaces) +
        ") AND last_attempt = ?3 AND EXISTS (SELECT 1 FROM rg_fact f WHERE "
        "f.attempt_id = ?2 AND f.node_id = rg_past_fact.node_id AND f.rank = rg_past_fact.rank AND f.key = rg_past_fact.key AND f.value = "
        "rg_past_fact.value)",
    "INSERT INTO rg_past_fact(run_id, node_id, rank, key, first_attempt, last_attempt, value, fork) SELECT ?1, node_id, rank, key, ?2, ?2, "
    "value, ?2 FROM rg_fact f WHERE attempt_id = ?2 AND ifnull((SELECT last_attempt FROM rg_past_fact p WHERE p.run_id = ?1 AND p.node_id "
    "= "
    "f.node_id AND p.rank = f.rank AND p.key = f.key AND p.first_attempt <= ?2 ORDER BY p.first_attempt DESC LIMIT 1), 0) <> ?2",
    "DELETE FROM rg_fact WHERE attempt_id = ?2",
};

// Ids are dense.
constexpr int kMaxPlace = 31;

std::int64_t forkOf(std::int64_t first, std::int64_t last) {
  int place = kMaxPlace;
  while (place > 0 && (last >> place) << place < first) --place;
  return (last >> place) << place;
}

void pastFork(sqlite3_context* out, int, sqlite3_value** argv) {
  sqlite3_result_int64(out, forkOf(sqlite3_value_int64(argv[0]), sqlite3_value_int64(argv[1])));
}

// The process ids of the attempt read last: a statement requests all ranks of one attempt.
struct PidCache {
  std::string packed;
  std::vector<RankPid> pids;
};

void pastPid(sqlite3_context* out, int, sqlite3_value** argv) {
  auto& cache = *static_cast<PidCache*>(sqlite3_user_data(out));
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(argv[0]));
  const std::string_view packed(bytes, bytes == nullptr ? 0 : static_cast<std::size_t>(sqlite3_value_bytes(argv[0])));
  if (cache.packed != packed) cache = {std::string(packed), unpackPids(packed).value_or(std::vector<RankPid>())};
  const auto rank = sqlite3_value_int64(argv[1]);
  const auto found = std::ranges::lower_bound(cache.pids, rank, {}, &RankPid::first);
  if (found == cache.pids.end() || found->first != rank) return sqlite3_result_null(out);
  sqlite3_result_int(out, found->second);
}

Result<std::string> packedPidsOf(sqlite::Connection& db, AttemptId attempt) {
  std::vector<RankPid> pids;
  RG_ASSIGN(auto rows, db.prepare("SELECT rank, pid FROM rg_rank WHERE attempt_id = ? AND pid IS NOT NULL ORDER BY rank"));
  bindAll(rows, attempt.value);
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return packPids(pids);
    pids.emplace_back(static_cast<std::int32_t>(rows.int64(0)), static_cast<std::int32_t>(rows.int64(1)));
  }
}

// Whether ranges of its run still cover the attempt, whose row of rg_past is lost.
Result<bool> isCovered(sqlite::Connection& db, std::int64_t run, AttemptId attempt) {
  for (const char* table : {"rg_past_rank", "rg_past_fact"}) {
    RG_ASSIGN(auto rows, db.prepare(std::string("SELECT 1 FROM ") + table + " INDEXED BY " + table + "_fork" +
                                    " WHERE run_id = ?1 AND fork IN (SELECT ((?2 >> d) | 1) << d FROM " + std::string(kPlaces) +
                                    ") AND ?2 BETWEEN first_attempt AND last_attempt LIMIT 1"));
    bindAll(rows, run, attempt.value);
    RG_ASSIGN(const bool covered, rows.step());
    if (covered) return true;
  }
  return false;
}

}  // namespace

std::string rankNodes() {
  return "(SELECT attempt_id, rank, node_id FROM rg_rank UNION ALL SELECT x.attempt_id, p.rank, p.node_id FROM " + std::string(kPastRanks) +
         ")";
}

Status moveToPast(sqlite::Connection& db, AttemptId attempt) {
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(db, sqlite::Transaction::Kind::kImmediate));
  std::int64_t run = 0, before = 0;
  {
    RG_ASSIGN(auto row, db.prepare("SELECT run_id, ifnull((SELECT attempt_id FROM rg_past WHERE attempt_id = (SELECT max(attempt_id) FROM "
                                   "rg_attempt b WHERE b.run_id = a.run_id AND b.attempt_id < a.attempt_id)), 0) FROM rg_attempt a WHERE "
                                   "attempt_id = ?"));
    bindAll(row, attempt.value);
    RG_ASSIGN(const bool found, row.step());
    if (!found) return {Code::kNotFound, "attempt " + std::to_string(attempt.value) + ": not in this store"};
    run = row.int64(0), before = row.int64(1);
  }
  // Rows that arrived after the attempt was moved stay in rg_rank and rg_fact, which take precedence: moving them would create a second
  // range for the same attempts.
  RG_ASSIGN(const bool moved_before, isCovered(db, run, attempt));
  std::string pids = packPids({});
  if (!moved_before) {
    RG_ASSIGN(pids, packedPidsOf(db, attempt));
  }
  RG_ASSIGN(auto insert, db.prepare("INSERT INTO rg_past(attempt_id, crc, pids) VALUES(?,?,?)"));
  const auto id = static_cast<std::int64_t>(attempt.value);
  insert.bind(1, id);
  insert.bind(2, static_cast<std::int64_t>(pidsChecksum(id, pids)));
  insert.bindBlob(3, pids);
  RG_TRY(insert.run());
  for (const std::string& move : kMoves) {
    if (moved_before) break;
    RG_ASSIGN(auto statement, db.prepare(move));
    bindAll(statement, run, id, before);
    RG_TRY(statement.run());
  }
  return transaction.commit();
}

// Format: a byte that is 1 for zstd, the unpacked size of the rest, and the rest: the number of ranks, then the differences of ranks, then
// those of process ids, as varints.
std::string packPids(std::span<const RankPid> pids) {
  std::string plain;
  appendVarint(plain, pids.size());
  RankPid last{-1, 0};
  for (const RankPid& one : pids) appendVarint(plain, zigzag(std::int64_t{one.first} - last.first)), last = one;
  last = {-1, 0};
  for (const RankPid& one : pids) appendVarint(plain, zigzag(std::int64_t{one.second} - last.second)), last = one;
  std::string packed, out;
  const bool smaller = zstdPack(plain, plain.size(), packed);
  out.push_back(smaller ? 1 : 0);
  appendVarint(out, plain.size());
  return out += smaller ? packed : plain;
}

std::optional<std::vector<RankPid>> unpackPids(std::string_view packed) {
  ByteReader head(packed);
  const bool smaller = head.byte() == 1;
  const std::uint64_t size = head.varint();
  const std::string_view body = head.take(head.left());
  std::string plain;
  if (!head.ok() || size > kMaxPidBytes) return std::nullopt;
  if (!smaller)
    plain = body;
  else if (!zstdUnpack(body, size, plain))
    return std::nullopt;
  ByteReader in(plain);
  const std::uint64_t count = in.varint();
  if (!in.ok() || count > in.left()) return std::nullopt;
  std::vector<RankPid> pids(count);
  RankPid last{-1, 0};
  for (RankPid& one : pids) last.first = one.first = static_cast<std::int32_t>(last.first + unzigzag(in.varint()));
  for (RankPid& one : pids) last.second = one.second = static_cast<std::int32_t>(last.second + unzigzag(in.varint()));
  return in.atEnd() ? std::optional(std::move(pids)) : std::nullopt;
}

std::uint32_t pidsChecksum(std::int64_t attempt, std::string_view packed) {
  return chunkChecksum(static_cast<std::uint64_t>(attempt), 0, 0, packed.size(), packed);
}

Status addPastPid(sqlite3* db, const std::string& path) {
  constexpr int kPlain = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  int rc = sqlite3_create_function_v2(db, "past_fork", 2, kPlain, nullptr, pastFork, nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return sqlite::sqliteStatus(db, rc, "cannot open store", path);
  rc = sqlite3_create_function_v2(db, "past_pid", 2, kPlain, new PidCache, pastPid, nullptr, nullptr,
                                  [](void* cache) { delete static_cast<PidCache*>(cache); });
  return rc == SQLITE_OK ? Status() : sqlite::sqliteStatus(db, rc, "cannot open store", path);
}

}  // namespace runglass
