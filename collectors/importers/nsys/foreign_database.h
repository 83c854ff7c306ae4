// SPDX-License-Identifier: Apache-2.0
// ForeignDatabase: reads an SQLite file from an untrusted source.
//
// Threading:  one thread.
// Ownership:  owns a private, unlinked copy of the file, which is deleted with the object.
// Errors:     open(): INVALID_ARGUMENT for a file that is not an intact database; UNAVAILABLE, RESOURCE_EXHAUSTED for the copy. Queries:
//             SQLite's errors. CANCELLED when `stop` fires.
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

// A row of a query's result; columns count from 0.
class ForeignRow {
 public:
  explicit ForeignRow(sqlite3_stmt* statement) : m_statement(statement) {}
  std::int64_t int64(int column) const;
  std::optional<std::int64_t> optionalInt64(int column) const;
  std::optional<std::int64_t> wholeNumber(int column) const;  // absent: text that is not a number, a fraction, a blob, NULL
  std::string_view text(int column) const;                    // valid until the next row

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
