// SPDX-License-Identifier: Apache-2.0
// All contents of an incident's page or report, as values: cost, timeline, suspects, ruled-out causes, changes before it, data quality,
// environment and evidence cards.
//
// Threading:  on the thread of the Reader; the answer is immutable afterwards.
// Units:      TimeNs, DurNs, half-open ranges.
// Errors:     the Reader's; CANCELLED when `stop` fires. Unknown values are absent with a reason.
// Cost:       as readGoodput() and, if requested, one read of the ranking; at most kMaxEventsRead events of the window and one catalogue
//             read of the series of the run and its nodes.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/compare/fact_diff.h"
#include "analysis/incident/evidence_cards.h"
#include "analysis/incident/incident_cost.h"
#include "analysis/incident/incident_suspects.h"
#include "analysis/incident/incident_timeline.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kMaxEventsRead = 10'000, kMaxEnvironment = 100;

struct QualityIssue {
  std::string code, help;
  Severity severity = Severity::kInfo;
  std::int64_t count = 0;  // over the whole store: issues are not counted by time
  std::size_t sources = 0;
};

// The quality of the data in the window.
struct DataQuality {
  Reported<std::int64_t> ranks_reported;   // with steps in the window, of `ranks`
  std::int64_t ranks = 0;                  // of the attempt; 0: unknown
  Reported<std::int64_t> series_reported;  // series of the run and its nodes with a sample in the window, of `series`
  std::int64_t series = 0;
  std::vector<QualityIssue> issues;  // overlapping the window, the most severe first
  Reported<std::int64_t> lost;       // number of data losses (issues of severity error)
  Reported<DurNs> clock_error;       // the largest over the attempt's nodes
  std::string clock_node;            // the node with that error
  std::int64_t nodes_without_clock = 0;
  std::optional<double> least_coverage;  // minimum over the findings that have one
};

struct EnvironmentFact {
  std::string key, value;
  std::size_t values = 1;  // number of distinct values; `value` is the most frequent
};

struct IncidentAnswer {
  Incident incident;
  std::vector<Finding> findings;           // of the incident, root first
  words::Sentence title, sentence;         // the incident's own text, else computed
  std::optional<TimeRange> range;          // its own, else that of its findings
  std::optional<TimeRange> shown;          // kMargin wider; the range of timeline, ruled-out causes and data quality
  std::optional<Attempt> attempt, before;  // at its start, and the previous one
  IncidentImpact impact;
  Timeline timeline;
  std::vector<IncidentSuspect> suspects;
  std::string suspects_reason;          // why there are none
  std::vector<std::string> next_steps;  // recommended actions, the root's first
  std::vector<RuledOut> ruled_out;
  std::vector<FactDelta> changes;  // compared with the previous attempt
  std::string changes_reason;      // why there are none
  NodeChange nodes;                // compared with the previous attempt
  DataQuality quality;
  std::vector<EnvironmentFact> environment;
  std::vector<IncidentEvidence> cards;  // suggested; the incident's own are in `incident`
};

struct IncidentQuestion {
  const Run& run;
  const Incident& incident;
  std::span<const Finding> findings;  // of the run
  std::optional<double> price;        // per GPU-hour, in any currency
  bool with_ranking = true;
};

// When it was first visible: the start of its first finding, else its own start.
std::optional<TimeNs> firstSign(const IncidentAnswer& answer);

Result<IncidentAnswer> readIncidentAnswer(Reader& reader, const IncidentQuestion& question, std::stop_token stop);

}  // namespace runglass
