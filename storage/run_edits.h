// SPDX-License-Identifier: Apache-2.0
// Edits: conclusions and notes of people, analyses and importers about runs.
//
// Threading:  the store writer's thread.
// Errors:     those of flush(), where a call commits.
// Cost:       a few rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/alerts.h"
#include "model/edits.h"
#include "model/findings.h"
#include "model/incident.h"
#include "model/result.h"
#include "model/topology.h"

namespace runglass {

class Edits {
 public:
  virtual ~Edits() = default;

  // Upsert by (run, kind, subject, first_step). The words before are kept where they were published (Finding::published):
  // Reader::publishedFindings().
  virtual void finding(const Finding& finding) = 0;
  // Upsert by (rule, cause, since); committed when it returns OK. The newest kMaxAlerts are kept.
  static constexpr std::int64_t kMaxAlerts = 20'000;
  virtual Status alerts(std::span<const Alert> alerts) = 0;
  // Upsert by uuid with the given times (now where absent), and its pinned ranges; committed when it returns OK. People's changes go
  // through edit().
  virtual Status incident(const Incident& incident) = 0;
  // Committed when it returns OK, and then visible to every Reader. INVALID_ARGUMENT: see checkEdit(), or shifts that contradict each
  // other; NOT_FOUND: no such run, attempt or note (named); ABORTED: the incident was changed since it was read; those of flush().
  virtual Status edit(const Edit& edit) = 0;
  // Marks the store as being about this incident: programs open it there.
  virtual Status setIncident(std::string_view uuid) = 0;
  // Re-import state per file: identity of the content and committed offset.
  struct ImportMark {
    std::string identity;
    std::int64_t offset = 0;
    RunId run;
    std::string state;
  };
  virtual std::optional<ImportMark> importMark(std::string_view path_key) = 0;
  virtual void setImportMark(std::string_view path_key, const ImportMark& mark) = 0;
  virtual Result<Run> findRun(std::string_view name) = 0;          // NOT_FOUND: no such run
  virtual void pin(TimeRange range, std::string_view reason) = 0;  // exempt from retention
};

}  // namespace runglass
