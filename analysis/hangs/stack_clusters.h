// SPDX-License-Identifier: Apache-2.0
// Clusters of ranks whose stacks are in the same functions, and the suspects among the rest. (ByteRobust, SOSP'25, section 4: the ranks
// outside the dominant cluster.)
//
// Threading:  pure.
// Units:      ranks.
// Errors:     stacks without frames are in no cluster.
// Cost:       O(all texts).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runglass {

struct RankStack {
  std::int32_t rank = 0;
  std::string_view text;
};

struct StackClusters {
  std::int64_t stacks = 0;                    // stacks with frames
  std::vector<std::int32_t> largest;          // ranks of the largest cluster
  std::string common;                         // its frame where the suspects' stacks diverge; without suspects its innermost frame
  std::map<std::int32_t, std::string> other;  // for each rank outside of it, the frame where its stack diverges from the largest cluster's
  // Ranks of `other` that are not in communication; empty if more than a third of all: then ranks have different tasks.
  std::vector<std::int32_t> suspects;
};

// Frames are compared by function and file: addresses and line numbers differ between processes with the same task.
StackClusters clusterStacks(std::span<const RankStack> stacks);

}  // namespace runglass
