// SPDX-License-Identifier: Apache-2.0
// The cost of an incident in steps, wall time, GPU-hours and money; no time is counted twice. The kernel.
//
// Wall time is lost as the goodput analysis counts it (analysis/goodput, after MegaScale, NSDI '24) for each attempt that ended because of
// the incident: the standstill before the end, the time after the last step, and in the next attempt the gap, start-up, loading and
// repeated steps. While training was slower, it is the share of a step in the finding (`cost_ratio`; for a shift without an explanation 1 -
// before / after): where several overlap in time, only the largest counts, since all ranks wait for the slowest. GPU-hours are wall time
// times the attempt's ranks; money is GPU-hours times the caller's price.
//
// Threading:  pure.
// Units:      DurNs; GPU-hours; the price's currency.
// Errors:     unknown values are absent with a reason; a sum with unknown parts is marked as a lower bound.
// Cost:       O(findings² + segments).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/goodput/goodput.h"
#include "analysis/incident/propose.h"

namespace runglass {

// A number, or the reason why there is none; and the SQL over the contract's relations that computes it or its parts.
template <class T>
struct Reported {
  std::optional<T> value;
  std::string reason;     // why it is absent, or which part is missing
  bool at_least = false;  // some parts are unknown
  std::string sql;
};

struct CostItem {
  std::string what;  // "standstill", "scheduling gap", "steps done again", "slower steps", ...
  std::int32_t attempt = 0;
  DurNs time = 0;
  std::optional<double> gpu_hours;
  std::int64_t finding = 0;  // the finding whose slowness it is; 0: from goodput
  std::string sql;
};

struct IncidentImpact {
  Reported<DurNs> duration;           // from when it was first visible to its end
  Reported<std::int64_t> lost_steps;  // undone by restarts
  Reported<DurNs> lost_time;
  Reported<double> gpu_hours, money;
  std::vector<CostItem> items;  // they sum to lost_time; by attempt, then in order of time
  bool goes_on = false;         // the cost so far
  // Titles of the run's other incidents that count some of the same time, such as a restart with several causes.
  std::vector<std::string> also_in;
};

struct CostQuestion {
  const Goodput& goodput;
  const RunPlaces& places;
  std::optional<TimeRange> range;            // of the incident
  std::span<const Finding* const> findings;  // of the incident; empty: attempts with an unplanned end in the range count
  std::optional<double> price;               // per GPU-hour
};

IncidentImpact impactOf(const CostQuestion& question);

// Numbers of the attempts that ended because of the findings, or, without findings, in the range; sorted.
std::vector<std::int32_t> endedAttempts(std::span<const Finding* const> findings, std::optional<TimeRange> range, const RunPlaces& places);

}  // namespace runglass
