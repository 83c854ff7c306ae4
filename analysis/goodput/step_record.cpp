// SPDX-License-Identifier: Apache-2.0
#include "analysis/goodput/step_record.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/run_summary/roles.h"
#include "analysis/run_summary/run_summary.h"
#include "analysis/steps/attempt_steps.h"

namespace runglass {
namespace {

constexpr double kLongest = 30.0 * 24 * 3600 * 1e9;  // ns; a longer step is invalid
constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMaxCount = 10'000;  // steps in one line of a log
constexpr double kNearlyAll = 0.9;          // of the maximum number of steps: a rank slightly behind is as good a source

constexpr TimeNs kFar = 4'000'000'000'000'000'000;                    // times outside this range cannot be added
bool usableTime(TimeNs time) { return time > -kFar && time < kFar; }  // an absent time is outside

constexpr std::int64_t kCoarse = 10;  // stamps are coarse where the time between two is less than this many resolutions

constexpr std::int64_t kFarStep = std::int64_t{1} << 53;
bool usableStep(std::int64_t step) { return step > -kFarStep && step < kFarStep; }
// 0: the distance overflows.
std::int64_t between(std::int64_t before, std::int64_t after) {
  std::int64_t count = 0;
  return __builtin_sub_overflow(after, before, &count) ? 0 : count;
}

bool usable(double dur) { return std::isfinite(dur) && dur > 0 && dur < kLongest; }

// The resolution of the stamps: a second, a millisecond, a microsecond or a nanosecond.
DurNs resolutionOf(const std::vector<TimeNs>& times) {
  const auto first = std::ranges::find_if(times, usableTime);
  for (const DurNs one : {kNsPerSecond, kNsPerMs, kNsPerUs})
    if (std::ranges::all_of(times, [&](TimeNs time) { return !usableTime(time) || (time - *first) % one == 0; })) return one;
  return 1;
}

void sortByTime(StepRecord& record) {
  std::ranges::stable_sort(record.steps, {}, &LedgerStep::begin);
  if (!record.steps.empty()) record.steps.front().kind = StepKind::kFirst;
}

Result<StepRecord> ofRank(Reader& reader, const AttemptSteps& steps, const Series& series, const std::stop_token& stop) {
  const auto recorded = steps.of(StepSeries::kPhase, *series.key.rank);
  RG_ASSIGN(const StepPhases phases, StepPhases::read(reader, recorded, std::numeric_limits<std::int64_t>::min(), kAll, stop));
  RG_ASSIGN(const ScalarColumns points, reader.scalars(series.id, std::numeric_limits<std::int64_t>::min(), kAll, stop));
  StepRecord record;
  record.source = std::string(kStepTimeMetric) + " of rank " + std::to_string(*series.key.rank);
  for (std::size_t i = 0; i < points.size() && !points.time.empty(); ++i) {
    if (!usable(points.value[i]) || !usableTime(points.time[i]) || !usableStep(points.step[i])) continue;
    LedgerStep step{.step = points.step[i], .begin = points.time[i], .end = points.time[i] + static_cast<DurNs>(points.value[i])};
    const StepPhase phase = phases.at(points.step[i]);
    if (phase == StepPhase::kInit) step.kind = StepKind::kFirst;
    if (phase == StepPhase::kEval) step.kind = StepKind::kEval;
    if (phase == StepPhase::kCheckpoint) step.kind = StepKind::kSave;
    record.steps.push_back(step);
  }
  sortByTime(record);
  return record;
}

Result<StepRecord> ofLog(Reader& reader, const Series& series, const std::stop_token& stop) {
  RG_ASSIGN(const ScalarColumns points, reader.scalars(series.id, std::numeric_limits<std::int64_t>::min(), kAll, stop));
  StepRecord record;
  record.source = "\"" + series.key.metric + "\", at the times of its lines";
  const DurNs resolution = resolutionOf(points.time);
  TimeNs free = -kFar;  // end of the previous step
  for (std::size_t i = 0; i < points.size() && !points.time.empty(); ++i) {
    if (!usable(points.value[i]) || !usableTime(points.time[i]) || !usableStep(points.step[i])) continue;
    // A log line every ten steps gives their mean.
    const std::int64_t since = i > 0                   ? between(points.step[i - 1], points.step[i])
                               : i + 1 < points.size() ? between(points.step[i], points.step[i + 1])
                                                       : 1;
    // The first line covers no steps before the first: trainers that log step 0 or 1 first do so before a whole interval has passed.
    const std::int64_t most = i > 0 ? kMaxCount : std::clamp<std::int64_t>(points.step[i], 1, kMaxCount);
    const std::int64_t count = since >= 1 && since <= kMaxCount ? std::min(since, most) : 1;
    const double length = points.value[i] * static_cast<double>(count);
    if (!usable(length)) continue;
    const auto took = static_cast<DurNs>(length);
    // A stamp is a step's end up to its resolution. Shorter steps would overlap: a step begins at the end of the previous one, within the
    // limits of its own stamp.
    const TimeNs end = std::clamp(free + took, points.time[i], points.time[i] + resolution - 1);
    free = end;
    record.steps.push_back({.step = points.step[i], .count = count, .begin = end - took, .end = end});
  }
  sortByTime(record);
  return record;
}

Result<StepRecord> ofTimes(Reader& reader, const Series& series, const std::stop_token& stop) {
  RG_ASSIGN(const ScalarColumns points, reader.scalars(series.id, std::numeric_limits<std::int64_t>::min(), kAll, stop));
  StepRecord record;
  record.source = "times of \"" + series.key.metric + "\"";
  std::vector<double> each;
  const auto add = [&](std::size_t from, std::size_t to) {
    const std::int64_t count = between(points.step[from], points.step[to]);
    const double length = static_cast<double>(points.time[to] - points.time[from]);
    if (count < 1 || count > kMaxCount || !usable(length)) return;
    each.push_back(length / static_cast<double>(count));
    record.steps.push_back({.step = points.step[to], .count = count, .begin = points.time[from], .end = points.time[to]});
  };
  std::vector<std::size_t> timed;
  for (std::size_t i = 0; i < points.time.size(); ++i)
    if (usableTime(points.time[i]) && usableStep(points.step[i])) timed.push_back(i);
  std::vector<DurNs> gaps;
  for (std::size_t i = 1; i < timed.size(); ++i)
    if (points.time[timed[i]] > points.time[timed[i - 1]]) gaps.push_back(points.time[timed[i]] - points.time[timed[i - 1]]);
  const DurNs resolution = resolutionOf(points.time), typical = median(std::move(gaps)).value_or(0);
  // Where stamps are coarse relative to the steps, lines are merged until their length is known to a tenth. A gap longer than the others is
  // kept separate.
  const DurNs least = typical < kCoarse * resolution ? kCoarse * resolution : 0;
  std::size_t from = 0;
  for (std::size_t i = 1; i < timed.size(); ++i) {
    const DurNs gap = points.time[timed[i]] - points.time[timed[i - 1]];
    const bool alone = gap < 0 || gap > 2 * typical + resolution;
    if (alone && from + 1 < i) add(timed[from], timed[i - 1]), from = i - 1;
    if (!alone && points.time[timed[i]] - points.time[timed[from]] < least && i + 1 < timed.size()) continue;
    add(timed[from], timed[i]);
    from = i;
  }
  if (const auto usual = median(std::move(each)))
    for (LedgerStep& step : record.steps) {
      const double length = static_cast<double>(step.end - step.begin), most = *usual * static_cast<double>(step.count);
      if (length > kLongStep * most) step.begin = step.end - static_cast<DurNs>(most);
    }
  std::ranges::stable_sort(record.steps, {}, &LedgerStep::begin);
  return record;
}

Result<StepRecord> ofDurations(Reader& reader, const Series& series, const std::stop_token& stop) {
  RG_ASSIGN(const ScalarColumns points, reader.scalars(series.id, std::numeric_limits<std::int64_t>::min(), kAll, stop));
  StepRecord record;
  record.source = "\"" + series.key.metric + "\", without times";
  for (std::size_t i = 1; i < points.size(); ++i)
    if (usable(points.value[i])) record.durations.push_back(static_cast<DurNs>(points.value[i]));
  return record;
}

}  // namespace

Result<StepRecord> readSteps(Reader& reader, AttemptId attempt, std::span<const Series> of_attempt, std::stop_token stop) {
  const AttemptSteps steps = AttemptSteps::among(of_attempt, attempt, {StepSeries::kTime, StepSeries::kPhase});
  if (const Series* clock = steps.clock(kNearlyAll); clock != nullptr && clock->key.rank) return ofRank(reader, steps, *clock, stop);
  std::vector<Series> global, timed, untimed;
  for (const Series& series : of_attempt) {
    if (series.key.kind != SeriesKind::kScalar || series.sample_count == 0) continue;
    if (!series.last_time) {
      untimed.push_back(series);
      continue;
    }
    if (series.key.rank) continue;
    global.push_back(series);
    if (series.sample_count >= 2) timed.push_back(series);
  }
  if (const Series* log = pickSeries(global, Role::kStepTime)) return ofLog(reader, *log, stop);
  if (const Series* reported = pickSeries(untimed, Role::kStepTime)) return ofDurations(reader, *reported, stop);
  if (const Series* loss = pickSeries(timed, Role::kLoss)) return ofTimes(reader, *loss, stop);
  const auto longest = std::ranges::max_element(timed, {}, &Series::sample_count);
  if (longest != timed.end()) return ofTimes(reader, *longest, stop);
  return StepRecord{};
}

}  // namespace runglass
