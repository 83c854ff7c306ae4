// SPDX-License-Identifier: Apache-2.0
// AroundDamage: the deletable rows where some pages cannot be read, and a record of the rows left because of that. Internal to storage.
//
// Threading:  the writer's thread, outside a transaction.
// Ownership:  borrows everything; must not outlive it.
// Errors:     those of SQLite, except damage.
// Cost:       a query per owner of rows; about 100 lookups per damaged page encountered.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "storage/maintain/retention.h"

namespace runglass {

class AroundDamage {
 public:
  AroundDamage(sqlite::Connection& db, RetentionOutcome& outcome) : m_db(db), m_outcome(outcome) {}

  struct Row {
    std::int64_t at, id;  // at: the key by which rows are deleted in order
  };
  // `object`: the affected object of the table, "" where unknown. False: the failure is not damage, and nothing was noted.
  bool note(const std::string& table, const std::string& object, const Status& failed);
  // Damage is noted and gives OK; any other failure is returned.
  Status skip(const std::string& table, const Status& failed, const std::string& object = "") {
    return note(table, object, failed) ? Status() : failed;
  }

  // Rows of `sql`, whose ?1 is the lower bound of the number that it is ordered by, ?2 the limit, and whose columns are an id and that
  // number. An unreadable page is skipped.
  Result<std::vector<Row>> ordered(const std::string& table, const std::string& sql, std::int64_t limit);
  // The lowest number at or above `from` at which `probe` can read.
  static Result<std::int64_t> nextReadable(std::int64_t from, const std::function<Result<bool>(std::int64_t)>& probe);

  // Queries for the rows of each owner, from either end.
  struct Owners {
    std::string sql;     // SELECT an id, ordered by it
    std::string table;   // the table of the rows
    std::string what;    // "series"
    std::string rows;    // SELECT id, at … of owner ?1 … LIMIT ?2
    std::string listed;  // SELECT id, at … of owner ?1, from an index alone; may list more rows than `rows`
    std::string order;   // of `listed`, a column
    std::string one;     // SELECT id, at … of the row ?1, if it is one of `rows`
  };
  Result<std::vector<Row>> ofOwners(const Owners& owners, std::int64_t each);

  // Where rows cannot be erased in one step, erases them by halves; rows that cannot be erased at all are noted and never returned again.
  Status erase(const std::string& table, std::span<const std::int64_t> ids,
               const std::function<Status(std::span<const std::int64_t>)>& erase);

 private:
  // Reads from both ends where the middle cannot be read.
  Result<std::vector<Row>> fromEnds(const std::string& sql, const std::string& order, std::optional<std::int64_t> owner, Status& damage);

  sqlite::Connection& m_db;
  RetentionOutcome& m_outcome;
  std::map<std::string, std::set<std::int64_t>> m_skipped;  // row ids by table
};

}  // namespace runglass
