// SPDX-License-Identifier: Apache-2.0
// Everything that a page or a report says of an incident, as values: what it cost, what happened and who knew it when, who is suspected,
// what was ruled out, what changed before it, how good the data is, where it ran, and which cards show it.
//
// Threading:  on the thread of the Reader; the answer is immutable afterwards.
// Units:      TimeNs, DurNs, half-open ranges.
// Errors:     the Reader's; CANCELLED when `stop` fires. What is not known is absent and says why.
// Cost:       as readGoodput() and, where asked for, one read of the ranking; at most kMaxEventsRead events of the window and one
//             catalogue read of the run's and its nodes' series.
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
  std::int64_t count = 0;  // over all of the store: issues are not counted by time
  std::size_t sources = 0;
};

// How far the data of the window may be trusted.
struct DataQuality {
  Reported<std::int64_t> ranks_reported;   // that told steps in it, of `ranks`
  std::int64_t ranks = 0;                  // of the attempt; 0: not known
  Reported<std::int64_t> series_reported;  // of the run and its nodes with a sample in it, of `series`
  std::int64_t series = 0;
  std::vector<QualityIssue> issues;  // that overlap it, the most severe first
  Reported<std::int64_t> lost;       // how often data was lost (issues of severity error)
  Reported<DurNs> clock_error;       // the largest of the attempt's nodes
  std::string clock_node;            // whose
  std::int64_t nodes_without_clock = 0;
  std::optional<double> least_coverage;  // of the findings that say theirs
};

struct EnvironmentFact {
  std::string key, value;
  std::size_t values = 1;  // how many different ones; `value` is the most frequent
};

struct IncidentAnswer {
  Incident incident;
  std::vector<Finding> findings;           // that belong to it, root first
  std::string title, sentence;             // the incident's own words, else computed
  std::optional<TimeRange> range;          // its own, else of its findings
  std::optional<TimeRange> shown;          // kMargin wider: of which time line, what was ruled out and data quality speak
  std::optional<Attempt> attempt, before;  // when it began, and the one before that
  IncidentImpact impact;
  Timeline timeline;
  std::vector<IncidentSuspect> suspects;
  std::string suspects_reason;          // why there is none
  std::vector<std::string> next_steps;  // what to do, the root's first
  std::vector<RuledOut> ruled_out;
  std::vector<FactDelta> changes;  // against the attempt before
  std::string changes_reason;      // why there is none
  NodeChange nodes;                // against the attempt before
  DataQuality quality;
  std::vector<EnvironmentFact> environment;
  std::vector<IncidentEvidence> cards;  // suggested; the incident's own are in `incident`
};

struct IncidentQuestion {
  const Run& run;
  const Incident& incident;
  std::span<const Finding> findings;  // of the run
  std::optional<double> price;        // of a GPU-hour, in any currency
  bool with_ranking = true;
};

// The first sign of it: where its first finding began, else its own begin.
std::optional<TimeNs> firstSign(const IncidentAnswer& answer);

Result<IncidentAnswer> readIncidentAnswer(Reader& reader, const IncidentQuestion& question, std::stop_token stop);

}  // namespace runglass
