// SPDX-License-Identifier: Apache-2.0
// AttemptSteps: the series in which the steps of one attempt are recorded, and what stands in them.
//
// Everybody who wants step times, phases, parts or waits of an attempt lists them here; who wants whole steps one after the other takes a
// StepFeed, who wants the newest steps of all ranks a StepTableFeed (analysis/slow_ranks).
//
// Threading:  on the thread of the Reader.
// Errors:     the Reader's. Nothing recorded is empty lists and absent answers.
// Cost:       list(): one query of the catalogue for each kind asked for, and one of all scalars where no step times are recorded. among()
//             copies the series that it keeps.
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
std::optional<StepSeries> stepSeriesOf(const SeriesKey& key);  // absent: of another metric, or over time

class AttemptSteps {
 public:
  static Result<AttemptSteps> list(Reader& reader, AttemptId attempt, std::initializer_list<StepSeries> kinds);
  // Of series that are listed already, those of other attempts and metrics among them.
  static AttemptSteps among(std::span<const Series> all, AttemptId attempt, std::initializer_list<StepSeries> kinds);

  // Series of ranks that have points, by rank; of one rank in the order of the list.
  const std::vector<Series>& of(StepSeries kind) const { return m_of[static_cast<std::size_t>(kind)]; }
  std::span<const Series> of(StepSeries kind, std::int32_t rank) const;
  // Step times that belong to no rank: of a log, or of a trace that names none.
  const std::vector<Series>& unranked() const { return m_unranked; }

  // See loggedStepTimes(). Null: there are none.
  const Series* logged() const { return m_logged ? &*m_logged : nullptr; }

  // The step times that speak for the whole attempt, as its ranks wait for each other: of the lowest rank with a clock, else unranked ones,
  // else logged ones.
  // `share`: of the most steps that any rank has; ranks with fewer fell silent while the job went on.
  const Series* clock(double share = 0) const;
  std::optional<std::int64_t> lastStep() const;  // of any rank's step times
  // Steps of [first, end) that no baseline includes: stalled ones and those of our own work, by clock(), as ranks wait for each other;
  // without a clock by the lowest rank. Phases count where they were listed.
  Result<ExcludedSteps> excluded(Reader& reader, std::int64_t first, std::int64_t end, const std::stop_token& stop) const;
  // The wait of a part: of the same rank, source and labels.
  const Series* waitOf(const Series& part) const;

 private:
  void add(StepSeries kind, const Series& series);
  void sort();

  std::array<std::vector<Series>, kStepSeriesCount> m_of;
  std::vector<Series> m_unranked;
  std::optional<Series> m_logged;
};

// What a step was, as far as anybody recorded it; a step of which nobody did is steady.
class StepPhases {
 public:
  // Of the steps [first, end), by the first of these series that has any of them.
  static Result<StepPhases> read(Reader& reader, std::span<const Series> phases, std::int64_t first, std::int64_t end,
                                 const std::stop_token& stop);
  StepPhase at(std::int64_t step) const;
  bool isSteady(std::int64_t step) const { return at(step) == StepPhase::kSteady; }

 private:
  std::unordered_map<std::int64_t, StepPhase> m_phases;  // those that are not steady
};

// Finite, not negative, below three years: trainers and traces record anything.
bool isStepDuration(double ns);
// From its begin to its end; absent without a clock, or where its duration or its end is nonsense.
std::optional<TimeRange> stepRange(const ScalarColumns& times, std::size_t i);

}  // namespace runglass
