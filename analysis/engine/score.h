// SPDX-License-Identifier: Apache-2.0
// Scoring: the findings of a simulated run against its labels: what was found, what was missed, what was cried without need.
//
// Threading:  pure.
// Ownership:  values.
// Units:      counts; steps.
// Errors:     none.
// Cost:       O(findings x labels).
//
// A label has one outcome (Outcome): how close the closest finding comes to it. A strict hit is of severity warning or above, of the
// label's kind, at exactly its place, and overlaps it in time.
//
// Less strictly a label is hit by a finding of its kind, or of one under which it may be found (nan: non_finite; xid: hardware_fault;
// slow_rank: slow_node of its node), that names no other place. It is attributed where the finding says exactly what and where: this rank,
// this node and not one of its ranks, this stage, or nobody where the whole run is the target. A finding that follows from a labelled fault
// (the hang that a lost GPU causes, the lower throughput behind a slow rank) is `explained`: neither hit nor false alarm. Findings of
// severity info notify nobody and are no false alarms.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/events.h"
#include "model/findings.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

// A label and what its row cannot say.
struct Truth {
  Label label;
  std::optional<std::int32_t> stage;      // where a pipeline stage is the target
  std::optional<double> cost_ratio = {};  // share of the time of its steps that they would take less without it
  std::string port = {};                  // where a network port is the target: its name in findings
};
// Stage and cost come from the attempts' facts ("label/KIND/FIRST_STEP": "stage:N", ".../cost_ratio": "0.12"), ports from the devices.
std::vector<Truth> truthsOf(std::span<const Label> labels, std::span<const Fact> facts, std::span<const Device> devices = {});
// Those of a run.
Result<std::vector<Truth>> readTruths(Reader& reader, RunId run);

enum class Outcome : std::uint8_t {
  kStrict,
  kAtInfo,      // right kind, exact place, but nobody is notified
  kOtherKind,   // at its place, under another name
  kWrongPlace,  // right kind, another place or a less exact one
  kMissed,
};
std::string_view outcomeName(Outcome outcome);  // "strict hit", "hit at info", "other kind", "wrong place", "missed"

// What a fault costs and what its finding states, as shares of the step.
struct CostScore {
  double truth = 0, stated = 0;
  double errorRatio() const { return stated / truth - 1; }  // 0.2 is 20 % too much
  bool isWithin(double share) const;
};

struct LabelScore {
  std::string kind;
  double strength = 0;
  Outcome outcome = Outcome::kMissed;
  std::optional<std::int64_t> onset_steps;  // first step of the closest finding that hits, less the label's
  std::optional<CostScore> cost;            // of the same finding
  std::string where;                        // for people: "rank 3, from step 40"
};

// The finding that hits the label: a strict one before an attributed one before others, then the one that begins nearest to it. Null: none.
const Finding* findingOf(std::span<const Finding> findings, const Truth& truth);

struct KindScore {
  int labels = 0, hits = 0, misses = 0;                         // of a label's kind
  int attributed = 0;                                           // of the hits
  int findings = 0, false_alarms = 0, explained = 0, info = 0;  // of a finding's kind
  int repeats = 0;                                              // more notifying findings that hit the same labels
  int notifications = 0;                                        // findings from warning on
  std::vector<std::int64_t> onset_steps;                        // of the hits: how much later than the label's its first step is
  std::vector<std::string> missed, false_found;                 // subjects and summaries, to look at
  std::vector<LabelScore> outcomes;                             // of every label
  int count(Outcome outcome) const;
  std::optional<std::int64_t> medianOnset() const;
  std::optional<double> medianCostError() const;  // of its size
  void add(const KindScore& other);
};
using Scores = std::map<std::string, KindScore>;
void addScores(Scores& to, const Scores& from);

Scores scoreFindings(std::span<const Finding> findings, std::span<const Truth> truths);
Scores scoreFindings(std::span<const Finding> findings, std::span<const Label> labels);

// A header and one line per kind.
std::string strictTable(const Scores& scores);

}  // namespace runglass
