// SPDX-License-Identifier: Apache-2.0
// Incidents: stored together with their pins, so that neither exists without the other.
// Invariants:
// 1. The pins of an incident are those of pinnedRanges(), replaced in the transaction that changes it.
// 2. updated_ns grows with each change of an incident: an edit based on an older version is refused instead of overwriting later changes.
#include <algorithm>
#include <limits>

#include "model/time_text.h"
#include "storage/maintain/incident_ranges.h"
#include "storage/maintain/rebuild_tables.h"
#include "storage/read/store_reader.h"
#include "storage/schema/rows.h"
#include "storage/write/edit_rows.h"
#include "storage/write/writer_parts.h"

namespace runglass {
namespace {

constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();

std::optional<TimeNs> endOf(const TimeRange& range) { return range.t1 == kHighest ? std::nullopt : std::optional(range.t1); }

// JSON as written by SQLite, which also parses it.
Result<std::string> evidenceJson(sqlite::Connection& db, const std::vector<IncidentEvidence>& cards) {
  RG_ASSIGN(auto object,
            db.prepare("SELECT json_object('kind', ?1, 'title', ?2, 'caption', ?3, 'start_ns', ?4, 'end_ns', ?5, 'select', ?6)"));
  std::string json = "[";
  for (const IncidentEvidence& card : cards) {
    object.bind(1, std::string_view(card.kind));
    object.bind(2, std::string_view(card.title));
    object.bind(3, std::string_view(card.caption));
    object.bind(4, card.range ? std::optional(card.range->t0) : std::nullopt);
    object.bind(5, card.range ? endOf(*card.range) : std::nullopt);
    object.bind(6, std::string_view(card.select));
    RG_TRY(object.step().status());
    json.append(json.size() > 1 ? "," : "").append(object.text(0));
    object.reset();
  }
  return json + "]";
}

std::string findingsJson(const std::vector<std::int64_t>& findings) {
  std::string json = "[";
  for (const std::int64_t id : findings) json.append(json.size() > 1 ? "," : "").append(std::to_string(id));
  return json + "]";
}

Status readFindings(sqlite::Connection& db, std::string_view json, std::vector<std::int64_t>& out) {
  RG_ASSIGN(auto each, db.prepare("SELECT value FROM json_each(?1) WHERE type = 'integer'"));
  each.bind(1, json);
  while (true) {
    RG_ASSIGN(const bool row, each.step());
    if (!row) return {};
    out.push_back(each.int64(0));
  }
}

Status readEvidence(sqlite::Connection& db, std::string_view json, std::vector<IncidentEvidence>& out) {
  RG_ASSIGN(auto each,
            db.prepare("SELECT value ->> 'kind', value ->> 'title', value ->> 'caption', value ->> 'start_ns', value ->> 'end_ns', "
                       "value ->> 'select' FROM json_each(?1) WHERE type = 'object'"));
  each.bind(1, json);
  while (true) {
    RG_ASSIGN(const bool row, each.step());
    if (!row) return {};
    IncidentEvidence& card = out.emplace_back();
    card.kind = each.text(0), card.title = each.text(1), card.caption = each.text(2), card.select = each.text(5);
    if (const auto start = each.optionalInt64(3)) card.range = TimeRange{*start, each.optionalInt64(4).value_or(kHighest)};
  }
}

// Incidents that match `rest`; list items that a damaged file made unreadable are left out and reported to `damaged`.
Result<std::vector<Incident>> incidentsWhere(sqlite::Connection& db, std::string_view rest, std::initializer_list<std::int64_t> args,
                                             std::optional<std::string_view> text, const std::function<void(const std::string&)>& damaged) {
  std::vector<rows::StoredIncident> stored;
  RG_TRY(rows::each<rows::StoredIncident>(
      db, rest, [&](rows::StoredIncident one) { stored.push_back(std::move(one)); }, args, text));
  std::vector<Incident> found;
  for (rows::StoredIncident& one : stored) {
    Incident& incident = found.emplace_back(std::move(one.incident));
    const std::string name = "incident " + std::to_string(incident.id);
    if (!readFindings(db, one.findings, incident.findings).ok()) damaged(name + ": findings");
    if (!readEvidence(db, one.evidence, incident.evidence).ok()) damaged(name + ": evidence");
  }
  return found;
}

// Whether the content is the same to a user: ignores the fields that the store maintains.
bool sameContent(Incident a, const Incident& b) {
  a.id = b.id, a.created = b.created, a.updated = b.updated;
  return a == b;
}

}  // namespace

Status EditRows::savePins(const Incident& incident) {
  RG_ASSIGN(auto drop, m_db.prepare("DELETE FROM rg_pin WHERE incident_id = ?1"));
  drop.bind(1, incident.id);
  RG_TRY(drop.run());
  RG_ASSIGN(auto add, m_db.prepare("INSERT INTO rg_pin(t0_ns, t1_ns, reason, incident_id) VALUES(?1, ?2, ?3, ?4)"));
  const std::string reason = "incident " + incident.uuid;
  for (const TimeRange& range : pinnedRanges(incident)) {
    add.bind(1, range.t0);
    add.bind(2, range.t1);
    add.bind(3, std::string_view(reason));
    add.bind(4, incident.id);
    RG_TRY(add.run());
  }
  return {};
}

Status EditRows::saveIncident(Incident incident) {
  RG_ASSIGN(const std::string evidence, evidenceJson(m_db, incident.evidence));
  RG_ASSIGN(
      auto save,
      m_db.prepare("INSERT INTO rg_incident(incident_id, uuid, run_id, attempt_id, title, state, severity, start_ns, end_ns, created_ns, "
                   "updated_ns, "
                   "cause, summary, notes, reason, findings, evidence) VALUES(" +
                   newId("rg_incident", "incident_id") +
                   ",?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16) "
                   "ON CONFLICT(uuid) DO UPDATE SET run_id=?2, attempt_id=?3, title=?4, state=?5, severity=?6, start_ns=?7, end_ns=?8, "
                   "created_ns=?9, updated_ns=?10, cause=?11, summary=?12, notes=?13, reason=?14, findings=?15, evidence=?16 "
                   "RETURNING incident_id"));
  const TimeNs now = wallNow();
  save.bind(1, std::string_view(incident.uuid));
  save.bind(2, incident.run.value);
  save.bind(3, incident.attempt ? std::optional(incident.attempt.value) : std::nullopt);
  save.bind(4, std::string_view(incident.title));
  save.bind(5, std::string_view(incidentStateName(incident.state)));
  save.bind(6, static_cast<int>(incident.severity));
  save.bind(7, incident.range ? std::optional(incident.range->t0) : std::nullopt);
  save.bind(8, incident.range ? endOf(*incident.range) : std::nullopt);
  save.bind(9, incident.created.value_or(now));
  save.bind(10, incident.updated.value_or(now));
  save.bind(11, std::string_view(incident.cause));
  save.bind(12, std::string_view(incident.summary));
  save.bind(13, std::string_view(incident.notes));
  save.bind(14, std::string_view(incident.reason));
  const std::string findings = findingsJson(incident.findings);
  save.bind(15, std::string_view(findings));
  save.bind(16, std::string_view(evidence));
  RG_TRY(save.step().status());
  incident.id = save.int64(0);
  // RETURNING: the row is written, but the statement must be reset before the transaction can end.
  save.reset();
  return savePins(incident);
}

Status EditRows::incident(const Incident& incident) {
  RG_TRY(checkIncident(incident));
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  RG_TRY(m_catalog.save(m_db, m_rows));
  RG_TRY(saveIncident(incident));
  RG_TRY(transaction.commit());
  noteCommitted(m_catalog, *m_tail, {StorePart::kEdits});
  m_tail->noteChange();
  return {};
}

Status EditRows::setIncident(std::string_view uuid) {
  RG_ASSIGN(auto set, m_db.prepare("INSERT OR REPLACE INTO rg_meta(key, value) VALUES('incident', ?1)"));
  set.bind(1, uuid);
  return set.run();
}

Status EditRows::save(const IncidentEdit& edit) {
  Incident wanted = edit.incident;
  const std::string name = "incident " + wanted.uuid;
  wanted.run = m_catalog.findRunByUuid(edit.run_uuid);
  if (!wanted.run) return {Code::kNotFound, name + ": run " + edit.run_uuid + ": not in this store"};
  wanted.attempt = {};
  if (edit.attempt) {
    RG_ASSIGN(wanted.attempt, attemptOf(edit.run_uuid, *edit.attempt, name));
  }
  RG_ASSIGN(const auto found, incidentsWhere(m_db, " WHERE uuid = ?1", {}, std::string_view(wanted.uuid), [](const std::string&) {}));
  if (found.empty()) {
    if (edit.remove) return {};
    if (wanted.updated) return {Code::kAborted, name + ": was deleted since it was read"};
    return saveIncident(std::move(wanted));
  }
  const Incident& stored = found.front();
  if (stored.run != wanted.run) return {Code::kNotFound, name + ": run " + edit.run_uuid + " has no such incident"};
  if (!edit.remove && sameContent(wanted, stored)) return {};
  if (!wanted.updated || *stored.updated > *wanted.updated)
    return {Code::kAborted, name + ": was changed at " + utcText(*stored.updated) + (wanted.updated ? ", since it was read" : "") +
                                "; read it again and repeat the change"};
  if (edit.remove) {
    RG_ASSIGN(auto drop, m_db.prepare("DELETE FROM rg_incident WHERE incident_id = ?1"));
    drop.bind(1, stored.id);
    RG_TRY(drop.run());
    RG_ASSIGN(auto free, m_db.prepare("DELETE FROM rg_pin WHERE incident_id = ?1"));
    free.bind(1, stored.id);
    return free.run();
  }
  wanted.created = stored.created;
  wanted.updated = std::max(wallNow(), *stored.updated + 1);
  return saveIncident(std::move(wanted));
}

Result<std::vector<Incident>> StoreReader::incidents(std::optional<RunId> run) {
  return incidentsWhere(m_file.db(), " WHERE ?1 = 0 OR run_id = ?1 ORDER BY ifnull(start_ns, created_ns) DESC, incident_id DESC",
                        {static_cast<std::int64_t>(run.value_or(RunId{}).value)}, std::nullopt,
                        [this](const std::string& what) { m_file.damage().note(what); });
}

Result<Incident> StoreReader::incident(std::string_view uuid) {
  RG_ASSIGN(auto found,
            incidentsWhere(m_file.db(), " WHERE uuid = ?1", {}, uuid, [this](const std::string& what) { m_file.damage().note(what); }));
  if (found.empty()) return Status(Code::kNotFound, "incident " + std::string(uuid) + ": not in this store");
  return std::move(found.front());
}

}  // namespace runglass
