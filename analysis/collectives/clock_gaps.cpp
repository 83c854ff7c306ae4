// SPDX-License-Identifier: Apache-2.0
#include "analysis/collectives/clock_gaps.h"

#include <map>

namespace runglass {

Result<ClockGapOf> readClockGaps(Reader& reader, const std::vector<Rank>& ranks, TimeNs time) {
  std::map<std::int32_t, NodeId> node_of;
  std::map<NodeId, std::optional<DurNs>> errors;
  for (const Rank& rank : ranks) {
    node_of[rank.rank] = rank.node;
    if (!rank.node || errors.contains(rank.node)) continue;
    RG_ASSIGN(errors[rank.node], reader.clockError(rank.node, time));
  }
  return ClockGapOf([node_of = std::move(node_of), errors = std::move(errors)](std::int32_t a, std::int32_t b) -> ClockGap {
    const auto left = node_of.find(a), right = node_of.find(b);
    if (left == node_of.end() || right == node_of.end()) return {.kind = ClockGap::Kind::kUnknown};
    const NodeId one = left->second, other = right->second;
    if (!one && !other) return {.kind = ClockGap::Kind::kNodeUnknown};
    if (one == other) return {};
    const auto near = errors.find(one), far = errors.find(other);
    if (near == errors.end() || far == errors.end() || !near->second || !far->second) return {.kind = ClockGap::Kind::kUnknown};
    return {.kind = ClockGap::Kind::kCompared, .error = *near->second + *far->second};
  });
}

}  // namespace runglass
