// SPDX-License-Identifier: Apache-2.0
#include "analysis/run_summary/run_steps.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "analysis/run_summary/roles.h"
#include "analysis/steps/attempt_steps.h"
#include "model/series_extent.h"

namespace runglass {
namespace {

constexpr std::int64_t kFirstLook = 16, kGrowth = 16;  // steps read to find the next logged one

// An attempt and the series with the end times of its steps.
struct StepClock {
  AttemptId attempt;
  TimeNs begin = 0;
  Series series;
};

// Used where no step times are recorded.
const Series* otherClock(std::span<const Series> own) {
  const Series* longest = nullptr;
  for (const Series& one : own) {
    if (one.key.kind != SeriesKind::kScalar || one.sample_count == 0 || !one.first_time) continue;
    if (longest == nullptr || one.sample_count > longest->sample_count) longest = &one;
  }
  const Series* loss = pickSeries(own, Role::kLoss);
  return loss != nullptr && loss->first_time ? loss : longest;
}

// By number. Attempts without times of steps are left out.
Result<std::vector<StepClock>> stepClocks(Reader& reader, RunId run) {
  RG_ASSIGN(const std::vector<Attempt> attempts, reader.attempts(run));
  std::vector<StepClock> clocks;
  for (const bool by_step_times : {true, false}) {
    SeriesFilter filter{.run = run, .kind = SeriesKind::kScalar};
    if (by_step_times) filter.metric = std::string(kStepTimeMetric);
    RG_ASSIGN(const std::vector<Series> all, reader.series(filter));
    for (const Attempt& attempt : attempts) {
      std::vector<Series> own;
      std::ranges::copy_if(all, std::back_inserter(own), [&](const Series& one) { return one.key.attempt == attempt.id; });
      const AttemptSteps steps = AttemptSteps::among(own, attempt.id, {StepSeries::kTime});
      const Series* series = by_step_times ? steps.clock() : otherClock(own);
      if (series == nullptr || !series->first_time) continue;
      clocks.push_back({attempt.id, std::min(attempt.start.value_or(*series->first_time), *series->first_time), *series});
    }
    if (!clocks.empty()) break;
  }
  return clocks;
}

// The newest that had begun; rend(): none.
auto covering(const std::vector<StepClock>& clocks, TimeNs moment) {
  return std::find_if(clocks.rbegin(), clocks.rend(), [&](const StepClock& one) { return one.begin <= moment; });
}

Result<std::optional<StepMoment>> newestIn(Reader& reader, const StepClock& clock, TimeNs moment, const std::stop_token& stop) {
  RG_ASSIGN(const std::vector<LatestSample> found, reader.latestAt({&clock.series.id, 1}, moment, stop));
  if (found.empty() || !found.front().time) return std::optional<StepMoment>();
  return std::optional(StepMoment{found.front().x, *found.front().time, clock.attempt});
}

// The first after the moment, among steps from `from` on.
Result<std::optional<StepMoment>> firstAfter(Reader& reader, const StepClock& clock, std::int64_t from, TimeNs moment,
                                             const std::stop_token& stop) {
  const std::int64_t end = endOf(clock.series);
  for (std::int64_t length = kFirstLook; from < end;) {
    std::int64_t until = end;
    if (__builtin_add_overflow(from, length, &until) || until > end) until = end;
    RG_ASSIGN(const ScalarColumns points, reader.scalars(clock.series.id, from, until, stop));
    std::optional<StepMoment> next;
    for (std::size_t i = 0; i < points.time.size(); ++i)
      if (points.time[i] > moment && (!next || points.time[i] < next->time))
        next = StepMoment{points.step[i], points.time[i], clock.attempt};
    if (next) return next;
    from = until;
    length = length > end / kGrowth ? end : length * kGrowth;
  }
  return std::optional<StepMoment>();
}

}  // namespace

Result<std::optional<StepMoment>> stepAt(Reader& reader, RunId run, TimeNs moment, std::stop_token stop) {
  RG_ASSIGN(const auto clocks, stepClocks(reader, run));
  const auto at = covering(clocks, moment);
  if (at == clocks.rend()) return std::optional<StepMoment>();
  return newestIn(reader, *at, moment, stop);
}

Result<std::optional<StepMoment>> neighbourStep(Reader& reader, RunId run, TimeNs moment, int by, std::stop_token stop) {
  RG_ASSIGN(const auto clocks, stepClocks(reader, run));
  auto at = covering(clocks, moment);
  if (by < 0) {
    if (moment == std::numeric_limits<TimeNs>::min()) return std::optional<StepMoment>();
    for (; at != clocks.rend(); ++at) {
      RG_ASSIGN(const auto before, newestIn(reader, *at, moment - 1, stop));
      if (before) return before;
    }
    return std::optional<StepMoment>();
  }
  auto next = clocks.begin();
  if (at != clocks.rend()) {
    RG_ASSIGN(const auto here, newestIn(reader, *at, moment, stop));
    const std::int64_t from = here && here->step < std::numeric_limits<std::int64_t>::max() ? here->step + 1 : at->series.first_x;
    RG_ASSIGN(const auto after, firstAfter(reader, *at, from, moment, stop));
    if (after) return after;
    next = at.base();
  }
  for (; next != clocks.end(); ++next) {
    RG_ASSIGN(const auto after, firstAfter(reader, *next, next->series.first_x, moment, stop));
    if (after) return after;
  }
  return std::optional<StepMoment>();
}

Result<std::optional<StepMoment>> momentOfStep(Reader& reader, RunId run, std::int64_t step, std::stop_token stop) {
  RG_ASSIGN(const auto clocks, stepClocks(reader, run));
  for (auto clock = clocks.rbegin(); clock != clocks.rend(); ++clock) {
    if (step < clock->series.first_x || step > clock->series.last_x) continue;
    RG_ASSIGN(const auto found, firstAfter(reader, *clock, step, std::numeric_limits<TimeNs>::min(), stop));
    if (found) return found;
  }
  return std::optional<StepMoment>();
}

}  // namespace runglass
