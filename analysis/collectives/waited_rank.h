// SPDX-License-Identifier: Apache-2.0
// The rank that all others wait for: it begins the collectives of all ranks last. Also how long the others wait for it.
//
// The others' waiting counts from the start of the second-to-last call to the start of the last: only that time is lost to the last rank
// (transfer begins with the last member: Lin et al., OSDI '25, section 3). Overlapping waits count once.
//
// A rank is blamed if all of these hold:
//  1. at least kMinVotes collectives of all ranks were recorded;
//  2. it is last in more than kWaitsLeastShare of them (MegaScan's share), or costs kWaitCost in kWaitedSteps of at least 3 steps;
//  3. the others wait for it for kWaitCost of the time, even without the longest wait: one late call is an accident;
//  4. nearly all waiting (kMinWaitingShare) is for it: ranks that are late in turn are an imbalance, not a slow rank.
// A wait counts only if it is longer than both the spread of the calls' ends and the clock error.
//
// Threading:  pure.
// Units:      DurNs; ratios 0..1 of the time from the start of the first collective to the end of the last one.
// Cost:       O(calls).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/collectives/collective_waits.h"

namespace runglass {

inline constexpr double kWaitCost = 0.05;
inline constexpr double kMinWaitingShare = 0.8;
inline constexpr double kWaitedSteps = 0.8;
inline constexpr std::size_t kMinWaitedSteps = 3;

struct WaitedRank {
  std::int32_t rank = -1;
  std::size_t ranks = 0;               // in these collectives
  std::size_t compared = 0, last = 0;  // collectives; those that it began last
  std::size_t steps = 0, late_steps = 0;
  DurNs waited = 0, time = 0;
  TimeNs from = 0, to = 0;
  double cost() const { return time > 0 ? static_cast<double>(waited) / static_cast<double>(time) : 0; }
};
std::optional<WaitedRank> waitedRank(const std::vector<CollectiveSet>& sets, const ClockGapOf& gap);

}  // namespace runglass
