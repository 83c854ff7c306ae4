// SPDX-License-Identifier: Apache-2.0
// CommitRows: how a commit writes its rows. Normally directly; in a careful commit each in a savepoint, so that a refused row (a
// constraint, a damaged page) is left out and the others are stored. Internal to storage.
//
// Threading:  that of the connection.
// Ownership:  owns the refused rows.
// Errors:     those of SQLite that do not concern a single row. A damaged page spoils the transaction: see mustRestart().
// Cost:       none in addition to the statement; careful: a savepoint per row.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "storage/sqlite/connection.h"

namespace runglass {

class CommitRows {
 public:
  struct Refused {
    std::string table;
    std::string sql;  // of the rows, with their values
    std::string why;
  };

  // From now on each row separately, until finish(). Units that spoiled an earlier transaction are left out.
  void beCareful() { m_careful = true, m_spoiled = false, m_counts.clear(), m_refused.clear(); }
  void finish() { m_careful = m_spoiled = false, m_left_out.clear(), m_refused.clear(); }
  bool careful() const { return m_careful; }

  Status put(sqlite::Connection& db, sqlite::Statement& row, std::string_view table) {
    return m_careful ? putCarefully(db, row, table) : row.run();
  }
  // Rows that make sense only together, written by put(). `key` identifies the unit within the table; absent: its ordinal among the units,
  // which is the same in each transaction of a commit. False: the rows are left out.
  template <class Write>
  Result<bool> together(sqlite::Connection& db, std::string_view table, std::optional<std::uint64_t> key, const Write& write) {
    if (m_careful) return togetherCarefully(db, table, key, write);
    RG_TRY(write());
    return true;
  }

  // After a failure: SQLite accepts nothing more in this transaction. The unit that spoiled it is left out of the next one.
  bool mustRestart() const { return m_spoiled && m_left_out.size() <= kMaxLeftOut; }
  const std::vector<Refused>& refused() const { return m_refused; }

 private:
  static constexpr std::size_t kMaxLeftOut = 64;  // beyond that, the disk is at fault and not a page

  Status putCarefully(sqlite::Connection& db, sqlite::Statement& row, std::string_view table);
  Result<bool> togetherCarefully(sqlite::Connection& db, std::string_view table, std::optional<std::uint64_t> key,
                                 const std::function<Status()>& write);

  bool m_careful = false, m_spoiled = false;
  std::map<std::string, std::uint64_t, std::less<>> m_counts;  // number of units by table
  std::set<std::string> m_left_out;
  std::vector<Refused> m_refused;  // in this transaction
  Refused* m_group = nullptr;      // the current unit
};

}  // namespace runglass
