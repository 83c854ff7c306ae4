// SPDX-License-Identifier: Apache-2.0
// Scoring: the findings of a simulated run against its labels: what was found, what was missed, what was cried without need.
//
// Threading:  pure.
// Ownership:  values.
// Units:      counts; steps.
// Errors:     none.
// Cost:       O(findings x labels).
//
// A label is hit by a finding of its kind, or of one under which it may be found (nan: non_finite; xid: hardware_fault; slow_rank:
// slow_node of its node), that names no other place. It is attributed where the finding says exactly what and where: this rank, this node
// and not one of its ranks, this stage, or nobody where the whole run is the target. A finding that follows from a labelled fault (the hang
// that a lost GPU causes, the lower throughput behind a slow rank) is `explained`: neither hit nor false alarm. Findings of severity info
// notify nobody and are no false alarms.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/events.h"
#include "model/findings.h"
#include "model/topology.h"

namespace runglass {

// A label and what its row cannot say.
struct Truth {
  Label label;
  std::optional<std::int32_t> stage;  // where a pipeline stage is the target
};
// The stage comes from the attempts' facts ("label/KIND/FIRST_STEP": "stage:N").
std::vector<Truth> truthsOf(std::span<const Label> labels, std::span<const Fact> facts);

// The finding that hits the label: an attributed one before others, then the one that begins nearest to it. Null: missed.
const Finding* findingOf(std::span<const Finding> findings, const Truth& truth);

struct KindScore {
  int labels = 0, hits = 0, misses = 0;                         // of a label's kind
  int attributed = 0;                                           // of the hits
  int findings = 0, false_alarms = 0, explained = 0, info = 0;  // of a finding's kind
  int repeats = 0;                                              // more findings that hit the same labels
  int notifications = 0;                                        // findings from warning on
  std::vector<std::int64_t> onset_steps;                        // of the hits: how much later than the label's its first step is
  std::vector<std::string> missed, false_found;                 // subjects and summaries, to look at
  std::optional<std::int64_t> medianOnset() const;
  void add(const KindScore& other);
};
using Scores = std::map<std::string, KindScore>;
void addScores(Scores& to, const Scores& from);

Scores scoreFindings(std::span<const Finding> findings, std::span<const Truth> truths);
Scores scoreFindings(std::span<const Finding> findings, std::span<const Label> labels);

}  // namespace runglass
