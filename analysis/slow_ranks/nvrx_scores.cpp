// SPDX-License-Identifier: Apache-2.0
#include "analysis/slow_ranks/nvrx_scores.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "analysis/statistics/median.h"

namespace runglass {
namespace {

std::optional<double> medianOf(std::span<const double> values) {
  std::vector<double> known;
  for (const double value : values)
    if (std::isfinite(value) && value > 0) known.push_back(value);
  return median(std::move(known));
}

// The best earlier level over the newest one, at most 1; absent without an earlier level.
std::optional<double> individualOf(const std::vector<double>& values) {
  std::optional<double> now, best;
  for (std::size_t end = values.size(); end >= kLevelSteps; end -= kLevelSteps) {
    const auto level = medianOf(std::span(values).subspan(end - kLevelSteps, kLevelSteps));
    if (!now) {
      now = level;
      if (!now) return std::nullopt;
    } else if (level) {
      best = std::min(best.value_or(*level), *level);
    }
  }
  if (!best) return std::nullopt;
  return std::min(1.0, *best / *now);
}

}  // namespace

std::vector<NvrxScore> nvrxScores(const StepTable& table) {
  std::map<std::int32_t, std::pair<double, int>> fastest;  // by role: median and number of ranks that have one
  std::vector<std::optional<double>> medians;
  for (const RankSteps& rank : table.ranks) {
    medians.push_back(medianOf(rank.value_ns));
    if (!medians.back()) continue;
    auto [role, added] = fastest.try_emplace(rank.role, *medians.back(), 0);
    role->second.first = std::min(role->second.first, *medians.back());
    ++role->second.second;
  }
  std::vector<NvrxScore> out;
  for (std::size_t i = 0; i < table.ranks.size(); ++i) {
    NvrxScore score{.rank = table.ranks[i].rank, .relative = {}, .individual = individualOf(table.ranks[i].value_ns)};
    if (medians[i] && fastest[table.ranks[i].role].second > 1) score.relative = fastest[table.ranks[i].role].first / *medians[i];
    out.push_back(score);
  }
  return out;
}

}  // namespace runglass
