// SPDX-License-Identifier: Apache-2.0
#include "analysis/views/newest_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/statistics/median.h"
#include "analysis/steps/attempt_steps.h"
#include "analysis/steps/step_frame.h"
#include "model/series_extent.h"

namespace runglass {
namespace {

constexpr double kRounding = 0.01;  // a remainder below this share of the step

}  // namespace

// The first request for a series decides how far back it is read: breakdown(), if used, comes first.
Result<const ScalarColumns*> NewestSteps::points(const Series& series, std::int64_t count) {
  const auto [at, fresh] = m_points.try_emplace(series.id);
  if (fresh) {
    RG_ASSIGN(at->second, m_reader.scalars(series.id, newestOf(series, count), endOf(series), m_stop));
    at->second.time = {};  // thousands of series are kept: without the spare capacity of the chunk that they were read from
    at->second.step.shrink_to_fit(), at->second.value.shrink_to_fit();
  }
  return &at->second;
}

Result<std::span<const double>> NewestSteps::values(const Series& series, std::int64_t count) {
  RG_ASSIGN(const ScalarColumns* newest, points(series, count));
  const auto first = std::ranges::lower_bound(newest->step, newestOf(series, count)) - newest->step.begin();
  return std::span(newest->value).subspan(static_cast<std::size_t>(first));
}

Result<StepBreakdown> NewestSteps::breakdown(AttemptId attempt) {
  StepBreakdown out;
  const AttemptSteps steps = AttemptSteps::among(m_series, attempt, {StepSeries::kTime, StepSeries::kPart, StepSeries::kPartWait});
  const auto last = steps.lastStep();  // of any rank: a part that is not in every step (a save) counts in the step where it occurred
  if (!last) return out;
  const std::int64_t end = *last < std::numeric_limits<std::int64_t>::max() ? *last + 1 : *last;
  RG_ASSIGN(const ExcludedSteps excluded, steps.excluded(m_reader, *last - kBreakdownSteps, end, m_stop));
  std::map<std::string, PartMeans> sums;  // "": the step
  std::size_t recent_count = 0, before_count = 0;
  for (const StepSeries kind : {StepSeries::kTime, StepSeries::kPart, StepSeries::kPartWait})
    for (const Series& series : steps.of(kind)) {
      if (steps.of(StepSeries::kPart, *series.key.rank).empty()) continue;
      const bool whole = kind == StepSeries::kTime, wait = kind == StepSeries::kPartWait;
      const std::string name = whole ? std::string() : partOf(series.key.labels);
      if (!whole && (name.empty() || (wait && stepColumnOf(name) != StepColumn::kTransfer))) continue;
      RG_ASSIGN(const ScalarColumns* newest, points(series, kBreakdownSteps + 1));
      for (std::size_t i = 0; i < newest->size(); ++i) {
        if (!std::isfinite(newest->value[i]) || newest->step[i] < *last - kBreakdownSteps || excluded.contains(newest->step[i])) continue;
        const bool recent = newest->step[i] > *last - kRecentSteps;
        const auto add = [&](const std::string& part, double ns) { (recent ? sums[part].recent_ns : sums[part].before_ns) += ns; };
        add(name, wait ? -newest->value[i] : newest->value[i]);
        if (wait) add("waiting for peers", newest->value[i]);
        if (whole) ++(recent ? recent_count : before_count);
      }
    }
  if (recent_count == 0) return out;
  for (auto& [name, means] : sums) {
    means.part = name;
    means.recent_ns = std::max(0.0, means.recent_ns / static_cast<double>(recent_count));
    means.before_ns = before_count > 0 ? std::max(0.0, means.before_ns / static_cast<double>(before_count)) : 0;
    if (name.empty())
      out.step = means;
    else if (means.recent_ns > 0 || means.before_ns > 0)
      out.parts.push_back(means);
  }
  std::ranges::stable_sort(out.parts, std::greater{}, &PartMeans::recent_ns);
  PartMeans rest{.part = "not in a part", .recent_ns = out.step.recent_ns, .before_ns = out.step.before_ns};
  for (const PartMeans& one : out.parts) rest.recent_ns -= one.recent_ns, rest.before_ns -= one.before_ns;
  rest.before_ns = std::max(0.0, rest.before_ns);
  if (!out.parts.empty() && rest.recent_ns > kRounding * out.step.recent_ns) out.parts.push_back(rest);
  return out;
}

Result<std::optional<StepTimes>> NewestSteps::times(std::span<const Series* const> steps) {
  std::vector<double> all;
  for (const Series* series : steps) {
    RG_ASSIGN(const auto newest, values(*series, kRecentSteps));
    all.insert(all.end(), newest.begin(), newest.end());
  }
  const auto middle = median(all);
  if (!middle) return std::optional<StepTimes>();
  std::ranges::sort(all);
  return std::optional(StepTimes{.median_ns = *middle, .p99_ns = all[std::min(all.size() - 1, all.size() * 99 / 100)]});
}

}  // namespace runglass
