// SPDX-License-Identifier: Apache-2.0
#include "storage/write/edit_rows.h"

#include "model/rank_order.h"
#include "storage/maintain/rebuild_tables.h"
#include "storage/sqlite/bind_row.h"
#include "storage/write/writer_parts.h"

namespace runglass {

Status EditRows::edit(const Edit& edit) {
  RG_TRY(checkEdit(edit));
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  // The run that the edit names may not be in the file yet.
  RG_TRY(m_catalog.save(m_db, m_rows));
  RG_TRY(std::visit([this](const auto& one) { return save(one); }, edit));
  RG_TRY(transaction.commit());
  noteCommitted(m_catalog, *m_tail, {StorePart::kEdits});
  m_tail->noteChange();
  return std::holds_alternative<AgentForget>(edit) ? m_agents.load(m_db) : Status();
}

Status EditRows::save(const Note& note) {
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

Result<AttemptId> EditRows::attemptOf(const std::string& run_uuid, std::int32_t number, const std::string& what) {
  RG_ASSIGN(auto find,
            m_db.prepare("SELECT a.attempt_id FROM rg_attempt a JOIN rg_run r USING(run_id) WHERE r.uuid = ?1 AND a.number = ?2"));
  find.bind(1, std::string_view(run_uuid));
  find.bind(2, number);
  RG_ASSIGN(const bool found, find.step());
  if (!found) return Status(Code::kNotFound, what + ": attempt " + std::to_string(number) + " of run " + run_uuid + ": not in this store");
  return AttemptId{static_cast<std::uint64_t>(find.int64(0))};
}

// Stored as a fact of the attempt: exported with it, and visible to every Reader.
Status EditRows::save(const RankOrderChoice& choice) {
  RG_ASSIGN(const AttemptId attempt, attemptOf(choice.run_uuid, choice.attempt, "order of ranks"));
  m_catalog.fact({.attempt = attempt, .node = {}, .rank = {}, .key = kRankOrderFact, .value = choice.order});
  return m_catalog.save(m_db, m_rows);
}

Result<Run> EditRows::findRun(std::string_view name) {
  if (auto run = m_catalog.findRun(name)) return *std::move(run);
  return Status(Code::kNotFound, "no such run: " + std::string(name) + ": the store has none of that name");
}

std::optional<Edits::ImportMark> EditRows::importMark(std::string_view path_key) {
  const auto pending = m_marks.find(std::string(path_key));
  if (pending != m_marks.end()) return pending->second;
  auto statement = m_db.prepare("SELECT identity, offset, run_id, state FROM rg_import WHERE path_key = ?");
  if (!statement.ok()) return std::nullopt;
  statement->bind(1, path_key);
  const auto row = statement->step();
  if (!row.ok() || !*row) return std::nullopt;
  return Edits::ImportMark{std::string(statement->text(0)),
                           statement->int64(1),
                           {static_cast<std::uint64_t>(statement->int64(2))},
                           std::string(statement->text(3))};
}

bool EditRows::anyPending() const { return !m_findings.empty() || !m_marks.empty() || !m_pins.empty(); }

Status EditRows::saveMarks() {
  if (!m_marks.empty()) {
    RG_ASSIGN(auto statement,
              m_db.prepare("INSERT OR REPLACE INTO rg_import(path_key, identity, offset, run_id, state) VALUES(?,?,?,?,?)"));
    for (const auto& [path, mark] : m_marks) {
      bindAll(statement, std::string_view(path), std::string_view(mark.identity), mark.offset, idOrNull(mark.run),
              std::string_view(mark.state));
      RG_TRY(statement.run());
    }
  }
  if (m_pins.empty()) return {};
  RG_ASSIGN(auto statement, m_db.prepare("INSERT INTO rg_pin(t0_ns, t1_ns, reason) VALUES(?,?,?)"));
  for (const auto& [range, reason] : m_pins) {
    bindAll(statement, range.t0, range.t1, std::string_view(reason));
    RG_TRY(statement.run());
  }
  return {};
}

void EditRows::committed() {
  if (!m_findings.empty()) noteCommitted(m_catalog, *m_tail, {StorePart::kFindings});
  m_findings.clear();
  m_marks.clear();
  m_pins.clear();
}

}  // namespace runglass
