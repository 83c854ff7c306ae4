// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranking/eviction.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/median.h"

namespace runglass {
namespace {

constexpr double kHourNs = 3600.0 * kNsPerSecond;
constexpr double kFarthest = 9.0e18;  // ns since the epoch

}  // namespace

RestartTime restartTimeOf(std::vector<DurNs> restarts) {
  std::erase_if(restarts, [](DurNs length) { return length <= 0; });
  const std::size_t count = restarts.size();
  const auto middle = median(std::move(restarts));
  if (!middle) return {.median = {}, .restarts = 0, .reason = "no restart of this run is recorded"};
  return {.median = middle, .restarts = count, .reason = {}};
}

EvictionAdvice adviseEviction(const EvictionCase& facts) {
  EvictionAdvice advice;
  const auto unknown = [&](std::string why) {
    advice.reason = std::move(why);
    return advice;
  };
  if (!facts.cost_ratio || !(*facts.cost_ratio > 0) || !std::isfinite(*facts.cost_ratio))
    return unknown("what it costs of a step is not known");
  if (facts.gpus <= 0) return unknown("how many GPUs wait is not known");
  if (!facts.since || !facts.now || *facts.now < *facts.since) return unknown("since when is not known: the steps have no clock");
  const double per_ns = *facts.cost_ratio * facts.gpus / kHourNs;
  const double lasted = static_cast<double>(*facts.now) - static_cast<double>(*facts.since);
  advice.lost_gpu_hours = lasted * per_ns;
  if (facts.restart.median) advice.replace_gpu_hours = static_cast<double>(*facts.restart.median) / kHourNs * facts.gpus;
  if (!facts.holds) {
    advice.verdict = EvictionVerdict::kOver;
    return advice;
  }
  if (!advice.replace_gpu_hours) return unknown(facts.restart.reason);
  const double at = static_cast<double>(*facts.since) + *advice.replace_gpu_hours / per_ns;
  if (at < kFarthest) advice.break_even = static_cast<TimeNs>(at);
  advice.verdict = *advice.lost_gpu_hours >= *advice.replace_gpu_hours ? EvictionVerdict::kReplace : EvictionVerdict::kBear;
  return advice;
}

}  // namespace runglass
