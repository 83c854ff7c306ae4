// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A hidden table shows only rows that the file holds, each complete; a row that it names may be left out.
// 2. leaveOut() returns true only if it hid a table, an index or rows that no earlier call hid, so that a caller that repeats its statement
//    ends.
#include "storage/damage/page_bypass.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "storage/damage/salvage_rows.h"

namespace runglass {
namespace {

constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMaxNamed = 4;

// Tables too large to copy, with the index and the column that name the owner of an unreadable row.
struct Bulk {
  std::string_view table, index, owner, what;
};
constexpr std::array<Bulk, 7> kBulk = {{{"rg_chunk", "rg_chunk_series", "series_id", "series"},
                                        {"rg_pyramid", "rg_pyramid_series", "series_id", "series"},
                                        {"rg_thinned", "rg_thinned_series", "series_id", "series"},
                                        {"rg_span_chunk", "rg_span_chunk_track", "track_id", "track"},
                                        {"rg_event", "", "", ""},
                                        {"rg_log", "", "", ""},
                                        {"rg_capture", "", "", ""}}};

const Bulk* bulkOf(std::string_view table) {
  const auto* const found = std::ranges::find(kBulk, table, &Bulk::table);
  return found == kBulk.end() ? nullptr : found;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : between) + part;
  return all;
}

}  // namespace

bool PageBypass::leaveOut(const Status& failed) {
  const std::string sql = sqlite::takeDamagedStatement(m_db);
  if (failed.code() != Code::kDataLoss || sql.empty() || m_db.inTransaction()) return false;
  const auto trees = treesOf(sql);
  if (!trees.ok()) return false;
  std::set<std::string> tables;
  for (const Tree& tree : *trees) tables.insert(tree.table);
  bool any = false;
  for (const std::string& table : tables) {
    const auto more = examine(table, *trees);
    any = any || (more.ok() && *more);
  }
  return any;
}

void PageBypass::renew(std::int64_t version) {
  if (m_tables.empty() || version == m_version) return;
  const bool first = m_version < 0;
  m_version = version;
  if (first || m_db.inTransaction()) return;
  for (const auto& [table, how] : m_tables) static_cast<void>(hide(table, how));
}

// The tables and indexes of the file that the statement opens.
Result<std::vector<PageBypass::Tree>> PageBypass::treesOf(const std::string& sql) {
  std::set<std::int64_t> roots;
  {
    RG_ASSIGN(auto steps, m_db.prepare("EXPLAIN " + sql));
    while (true) {
      RG_ASSIGN(const bool row, steps.step());
      if (!row) break;
      if ((steps.text(1) == "OpenRead" || steps.text(1) == "ReopenIdx") && steps.int64(4) == 0) roots.insert(steps.int64(3));
    }
  }
  std::vector<Tree> trees;
  RG_ASSIGN(auto rows, m_db.prepare("SELECT type, name, tbl_name, sql, rootpage FROM main.sqlite_schema WHERE name GLOB 'rg_*' OR tbl_name "
                                    "GLOB 'rg_*'"));
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return trees;
    // Without its generation, the file cannot be combined with the data of a writer.
    if (!roots.contains(rows.int64(4)) || rows.text(2) == "rg_meta") continue;
    trees.push_back({std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2)), std::string(rows.text(3))});
  }
}

bool PageBypass::isReadable(const std::string& sql) {
  auto rows = m_db.prepare(sql);
  if (!rows.ok()) return true;  // an index that queries cannot name
  while (true) {
    const auto row = rows->step();
    if (!row.ok()) return row.status().code() != Code::kDataLoss;
    if (!*row) return true;
  }
}

// True: later statements read less of the table than before.
Result<bool> PageBypass::examine(const std::string& table, const std::vector<Tree>& trees) {
  const auto known = m_tables.find(table);
  Table how = known == m_tables.end() ? Table{.bulk = bulkOf(table) != nullptr} : known->second;
  const auto indexDamaged = [&] {
    return std::ranges::any_of(trees, [&](const Tree& tree) {
      if (tree.table != table || tree.type != "index") return false;
      const std::size_t condition = tree.sql.find(" WHERE ");
      return !isReadable("SELECT count(*) FROM main." + table + " INDEXED BY " + tree.name +
                         (condition == std::string::npos ? "" : tree.sql.substr(condition)));
    });
  };
  if (!how.bulk) {
    if (known != m_tables.end()) return false;
    if (isReadable("SELECT * FROM main." + table + " NOT INDEXED") && !indexDamaged()) return false;
  } else {
    RG_ASSIGN(bool more, findRows(table, how, false));
    if (!more && !how.without_indexes && indexDamaged()) {
      more = how.without_indexes = true;
      m_log->note("an index of " + table);
    }
    if (!more) {
      RG_ASSIGN(more, findRows(table, how, true));
    }
    if (!more) return false;
  }
  RG_TRY(hide(table, how));
  m_tables.insert_or_assign(table, std::move(how));
  return true;
}

Result<bool> PageBypass::findRows(const std::string& table, Table& how, bool values) {
  RG_ASSIGN(const auto key, m_db.queryText("SELECT name FROM pragma_table_info('" + table + "', 'main') WHERE pk = 1"));
  const std::string from = " FROM main." + table + " NOT INDEXED WHERE " + key + " >= ?1 ORDER BY " + key;
  RG_ASSIGN(auto rows, m_db.prepare("SELECT " + key + (values ? ", *" : "") + from));
  RG_ASSIGN(auto one, m_db.prepare("SELECT " + key + from + " LIMIT 1"));
  const auto probe = [&](std::int64_t at) -> Result<bool> {
    one.reset();
    one.bind(1, at);
    const auto row = one.step();
    if (!row.ok() && row.status().code() != Code::kDataLoss) return row.status();
    return row.ok();
  };
  bool found = false;
  std::int64_t at = 0;
  while (true) {
    rows.reset();
    rows.bind(1, at);
    while (true) {
      const auto row = rows.step();
      if (row.ok() && !*row) return found;
      if (!row.ok()) {
        if (row.status().code() != Code::kDataLoss) return row.status();
        break;
      }
      if (rows.int64(0) == kHighest) return found;
      at = rows.int64(0) + 1;
    }
    const auto passed = std::ranges::find_if(how.unreadable, [at](const Rows& part) { return part.first <= at && at <= part.last; });
    Rows part{at, at};
    if (passed != how.unreadable.end()) {
      part.last = passed->last;
    } else {
      RG_ASSIGN(const bool page, probe(at));
      if (page) {  // the row can be found, but one of its values cannot be read
        part = {one.int64(0), one.int64(0)};
      } else {
        RG_ASSIGN(const std::int64_t next, nextReadable(at, probe));
        part.last = next == kHighest ? kHighest : next - 1;
      }
      const bool is_new =
          std::ranges::none_of(how.unreadable, [&](const Rows& old) { return old.first <= part.first && part.last <= old.last; });
      if (is_new) {
        how.unreadable.push_back(part);
        std::ranges::sort(how.unreadable, {}, &Rows::first);
        note(table, part);
        found = true;
      }
    }
    if (part.last == kHighest) return found;
    at = part.last + 1;
  }
}

void PageBypass::note(const std::string& table, const Rows& rows) {
  const std::string first = std::to_string(rows.first), last = std::to_string(rows.last);
  std::string object = rows.first == rows.last ? "row " + first
                       : rows.last == kHighest ? "rows from " + first
                                               : "rows " + first + " to " + last;
  object += " of " + table;
  const Bulk* const bulk = bulkOf(table);
  if (bulk != nullptr && !bulk->index.empty()) {
    const std::string owner(bulk->owner);
    // The index still has the keys of the rows.
    const auto key = m_db.queryText("SELECT name FROM pragma_table_info('" + table + "', 'main') WHERE pk = 1");
    const auto owners =
        texts("SELECT DISTINCT " + owner + " FROM main." + table + " INDEXED BY " + std::string(bulk->index) + " WHERE " +
              (key.ok() ? *key : "rowid") + " BETWEEN " + first + " AND " + last + " LIMIT " + std::to_string(kMaxNamed + 1));
    if (owners.ok() && !owners->empty()) {
      const bool more = owners->size() > kMaxNamed;
      std::vector<std::string> named(owners->begin(), owners->begin() + static_cast<std::ptrdiff_t>(std::min(kMaxNamed, owners->size())));
      object = std::string(bulk->what) + ' ' + joined(named, ", ") + (more ? ", …" : "") + " (" + object + ")";
    }
  }
  m_log->note(object);
}

Result<std::vector<std::string>> PageBypass::texts(const std::string& sql) {
  RG_ASSIGN(auto rows, m_db.prepare(sql));
  std::vector<std::string> all;
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return all;
    all.emplace_back(rows.text(0));
  }
}

Status PageBypass::hide(const std::string& table, const Table& how) {
  RG_TRY(m_db.exec("PRAGMA query_only=OFF"));
  const Status hidden = how.bulk ? hideBulk(table, how) : hideByCopy(table);
  RG_TRY(m_db.exec("PRAGMA query_only=ON"));
  return hidden;
}

// A scan of the table meets the damaged page after the last row before it. Up to there, the view finds rows by a copy of their ids and
// indexed columns, newer ones in the file itself; where an index is damaged, all of them by the copy.
Status PageBypass::hideBulk(const std::string& table, const Table& how) {
  const std::string copy = "readable_" + table;
  RG_TRY(m_db.exec("DROP VIEW IF EXISTS temp." + table + "; DROP TABLE IF EXISTS temp." + copy));
  RG_ASSIGN(const auto key, m_db.queryText("SELECT name FROM pragma_table_info('" + table + "', 'main') WHERE pk = 1"));
  RG_ASSIGN(const auto indexed, texts("SELECT DISTINCT c.name FROM pragma_index_list('" + table +
                                      "', 'main') i JOIN pragma_index_info(i.name, 'main') c WHERE "
                                      "c.name IS NOT NULL AND c.name <> '" +
                                      key + "' AND c.name <> 'summary'"));
  std::vector<std::string> kept{key};
  kept.insert(kept.end(), indexed.begin(), indexed.end());
  RG_TRY(m_db.exec("CREATE TEMP TABLE " + copy + "(" + key + " INTEGER PRIMARY KEY, " + joined(indexed, ", ") + ")"));
  RG_TRY(m_db.exec("BEGIN"));
  const Status copied = copyKeys(table, copy, kept, how);
  RG_TRY(m_db.exec(copied.ok() ? "COMMIT" : "ROLLBACK"));
  RG_TRY(copied);
  RG_TRY(m_db.exec("CREATE INDEX temp." + copy + "_i ON " + copy + "(" + joined(indexed, ", ") + ")"));
  RG_ASSIGN(const auto all, texts("SELECT name FROM pragma_table_info('" + table + "', 'main') ORDER BY cid"));
  std::vector<std::string> columns;
  for (const std::string& column : all)
    columns.push_back((std::ranges::find(kept, column) != kept.end() ? "k." : "m.") + column + " AS " + column);
  std::string newer;
  if (!how.without_indexes && how.unreadable.back().last < kHighest)
    newer = " UNION ALL SELECT * FROM main." + table + " WHERE " + key + " >= " + std::to_string(how.unreadable.back().last + 1);
  return m_db.exec("CREATE TEMP VIEW " + table + " AS SELECT " + joined(columns, ", ") + " FROM temp." + copy + " k CROSS JOIN main." +
                   table + " m ON m." + key + " = k." + key + newer);
}

// Of the readable rows up to the last unreadable one, or of all where indexes are not used.
Status PageBypass::copyKeys(const std::string& table, const std::string& copy, const std::vector<std::string>& columns, const Table& how) {
  RG_ASSIGN(auto rows, m_db.prepare("SELECT " + joined(columns, ", ") + " FROM main." + table + " NOT INDEXED WHERE " + columns[0] +
                                    " >= ?1 ORDER BY " + columns[0]));
  RG_ASSIGN(auto insert, m_db.prepare("INSERT INTO temp." + copy + " VALUES(?1" + [&] {
    std::string marks;
    for (std::size_t i = 1; i < columns.size(); ++i) marks += ", ?" + std::to_string(i + 1);
    return marks;
  }() + ")"));
  std::vector<Rows> parts = how.unreadable;
  if (how.without_indexes) parts.push_back({kHighest, kHighest});
  std::int64_t begin = 0;
  for (const Rows& part : parts) {
    rows.reset();
    rows.bind(1, begin);
    while (begin < part.first) {
      const auto row = rows.step();
      if (!row.ok() && row.status().code() != Code::kDataLoss) return row.status();
      if (!row.ok() || !*row || rows.int64(0) >= part.first) break;
      for (int i = 0; i < rows.columnCount(); ++i) sqlite3_bind_value(insert.raw(), i + 1, sqlite3_column_value(rows.raw(), i));
      RG_TRY(insert.run());
    }
    if (part.last == kHighest) break;
    begin = part.last + 1;
  }
  return {};
}

Status PageBypass::hideByCopy(const std::string& table) {
  RG_TRY(m_db.exec("DROP TABLE IF EXISTS temp." + table));
  RG_ASSIGN(std::string made, m_db.queryText("SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = '" + table + "'"));
  constexpr std::string_view kCreate = "CREATE TABLE ";
  if (!made.starts_with(kCreate)) return {Code::kDataLoss, "the schema of " + table + " cannot be read"};
  RG_TRY(m_db.exec("CREATE TEMP TABLE " + made.substr(kCreate.size())));
  // By a connection for which the table is not hidden.
  RG_ASSIGN(auto file,
            sqlite::Connection::open(m_db.path(), sqlite3_uri_boolean(sqlite3_db_filename(m_db.raw(), "main"), "immutable", 0) != 0
                                                      ? sqlite::OpenMode::kImmutable
                                                      : sqlite::OpenMode::kReadOnly));
  std::vector<LostObject> lost;
  RG_TRY(salvageRows(file, m_db, table, lost, {}).status());
  for (const LostObject& one : lost) m_log->note(one.object);
  if (lost.empty()) m_log->note("an index of " + table);
  RG_ASSIGN(const auto indexes,
            texts("SELECT sql FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = '" + table + "' AND sql IS NOT NULL"));
  for (const std::string& index : indexes) {
    const std::size_t name = index.find("INDEX ");
    if (name != std::string::npos) RG_TRY(m_db.exec(index.substr(0, name + 6) + "temp." + index.substr(name + 6)));
  }
  return {};
}

}  // namespace runglass
