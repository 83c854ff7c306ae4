// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/attempt_watch.h"

#include <algorithm>
#include <cmath>

#include "analysis/peers/slower_than_peers.h"

namespace runglass {
namespace {

constexpr std::size_t kRecent = 200, kLevelSteps = 30;

std::vector<float> known(const std::vector<float>& values) {
  std::vector<float> out;
  for (const float value : values)
    if (!std::isnan(value)) out.push_back(value);
  return out;
}

}  // namespace

Status AttemptWatch::read(Reader& reader, bool ended, ShiftWatch& shifts, const std::stop_token& stop) {
  for (;;) {
    RG_ASSIGN(const auto frames, m_feed.next(reader, ended, stop));
    if (frames.empty()) return {};
    RG_TRY(m_regime.read(reader, frames, stop));
    placeRanks();
    for (const StepFrame& frame : frames) take(frame, shifts);
  }
}

void AttemptWatch::forget() {
  m_ranks = {};
  m_stages = m_run = {};
  m_stage_changes = {};
  m_run_usual = {};
  m_links = {}, m_imbalance = {}, m_noise = {}, m_smooth = {}, m_roles = {}, m_pace = {};
}

// Ranks appear, and their places may be recorded later than their first steps. Comparisons with the wrong peers are dropped.
void AttemptWatch::placeRanks() {
  std::vector<Place> places;
  for (const Rank& rank : m_feed.ranks()) places.emplace_back(rank.pp, rank.dp);
  if (places == m_places) return;
  if (!std::equal(m_places.begin(), m_places.end(), places.begin())) {
    m_ranks = {};
    m_stages = {};
    m_stage_changes = {};
    m_imbalance = {}, m_noise = {}, m_smooth = {};
  }
  m_roles = rolesOf(m_feed.ranks());
  m_places = std::move(places);
}

double AttemptWatch::stepTime() const { return m_recent.empty() ? 0 : static_cast<double>(medianOf({m_recent.begin(), m_recent.end()})); }

void AttemptWatch::take(const StepFrame& frame, ShiftWatch& shifts) {
  ++m_steps;
  m_last = frame.step;
  if (frame.when) m_last_time = frame.when->t1;
  if (m_regime.begins(frame)) {
    shifts.regimeChanged();
    m_links.regimeChanged();
    m_pace.regimeChanged();
    // Shares of the stages may differ from batch to batch.
    for (StageChanges& one : m_stage_changes) one.learnAgain();
    m_run_usual = {};
  }
  if (!isSteady(frame)) return;
  ++m_steady;
  if (const auto dur = frame.longest()) {
    m_recent.push_back(static_cast<float>(*dur));
    if (m_recent.size() > kRecent) m_recent.pop_front();
    m_pace.push(frame.step, *dur);
  }
  if (frame.has_parts) compare(frame);
  takeShift(frame, shifts);
}

// Excludes the first step, stalled and disturbed ones, and the one after an evaluation or a save.
bool AttemptWatch::isSteady(const StepFrame& frame) {
  const StepPhase before = m_phase_before;
  m_phase_before = frame.phase;
  return m_steps > 1 && frame.isSteady() && before != StepPhase::kEval && before != StepPhase::kCheckpoint;
}

void AttemptWatch::compare(const StepFrame& frame) {
  ++m_with_parts;
  const double dur = frame.longest().value_or(0);
  std::vector<float> compute;
  std::vector<Deviation> computing;
  const auto lost = lostToHost(frame), ready = readyAfter(frame);
  for (std::size_t k = 0; k < kWorkKindCount; ++k) {
    const auto kind = static_cast<WorkKind>(k);
    auto work = workOf(frame, kind, lost);
    auto deviations = againstPeers(work, m_roles, kind, dur);
    smooth(deviations, kind, dur);
    if (kind == WorkKind::kCompute) m_noise.require(deviations, m_roles);
    addGains(deviations, ready, m_roles);
    m_ranks[k].push(frame.step, frame.when, deviations);
    auto stages = stagesAgainstOthers(work, m_roles, kind, dur);
    followStages(frame, kind, stages, ready);
    if (kind != WorkKind::kCompute) continue;
    addStageGains(stages, ready, m_roles);
    m_stages.push(frame.step, frame.when, stages);
    compute = std::move(work), computing = std::move(deviations);
  }
  m_links.push(frame);
  std::size_t reported = 0;
  for (const float value : compute) reported += std::isnan(value) ? 0 : 1;
  if (!m_feed.ranks().empty()) m_coverage += static_cast<double>(reported) / static_cast<double>(m_feed.ranks().size());
  std::vector<bool> slow(compute.size());
  for (std::size_t rank = 0; rank < slow.size(); ++rank) slow[rank] = m_ranks[static_cast<std::size_t>(WorkKind::kCompute)].isOpen(rank);
  m_imbalance.push(frame, m_roles, compute, computing, slow);
  const auto& without_cpu = frame.columns[static_cast<std::size_t>(StepColumn::kRunDelay)];
  const float delay = medianOf(known(without_cpu));
  if (!std::isnan(delay) && dur > 0) m_without_cpu += delay / dur;
  std::vector<Deviation> shares(2);
  for (const RunShare share : {RunShare::kHost, RunShare::kData}) {
    const float own = medianOf(known(workOf(frame, share == RunShare::kHost ? WorkKind::kHost : WorkKind::kData, without_cpu)));
    if (std::isnan(own) || !(dur > 0)) continue;
    Deviation& out = shares[static_cast<std::size_t>(share)];
    out.compared = true, out.own_ns = own, out.ratio = own / static_cast<float>(dur);
    out.above = out.ratio >= kLargeShare || m_run_usual[static_cast<std::size_t>(share)].hasRisen(out.ratio);
  }
  m_run.push(frame.step, frame.when, shares);
}

double AttemptWatch::outlierLimit(std::size_t rank) const {
  const auto& means = m_smooth[static_cast<std::size_t>(WorkKind::kCompute)];
  std::vector<double> of_stage;
  for (const std::size_t other : m_roles.by_stage[m_roles.stage_of[rank]])
    if (other < means.size() && !m_ranks[static_cast<std::size_t>(WorkKind::kCompute)].isOpen(other)) of_stage.push_back(means[other]);
  if (of_stage.size() < kMinPeers) return 0;
  return outlierSigmas(ranks().size()) * robustSigma(std::move(of_stage));
}

bool AttemptWatch::UsualShare::hasRisen(float share) {
  if (!std::isnan(usual)) return share >= usual + kRisenShare;
  first.push_back(share);
  if (first.size() == kLevelSteps) usual = medianOf(std::move(first));
  return false;
}

void AttemptWatch::followStages(const StepFrame& frame, WorkKind kind, std::vector<Deviation> stages, const std::vector<float>& ready) {
  StageChanges& changes = m_stage_changes[static_cast<std::size_t>(kind)];
  changes.level.resize(stages.size(), std::numeric_limits<float>::quiet_NaN());
  changes.learning.resize(stages.size());
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    Deviation& one = stages[stage];
    float& level = changes.level[stage];
    if (!one.compared) continue;
    if (std::isnan(level)) {
      std::vector<float>& learning = changes.learning[stage];
      learning.push_back(one.ratio);
      one = {};
      // A stage with less host or data time than the others at the start keeps level 0: the others' excess may end.
      if (learning.size() == kLevelSteps) level = kind == WorkKind::kCompute ? medianOf(learning) : std::max(0.F, medianOf(learning));
      continue;
    }
    // Ratios of computing are relative to the others' time, those of host and data to the step.
    one.usual_ns += level * (kind == WorkKind::kCompute ? one.usual_ns : static_cast<float>(frame.longest().value_or(0)));
    one.ratio = kind == WorkKind::kCompute ? one.own_ns / one.usual_ns - 1 : one.ratio - level;
    one.above = isSlower(one.ratio, one.own_ns - one.usual_ns);
  }
  addStageGains(stages, ready, m_roles);
  changes.spells.push(frame.step, frame.when, stages);
}

// Data and launch times come in bursts: their mean over a few steps counts. Computing differs in the long term.
void AttemptWatch::smooth(std::vector<Deviation>& deviations, WorkKind kind, double dur) {
  const float newest = kind == WorkKind::kCompute ? 0.05F : 0.3F;
  std::vector<float>& means = m_smooth[static_cast<std::size_t>(kind)];
  means.resize(std::max(means.size(), deviations.size()), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t rank = 0; rank < deviations.size(); ++rank) {
    Deviation& one = deviations[rank];
    if (!one.compared) continue;
    means[rank] = std::isnan(means[rank]) ? one.ratio : means[rank] + newest * (one.ratio - means[rank]);
    if (kind != WorkKind::kCompute) one.above = isSlower(means[rank], means[rank] * static_cast<float>(dur));
  }
}

void AttemptWatch::takeShift(const StepFrame& frame, ShiftWatch& shifts) const {
  const auto dur = frame.longest();
  if (!dur) return;
  ShiftWatch::Point point{.attempt = m_attempt.id, .step = frame.step, .when = frame.when, .value = *dur};
  point.first_of_attempt = m_steady == 1;
  for (std::size_t c = 0; c < kStepColumnCount; ++c) {
    double sum = 0;
    std::size_t count = 0;
    for (const float value : frame.columns[c])
      if (!std::isnan(value)) sum += value, ++count;
    point.parts[c] = count == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(sum / static_cast<double>(count));
  }
  shifts.push(point);
}

}  // namespace runglass
