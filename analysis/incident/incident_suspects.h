// SPDX-License-Identifier: Apache-2.0
// The suspects, most likely first, and the causes ruled out, with the numbers for it. The kernel.
//
// Sorted by the chain from cause to consequence (propose.h), then by score; ranks that only the attempt's ranking names come last. A score
// has the meaning of its kind: shares are never compared with confidences.
//
// Threading:  pure.
// Units:      ratios 0..1 or more, by score_kind.
// Errors:     missing evidence rules nothing out.
// Cost:       O(findings) JSON documents + ranked rows.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/incident/finding_place.h"
#include "analysis/ranking/ranking.h"
#include "analysis/words/sentence.h"

namespace runglass {

inline constexpr std::size_t kMaxSuspects = 20;

struct IncidentSuspect {
  std::string what;  // "rank 21 on sim-0002", "sim-0004", "stage 3", "the run"
  std::optional<std::int32_t> rank;
  std::string node;
  std::optional<double> score;
  std::string score_kind;  // "confidence", "slower_ratio", "blocked_ratio", "relative", ...; "" without a score
  words::Sentence why;
  std::int64_t finding = 0;
  std::string sql;
};

struct RuledOut {
  words::Sentence what;  // "clock of rank 37"
  words::Sentence why;   // "1,969 MHz against 1,968 MHz of its peers"
  std::string sql;
};

// `findings`: of the incident, root first. `ranking` may be null.
std::vector<IncidentSuspect> incidentSuspects(std::span<const Finding* const> findings, const RunPlaces& places, const Ranking* ranking);

struct RuledOutSource {
  std::span<const Finding* const> findings;  // of the incident
  std::span<const Finding> of_run;
  const RunPlaces& places;
  std::optional<TimeRange> range;
  std::map<NodeId, std::int64_t> hardware_events;  // in the range, by node that reported in it; absent: the node did not report
  bool loss_reported = false;                      // the loss was recorded in the range
  const Ranking* ranking = nullptr;
};
std::vector<RuledOut> ruledOut(const RuledOutSource& source);

}  // namespace runglass
