// SPDX-License-Identifier: Apache-2.0
#include "storage/read/run_members.h"

namespace runglass {

Result<RunMembers> membersOf(sqlite::Connection& db, RunId run) {
  RunMembers members;
  const auto collect = [&](const char* sql, std::unordered_set<std::uint64_t>& into) -> Status {
    RG_ASSIGN(auto statement, db.prepare(sql));
    statement.bind(1, run.value);
    while (true) {
      RG_ASSIGN(const bool row, statement.step());
      if (!row) return {};
      if (statement.int64(0) != 0) into.insert(static_cast<std::uint64_t>(statement.int64(0)));
    }
  };
  RG_TRY(collect("SELECT attempt_id FROM rg_attempt WHERE run_id = ?1", members.attempts));
  RG_TRY(collect(
      "SELECT r.node_id FROM rg_rank r JOIN rg_attempt a ON a.attempt_id = r.attempt_id WHERE a.run_id = ?1 UNION SELECT node_id FROM "
      "rg_past_rank WHERE run_id = ?1",
      members.nodes));
  RG_TRY(collect(
      "SELECT r.device_id FROM rg_rank r JOIN rg_attempt a ON a.attempt_id = r.attempt_id WHERE a.run_id = ?1 UNION SELECT device_id FROM "
      "rg_past_rank WHERE run_id = ?1",
      members.devices));
  return members;
}

std::string ofRun(RunId run, bool with_devices) {
  const std::string id = std::to_string(run.value);
  const auto of_ranks = [&](const std::string& column) {
    return "e." + column + " IN (SELECT r." + column +
           " FROM rg_rank r JOIN rg_attempt a ON a.attempt_id = r.attempt_id WHERE a.run_id = " + id + " UNION SELECT " + column +
           " FROM rg_past_rank WHERE run_id = " + id + ")";
  };
  return " AND (e.attempt_id IN (SELECT attempt_id FROM rg_attempt WHERE run_id = " + id + ") OR (e.attempt_id IS NULL AND (" +
         of_ranks("node_id") + (with_devices ? " OR " + of_ranks("device_id") : std::string()) + ")))";
}

}  // namespace runglass
