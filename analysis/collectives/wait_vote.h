// SPDX-License-Identifier: Apache-2.0
// Who waits least: in a collective the rank that comes last waits for nobody, so the one whose calls are the shortest is the slow one.
//
// The rule of MegatronApp's MegaScan detector (github.com/OpenSQZ/MegatronApp): of a rank's calls in matched collectives, those that took
// less than 0.9 x the mean of the other members' calls count; above 40 % the rank is abnormal. Only durations are compared, so clocks that
// are apart change nothing. It assumes one slow rank: of several in one group each hides the others.
//
// Threading:  pure.
// Ownership:  values.
// Units:      calls; ratios 0..1.
// Errors:     none. Open calls, sends with their receives, and sets that are not known to be one collective do not vote.
// Cost:       O(calls).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/collectives/collective_waits.h"

namespace runglass {

inline constexpr double kShortCall = 0.9;        // of the mean of its peers' calls
inline constexpr double kWaitsLeastShare = 0.4;  // above it a rank is abnormal
inline constexpr std::size_t kMinVotes = 10;     // fewer collectives say nothing about a rank

struct WaitVote {
  std::int32_t rank = -1;
  std::size_t compared = 0;  // collectives it took part in
  std::size_t shorter = 0;   // of those, in which it waited less than its peers
  double ratio() const { return compared == 0 ? 0 : static_cast<double>(shorter) / static_cast<double>(compared); }
  bool enough() const { return compared >= kMinVotes; }
  bool abnormal() const { return enough() && ratio() > kWaitsLeastShare; }
};

// By rank; only ranks that were compared at all.
std::vector<WaitVote> waitVotes(const std::vector<CollectiveSet>& sets);

}  // namespace runglass
