// SPDX-License-Identifier: Apache-2.0
// StoreWriter: what people add, each edit in a transaction of its own.
// Invariants:
// 1. An edit that returned OK is committed; one that failed left nothing.
#include "model/rank_order.h"
#include "storage/maintain/rebuild_tables.h"
#include "storage/write/store_writer.h"

namespace runglass {

Status StoreWriter::edit(const Edit& edit) {
  atRest();
  RG_TRY(checkEdit(edit));
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  // The run it names may not be in the file yet.
  RG_TRY(m_catalog.save(m_db, m_rows));
  RG_TRY(std::visit([this](const auto& one) { return saveEdit(one); }, edit));
  RG_TRY(transaction.commit());
  catalogCommitted({StorePart::kEdits});
  m_tail->noteChange();
  return std::holds_alternative<AgentForget>(edit) ? loadAgents() : Status();
}

Status StoreWriter::saveEdit(const Note& note) {
  const RunId run = m_catalog.findRunByUuid(note.run_uuid);
  if (!run) return {Code::kNotFound, "note: run " + note.run_uuid + ": not in this store"};
  if (note.id == 0) {
    RG_ASSIGN(auto insert, m_db.prepare("INSERT INTO rg_note(note_id, run_id, time_ns, author, text) VALUES(" +
                                        newId("rg_note", "note_id") + ",?,?,?,?)"));
    insert.bind(1, run.value);
    insert.bind(2, note.time);
    insert.bind(3, std::string_view(note.author));
    insert.bind(4, std::string_view(note.text));
    return insert.run();
  }
  RG_ASSIGN(auto change,
            m_db.prepare(note.text.empty() ? "DELETE FROM rg_note WHERE note_id = ?1 AND run_id = ?2"
                                           : "UPDATE rg_note SET time_ns = ?3, author = ?4, text = ?5 WHERE note_id = ?1 AND run_id = ?2"));
  change.bind(1, note.id);
  change.bind(2, run.value);
  if (!note.text.empty()) {
    change.bind(3, note.time);
    change.bind(4, std::string_view(note.author));
    change.bind(5, std::string_view(note.text));
  }
  RG_TRY(change.run());
  if (m_db.changes() == 0) return {Code::kNotFound, "note " + std::to_string(note.id) + ": run " + note.run_uuid + " has no such note"};
  return {};
}

Result<AttemptId> StoreWriter::attemptOf(const std::string& run_uuid, std::int32_t number, const std::string& what) {
  RG_ASSIGN(auto find,
            m_db.prepare("SELECT a.attempt_id FROM rg_attempt a JOIN rg_run r USING(run_id) WHERE r.uuid = ?1 AND a.number = ?2"));
  find.bind(1, std::string_view(run_uuid));
  find.bind(2, number);
  RG_ASSIGN(const bool found, find.step());
  if (!found) return Status(Code::kNotFound, what + ": attempt " + std::to_string(number) + " of run " + run_uuid + ": not in this store");
  return AttemptId{static_cast<std::uint64_t>(find.int64(0))};
}

// Kept as a fact of the attempt: exported with it, and seen by every Reader.
Status StoreWriter::saveEdit(const RankOrderChoice& choice) {
  RG_ASSIGN(const AttemptId attempt, attemptOf(choice.run_uuid, choice.attempt, "order of ranks"));
  m_catalog.fact({.attempt = attempt, .node = {}, .rank = {}, .key = kRankOrderFact, .value = choice.order});
  return m_catalog.save(m_db, m_rows);
}

}  // namespace runglass
