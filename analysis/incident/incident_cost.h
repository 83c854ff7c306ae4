// SPDX-License-Identifier: Apache-2.0
// What an incident cost: steps, wall time, GPU-hours and money, no moment counted twice. The kernel.
//
// Wall time is lost where the restart ledger (analysis/goodput, after MegaScale, NSDI '24) says so for an attempt that ended because of it:
// the standstill before the end, the time after the last step, and of the next attempt the gap, start-up, loading and steps done again.
// While training went on slower, it is the share of a step that the finding says (`cost_ratio`; of a shift that nothing explains
// 1 - before / after): where several overlap in time, the largest counts alone, as everybody waits for the slowest.
// GPU-hours are wall time times the ranks of the attempt; money is GPU-hours times the price that the caller gives.
//
// Threading:  pure.
// Units:      DurNs; GPU-hours; the price's currency.
// Errors:     none: what is not known is absent and says why; a sum with unknown parts says that it is a lower bound.
// Cost:       O(findings² + segments).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/goodput/goodput.h"
#include "analysis/incident/propose.h"

namespace runglass {

// A number, or why there is none; and the SQL over the contract's relations that shows it or what it is made of.
template <class T>
struct Reported {
  std::optional<T> value;
  std::string reason;     // why it is absent, or what is missing in it
  bool at_least = false;  // parts of it are not known
  std::string sql;
};

struct CostItem {
  std::string what;  // "standstill", "scheduling gap", "steps done again", "slower steps", ...
  std::int32_t attempt = 0;
  DurNs time = 0;
  std::optional<double> gpu_hours;
  std::int64_t finding = 0;  // whose slowness it is; 0: the ledger's
  std::string sql;
};

struct IncidentImpact {
  Reported<DurNs> duration;           // from its first sign to its end
  Reported<std::int64_t> lost_steps;  // undone by restarts
  Reported<DurNs> lost_time;
  Reported<double> gpu_hours, money;
  std::vector<CostItem> items;  // they sum to lost_time; by attempt, then as they followed each other
  bool goes_on = false;         // so far
  // Titles of the run's other incidents that count some of the same time, as a restart that several of them led to.
  std::vector<std::string> also_in;
};

struct CostQuestion {
  const Goodput& goodput;
  const RunPlaces& places;
  RunId run;
  std::optional<TimeRange> range;            // of the incident
  std::span<const Finding* const> findings;  // that belong to it; none: attempts that ended unplanned in the range count
  std::optional<double> price;               // of a GPU-hour
};

IncidentImpact impactOf(const CostQuestion& question);

// Numbers of the attempts that ended because of the findings, or without findings in the range; sorted.
std::vector<std::int32_t> endedAttempts(std::span<const Finding* const> findings, std::optional<TimeRange> range, const RunPlaces& places);

}  // namespace runglass
