// SPDX-License-Identifier: Apache-2.0
#include "analysis/gpu_idle/idle_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/median.h"
#include "analysis/steps/attempt_steps.h"
#include "analysis/steps/step_feed.h"

namespace runglass {
namespace {

constexpr std::pair<StepColumn, IdleCause> kHostColumns[] = {{StepColumn::kCheckpoint, IdleCause::kCheckpoint},
                                                             {StepColumn::kData, IdleCause::kData},
                                                             {StepColumn::kGc, IdleCause::kGc},
                                                             {StepColumn::kHost, IdleCause::kHostBound}};

// The median over steady steps of their longest rank; absent: no such steps.
std::optional<double> steadyMedian(std::span<const StepFrame> frames) {
  std::vector<double> values;
  for (const StepFrame& frame : frames)
    if (const auto longest = frame.longest(); longest && frame.isSteady()) values.push_back(*longest);
  return median(std::move(values));
}

double reported(const StepFrame& frame, StepColumn column, std::size_t rank) {
  const float value = frame.at(column, rank);
  return std::isfinite(value) && value > 0 ? static_cast<double>(value) : 0;
}

class PartSum {
 public:
  explicit PartSum(const std::vector<Rank>& ranks) : m_ranks(ranks) {}

  void add(const StepFrame& frame, std::optional<double> steady) {
    for (std::size_t rank = 0; rank < frame.dur.size(); ++rank) {
      const double dur = frame.dur[rank];
      if (!std::isfinite(dur) || dur <= 0) continue;
      const double in_parts = note(frame, rank);
      if (in_parts < 0) continue;
      addRank(frame, rank, dur, in_parts, steady);
    }
  }

  PartIdle take() { return std::move(m_out); }

 private:
  // The sum of all columns of a rank's step; negative: none is recorded.
  double note(const StepFrame& frame, std::size_t rank) {
    double sum = 0;
    bool any = false;
    for (std::size_t c = 0; c < kStepPartColumns; ++c) {
      const auto column = static_cast<StepColumn>(c);
      if (std::isnan(frame.at(column, rank))) continue;
      any = true;
      m_out.reported[c] = true;
      sum += reported(frame, column, rank);
    }
    return any ? sum : -1;
  }

  void addRank(const StepFrame& frame, std::size_t rank, double dur, double in_parts, std::optional<double> steady) {
    StepSample sample{.unit = rank, .rank = m_ranks[rank].rank, .step = frame.step, .window = dur};
    // Parts measured by other clocks may sum to more than the step: they are then scaled to the step.
    const double scale = in_parts > dur ? dur / in_parts : 1;
    for (const auto& [column, cause] : kHostColumns) sample.ns[static_cast<std::size_t>(cause)] += scale * reported(frame, column, rank);
    double rest = std::max(0.0, dur - in_parts);
    if (frame.phase == StepPhase::kCheckpoint && steady && reported(frame, StepColumn::kCheckpoint, rank) == 0) {
      const double save = std::clamp(dur - *steady, 0.0, rest);
      sample.ns[static_cast<std::size_t>(IdleCause::kCheckpoint)] += save;
      rest -= save;
    }
    const bool comm = !std::isnan(frame.at(StepColumn::kTransfer, rank));
    m_out.comm_reported |= comm;
    if (comm)
      sample.ns[static_cast<std::size_t>(IdleCause::kUnexplained)] += rest;
    else
      m_out.untold += rest;
    m_out.transfer += scale * reported(frame, StepColumn::kTransfer, rank);
    m_out.wait += scale * reported(frame, StepColumn::kWait, rank);
    for (const StepColumn column : {StepColumn::kForward, StepColumn::kBackward, StepColumn::kOptimizer, StepColumn::kOther})
      m_out.work += scale * reported(frame, column, rank);
    m_out.delay_reported |= !std::isnan(frame.at(StepColumn::kRunDelay, rank));
    m_out.delay += std::min(dur, reported(frame, StepColumn::kRunDelay, rank));
    for (std::size_t c = 0; c < sample.ns.size(); ++c) {
      CauseSum& sum = m_out.tally.causes[c];
      if (sample.ns[c] <= sum.longest_ns) continue;
      sum.longest_ns = sample.ns[c], sum.rank = sample.rank;
      sum.longest = frame.when.value_or(TimeRange{0, 0});
    }
    m_out.tally.add(sample);
    if (frame.when) m_out.tally.cover(*frame.when);
  }

  const std::vector<Rank>& m_ranks;
  PartIdle m_out;
};

}  // namespace

PartIdle partIdle(std::span<const StepFrame> frames, const std::vector<Rank>& ranks) {
  const std::optional<double> steady = steadyMedian(frames);
  PartSum sum(ranks);
  for (const StepFrame& frame : frames)
    if (frame.phase == StepPhase::kSteady || frame.phase == StepPhase::kCheckpoint) sum.add(frame, steady);
  return sum.take();
}

Result<PartIdle> readPartIdle(Reader& reader, AttemptId attempt, const IdleScope& scope, const std::stop_token& stop) {
  RG_ASSIGN(const auto steps, AttemptSteps::list(reader, attempt, {StepSeries::kTime}));
  constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max() / 2;
  std::optional<std::int64_t> last = steps.lastStep();
  if (!last) return PartIdle{};
  if (scope.last_step) last = std::min(*last, *scope.last_step);
  last = std::clamp(*last, -kFarthest, kFarthest);
  StepFeed feed(attempt);
  if (scope.first_step)
    feed.startAt(std::clamp(*scope.first_step, -kFarthest, kFarthest));
  else if (!scope.time && scope.last_step)
    feed.startAt(*last - kIdleSteps + 1);
  else if (!scope.time)
    feed.startBack(kIdleSteps - 1);
  std::vector<StepFrame> frames;
  for (bool more = true; more;) {
    RG_ASSIGN(auto next, feed.next(reader, true, stop));
    more = !next.empty() && next.back().step < *last;
    for (StepFrame& frame : next) {
      if (frame.step > *last) continue;
      if (scope.time && !(frame.when && frame.when->t0 < scope.time->t1 && scope.time->t0 < frame.when->t1)) continue;
      frames.push_back(std::move(frame));
    }
    // In a long scope only the newest steps count.
    if (frames.size() > 2 * static_cast<std::size_t>(kIdleSteps)) frames.erase(frames.begin(), frames.end() - kIdleSteps);
  }
  if (frames.size() > static_cast<std::size_t>(kIdleSteps)) frames.erase(frames.begin(), frames.end() - kIdleSteps);
  return partIdle(frames, feed.ranks());
}

}  // namespace runglass
