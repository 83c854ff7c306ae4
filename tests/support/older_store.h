// SPDX-License-Identifier: Apache-2.0
// A store of the first schema, as SQL written by the program of that version (tests/data/schema15.sql), and schema histories with
// additional versions.
//
// Threading:  one thread.
// Errors:     a failure here fails the test.
// Cost:       milliseconds.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include "storage/schema/schema.h"
#include "storage/sqlite/connection.h"

namespace runglass::test {

// Written by SQLite alone: its pages have no checksums.
inline void makeOlderStore(const std::string& path, std::int64_t schema = shippedSchema().first) {
  std::ifstream dump(RG_TEST_DATA "/schema15.sql");
  ASSERT_TRUE(dump);
  std::stringstream sql;
  sql << "PRAGMA application_id=" << sqlite::kApplicationId << "; PRAGMA user_version=" << schema << ';' << dump.rdbuf();
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.str().c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

// The shipped schemas followed by `more`.
class LaterSchema {
 public:
  explicit LaterSchema(std::initializer_list<const char*> more)
      : m_scripts(shippedSchema().scripts.begin(), shippedSchema().scripts.end()) {
    m_scripts.insert(m_scripts.end(), more);
    m_history = {shippedSchema().first, m_scripts};
  }
  LaterSchema(const LaterSchema&) = delete;
  LaterSchema& operator=(const LaterSchema&) = delete;
  const SchemaHistory& history() const { return m_history; }
  std::string newest() const { return std::to_string(m_history.newest()); }

 private:
  std::vector<const char*> m_scripts;
  SchemaHistory m_history;
};

}  // namespace runglass::test
