// SPDX-License-Identifier: Apache-2.0
// Finds the rank that waits least: in a collective the last rank to arrive does not wait, so the rank with the shortest calls is the slow
// one.
//
// The rule of MegatronApp's MegaScan detector (github.com/OpenSQZ/MegatronApp): count a rank's calls in matched collectives that took less
// than 0.9 x the mean of the other members' calls; above 40 % the rank is abnormal. Only durations are compared, so that clock offsets do
// not matter. It assumes one slow rank: several in one group hide each other.
//
// Threading:  pure.
// Units:      calls; ratios 0..1.
// Errors:     open calls, sends with their receives, and sets that are not certainly one collective do not vote.
// Cost:       O(calls).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/collectives/collective_waits.h"

namespace runglass {

inline constexpr double kShortCall = 0.9;        // of the mean of its peers' calls
inline constexpr double kWaitsLeastShare = 0.4;  // above it a rank is abnormal
inline constexpr std::size_t kMinVotes = 10;     // with fewer collectives, no verdict on a rank

struct WaitVote {
  std::int32_t rank = -1;
  std::size_t compared = 0;  // collectives that it took part in
  std::size_t shorter = 0;   // those in which it waited less than its peers
  double ratio() const { return compared == 0 ? 0 : static_cast<double>(shorter) / static_cast<double>(compared); }
  bool enough() const { return compared >= kMinVotes; }
  bool abnormal() const { return enough() && ratio() > kWaitsLeastShare; }
};

// By rank; only ranks with at least one comparison.
std::vector<WaitVote> waitVotes(const std::vector<CollectiveSet>& sets);

}  // namespace runglass
