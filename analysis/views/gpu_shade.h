// SPDX-License-Identifier: Apache-2.0
// How far a GPU's value is from its peers' and how strongly that is shaded. The scale belongs to the metric: it is never fitted to the
// values at hand, so that a healthy fleet is neutral and a shade means the same today and tomorrow.
//
// Threading: pure.
// Units:     ratios to the peers' median (0.05 = 5 % more).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace runglass {

struct ShadeScale {
  double calm = 0.1, full = 0.5;  // neutral up to the one, full shade from the other; 0 < calm < full
  bool more_is_worse = true;
};

// 0: neutral; up to 1: worse than the peers; down to -1: better. What is past `calm` is visible.
double shadeOf(double deviation, const ShadeScale& scale);

// GPUs of one job with the same work to do. Who has no rank in the job is no peer of those that have one.
inline constexpr std::int32_t kNoJob = std::numeric_limits<std::int32_t>::min();

struct PeerValue {
  std::optional<double> value;
  std::int32_t role = 0;  // pipeline stage, kNoRole, or kNoJob
};

// Of each value against the median of the others of its role, by the kernel that ranks slow ranks (analysis/slow_ranks). Absent without a
// value or with fewer than kLeastPeers others. Where the stages are too small to compare, all ranks of the job are peers.
std::vector<std::optional<double>> againstPeers(std::span<const PeerValue> values);

}  // namespace runglass
