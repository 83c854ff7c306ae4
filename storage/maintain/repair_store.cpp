// SPDX-License-Identifier: Apache-2.0
// Invariant: the damaged store is only read. The new one is written under <to>.part and renamed when verify finds no damage in it.
#include "storage/maintain/repair_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <set>

#include "model/random_uuid.h"
#include "storage/codec/capture_body.h"
#include "storage/codec/pyramid.h"
#include "storage/codec/sample_chunk.h"
#include "storage/codec/span_chunk.h"
#include "storage/maintain/new_store.h"
#include "storage/maintain/rebuild_tables.h"
#include "storage/maintain/salvage_rows.h"
#include "storage/maintain/verify_store.h"
#include "storage/open_store.h"
#include "storage/schema/past_attempts.h"
#include "storage/schema/schema.h"
#include "storage/schema/store_references.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/page_checksum_vfs.h"
#include "storage/store_files.h"
#include "storage/writer.h"

namespace runglass {
namespace {

constexpr const char* kWhat = "cannot repair";

class Repairing {
 public:
  Repairing(std::string from, std::string part, std::stop_token stop)
      : m_from_path(std::move(from)), m_part(std::move(part)), m_stop(std::move(stop)) {}

  Result<Repair> run() {
    RG_ASSIGN(m_from, sqlite::Connection::open(m_from_path, sqlite::OpenMode::kReadOnly));
    RG_ASSIGN(const auto application, m_from.queryInt64("PRAGMA application_id"));
    if (application.value_or(0) != sqlite::kApplicationId)
      return Status(Code::kFailedPrecondition, std::string(kWhat) + ": " + m_from_path + ": this is not a Runglass store");
    RG_ASSIGN(const auto version, m_from.queryInt64("PRAGMA user_version"));
    RG_TRY(checkSchema(m_from_path, version.value_or(0)));
    m_repair.page_checksums = sqlite::hasPageChecksums(m_from.raw());
    RG_TRY(makeEmpty());
    RG_TRY(m_to.exec("PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY; BEGIN IMMEDIATE"));
    RG_TRY(copyTables());
    RG_TRY(addPastPid(m_to.raw(), m_part));
    RG_TRY(dropDamaged("rg_chunk", "chunk_id", "series_id, x0, x1, n, crc, data, chunk_id", isChunkGood));
    RG_TRY(dropDamaged("rg_thinned", "chunk_id", "series_id, x0, x1, n, crc, data, chunk_id", isChunkGood));
    RG_TRY(dropDamaged("rg_pyramid", "pyramid_id", "series_id, x0, x1, chunks, crc, data, pyramid_id", isChunkGood));
    RG_TRY(dropDamaged("rg_span_chunk", "chunk_id", "track_id, t0, t1, n, crc, data, chunk_id", isChunkGood));
    RG_TRY(dropDamaged("rg_capture", "capture_id", "bytes, packed, crc, body", isCaptureGood));
    RG_TRY(nameSpans());
    for (const Placeholder& placeholder : kPlaceholders) RG_TRY(m_to.exec(placeholder.sql));
    RG_TRY(dropOrphans());
    RG_TRY(completePyramids());
    RG_TRY(settleCounts());
    RG_TRY(m_to.exec("INSERT INTO rg_log_words(rg_log_words) VALUES('rebuild')"));
    RG_TRY(recordLosses());
    RG_TRY(m_to.exec("COMMIT"));
    RG_ASSIGN(const auto left, verifyStore(m_to, m_stop));
    if (!left.empty())
      return Status(Code::kInternal, std::string(kWhat) + ": " + m_from_path + ": the new store is not clean: " + left.front());
    RG_TRY(m_to.close());
    return std::move(m_repair);
  }

 private:
  Status makeEmpty() {
    RG_ASSIGN(auto writer, openStore(m_part).writer());
    RG_TRY(writer->close());
    RG_ASSIGN(m_to, sqlite::Connection::open(m_part, sqlite::OpenMode::kReadWrite));
    RG_ASSIGN(auto rows, m_to.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'rg\\_%' ESCAPE '\\' AND name NOT "
                                      "LIKE 'rg\\_log\\_words%' ESCAPE '\\' ORDER BY name"));
    while (true) {
      RG_ASSIGN(const bool row, rows.step());
      if (!row) return {};
      m_tables.emplace_back(rows.text(0));
    }
  }

  Status copyTables() {
    RG_ASSIGN(const std::string own_uuid, m_to.queryText("SELECT value FROM rg_meta WHERE key = 'store_uuid'"));
    RG_TRY(m_to.exec("DELETE FROM rg_meta"));
    std::vector<std::string> incomplete;
    for (const std::string& table : m_tables) {
      const auto known = m_from.queryInt64("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '" + table + "'");
      RG_TRY(known.status());
      if (known->value_or(0) == 0) continue;  // a table of a later schema than this file's
      const std::size_t lost = m_repair.lost.size();
      const auto rows = salvageRows(m_from, m_to, table, m_repair.lost, m_stop);
      if (!rows.ok() && (rows.status().code() == Code::kCancelled || rows.status().code() == Code::kResourceExhausted))
        return rows.status();
      if (!rows.ok()) m_repair.lost.push_back({"table " + table, rows.status().message()});
      m_repair.tables.emplace_back(table, rows.ok() ? *rows : 0);
      if (m_repair.lost.size() > lost) incomplete.push_back(table);
    }
    for (const std::string& table : incomplete) RG_TRY(reserveIds(m_to, table));
    return m_to.exec("INSERT OR IGNORE INTO rg_meta(key, value) VALUES('store_uuid', '" + own_uuid + "'), ('generation', 1)");
  }

  static bool isChunkGood(const sqlite::Statement& row) {
    return chunkChecksum(static_cast<std::uint64_t>(row.int64(1)), row.int64(2), row.int64(3), static_cast<std::uint64_t>(row.int64(4)),
                         row.blob(6)) == static_cast<std::uint32_t>(row.int64(5));
  }
  static bool isCaptureGood(const sqlite::Statement& row) {
    return captureChecksum(row.blob(4), row.int64(2) != 0, row.int64(1)) == static_cast<std::uint32_t>(row.int64(3));
  }
  // Removes rows whose own checksum does not match: in stores without page checksums.
  Status dropDamaged(const std::string& table, const std::string& id, const std::string& columns, bool (*good)(const sqlite::Statement&)) {
    std::vector<std::int64_t> bad;
    RG_ASSIGN(auto rows, m_to.prepare("SELECT " + id + ", " + columns + " FROM " + table));
    while (true) {
      RG_ASSIGN(const bool row, rows.step());
      if (!row) break;
      if (!good(rows)) bad.push_back(rows.int64(0));
    }
    for (const std::int64_t one : bad) {
      m_repair.lost.push_back({"row " + std::to_string(one) + " of " + table, "checksum mismatch", 1});
      RG_TRY(m_to.exec("DELETE FROM " + table + " WHERE " + id + " = " + std::to_string(one)));
    }
    return {};
  }

  bool lostFrom(const std::string& table) const {
    return std::ranges::any_of(m_repair.lost, [&](const LostObject& lost) { return lost.object.ends_with(" " + table); });
  }

  // Spans refer to their names by string id: lost strings get placeholders.
  Status nameSpans() {
    if (!lostFrom("rg_string")) return {};
    std::set<std::int64_t> names;
    RG_ASSIGN(auto rows, m_to.prepare("SELECT n, data FROM rg_span_chunk"));
    while (true) {
      RG_ASSIGN(const bool row, rows.step());
      if (!row) break;
      SpanChunk spans;
      if (decodeSpanChunk(rows.blob(1), static_cast<std::size_t>(rows.int64(0)), spans)) names.insert(spans.name.begin(), spans.name.end());
    }
    RG_ASSIGN(auto insert, m_to.prepare("INSERT OR IGNORE INTO rg_string(string_id, text) VALUES(?1, '(lost ' || ?1 || ')')"));
    for (const std::int64_t name : names) {
      insert.bind(1, name);
      RG_TRY(insert.run());
    }
    return {};
  }

  // Each pass may remove rows that others refer to.
  Status dropOrphans() {
    for (bool again = true; again;) {
      again = false;
      for (const Reference& reference : kReferences) {
        const std::string sql = reference.sql;
        RG_TRY(m_to.exec("DELETE" + sql.substr(sql.find(" FROM "))));
        if (m_to.changes() == 0) continue;
        m_repair.lost.push_back(
            {std::to_string(m_to.changes()) + " rows (" + reference.what + ")", "they name something that is lost", m_to.changes()});
        again = true;
      }
    }
    return {};
  }

  // A pyramid row covers complete chunks: where a sealed chunk's first block has no entry, its row is lost and is rebuilt from the samples.
  Status completePyramids() {
    RG_ASSIGN(auto series, m_to.prepare("SELECT DISTINCT series_id FROM rg_chunk"));
    while (true) {
      RG_ASSIGN(const bool row, series.step());
      if (!row) return {};
      if (m_stop.stop_requested()) return {Code::kCancelled, "repair was cancelled"};
      RG_TRY(completePyramid(series.int64(0)));
    }
  }
  Status completePyramid(std::int64_t series) {
    std::multiset<std::pair<std::int64_t, std::int64_t>> known;
    RG_ASSIGN(auto stored, m_to.prepare("SELECT data FROM rg_pyramid WHERE series_id = ?"));
    stored.bind(1, series);
    while (true) {
      RG_ASSIGN(const bool row, stored.step());
      if (!row) break;
      Pyramid pyramid;
      if (!decodePyramid(stored.blob(0), pyramid)) continue;
      for (std::size_t i = 0; i < pyramid.size(); ++i) known.emplace(pyramid.x0[i], pyramid.x1[i]);
    }
    RG_ASSIGN(auto chunks, m_to.prepare("SELECT x0, x1, n, data FROM rg_chunk WHERE series_id = ? AND sealed = 1"));
    RG_ASSIGN(auto insert, m_to.prepare("INSERT INTO rg_pyramid(series_id, x0, x1, chunks, crc, data) VALUES(?1, ?2, ?3, 1, ?4, ?5)"));
    chunks.bind(1, series);
    while (true) {
      RG_ASSIGN(const bool row, chunks.step());
      if (!row) return {};
      const auto n = static_cast<std::size_t>(chunks.int64(2));
      if (n == 0 || n > kChunkPoints) continue;
      std::vector<std::int64_t> x(n), time(n);
      std::vector<double> value(n);
      if (!decodeSampleChunk(chunks.blob(3), n, chunks.int64(0), x.data(), time.data(), value.data())) continue;
      Pyramid pyramid;
      appendPyramid(x.data(), value.data(), n, pyramid);
      const auto entry = known.find({pyramid.x0[0], pyramid.x1[0]});
      if (entry != known.end()) {
        known.erase(entry);
        continue;
      }
      const std::string data = encodePyramid(pyramid);
      insert.bind(1, series);
      insert.bind(2, chunks.int64(0));
      insert.bind(3, chunks.int64(1));
      insert.bind(4, chunkChecksum(static_cast<std::uint64_t>(series), chunks.int64(0), chunks.int64(1), 1, data));
      insert.bindBlob(5, data);
      RG_TRY(insert.run());
    }
  }

  // Samples missing from a series' count are booked as deleted by retention; where there are more than counted, the series row was out of
  // date. A lost row of rg_expired counted samples that retention had deleted: they are lost only if chunks are lost as well.
  Status settleCounts() {
    RG_TRY(m_to.exec(
        "CREATE TEMP TABLE found AS SELECT s.series_id, s.last_x, s.sample_count - ifnull((SELECT sum(n) FROM rg_chunk c WHERE c.series_id "
        "= "
        "s.series_id), 0) - ifnull((SELECT sample_count FROM rg_expired e WHERE e.series_id = s.series_id), 0) AS missing, (SELECT 1 FROM "
        "rg_expired e WHERE e.series_id = s.series_id) IS NULL AS unbooked FROM rg_series s;"
        "INSERT INTO rg_expired(series_id, sample_count, last_x) SELECT series_id, missing, ifnull(last_x, 0) FROM found WHERE missing > 0 "
        "ON CONFLICT(series_id) DO UPDATE SET sample_count = sample_count + excluded.sample_count, last_x = max(last_x, excluded.last_x);"
        "UPDATE rg_series SET sample_count = sample_count - (SELECT missing FROM found f WHERE f.series_id = rg_series.series_id) WHERE "
        "series_id IN (SELECT series_id FROM found WHERE missing < 0)"));
    const bool uncounted = lostFrom("rg_expired"), chunks = lostFrom("rg_chunk") || lostFrom("rg_thinned");
    RG_ASSIGN(
        auto lost,
        m_to.prepare("SELECT f.series_id, m.text, f.missing, f.unbooked FROM found f JOIN rg_series s USING(series_id) JOIN rg_string m ON "
                     "m.string_id = s.metric WHERE f.missing > 0"));
    while (true) {
      RG_ASSIGN(const bool row, lost.step());
      if (!row) break;
      const bool unbooked = uncounted && lost.int64(3) != 0;
      if (unbooked && !chunks) continue;
      m_repair.lost.push_back(
          {std::to_string(lost.int64(2)) + " samples of series " + std::to_string(lost.int64(0)) + " (" + std::string(lost.text(1)) + ")",
           unbooked ? "their chunks are lost, or retention had deleted them: their row of rg_expired is lost" : "their chunks are lost",
           0});
    }
    lost.reset();
    return m_to.exec("DROP TABLE temp.found");
  }

  // An issue for each lost object, and one for those beyond kMaxIssues.
  Status recordLosses() {
    RG_ASSIGN(auto insert, m_to.prepare("INSERT INTO rg_issue(code, source, count, detail) VALUES('store.lost_in_repair', ?1, ?2, ?3) ON "
                                        "CONFLICT(code, source) DO UPDATE SET count = count + excluded.count, detail = excluded.detail"));
    const auto record = [&insert](std::string_view object, std::int64_t count, std::string_view why) {
      insert.bind(1, object);
      insert.bind(2, count);
      insert.bind(3, why);
      return insert.run();
    };
    const auto& lost = m_repair.lost;
    for (std::size_t i = 0; i < std::min(lost.size(), kMaxIssues); ++i)
      RG_TRY(record(lost[i].object, std::max<std::int64_t>(1, lost[i].rows.value_or(1)),
                    lost[i].rows ? lost[i].why : "an unknown number of rows: " + lost[i].why));
    if (lost.size() <= kMaxIssues) return {};
    return record("further objects", static_cast<std::int64_t>(lost.size() - kMaxIssues), lost[kMaxIssues].why);
  }

  static constexpr std::size_t kMaxIssues = 1'000;

  const std::string m_from_path, m_part;
  const std::stop_token m_stop;
  sqlite::Connection m_from, m_to;
  std::vector<std::string> m_tables;
  Repair m_repair;
};

// What a process that writes the store changes.
using StoreState = std::array<std::array<std::int64_t, 4>, 4>;
StoreState stateOf(const std::string& store) {
  StoreState state{};
  std::size_t i = 0;
  for (const std::string& path : {store, walPath(store), journalPath(store), nextJournalPath(store)}) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0)
      state[i] = {static_cast<std::int64_t>(info.st_ino), info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    ++i;
  }
  return state;
}

Status checkUnwritten(const std::string& store) {
  if (const auto holder = holderOf(store))
    return {Code::kFailedPrecondition, std::string(kWhat) + ": " + store + ": process " + holder->pid + " writes it; stop that first"};
  if (const std::string lock = lockPath(store); ::access(lock.c_str(), R_OK) != 0 && errno != ENOENT)
    return {Code::kPermissionDenied,
            std::string(kWhat) + ": " + lock + ": cannot be read, so that a process that writes the store is not seen"};
  return {};
}

// Copies acknowledged batches that are not in the store yet. The new store has the same uuid and marks, and replays them.
Status copyJournals(const std::string& from, const std::string& to) {
  for (const auto& [source, target] : {std::pair(journalPath(from), journalPath(to)), {nextJournalPath(from), nextJournalPath(to)}}) {
    std::error_code error;
    if (!std::filesystem::exists(source, error)) continue;
    if (!std::filesystem::copy_file(source, target, error))
      return {Code::kUnavailable, std::string(kWhat) + ": " + target + ": " + error.message()};
  }
  return {};
}

}  // namespace

Result<Repair> repairStore(const std::string& from, const std::string& to, std::stop_token stop) {
  RG_TRY(isFree(to, kWhat));
  RG_TRY(checkUnwritten(from));
  const StoreState before = stateOf(from);
  const std::string part = partOf(to);
  auto repaired = Repairing(from, part, std::move(stop)).run();
  Status status = repaired.status();
  if (status.ok()) status = copyJournals(from, to);
  // A hub may have started meanwhile: tables would be of different times, and its batches missing without a word.
  if (status.ok()) status = checkUnwritten(from);
  if (status.ok() && stateOf(from) != before)
    status = {Code::kFailedPrecondition, std::string(kWhat) + ": " + from + ": was written meanwhile; begin again"};
  if (status.ok()) status = putInPlace(to, kWhat);
  if (!status.ok()) {
    removeStore(part);
    for (const std::string& journal : {journalPath(to), nextJournalPath(to)}) ::unlink(journal.c_str());  // isFree(): only ours
    return status;
  }
  return repaired;
}

}  // namespace runglass
