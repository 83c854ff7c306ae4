// SPDX-License-Identifier: GPL-3.0-or-later
// Data of the view `incidents`: the run's incidents in the order of the list, the proposals, and one incident in full.
//
// Threading:  the readers on a query worker; values are immutable.
// Units:      TimeNs.
// Errors:     the Reader's; NOT_FOUND if there is no run.
// Cost:       readIncidentList(): catalogue reads and the proposals. readIncidentPage(): as readIncidentAnswer().
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/incident/incident_answer.h"
#include "analysis/incident/likely_cause.h"
#include "analysis/incident/propose.h"
#include "widgets/core/selection.h"
#include "widgets/incidents/slice_estimate.h"

namespace runglass {

inline constexpr DurNs kShareMargin = 60 * kNsPerSecond;  // before and after an incident that is exported

struct IncidentList {
  Run run;
  bool live = false;                // the run may still be running
  std::vector<Incident> incidents;  // open first, then mitigated, resolved, dismissed; the worst and newest of them first
  std::vector<Finding> findings;    // of the run
  Proposals proposals;              // best first
  std::map<AttemptId, std::int32_t> numbers;
  std::map<std::string, NodeId, std::less<>> nodes;

  const Incident* find(std::string_view uuid) const;
  const IncidentProposal* proposal(std::string_view key) const;
  std::optional<std::int32_t> numberOf(AttemptId attempt) const;
  QString titleOf(const Incident& incident, int max_chars = 200) const;
};
Result<IncidentList> readIncidentList(Reader& reader, RunId wanted, std::stop_token stop);
void sortIncidents(std::vector<Incident>& incidents);

struct IncidentPage {
  IncidentAnswer answer;
  std::optional<LikelyCause> likely;
  SliceEstimate size;
  bool ranked = false;  // the ranking was included in the query
};
struct PageQuestion {
  std::shared_ptr<const IncidentList> list;
  Incident incident;  // may be a proposal
  std::optional<double> price;
  bool with_ranking = false;
};
Result<IncidentPage> readIncidentPage(Reader& reader, const PageQuestion& question, std::stop_token stop);

// The parts of a `select` (model/place_link.h) that the list can resolve, applied to `base`; unknown parts are ignored.
Selection selectionOfText(const IncidentList& list, Selection base, std::string_view select);
// The selection for a selected incident: its run, attempt and uuid; its range with a margin.
Selection selectionOf(const Incident& incident);
std::optional<TimeRange> windowOf(const Incident& incident);

}  // namespace runglass
