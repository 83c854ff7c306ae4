// SPDX-License-Identifier: Apache-2.0
// Whether it is time to replace a slow machine. Ski rental: bear the loss until it has cost as much as a replacement.
//
// Greyhound, "Hunting Fail-Slows in Hybrid-Parallel Training at Scale" (Wu et al., ATC '25, its mitigation planner): mitigate when the
// accumulated loss equals the cost of the mitigation. With the slowness's duration unknown, that costs at most twice the optimum in
// hindsight (Karlin et al., "Competitive snoopy caching", Algorithmica 3, 1988).
//
// Threading:  pure.
// Units:      GPU-hours; shares of the step time; TimeNs, DurNs.
// Errors:     an unknown result is kUnknown with a reason, never a cost of 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/time.h"

namespace runglass {

// The median downtime of the run's restarts so far, from the last step before to the end of the first step after.
struct RestartTime {
  std::optional<DurNs> median;
  std::size_t restarts = 0;  // number of restarts
  std::string reason;        // why it is absent
};
RestartTime restartTimeOf(std::vector<DurNs> restarts);

struct EvictionCase {
  std::optional<double> cost_ratio;  // share of the step time lost to the slowness
  std::optional<TimeNs> since, now;  // `now`: the end of the slowness so far
  bool holds = true;                 // it continues
  std::int32_t gpus = 0;             // GPUs that a step occupies; 0: unknown
  RestartTime restart;
};

enum class EvictionVerdict : std::uint8_t {
  kUnknown,
  kBear,     // the loss is smaller than the cost of a replacement
  kReplace,  // the break-even time has passed
  kOver,     // it is no longer slow
};

struct EvictionAdvice {
  EvictionVerdict verdict = EvictionVerdict::kUnknown;
  std::string reason;  // of kUnknown
  std::optional<double> lost_gpu_hours, replace_gpu_hours;
  std::optional<TimeNs> break_even;
};
EvictionAdvice adviseEviction(const EvictionCase& facts);

}  // namespace runglass
