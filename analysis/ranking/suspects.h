// SPDX-License-Identifier: Apache-2.0
// Suspects: the findings of an attempt that say who or what is slow, with what their evidence says, costliest first.
//
// Threading:  pure.
// Units:      ratios (0.05 = 5 % more than the peers, of the step time), GPU-hours a day, steps, TimeNs.
// Errors:     none: evidence that is missing or of another shape is absent.
// Cost:       O(findings), a JSON document each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/findings.h"

namespace runglass {

struct MachineReading {
  std::string metric;
  double own = 0, peers = 0;
};

struct Suspect {
  std::string kind, subject, summary;
  Severity severity = Severity::kInfo;
  NodeId node;                      // 0: not one
  std::vector<std::int32_t> ranks;  // that it names by number
  std::optional<std::int32_t> dp, pp;
  std::optional<std::int64_t> first_step, last_step;
  std::optional<TimeNs> start, end;
  bool since_before = false;  // already at the first step that was looked at
  bool holds = false;         // at the end of what is known
  std::optional<double> slower, own_ns, peers_ns, cost, gpu_hours_per_day, confidence, coverage;
  std::optional<std::int64_t> steps, steps_above;
  std::string cause;    // "thermal", "clock", "power", "fault", "host", "data", "network", ...; "" not known
  std::string pattern;  // "cell", "host_block", "column", "row", "speckle", "jitter", "everybody", ""
  std::vector<MachineReading> machine;

  // It blames the work of named ranks or of a node.
  bool blamesRanks() const { return kind == "slow_rank" || kind == "slow_node"; }
  std::optional<double> persistence() const;
};

// What is told of the run as a whole, where no suspect explains it.
struct SharedShift {
  std::int64_t first_step = 0;
  double change = 0;  // of the step time
};

struct Suspects {
  std::vector<Suspect> all;          // those that hold first; of them who is blamed with some confidence, then by cost
  std::optional<SharedShift> shift;  // the newest that holds and that nobody explains
  const Suspect* worst() const { return all.empty() || !all.front().holds ? nullptr : &all.front(); }
};

// `last_step`: the newest of the attempt; a suspect that was seen until shortly before it holds.
Suspects suspectsOf(std::span<const Finding> findings, AttemptId attempt, std::optional<std::int64_t> last_step);

// What a pattern's name says, in words: "host block: a node"; "" for none.
const char* patternText(const std::string& pattern);

}  // namespace runglass
