// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. After a unit was left out, the transaction contains nothing of it.
// 2. After SQLITE_CORRUPT or a failed read, a transaction stores nothing and does not commit (tried with 3.40): it is restarted.
#include "storage/write/commit_rows.h"

namespace runglass {

Result<bool> CommitRows::togetherCarefully(sqlite::Connection& db, std::string_view table, std::optional<std::uint64_t> key,
                                           const std::function<Status()>& write) {
  const std::string name = std::string(table) + (key ? '=' : '#') + std::to_string(key ? *key : m_counts[std::string(table)]++);
  Refused group{.table = std::string(table), .sql = {}, .why = {}};
  if (m_left_out.contains(name)) group.why = "its pages are damaged";
  RG_TRY(db.exec("SAVEPOINT unit"));
  m_group = &group;
  const Status written = write();
  m_group = nullptr;
  if (!written.ok()) {
    if (db.spoiledByDamage()) {
      m_spoiled = true;
      m_left_out.insert(name);
    }
    return written;
  }
  if (!group.why.empty()) RG_TRY(db.exec("ROLLBACK TO unit"));
  RG_TRY(db.exec("RELEASE unit"));
  if (group.why.empty()) return true;
  m_refused.push_back(std::move(group));
  return false;
}

Status CommitRows::putCarefully(sqlite::Connection& db, sqlite::Statement& row, std::string_view table) {
  if (m_group == nullptr) return togetherCarefully(db, table, std::nullopt, [&] { return putCarefully(db, row, table); }).status();
  const std::string sql = row.expanded();
  if (!sql.empty()) m_group->sql.append(sql).append(";\n");
  // Once a row of the unit was refused, the others are only listed.
  if (!m_group->why.empty()) return {};
  const Status written = row.run();
  if (written.ok() || db.spoiledByDamage() || !db.failedLocally()) return written;
  m_group->why = written.message();
  return {};
}

}  // namespace runglass
