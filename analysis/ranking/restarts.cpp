// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranking/restarts.h"

#include <algorithm>
#include <cmath>

namespace runglass {
namespace {

struct StepTimes {
  std::optional<TimeNs> first_end, last_end;  // of its first and of its last step
};

// One rank speaks for all: they wait for each other.
Result<StepTimes> stepTimes(Reader& reader, AttemptId attempt, const std::stop_token& stop) {
  SeriesFilter filter;
  filter.attempt = attempt;
  filter.metric = "step_time_ns";
  RG_ASSIGN(const auto all, reader.series(filter));
  const Series* chosen = nullptr;
  for (const Series& one : all)
    if (one.sample_count > 0 && one.key.kind == SeriesKind::kScalar && (chosen == nullptr || one.key.rank < chosen->key.rank))
      chosen = &one;
  StepTimes times;
  if (chosen == nullptr) return times;
  const auto end = [&](std::int64_t step) -> Result<std::optional<TimeNs>> {
    RG_ASSIGN(const auto points, reader.scalars(chosen->id, step, step + 1, stop));
    if (points.size() == 0 || points.time.empty() || points.time.back() == kAbsent || !(points.value.back() >= 0) ||
        points.value.back() > 1e17)
      return std::optional<TimeNs>();
    return std::optional<TimeNs>(points.time.back() + static_cast<DurNs>(points.value.back()));
  };
  RG_ASSIGN(times.first_end, end(chosen->first_x));
  RG_ASSIGN(times.last_end, end(chosen->last_x));
  return times;
}

}  // namespace

Result<RestartTime> readRestartTime(Reader& reader, const std::vector<Attempt>& attempts, std::stop_token stop) {
  std::vector<DurNs> lengths;
  std::optional<TimeNs> before;
  for (const Attempt& attempt : attempts) {
    RG_ASSIGN(const StepTimes times, stepTimes(reader, attempt.id, stop));
    if (before && times.first_end) lengths.push_back(*times.first_end - *before);
    before = times.last_end ? times.last_end : attempt.end;
  }
  return restartTimeOf(std::move(lengths));
}

}  // namespace runglass
