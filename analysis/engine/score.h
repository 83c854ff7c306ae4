// SPDX-License-Identifier: Apache-2.0
// Scoring: compares the findings of a simulated run with its labels: detected faults, missed faults, false alarms.
//
// Threading:  pure.
// Units:      counts; steps.
// Cost:       O(findings x labels).
//
// A label has one outcome (Outcome): that of the closest finding. A strict hit is of severity warning or above, of the label's kind, at
// exactly its place, and overlaps it in time.
//
// Less strictly, a label is hit by a finding of its kind, or of an accepted alternative (nan: non_finite; xid: hardware_fault; slow_rank:
// slow_node of its node), that names no other place. It is attributed where the finding names exactly the fault and its place: this rank,
// this node and none of its ranks, this stage, or no place where the whole run is the target. A finding that follows from a labelled fault
// (the hang that a lost GPU causes, the lower throughput due to a slow rank) is `explained`: neither hit nor false alarm. Findings of
// severity info send no notifications and are not false alarms.
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

// A label with the values that its row cannot hold.
struct Truth {
  Label label;
  std::optional<std::int32_t> stage;      // where a pipeline stage is the target
  std::optional<double> cost_ratio = {};  // share of its steps' time that the fault adds
  std::string port = {};                  // where a network port is the target: its name in findings
};
// Stage and cost come from the attempts' facts ("label/KIND/FIRST_STEP": "stage:N", ".../cost_ratio": "0.12"), ports from the devices.
std::vector<Truth> truthsOf(std::span<const Label> labels, std::span<const Fact> facts, std::span<const Device> devices = {});
// The truths of a run.
Result<std::vector<Truth>> readTruths(Reader& reader, RunId run);

enum class Outcome : std::uint8_t {
  kStrict,
  kAtInfo,      // right kind, exact place, but severity info: no notification
  kOtherKind,   // at its place, of another kind
  kWrongPlace,  // right kind, another place or a less exact one
  kMissed,
};
std::string_view outcomeName(Outcome outcome);  // "strict hit", "hit at info", "other kind", "wrong place", "missed"

// The cost of a fault and the cost in its finding, as shares of the step.
struct CostScore {
  double truth = 0, stated = 0;
  double errorRatio() const { return stated / truth - 1; }  // 0.2: 20 % too high
  bool isWithin(double share) const;
};

struct LabelScore {
  std::string kind;
  double strength = 0;
  Outcome outcome = Outcome::kMissed;
  std::optional<std::int64_t> onset_steps;  // first step of the closest finding that hits, minus the label's
  std::optional<CostScore> cost;            // of the same finding
  std::string where;                        // for people: "rank 3, from step 40"
};

// The finding that hits the label: strict hits first, then attributed ones, then others; among equals the one that begins nearest to it.
// Null: none.
const Finding* findingOf(std::span<const Finding> findings, const Truth& truth);

struct KindScore {
  int labels = 0, hits = 0, misses = 0;                         // of the label's kind
  int attributed = 0;                                           // of the hits
  int findings = 0, false_alarms = 0, explained = 0, info = 0;  // of the finding's kind
  int repeats = 0;                                              // further notifying findings that hit the same labels
  int notifications = 0;                                        // findings of severity warning and above
  std::vector<std::int64_t> onset_steps;                        // of the hits: first step minus that of the label
  std::vector<std::string> missed, false_found;                 // subjects and summaries, for review
  std::vector<LabelScore> outcomes;                             // of every label
  int count(Outcome outcome) const;
  std::optional<std::int64_t> medianOnset() const;
  std::optional<double> medianCostError() const;  // of its magnitude
  void add(const KindScore& other);
};
using Scores = std::map<std::string, KindScore>;
void addScores(Scores& to, const Scores& from);

Scores scoreFindings(std::span<const Finding> findings, std::span<const Truth> truths);
Scores scoreFindings(std::span<const Finding> findings, std::span<const Label> labels);

// A header and one line per kind.
std::string strictTable(const Scores& scores);

}  // namespace runglass
