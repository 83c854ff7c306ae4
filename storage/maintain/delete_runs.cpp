// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. The preview counts with the same conditions that the deletion uses.
// 2. Rows are deleted before the rows that they are found by: chunks before their series, series before their attempt, attempts before
//    their run.
#include "storage/maintain/delete_runs.h"

#include <filesystem>
#include <limits>

#include "storage/maintain/free_pages.h"
#include "storage/open_store.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/store_lock.h"

namespace runglass {
namespace {

constexpr const char* kRepair = "; `runglassctl repair` makes a new store of the readable data";

Status withAdvice(Status failed) {
  if (failed.code() != Code::kDataLoss || failed.message().find("runglassctl repair") != std::string::npos) return failed;
  return {Code::kDataLoss, failed.message() + kRepair};
}

// ?1: the run, or 0; ?2: the time, or the lowest int64.
constexpr const char* kRuns =
    "(SELECT run_id FROM rg_run WHERE run_id = ?1 OR (state IN (2, 3) AND end_ns < ?2) OR (end_ns IS NOT NULL AND end_ns < "
    "?2 AND NOT EXISTS (SELECT 1 FROM rg_attempt a WHERE a.run_id = rg_run.run_id AND a.end_ns IS NULL)))";
constexpr const char* kAttempts = "(SELECT attempt_id FROM rg_attempt WHERE run_id IN $RUNS)";
constexpr const char* kSeries =
    "(SELECT series_id FROM rg_series WHERE attempt_id IN $ATTEMPTS OR (ifnull(attempt_id, 0) = 0 AND last_ns < ?2))";
constexpr const char* kTracks = "(SELECT track_id FROM rg_track WHERE attempt_id IN $ATTEMPTS)";
constexpr const char* kRowOf = "attempt_id IN $ATTEMPTS OR (ifnull(attempt_id, 0) = 0 AND time_ns < ?2)";

struct Part {
  const char* table;
  const char* where;
  const char* bytes;  // SQL expression: bytes of the row's data
};
constexpr Part kParts[] = {
    {"rg_chunk", "series_id IN $SERIES", "length(data)"},
    {"rg_pyramid", "series_id IN $SERIES", "length(data)"},
    {"rg_thinned", "series_id IN $SERIES", "length(data)"},
    {"rg_expired", "series_id IN $SERIES", "0"},
    {"rg_copied", "series_id IN $SERIES", "0"},
    {"rg_span_chunk", "track_id IN $TRACKS", "length(data) + ifnull(length(summary), 0)"},
    {"rg_series", "series_id IN $SERIES", "0"},
    {"rg_track", "track_id IN $TRACKS", "0"},
    {"rg_rank", "attempt_id IN $ATTEMPTS", "0"},
    {"rg_fact", "attempt_id IN $ATTEMPTS", "length(value)"},
    {"rg_past", "attempt_id IN $ATTEMPTS", "length(pids)"},
    {"rg_past_rank", "run_id IN $RUNS", "0"},
    {"rg_past_fact", "run_id IN $RUNS", "length(value)"},
    {"rg_checkpoint", "attempt_id IN $ATTEMPTS", "0"},
    {"rg_comm_group", "attempt_id IN $ATTEMPTS", "length(ranks)"},
    {"rg_progress", "attempt_id IN $ATTEMPTS", "0"},
    {"rg_label", "attempt_id IN $ATTEMPTS", "0"},
    {"rg_clock_align", "attempt_id IN $ATTEMPTS", "0"},
    {"rg_clock_shift", "attempt_id IN $ATTEMPTS", "0"},
    {"rg_event", "$ROWOF", "length(message)"},
    {"rg_log", "$ROWOF", "length(text)"},
    {"rg_capture", "$ROWOF", "length(body)"},
    {"rg_finding_told", "finding_id IN (SELECT finding_id FROM rg_finding WHERE run_id IN $RUNS)",
     "length(summary) + length(message) + length(evidence)"},
    {"rg_finding", "run_id IN $RUNS", "length(summary) + length(message) + length(evidence)"},
    {"rg_pin", "incident_id IN (SELECT incident_id FROM rg_incident WHERE run_id IN $RUNS)", "0"},
    {"rg_incident", "run_id IN $RUNS", "length(notes) + length(evidence)"},
    {"rg_note", "run_id IN $RUNS", "length(text)"},
    {"rg_alert", "run_id IN $RUNS", "length(summary)"},
    {"rg_import", "run_id IN $RUNS", "0"},
    {"rg_attempt", "run_id IN $RUNS", "0"},
    {"rg_run", "run_id IN $RUNS", "0"},
};

std::string condition(const char* where) {
  std::string text = where;
  // Outer names first: their text contains inner ones.
  for (const auto& [name, value] :
       {std::pair{"$ROWOF", kRowOf}, {"$SERIES", kSeries}, {"$TRACKS", kTracks}, {"$ATTEMPTS", kAttempts}, {"$RUNS", kRuns}})
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
      text.replace(at, std::char_traits<char>::length(name), value);
  return text;
}

Result<sqlite::Statement> prepared(sqlite::Connection& db, const std::string& sql, const DeletionWanted& wanted) {
  RG_ASSIGN(auto statement, db.prepare(sql));
  const auto needs = [&](const char* parameter) { return sql.find(parameter) != std::string::npos; };
  if (needs("?1")) statement.bind(1, wanted.run.value);
  if (needs("?2")) statement.bind(2, wanted.before.value_or(std::numeric_limits<TimeNs>::min()));
  return statement;
}

std::int64_t sizeOf(const std::string& store) {
  std::error_code absent;
  const auto size = std::filesystem::file_size(store, absent);
  return absent ? 0 : static_cast<std::int64_t>(size);
}

Result<Deletion> count(sqlite::Connection& db, const std::string& store, const DeletionWanted& wanted) {
  Deletion found;
  RG_ASSIGN(auto names, prepared(db, "SELECT name FROM rg_run WHERE run_id IN " + condition("$RUNS") + " ORDER BY run_id", wanted));
  while (true) {
    RG_ASSIGN(const bool row, names.step());
    if (!row) break;
    found.runs.emplace_back(names.text(0));
  }
  for (const Part& part : kParts) {
    RG_ASSIGN(auto rows, prepared(db,
                                  std::string("SELECT count(*), ifnull(sum(") + part.bytes + "), 0) FROM " + part.table + " WHERE " +
                                      condition(part.where),
                                  wanted));
    RG_TRY(rows.step().status());
    if (rows.int64(0) > 0) found.rows.emplace_back(std::string(part.table).substr(3), rows.int64(0));
    found.data_bytes += rows.int64(1);
  }
  found.file_bytes_before = found.file_bytes_after = sizeOf(store);
  return found;
}

// A store that no other process writes.
struct OwnedStore {
  StoreLock lock;
  sqlite::Connection db;

  Status open(const std::string& store, WriterOptions options) {
    {
      // Commits the journal and migrates the schema. A journal that could not be folded (UNAVAILABLE) does no harm here.
      RG_ASSIGN(const auto writer, openStore(store).writer(std::move(options)));
      if (const Status closed = writer->close(); !closed.ok() && closed.code() != Code::kUnavailable) return closed;
    }
    RG_TRY(lock.take(store));
    RG_ASSIGN(db, sqlite::Connection::open(store, sqlite::OpenMode::kReadWrite));
    return db.exec("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0");
  }
  // Why free pages are left, and what to do about it; empty: none are.
  Result<std::string> giveBack() {
    RG_ASSIGN(const GivenBack given, giveBackPages(db, [this] {
                static_cast<void>(db.exec("PRAGMA wal_checkpoint(PASSIVE)"));
                return false;
              }));
    RG_TRY(db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    return given.damage.empty() ? std::string() : "free pages were left in the file: " + given.damage + kRepair;
  }
  Status close() {
    // Fails while another connection reads; the store is complete either way.
    (void)db.exec("PRAGMA journal_mode=DELETE");
    return db.close();
  }
};

Result<Deletion> preview(const std::string& store, const DeletionWanted& wanted) {
  RG_ASSIGN(auto db, sqlite::Connection::open(store, sqlite::OpenMode::kReadOnly));
  RG_ASSIGN(const auto snapshot, sqlite::Transaction::begin(db, sqlite::Transaction::Kind::kRead));
  return count(db, store, wanted);
}

Result<Deletion> deleteAll(const std::string& store, const DeletionWanted& wanted, WriterOptions options) {
  OwnedStore owned;
  RG_TRY(owned.open(store, std::move(options)));
  RG_ASSIGN(Deletion deleted, count(owned.db, store, wanted));
  {
    RG_ASSIGN(auto transaction, sqlite::Transaction::begin(owned.db, sqlite::Transaction::Kind::kImmediate));
    // A log line is deleted together with its index words, by FTS5's 'delete' command: they are found by the text.
    RG_ASSIGN(auto words, prepared(owned.db,
                                   "INSERT INTO rg_log_words(rg_log_words, rowid, text) SELECT 'delete', log_id, text FROM rg_log WHERE " +
                                       condition("$ROWOF"),
                                   wanted));
    RG_TRY(words.run());
    for (const Part& part : kParts) {
      RG_ASSIGN(auto drop, prepared(owned.db, std::string("DELETE FROM ") + part.table + " WHERE " + condition(part.where), wanted));
      RG_TRY(drop.run());
    }
    RG_TRY(owned.db.exec("UPDATE rg_meta SET value = value + 1 WHERE key = 'generation'"));
    RG_TRY(transaction.commit());
  }
  RG_ASSIGN(deleted.not_given_back, owned.giveBack());
  RG_TRY(owned.close());
  deleted.file_bytes_after = sizeOf(store);
  return deleted;
}

Result<Compaction> compact(const std::string& store, WriterOptions options) {
  Compaction done{.file_bytes_before = sizeOf(store)};
  OwnedStore owned;
  RG_TRY(owned.open(store, std::move(options)));
  RG_ASSIGN(done.not_given_back, owned.giveBack());
  RG_TRY(owned.close());
  done.file_bytes_after = sizeOf(store);
  return done;
}

}  // namespace

Result<Deletion> previewDeletion(const std::string& store, const DeletionWanted& wanted) {
  auto found = preview(store, wanted);
  return found.ok() ? std::move(found) : withAdvice(found.status());
}

Result<Deletion> deleteRuns(const std::string& store, const DeletionWanted& wanted, WriterOptions options) {
  auto deleted = deleteAll(store, wanted, std::move(options));
  return deleted.ok() ? std::move(deleted) : withAdvice(deleted.status());
}

Result<Compaction> compactStore(const std::string& store, WriterOptions options) {
  auto done = compact(store, std::move(options));
  return done.ok() ? std::move(done) : withAdvice(done.status());
}

}  // namespace runglass
