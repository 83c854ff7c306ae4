// SPDX-License-Identifier: Apache-2.0
#include "storage/maintain/rebuild_tables.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "storage/maintain/salvage_rows.h"
#include "storage/schema/store_references.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/store_lock.h"

namespace runglass {
namespace {

// They identify the store and record which batches were acknowledged: rebuilt with rows missing they would be wrong, not incomplete.
constexpr std::array<std::string_view, 2> kNeverRebuilt = {"rg_meta", "rg_stream"};
// Tables that grow with the data.
constexpr std::array<std::string_view, 7> kBulk = {"rg_chunk",   "rg_thinned", "rg_pyramid", "rg_span_chunk",
                                                   "rg_capture", "rg_event",   "rg_log"};
bool isOneOf(std::span<const std::string_view> names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

struct TableSql {
  std::string table;
  std::vector<std::string> indexes;
};

class Rebuilding {
 public:
  explicit Rebuilding(std::string path) : m_path(std::move(path)) {}

  Result<std::vector<LostObject>> run() {
    RG_ASSIGN(m_from, sqlite::Connection::open(m_path, sqlite::OpenMode::kReadOnly));
    RG_ASSIGN(const auto damaged, damagedTables());
    if (damaged.empty()) return std::move(m_lost);
    RG_ASSIGN(m_to, sqlite::Connection::open(m_path, sqlite::OpenMode::kReadWrite));
    // References to a renamed table must keep its old name, and its indexes must release theirs.
    sqlite3_db_config(m_to.raw(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    RG_TRY(m_to.exec("PRAGMA synchronous=FULL; PRAGMA legacy_alter_table=ON"));
    RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_to, sqlite::Transaction::Kind::kImmediate));
    for (const auto& [table, why] : damaged) RG_TRY(rebuild(table, why));
    RG_TRY(makePlaceholders());
    if (std::ranges::find(damaged, "rg_log", &Damaged::table) != damaged.end())
      RG_TRY(m_to.exec("INSERT INTO rg_log_words(rg_log_words) VALUES('rebuild')"));
    RG_TRY(transaction.commit());
    return std::move(m_lost);
  }

 private:
  struct Damaged {
    std::string table, why;
  };

  // Rows whose table cannot be searched because of a damaged page get no placeholder: they refer to a missing row, which verify then
  // reports.
  Status makePlaceholders() {
    for (const Placeholder& placeholder : kPlaceholders) {
      if (std::ranges::find(m_incomplete, placeholder.table) == m_incomplete.end()) continue;
      const Status made = m_to.exec(placeholder.sql);
      // Unlike a page that does not match its checksum, an I/O error ends the transaction.
      if (!made.ok() && (made.code() != Code::kDataLoss || !m_to.inTransaction())) return made;
    }
    return {};
  }

  Result<std::vector<Damaged>> damagedTables() {
    RG_ASSIGN(const auto pages, m_from.queryInt64("PRAGMA page_count"));
    RG_ASSIGN(const auto page_size, m_from.queryInt64("PRAGMA page_size"));
    const bool with_bulk = pages.value_or(0) * page_size.value_or(0) <= kRebuildBytes;
    std::vector<std::string> tables;
    RG_ASSIGN(auto rows,
              m_from.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name LIKE 'rg\\_%' ESCAPE "
                             "'\\' AND name NOT LIKE 'rg\\_log\\_words%' ESCAPE '\\' ORDER BY name"));
    while (true) {
      RG_ASSIGN(const bool row, rows.step());
      if (!row) break;
      const std::string_view name = rows.text(0);
      if (!isOneOf(kNeverRebuilt, name) && (with_bulk || !isOneOf(kBulk, name))) tables.emplace_back(name);
    }
    std::vector<Damaged> damaged;
    for (std::string& table : tables) {
      const Status read = readThrough(table);
      if (!read.ok() && read.code() != Code::kDataLoss) return read;
      if (!read.ok()) damaged.push_back({std::move(table), read.message()});
    }
    return damaged;
  }

  // Reads all rows and checks the entries of every index.
  Status readThrough(const std::string& table) {
    RG_ASSIGN(auto check, m_from.prepare("PRAGMA integrity_check('" + table + "')"));
    RG_ASSIGN(const bool row, check.step());
    if (row && check.text(0) != "ok") return {Code::kDataLoss, std::string(check.text(0))};
    return {};
  }

  Result<TableSql> sqlOf(const std::string& table) {
    TableSql sql;
    RG_ASSIGN(auto rows, m_to.prepare("SELECT type, sql FROM sqlite_schema WHERE tbl_name = '" + table + "' AND sql IS NOT NULL"));
    while (true) {
      RG_ASSIGN(const bool row, rows.step());
      if (!row) return sql;
      if (rows.text(0) == "table") sql.table = rows.text(1);
      if (rows.text(0) == "index") sql.indexes.emplace_back(rows.text(1));
    }
  }

  Status rebuild(const std::string& table, const std::string& why) {
    RG_ASSIGN(const TableSql sql, sqlOf(table));
    RG_ASSIGN(const auto before,
              m_to.queryInt64("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name LIKE 'damaged\\_%' ESCAPE '\\'"));
    const std::string number = std::to_string(before.value_or(0) + 1), kept = "damaged_" + table + "_" + number;
    RG_TRY(m_to.exec("ALTER TABLE " + table + " RENAME TO " + kept));
    const std::string prefix = "damaged_" + number + "_";
    RG_TRY(m_to.exec("PRAGMA writable_schema=ON; UPDATE sqlite_schema SET name = '" + prefix + "' || name, sql = replace(sql, name, '" +
                     prefix + "' || name) WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = '" + kept +
                     "'; PRAGMA writable_schema=RESET"));
    RG_TRY(m_to.exec(sql.table));
    m_lost.push_back({"table " + table, why + "; rebuilt, the damaged one is kept as " + kept});
    const std::size_t lost = m_lost.size();
    RG_TRY(salvageRows(m_from, m_to, table, m_lost, {}).status());
    for (const std::string& index : sql.indexes) RG_TRY(m_to.exec(index));
    if (m_lost.size() == lost) return {};
    m_incomplete.push_back(table);
    return reserveIds(m_to, table);
  }

  const std::string m_path;
  sqlite::Connection m_from, m_to;  // m_from reads the file as it was before
  std::vector<LostObject> m_lost;
  std::vector<std::string> m_incomplete;  // rebuilt tables that have lost rows
};

}  // namespace

Status reserveIds(sqlite::Connection& db, const std::string& table) {
  constexpr int kReserved = 1'000'000;  // at least that many below the next id
  if (!db.prepare("SELECT rowid FROM " + table + " LIMIT 0").ok()) return {};
  const std::string key = "'" + firstIdKey(table) + "'";
  return db.exec("INSERT OR REPLACE INTO rg_meta(key, value) SELECT " + key + ", " + std::to_string(kReserved) +
                 " + max(ifnull((SELECT max(rowid) FROM " + table + "), 0), ifnull((SELECT value FROM rg_meta WHERE key = " + key +
                 "), 0))");
}

std::string newId(const std::string& table, const std::string& column) {
  return "(SELECT value + 1 FROM rg_meta WHERE key = '" + firstIdKey(table) + "' AND value > ifnull((SELECT max(" + column + ") FROM " +
         table + "), 0))";
}

Result<std::vector<LostObject>> rebuildDamagedTables(const std::string& path, const std::string& contact) {
  StoreLock lock;
  RG_TRY(lock.take(path, contact));
  return Rebuilding(path).run();
}

}  // namespace runglass
