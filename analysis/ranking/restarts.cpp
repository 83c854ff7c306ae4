// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranking/restarts.h"

#include <algorithm>
#include <cmath>

#include "analysis/steps/attempt_steps.h"

namespace runglass {
namespace {

struct StepTimes {
  std::optional<TimeNs> first_end, last_end;  // of its first and its last step
};

// One rank represents all: they wait for each other.
Result<StepTimes> stepTimes(Reader& reader, AttemptId attempt, const std::stop_token& stop) {
  RG_ASSIGN(const auto steps, AttemptSteps::list(reader, attempt, {StepSeries::kTime}));
  const Series* chosen = steps.clock();
  StepTimes times;
  if (chosen == nullptr) return times;
  const auto end = [&](std::int64_t step) -> Result<std::optional<TimeNs>> {
    RG_ASSIGN(const auto points, reader.scalars(chosen->id, step, step + 1, stop));
    const auto range = points.size() > 0 ? stepRange(points, points.size() - 1) : std::nullopt;
    return range ? std::optional(range->t1) : std::nullopt;
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
