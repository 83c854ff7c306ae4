// SPDX-License-Identifier: Apache-2.0
// ForeignDatabase: reads an SQLite file that somebody else made and that may be built to harm.
//
// Threading:  one thread.
// Ownership:  owns a private copy of the file, which has no name and goes with the object.
// Units:      none.
// Errors:     open(): INVALID_ARGUMENT for what is no sound database; UNAVAILABLE, RESOURCE_EXHAUSTED for the copy. Queries: what SQLite
//             says. CANCELLED when `stop` fires.
// Cost:       a copy of the file in the folder for temporary files, and one check of all its pages.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "collectors/importers/importer.h"

struct sqlite3;
struct sqlite3_stmt;

namespace runglass {

// A row of a query's answer; columns count from 0.
class ForeignRow {
 public:
  explicit ForeignRow(sqlite3_stmt* statement) : m_statement(statement) {}
  bool isInteger(int column) const;  // and not a text or a real that int64() would make one of, often 0
  std::int64_t int64(int column) const;
  std::optional<std::int64_t> optionalInt64(int column) const;
  std::string_view text(int column) const;  // until the next row

 private:
  sqlite3_stmt* m_statement;
};

class ForeignDatabase {
 public:
  static Result<std::unique_ptr<ForeignDatabase>> open(ByteStream& in, const std::string& path, std::stop_token stop);
  ~ForeignDatabase();
  ForeignDatabase(const ForeignDatabase&) = delete;
  ForeignDatabase& operator=(const ForeignDatabase&) = delete;

  bool hasTable(const std::string& table) const { return m_tables.contains(table); }
  std::set<std::string> columns(const std::string& table);
  Status query(const std::string& sql, const std::function<void(const ForeignRow&)>& take);

 private:
  ForeignDatabase(std::string path, std::stop_token stop) : m_path(std::move(path)), m_stop(std::move(stop)) {}
  Status copy(ByteStream& in, std::string& name);
  Status prepare(const std::string& name);
  Status check();
  Status failed(const char* what) const;

  std::string m_path;
  std::stop_token m_stop;
  std::size_t m_bytes = 0;
  sqlite3* m_db = nullptr;
  std::set<std::string> m_tables;
};

}  // namespace runglass
