// SPDX-License-Identifier: Apache-2.0
// Is it time to replace a slow machine? Ski rental: bear the loss until it has cost as much as the way out would.
//
// Greyhound, "Hunting Fail-Slows in Hybrid-Parallel Training at Scale" (Wu et al., ATC '25, its mitigation planner): a mitigation is taken
// when the accumulated loss equals its cost. Without knowing how long the slowness will last, that costs at most twice what the best choice
// in hindsight would have (Karlin et al., "Competitive snoopy caching", Algorithmica 3, 1988).
//
// Threading:  pure.
// Units:      GPU-hours; shares of the step time; TimeNs, DurNs.
// Errors:     what cannot be told is kUnknown with a reason, never a cost of 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/time.h"

namespace runglass {

// The middle of how long the run stood still at its restarts so far, from the last step before to the end of the first step after.
struct RestartTime {
  std::optional<DurNs> median;
  std::size_t restarts = 0;  // that it is the median of
  std::string reason;        // where it is absent
};
RestartTime restartTimeOf(std::vector<DurNs> restarts);

struct EvictionCase {
  std::optional<double> cost_ratio;  // of the step time, that the slowness takes
  std::optional<TimeNs> since, now;  // `now`: up to when it has lasted
  bool holds = true;                 // it goes on
  std::int32_t gpus = 0;             // whose time a step takes; 0: not known
  RestartTime restart;
};

enum class EvictionVerdict : std::uint8_t {
  kUnknown,
  kBear,     // the loss is smaller than the way out
  kReplace,  // the break-even moment is over
  kOver,     // it is not slow any more
};

struct EvictionAdvice {
  EvictionVerdict verdict = EvictionVerdict::kUnknown;
  std::string reason;  // of kUnknown
  std::optional<double> lost_gpu_hours, replace_gpu_hours;
  std::optional<TimeNs> break_even;
};
EvictionAdvice adviseEviction(const EvictionCase& facts);

}  // namespace runglass
