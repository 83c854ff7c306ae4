// SPDX-License-Identifier: Apache-2.0
#include "analysis/peers/slower_than_peers.h"

#include <map>
#include <numbers>

namespace runglass {
namespace {

bool stagesAreTooSmall(std::span<const PeerValue> values, std::size_t min_peers) {
  std::map<std::int32_t, std::size_t> sizes;
  for (const PeerValue& one : values)
    if (one.role >= 0) ++sizes[one.role];
  return !sizes.empty() && std::ranges::all_of(sizes, [&](const auto& size) { return size.second <= min_peers; });
}

// The number of standard deviations that a normal value exceeds with this probability, below one half.
double sigmasOfTail(double probability) {
  double low = 0, high = 40;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(middle / std::numbers::sqrt2) > probability ? low : high) = middle;
  }
  return high;
}

}  // namespace

double outlierSigmas(std::size_t ranks) {
  constexpr double kLooksPerDay = 24;
  return sigmasOfTail(kFalsePerRunDay / (kLooksPerDay * static_cast<double>(std::max<std::size_t>(ranks, 1))));
}

double outlierSigmasOfSteps(std::size_t ranks) {
  constexpr double kStepsPerDay = 86'400, kWays = 4'845, kAbove = 16;  // 16 of 20 can be chosen in 4,845 ways
  return sigmasOfTail(
      std::pow(kFalsePerRunDay / (kStepsPerDay * kWays * static_cast<double>(std::max<std::size_t>(ranks, 1))), 1 / kAbove));
}

double robustSigma(std::vector<double> values) {
  const auto middle = median(values);
  if (!middle) return 0;
  for (double& value : values) value = std::fabs(value - *middle);
  return kOfNormal * median(std::move(values)).value();
}

std::vector<std::optional<double>> againstPeers(std::span<const PeerValue> values, const PeerRule& rule) {
  const bool one_role = rule.join_small_stages && stagesAreTooSmall(values, rule.min_peers);
  std::map<std::int32_t, std::vector<std::size_t>> roles;
  for (std::size_t i = 0; i < values.size(); ++i) roles[one_role && values[i].role >= 0 ? kNoRole : values[i].role].push_back(i);
  std::vector<std::optional<double>> out(values.size());
  std::vector<double> of_role;
  for (const auto& [role, members] : roles) {
    of_role.clear();
    for (const std::size_t i : members) of_role.push_back(values[i].value.value_or(std::numeric_limits<double>::quiet_NaN()));
    const auto usual = peerMedians<double>(of_role, rule.min_peers);
    for (std::size_t k = 0; k < members.size(); ++k)
      if (usual[k] > 0) out[members[k]] = of_role[k] / usual[k] - 1;
  }
  return out;
}

}  // namespace runglass
