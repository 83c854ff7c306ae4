// SPDX-License-Identifier: Apache-2.0
// PageBypass: after a statement met a damaged page, hides the tables that it damaged behind TEMP objects of the same name, which hold their
// readable rows: names without a schema find TEMP objects first, so that each later statement of the connection gives the rest. The rows
// that are left out are noted in the DamageLog. Internal to storage.
//
// Threading:  the connection's thread, outside a transaction.
// Ownership:  borrows the connection; the TEMP objects live as long as it does.
// Errors:     none: a failure to go around damage leaves the statement's own error.
// Cost:       nothing without damage. A bulk table is scanned for unreadable rows once, its values only if a long value is damaged; any
// other
//             table is copied, again after each commit of another connection.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/damage/damage_log.h"
#include "storage/sqlite/connection.h"

namespace runglass {

class PageBypass {
 public:
  PageBypass(sqlite::Connection& db, std::shared_ptr<DamageLog> log) : m_db(db), m_log(std::move(log)) {}

  // After a statement failed. True: it met a damaged page that later statements will not read.
  bool leaveOut(const Status& failed);
  // Before statements, `version` being PRAGMA data_version: replaces copies that are out of date.
  void renew(std::int64_t version);
  // A statement that names an index of a hidden table cannot be prepared.
  bool hides(std::string_view table) const { return m_tables.contains(table); }
  bool any() const { return !m_tables.empty(); }

 private:
  struct Rows {
    std::int64_t first, last;  // row ids
  };
  struct Table {
    std::vector<Rows> unreadable;  // in order
    bool without_indexes = false;  // an index is damaged
    bool bulk = false;
  };
  struct Tree {
    std::string type, name, table, sql;
  };

  Result<std::vector<Tree>> treesOf(const std::string& sql);
  Result<bool> examine(const std::string& table, const std::vector<Tree>& trees);
  Status hide(const std::string& table, const Table& how);
  Status hideBulk(const std::string& table, const Table& how);
  Status copyKeys(const std::string& table, const std::string& copy, const std::vector<std::string>& columns, const Table& how);
  Status hideByCopy(const std::string& table);
  // New unreadable rows of a bulk table: those whose page is unreadable, or with `values` those of which a value is.
  Result<bool> findRows(const std::string& table, Table& how, bool values);
  bool isReadable(const std::string& sql);
  void note(const std::string& table, const Rows& rows);
  Result<std::vector<std::string>> texts(const std::string& sql);

  sqlite::Connection& m_db;
  std::shared_ptr<DamageLog> m_log;
  std::map<std::string, Table, std::less<>> m_tables;  // those that are hidden
  std::int64_t m_version = -1;
};

inline Status statusOf(const Status& status) { return status; }
template <class Value>
Status statusOf(const Result<Value>& result) {
  return result.status();
}

// Calls `read` again as long as `leave_out` could leave out the damage that it met.
template <class Read, class LeaveOut>
auto aroundDamage(const Read& read, const LeaveOut& leave_out) -> decltype(read()) {
  while (true) {
    auto answer = read();
    const Status status = statusOf(answer);
    if (status.ok() || !leave_out(status)) return answer;
  }
}

}  // namespace runglass
