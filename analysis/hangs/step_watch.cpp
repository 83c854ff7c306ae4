// SPDX-License-Identifier: Apache-2.0
// Invariant: every step is passed to the clock once.
#include "analysis/hangs/step_watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analysis/steps/attempt_steps.h"
#include "model/spans.h"

namespace runglass {
namespace {

constexpr std::int64_t kFirstLook = 10 * static_cast<std::int64_t>(kStepsKept);
constexpr DurNs kBeside = 30 * kNsPerSecond;     // an event this close to a gap belongs to it
constexpr DurNs kJustBefore = 5 * kNsPerSecond;  // minimum tolerance for an explanation that ended before the gap: node clocks differ
constexpr DurNs kAfterSave = 60 * kNsPerSecond;  // until the first step after a save has made progress
constexpr std::size_t kMaxGaps = 64;             // a run with more gaps than that stalls regularly
constexpr DurNs kLongestStep = 30LL * 24 * 3600 * kNsPerSecond;

constexpr std::int64_t kStepsBeside = 200;  // before a gap, with few values of an evaluation

constexpr std::array kEvaluationTags = {"eval", "Eval", "valid", "Valid", "val_", "val/", "val ", "test"};

bool isSaveOrEval(const Event& event) { return event.kind.starts_with("eval") || event.kind.starts_with("checkpoint"); }

}  // namespace

Status StepWatch::choose(Reader& reader) {
  RG_ASSIGN(const auto steps, AttemptSteps::list(reader, m_attempt, {StepSeries::kTime, StepSeries::kPhase}));
  const Series* best = steps.clock();  // without a clock, no gaps
  if (best == nullptr) return {};
  m_series = *best;
  m_clock.emplace(fromLog());
  if (fromLog()) return {};
  const auto phases = steps.of(StepSeries::kPhase, *m_series.key.rank);
  m_phases.assign(phases.begin(), phases.end());
  return {};
}

Status StepWatch::read(Reader& reader, std::stop_token stop) {
  if (!m_series.id) RG_TRY(choose(reader));
  if (!m_series.id) return {};
  if (!m_next)
    m_next = m_series.last_x > std::numeric_limits<std::int64_t>::min() + kFirstLook ? m_series.last_x - kFirstLook : m_series.last_x;
  RG_ASSIGN(const auto points, reader.scalars(m_series.id, *m_next, std::numeric_limits<std::int64_t>::max(), stop));
  if (points.size() == 0 || points.time.empty()) return {};
  RG_ASSIGN(const StepPhases phases, StepPhases::read(reader, m_phases, *m_next, std::numeric_limits<std::int64_t>::max(), stop));
  std::vector<ClockedStep> steps;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points.time[i] == kAbsent || !std::isfinite(points.value[i]) || points.value[i] < 0) continue;
    const auto dur = static_cast<DurNs>(std::min(points.value[i], static_cast<double>(kLongestStep)));
    const bool steady = phases.isSteady(points.step[i]);
    if (!steady) m_longest_phase = std::max(m_longest_phase, dur);
    steps.push_back({points.step[i], points.time[i], dur, steady});
  }
  if (points.step.back() == std::numeric_limits<std::int64_t>::max()) return {};
  m_next = points.step.back() + 1;
  for (const StallGap& gap : m_clock->take(steps)) {
    RG_ASSIGN(const bool known_reason, explained(reader, gap));
    if (!known_reason && m_gaps.size() < kMaxGaps) m_gaps.push_back(gap);
  }
  return {};
}

Result<bool> StepWatch::explained(Reader& reader, const StallGap& gap) {
  // Even an explained gap may be too long.
  const DurNs length = gap.range.t1 - gap.range.t0;
  const bool in_time = length <= phaseLimit(m_longest_phase);
  // A save or an evaluation followed by steps has ended.
  const DurNs just = std::clamp(2 * m_clock->p99(), kJustBefore, kBeside);
  RG_ASSIGN(const auto checkpoints, reader.checkpoints(m_run));
  bool saved = std::ranges::any_of(checkpoints, [&](const Checkpoint& one) {
    return one.begin && *one.begin < gap.range.t1 && one.durable.value_or(*one.begin + kBeside) > gap.range.t0 - just;
  });
  EventFilter filter;
  filter.run = m_run;
  filter.range = {gap.range.t0 - kBeside, gap.range.t1 + kBeside};
  RG_ASSIGN(const auto events, reader.events(filter));
  saved = saved || std::ranges::any_of(events, [&](const Event& event) {
            return isSaveOrEval(event) && (!event.time || (*event.time > gap.range.t0 - just && *event.time < gap.range.t1 + just));
          });
  if (!saved && in_time) {
    RG_ASSIGN(saved, evaluated(reader, gap));
  }
  if (saved) m_longest_phase = std::max(m_longest_phase, length);
  return in_time && (saved || std::ranges::any_of(events, [](const Event& event) {
                       return event.kind == "start" || event.kind == "restart" || event.kind == "training_begins";
                     }));
}

// A value of an evaluation logged at the gap's step or within it. A tag with a value at most steps ("valid_tokens") is not an evaluation,
// whatever its name.
Result<bool> StepWatch::evaluated(Reader& reader, const StallGap& gap) const {
  SeriesFilter filter;
  filter.attempt = m_attempt;
  filter.kind = SeriesKind::kScalar;
  RG_ASSIGN(const auto all, reader.series(filter));
  const std::int64_t from = std::max(gap.step, std::numeric_limits<std::int64_t>::min() + kStepsBeside) - kStepsBeside;
  RG_ASSIGN(const auto steps, reader.scalars(m_series.id, from, gap.step, {}));
  for (const Series& series : all) {
    const std::string& tag = series.key.metric;
    const bool is_evaluation = std::ranges::any_of(kEvaluationTags, [&](const char* word) { return tag.find(word) != std::string::npos; });
    if (!is_evaluation || series.key.rank || series.sample_count == 0) continue;
    RG_ASSIGN(const auto before, reader.scalars(series.id, from, gap.step, {}));
    if (before.size() > 1 && before.size() * 2 > steps.size()) continue;
    RG_ASSIGN(const auto points, reader.scalars(series.id, gap.step, gap.step + 2, {}));
    for (std::size_t i = 0; i < points.size(); ++i)
      if (points.step[i] == gap.step ||
          (!points.time.empty() && points.time[i] != kAbsent && points.time[i] >= gap.range.t0 && points.time[i] <= gap.range.t1))
        return true;
  }
  return false;
}

Result<bool> StepWatch::saves(Reader& reader, TimeNs moved, TimeNs now) const {
  RG_ASSIGN(const auto checkpoints, reader.checkpoints(m_run));
  for (const Checkpoint& one : checkpoints)
    if (one.attempt == m_attempt && one.begin && *one.begin > moved - kBeside && *one.begin <= now &&
        one.durable.value_or(now) > now - kAfterSave)
      return true;
  EventFilter filter;
  filter.run = m_run;
  filter.range = {moved - kBeside, now + 1};
  RG_ASSIGN(const auto events, reader.events(filter));
  return std::ranges::any_of(events, isSaveOrEval);
}

Result<std::optional<DurNs>> StepWatch::communicationP99(Reader& reader, std::stop_token stop) const {
  if (!m_series.id || !m_series.key.rank) return std::optional<DurNs>();
  RG_ASSIGN(const auto steps, AttemptSteps::list(reader, m_attempt, {StepSeries::kPart}));
  for (const Series& series : steps.of(StepSeries::kPart, *m_series.key.rank)) {
    if (series.key.labels.find("\"comm") == std::string::npos) continue;
    const std::int64_t from =
        std::max<std::int64_t>(series.last_x, static_cast<std::int64_t>(kStepsKept)) - static_cast<std::int64_t>(kStepsKept);
    RG_ASSIGN(const auto points, reader.scalars(series.id, from, std::numeric_limits<std::int64_t>::max(), stop));
    std::vector<DurNs> values;
    for (const double value : points.value)
      if (std::isfinite(value) && value >= 0 && value < static_cast<double>(kLongestStep)) values.push_back(static_cast<DurNs>(value));
    if (values.size() >= kStepsToJudge) return std::optional(usualLength(std::move(values)).p99);
  }
  return std::optional<DurNs>();
}

}  // namespace runglass
