// SPDX-License-Identifier: Apache-2.0
#include "analysis/steps/attempt_steps.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "model/spans.h"

namespace runglass {
namespace {

constexpr double kLongest = 1e17;  // ns; three years
constexpr std::array<std::string_view, kStepSeriesCount> kMetrics = {kStepTimeMetric,     kStepPhaseMetric,    kStepPartMetric,
                                                                     kStepPartWaitMetric, kStepRunDelayMetric, kStepCpuMetric};

std::optional<std::int32_t> rankOf(const Series& series) { return series.key.rank; }

bool isAsked(std::initializer_list<StepSeries> kinds, StepSeries kind) { return std::ranges::find(kinds, kind) != kinds.end(); }

}  // namespace

std::string_view stepMetric(StepSeries kind) { return kMetrics[static_cast<std::size_t>(kind)]; }

std::optional<StepSeries> stepSeriesOf(const SeriesKey& key) {
  if (key.kind != SeriesKind::kScalar) return std::nullopt;
  const auto found = std::ranges::find(kMetrics, key.metric);
  return found == kMetrics.end() ? std::nullopt : std::optional(static_cast<StepSeries>(found - kMetrics.begin()));
}

Result<AttemptSteps> AttemptSteps::list(Reader& reader, AttemptId attempt, std::initializer_list<StepSeries> kinds) {
  AttemptSteps steps;
  for (const StepSeries kind : kinds) {
    RG_ASSIGN(const auto all, reader.series({.attempt = attempt, .metric = std::string(stepMetric(kind)), .kind = SeriesKind::kScalar}));
    for (const Series& series : all)
      if (series.key.attempt == attempt && stepSeriesOf(series.key) == kind) steps.add(kind, series);
  }
  if (isAsked(kinds, StepSeries::kTime) && steps.of(StepSeries::kTime).empty() && steps.unranked().empty()) {
    RG_ASSIGN(const auto all, reader.series({.attempt = attempt, .kind = SeriesKind::kScalar}));
    if (const Series* logged = loggedStepTimes(all, attempt)) steps.m_logged = *logged;
  }
  steps.sort();
  return steps;
}

AttemptSteps AttemptSteps::among(std::span<const Series> all, AttemptId attempt, std::initializer_list<StepSeries> kinds) {
  AttemptSteps steps;
  for (const Series& series : all) {
    if (series.key.attempt != attempt) continue;
    const auto kind = stepSeriesOf(series.key);
    if (kind && isAsked(kinds, *kind)) steps.add(*kind, series);
  }
  if (isAsked(kinds, StepSeries::kTime))
    if (const Series* logged = loggedStepTimes(all, attempt)) steps.m_logged = *logged;
  steps.sort();
  return steps;
}

void AttemptSteps::add(StepSeries kind, const Series& series) {
  if (series.sample_count == 0) return;
  if (series.key.rank)
    m_of[static_cast<std::size_t>(kind)].push_back(series);
  else if (kind == StepSeries::kTime)
    m_unranked.push_back(series);
}

void AttemptSteps::sort() {
  for (auto& series : m_of) std::ranges::stable_sort(series, {}, rankOf);
}

std::span<const Series> AttemptSteps::of(StepSeries kind, std::int32_t rank) const {
  const auto found = std::ranges::equal_range(of(kind), std::optional(rank), {}, rankOf);
  return {found.begin(), found.end()};
}

const Series* AttemptSteps::clock(double share) const {
  const auto isTimed = [](const Series& series) { return series.last_time.has_value(); };
  std::int64_t most = 0;
  for (const Series& series : of(StepSeries::kTime))
    if (isTimed(series)) most = std::max(most, series.sample_count);
  const double least = share * static_cast<double>(most);
  for (const Series& series : of(StepSeries::kTime))
    if (isTimed(series) && static_cast<double>(series.sample_count) >= least) return &series;
  const auto other = std::ranges::find_if(m_unranked, isTimed);
  if (other != m_unranked.end()) return &*other;
  return m_logged && isTimed(*m_logged) ? &*m_logged : nullptr;
}

std::optional<std::int64_t> AttemptSteps::lastStep() const {
  const auto last = std::ranges::max_element(of(StepSeries::kTime), {}, &Series::last_x);
  return last == of(StepSeries::kTime).end() ? std::nullopt : std::optional(last->last_x);
}

Result<ExcludedSteps> AttemptSteps::excluded(Reader& reader, std::int64_t first, std::int64_t end, const std::stop_token& stop) const {
  const Series* times = clock();
  if (times == nullptr && !of(StepSeries::kTime).empty()) times = &of(StepSeries::kTime).front();
  if (times == nullptr) return ExcludedSteps();
  const auto phases = times->key.rank ? of(StepSeries::kPhase, *times->key.rank) : std::span<const Series>();
  return excludedSteps(reader, *times, phases, first, end, stop);
}

const Series* AttemptSteps::waitOf(const Series& part) const {
  const auto waits = of(StepSeries::kPartWait, *part.key.rank);
  const auto found = std::ranges::find_if(
      waits, [&](const Series& wait) { return wait.key.labels == part.key.labels && wait.key.source == part.key.source; });
  return found == waits.end() ? nullptr : &*found;
}

Result<StepPhases> StepPhases::read(Reader& reader, std::span<const Series> phases, std::int64_t first, std::int64_t end,
                                    const std::stop_token& stop) {
  StepPhases out;
  for (const Series& series : phases) {
    RG_ASSIGN(const ScalarColumns points, reader.scalars(series.id, first, end, stop));
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!(points.value[i] >= 0) || points.value[i] >= static_cast<double>(kStepPhaseNames.size())) continue;
      // If a step was recorded twice, the later value counts.
      const auto phase = static_cast<StepPhase>(static_cast<int>(points.value[i]));
      if (phase != StepPhase::kSteady)
        out.m_phases[points.step[i]] = phase;
      else
        out.m_phases.erase(points.step[i]);
    }
    if (points.size() > 0) break;
  }
  return out;
}

StepPhase StepPhases::at(std::int64_t step) const {
  const auto found = m_phases.find(step);
  return found == m_phases.end() ? StepPhase::kSteady : found->second;
}

bool isStepDuration(double ns) { return std::isfinite(ns) && ns >= 0 && ns < kLongest; }

std::optional<TimeRange> stepRange(const ScalarColumns& times, std::size_t i) {
  if (times.time.empty() || times.time[i] == kAbsent || !isStepDuration(times.value[i])) return std::nullopt;
  TimeRange range{times.time[i], 0};
  if (__builtin_add_overflow(range.t0, static_cast<DurNs>(times.value[i]), &range.t1)) return std::nullopt;
  return range;
}

}  // namespace runglass
