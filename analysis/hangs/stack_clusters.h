// SPDX-License-Identifier: Apache-2.0
// Clusters of ranks whose stacks are in the same functions, and the ranks that are suspects by theirs. (ByteRobust, SOSP'25, section 4:
// the ranks outside the dominant cluster.)
//
// Threading:  pure.
// Ownership:  values.
// Units:      ranks.
// Errors:     none. Stacks without frames are in no cluster.
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
  std::int64_t stacks = 0;                    // that have frames
  std::vector<std::int32_t> largest;          // ranks of the largest cluster
  std::string common;                         // its frame where the suspects' stacks part from it; without suspects its innermost one
  std::map<std::int32_t, std::string> other;  // of each rank outside of it the frame where its stack parts from the largest cluster's
  // Those of `other` that are in no communication; none where they are more than a third of all: then ranks have different tasks.
  std::vector<std::int32_t> suspects;
};

// Frames are compared by function and file: addresses and line numbers differ between processes that do the same.
StackClusters clusterStacks(std::span<const RankStack> stacks);

}  // namespace runglass
