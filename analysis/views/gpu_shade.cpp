// SPDX-License-Identifier: Apache-2.0
#include "analysis/views/gpu_shade.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/slow_ranks/slow_ranks.h"

namespace runglass {
namespace {

constexpr double kFaintest = 0.25;  // a shade that the eye tells from none

bool stagesAreTooSmall(std::span<const PeerValue> values) {
  std::map<std::int32_t, int> sizes;
  for (const PeerValue& one : values)
    if (one.role >= 0) ++sizes[one.role];
  return !sizes.empty() && std::ranges::all_of(sizes, [](const auto& size) { return size.second <= kLeastPeers; });
}

}  // namespace

double shadeOf(double deviation, const ShadeScale& scale) {
  const double distance = std::fabs(deviation);
  if (!(distance > scale.calm)) return 0;
  const double share = std::min(1.0, (distance - scale.calm) / (scale.full - scale.calm));
  return ((deviation > 0) == scale.more_is_worse ? 1 : -1) * (kFaintest + (1 - kFaintest) * share);
}

std::vector<std::optional<double>> againstPeers(std::span<const PeerValue> values) {
  const bool one_role = stagesAreTooSmall(values);
  StepTable table{.steps = {0}, .parts = {}, .ranks = {}};
  for (std::size_t i = 0; i < values.size(); ++i)
    table.ranks.push_back({.rank = static_cast<std::int32_t>(i),
                           .role = one_role && values[i].role >= 0 ? kNoRole : values[i].role,
                           .value_ns = {values[i].value.value_or(std::numeric_limits<double>::quiet_NaN())},
                           .part_ns = {},
                           .wait_ns = {}});
  std::vector<std::optional<double>> out(values.size());
  for (const RankScore& score : rankBySlowness(table).ranks)
    if (!std::isnan(score.ratio.front())) out[static_cast<std::size_t>(score.rank)] = score.ratio.front();
  return out;
}

}  // namespace runglass
