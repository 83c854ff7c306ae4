// SPDX-License-Identifier: Apache-2.0
#include "analysis/steps/step_at.h"

#include <algorithm>
#include <limits>

#include "analysis/steps/attempt_steps.h"
#include "model/spans.h"

namespace runglass {

Status StepAxis::read(Reader& reader, AttemptId attempt, std::stop_token stop) {
  RG_ASSIGN(const auto steps, AttemptSteps::list(reader, attempt, {StepSeries::kTime}));
  const Series* best = steps.clock();
  if (best == nullptr) return {};
  const std::int64_t from = std::max(best->last_x, std::numeric_limits<std::int64_t>::min() + kMaxSteps) - kMaxSteps;
  RG_ASSIGN(const auto points, reader.scalars(best->id, from, std::numeric_limits<std::int64_t>::max(), stop));
  for (std::size_t i = 0; i < points.time.size(); ++i)
    if (points.time[i] != kAbsent) m_begins.emplace_back(points.time[i], points.step[i]);
  std::ranges::sort(m_begins);
  return {};
}

std::optional<std::int64_t> StepAxis::at(TimeNs time) const {
  const auto after = std::ranges::upper_bound(m_begins, time, {}, &std::pair<TimeNs, std::int64_t>::first);
  return after == m_begins.begin() ? std::nullopt : std::optional(std::prev(after)->second);
}

}  // namespace runglass
