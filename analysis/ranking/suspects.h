// SPDX-License-Identifier: Apache-2.0
// Suspects: the findings of an attempt that blame ranks, nodes or stages, with the values of their evidence, costliest first.
//
// Threading:  pure.
// Units:      ratios (0.05 = 5 % more than the peers, of the step time), GPU-hours per day, steps, TimeNs.
// Errors:     evidence that is missing or has another shape is absent.
// Cost:       O(findings), one JSON document each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/findings.h"
#include "model/topology.h"

namespace runglass {

struct MachineReading {
  std::string metric;
  double own = 0, peers = 0;
};

// Less is a possibility that a finding reports as such: it blames no rank.
inline constexpr double kSomeConfidence = 0.5;

struct Suspect {
  std::string kind, subject, summary;
  Severity severity = Severity::kInfo;
  NodeId node;                      // 0: not a single node
  std::vector<std::int32_t> ranks;  // named by number
  std::optional<std::int32_t> dp, pp;
  std::optional<std::int64_t> first_step, last_step;
  std::optional<TimeNs> start, end;
  bool since_before = false;  // already at the first step that was read
  bool holds = false;         // at the newest known step
  std::optional<double> slower, own_ns, peers_ns, cost, gpu_hours_per_day, confidence, coverage;
  std::optional<std::int64_t> steps, steps_above;
  std::string cause;    // "thermal", "clock", "power", "fault", "host", "data", "network", ...; "": unknown
  std::string pattern;  // `cell`, `host_block`, `column`, `row`, `speckle`, `jitter`, `everybody` or empty
  std::vector<MachineReading> machine;

  // Whether it blames the work of named ranks or of a node.
  bool isUnlikely() const { return confidence.value_or(1) < kSomeConfidence; }
  bool blamesRanks() const { return kind == "slow_rank" || kind == "slow_node"; }
  std::optional<double> persistence() const;
};
// The ranks that it names; where it names a node only, those on it.
std::vector<std::int32_t> ranksOf(const Suspect& suspect, std::span<const Rank> places);

// A shift of the run as a whole that no suspect explains.
struct SharedShift {
  std::int64_t first_step = 0;
  double change = 0;  // of the step time
};

struct Suspects {
  std::vector<Suspect> all;          // current ones first; among them those that blame ranks with some confidence, then by cost
  std::optional<SharedShift> shift;  // the newest current one without an explanation
  const Suspect* worst() const { return all.empty() || !all.front().holds ? nullptr : &all.front(); }
};

// `last_step`: the newest of the attempt; a suspect seen until shortly before it is current.
Suspects suspectsOf(std::span<const Finding> findings, AttemptId attempt, std::optional<std::int64_t> last_step);

// The pattern's name in words: "host block: a node"; "" for none.
const char* patternText(const std::string& pattern);

}  // namespace runglass
