// SPDX-License-Identifier: Apache-2.0
#include "analysis/steps/stalled_steps.h"

#include <algorithm>
#include <functional>

#include "analysis/steps/attempt_steps.h"
#include "analysis/steps/own_work.h"

namespace runglass {
namespace {

constexpr DurNs kLongest = 24 * 3600 * kNsPerSecond;  // longer limits are meaningless, and ten times one must not overflow
constexpr DurNs kMinLimit = 30 * kNsPerSecond;

DurNs p99Of(std::vector<DurNs> values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * 99 / 100);
  std::ranges::nth_element(values, at);
  return std::clamp<DurNs>(*at, 0, kLongest);
}

}  // namespace

DurNs stallLimitOf(DurNs p99) { return std::max(5 * p99, kMinLimit); }

UsualLength usualLength(std::vector<DurNs> lengths) {
  if (lengths.size() < kStepsToJudge) return {.p99 = p99Of(std::move(lengths)), .limit = std::nullopt};
  const auto longest = lengths.begin() + static_cast<std::ptrdiff_t>(kMaxStalled);
  std::ranges::partial_sort(lengths, longest, std::greater());
  for (std::size_t stalled = kMaxStalled;; --stalled) {
    const DurNs p99 = p99Of({lengths.begin() + static_cast<std::ptrdiff_t>(stalled), lengths.end()});
    const DurNs limit = stallLimitOf(p99);
    if (stalled == 0 || lengths[stalled - 1] > limit) return {.p99 = p99, .limit = limit};
  }
}

std::vector<double> valuesWithout(const ScalarColumns& points, const ExcludedSteps& excluded) {
  std::vector<double> values;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!excluded.contains(points.step[i])) values.push_back(points.value[i]);
  return values;
}

Result<ExcludedSteps> excludedSteps(Reader& reader, const Series& times, std::span<const Series> phases, std::int64_t first,
                                    std::int64_t end, const std::stop_token& stop) {
  RG_ASSIGN(const ScalarColumns points, reader.scalars(times.id, first, end, stop));
  RG_ASSIGN(const StepPhases known, StepPhases::read(reader, phases, first, end, stop));
  RG_ASSIGN(const OwnWork own, readOwnWork(reader, times.key.attempt));
  ExcludedSteps excluded;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (own.covers(points.step[i], stepRange(points, i))) excluded.insert(points.step[i]);
  const auto isJudged = [&](std::size_t i) {
    return isStepDuration(points.value[i]) && known.isSteady(points.step[i]) && !excluded.contains(points.step[i]);
  };
  std::vector<DurNs> lengths;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (isJudged(i)) lengths.push_back(static_cast<DurNs>(points.value[i]));
  const UsualLength usual = usualLength(std::move(lengths));
  for (std::size_t i = 0; i < points.size(); ++i)
    if (isJudged(i) && usual.isStalled(static_cast<DurNs>(points.value[i]))) excluded.insert(points.step[i]);
  return excluded;
}

}  // namespace runglass
