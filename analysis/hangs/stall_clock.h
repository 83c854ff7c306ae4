// SPDX-License-Identifier: Apache-2.0
// The stall clock: how long a run may go without progress before it counts as stalled, and its past gaps beyond that limit.
//
// Threading:  pure; StepClock one thread at a time.
// Units:      TimeNs, DurNs, steps.
// Errors:     with fewer than kStepsToJudge steps only the limits of a start apply.
// Cost:       take(): O(new steps + kStepsKept).
#pragma once

#include <optional>
#include <vector>

#include "analysis/steps/stalled_steps.h"
#include "model/time.h"

namespace runglass {

inline constexpr std::size_t kStepsKept = 2'000;
// Init, compilation, checkpoint, evaluation, index rebuild: a start is not a stall.
inline constexpr DurNs kPhaseLimit = 600 * kNsPerSecond;

struct ClockedStep {
  std::int64_t step = 0;
  TimeNs start = 0;  // or the time of its log line
  DurNs dur = 0;
  bool steady = true;  // neither init, warmup, eval nor checkpoint
};

// A gap between two steps.
struct StallGap {
  std::int64_t step = 0;  // the last step before the gap
  TimeRange range;
  DurNs limit = 0;
};

// max(10 min, 3 x the longest so far).
DurNs phaseLimit(DurNs longest);

class StepClock {
 public:
  // Log lines come at intervals: their limit is max(10 x p99 of the gaps, 5 min); otherwise max(5 x p99, 30 s). Stalled steps are excluded
  // from the p99.
  explicit StepClock(bool from_log) : m_from_log(from_log) {}
  // New steps in order; returns the new gaps beyond their limit.
  std::vector<StallGap> take(const std::vector<ClockedStep>& steps);
  DurNs stallLimit() const;
  // max(60 s, 10 x p99 of the operation), where that p99 is at most the p99 of a step, and equal to it if `op_p99` is absent.
  DurNs hangLimit(std::optional<DurNs> op_p99) const;
  std::optional<ClockedStep> last() const { return m_recent.empty() ? std::nullopt : std::optional(m_recent.back()); }
  std::optional<TimeNs> lastEnd() const;
  bool judges() const { return m_taken >= kStepsToJudge; }
  std::size_t taken() const { return m_taken; }
  DurNs p99() const { return m_p99; }  // from step to step

 private:
  const bool m_from_log;
  std::size_t m_taken = 0;
  std::vector<ClockedStep> m_recent;  // the newest kStepsKept
  DurNs m_p99 = 0;                    // of the times between steps, for steady steps that are not stalled
  DurNs m_longest_odd = 0;            // of those at a step that is not steady, or at the first
};

}  // namespace runglass
