// SPDX-License-Identifier: Apache-2.0
// EditRows: data that people, analyses and importers add about runs. Internal to storage; the calls are those of Edits.
// Invariants:
// 1. alerts(), incident() and edit() are each a transaction of their own, including the catalogue rows that they may name: after OK it is
//    committed, after a failure nothing is stored.
// 2. Findings, import marks and pins are stored by the next commit of everything, in order of arrival.
//
// Threading:  the writer's thread; saveFindings() and saveMarks(): the commit's, while no other call runs.
// Errors:     as run_edits.h.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/read/live_tail.h"
#include "storage/run_edits.h"
#include "storage/sqlite/connection.h"
#include "storage/write/agent_table.h"
#include "storage/write/catalog.h"
#include "storage/write/commit_rows.h"

namespace runglass {

class EditRows {
 public:
  EditRows(const std::string& path, sqlite::Connection& db, CommitRows& rows, Catalog& catalog, LiveTail& tail, AgentTable& agents)
      : m_path(path), m_db(db), m_rows(rows), m_catalog(catalog), m_tail(&tail), m_agents(agents) {}

  void finding(const Finding& finding) { m_findings.push_back(finding); }
  Status alerts(std::span<const Alert> alerts);  // store_alert.cpp
  Status incident(const Incident& incident);     // store_incident.cpp
  Status setIncident(std::string_view uuid);     // store_incident.cpp
  Status edit(const Edit& edit);
  std::optional<Edits::ImportMark> importMark(std::string_view path_key);
  void setImportMark(std::string_view path_key, const Edits::ImportMark& mark) { m_marks[std::string(path_key)] = mark; }
  Result<Run> findRun(std::string_view name);
  void pin(TimeRange range, std::string_view reason) { m_pins.emplace_back(range, reason); }
  bool hasPins() const { return !m_pins.empty(); }
  bool anyPending() const;

  // Part of a commit of everything, inside its transaction; committed() after its commit.
  Status saveFindings();  // store_findings.cpp
  Status saveMarks();     // and pins
  void committed();

  // Rows of the caller's transaction.
  Status save(const Note& note);
  Status save(const RankOrderChoice& choice);
  Status save(const ClockAlignment& alignment);  // store_align.cpp
  Status save(const Snooze& snooze);             // store_alert.cpp
  Status save(const IncidentEdit& edit);         // store_incident.cpp
  Status save(const AgentForget& forget) { return m_agents.forget(m_db, forget); }
  Status saveIncident(Incident incident);  // store_incident.cpp
  // The NOT_FOUND message begins with `what`, the object that names the run.
  Result<AttemptId> attemptOf(const std::string& run_uuid, std::int32_t number, const std::string& what);

 private:
  Status savePins(const Incident& incident);                        // store_incident.cpp
  Status keepPublished(const Finding& known, const Finding& next);  // store_findings.cpp

  const std::string& m_path;
  sqlite::Connection& m_db;
  CommitRows& m_rows;
  Catalog& m_catalog;
  LiveTail* const m_tail;
  AgentTable& m_agents;
  std::vector<Finding> m_findings;
  std::map<std::string, Edits::ImportMark> m_marks;
  std::vector<std::pair<TimeRange, std::string>> m_pins;
};

}  // namespace runglass
