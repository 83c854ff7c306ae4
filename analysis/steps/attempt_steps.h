// SPDX-License-Identifier: Apache-2.0
// AttemptSteps: the series that record the steps of one attempt, and their contents.
//
// The only place that lists step times, phases, parts or waits of an attempt; for whole steps in order use a StepFeed, for the newest steps
// of all ranks a StepTableFeed (analysis/slow_ranks).
//
// Threading:  on the thread of the Reader.
// Errors:     the Reader's. Without records the lists are empty and answers absent.
// Cost:       list(): one query of the catalogue for each requested kind, and one of all scalars if no step times are recorded. among()
//             copies the matching series.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/steps/stalled_steps.h"
#include "model/step_metrics.h"
#include "storage/reader.h"

namespace runglass {

enum class StepSeries : std::uint8_t { kTime, kPhase, kPart, kPartWait, kRunDelay, kCpu };
inline constexpr std::size_t kStepSeriesCount = 6;
std::string_view stepMetric(StepSeries kind);
std::optional<StepSeries> stepSeriesOf(const SeriesKey& key);  // absent: another metric, or over time

class AttemptSteps {
 public:
  static Result<AttemptSteps> list(Reader& reader, AttemptId attempt, std::initializer_list<StepSeries> kinds);
  // From series that are listed already, which may include other attempts and metrics.
  static AttemptSteps among(std::span<const Series> all, AttemptId attempt, std::initializer_list<StepSeries> kinds);

  // Series of ranks with points, by rank; within a rank in list order.
  const std::vector<Series>& of(StepSeries kind) const { return m_of[static_cast<std::size_t>(kind)]; }
  std::span<const Series> of(StepSeries kind, std::int32_t rank) const;
  // Step times without a rank: from a log, or from a trace that names no ranks.
  const std::vector<Series>& unranked() const { return m_unranked; }

  // See loggedStepTimes(). Null: none.
  const Series* logged() const { return m_logged ? &*m_logged : nullptr; }

  // The step times that represent the whole attempt, since its ranks wait for each other: those of the lowest rank with a clock, else
  // unranked ones, else logged ones. `share`: the minimum number of steps, as a share of the maximum over ranks; ranks with fewer fell
  // silent while the job continued.
  const Series* clock(double share = 0) const;
  std::optional<std::int64_t> lastStep() const;  // over the step times of all ranks
  // Steps of [first, end) that no baseline includes: stalled ones and those disturbed by Runglass's own work, by clock(), since ranks wait
  // for each other; without a clock by the lowest rank. Phases count if they were listed.
  Result<ExcludedSteps> excluded(Reader& reader, std::int64_t first, std::int64_t end, const std::stop_token& stop) const;
  // The wait series of a part: same rank, source and labels.
  const Series* waitOf(const Series& part) const;

 private:
  void add(StepSeries kind, const Series& series);
  void sort();

  std::array<std::vector<Series>, kStepSeriesCount> m_of;
  std::vector<Series> m_unranked;
  std::optional<Series> m_logged;
};

// The phase of each step; a step without a recorded phase is steady.
class StepPhases {
 public:
  // Of the steps [first, end), from the first of these series with any of them.
  static Result<StepPhases> read(Reader& reader, std::span<const Series> phases, std::int64_t first, std::int64_t end,
                                 const std::stop_token& stop);
  StepPhase at(std::int64_t step) const;
  bool isSteady(std::int64_t step) const { return at(step) == StepPhase::kSteady; }

 private:
  std::unordered_map<std::int64_t, StepPhase> m_phases;  // steps that are not steady
};

// Finite, not negative, below three years: trainers and traces may record anything.
bool isStepDuration(double ns);
// From its start to its end; absent without a clock, or where its duration or end is invalid.
std::optional<TimeRange> stepRange(const ScalarColumns& times, std::size_t i);

}  // namespace runglass
