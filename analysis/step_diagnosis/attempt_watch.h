// SPDX-License-Identifier: Apache-2.0
// AttemptWatch: all watches on the steps of one attempt, fed step by step.
//
// Threading:  one thread.
// Ownership:  borrows the Reader during read().
// Units:      as StepFrame.
// Errors:     the Reader's.
// Cost:       as StepFeed plus O(ranks log ranks) per step: 1.5 ms for 1,024 ranks.
#pragma once

#include <array>
#include <deque>
#include <limits>

#include "analysis/step_diagnosis/imbalance_watch.h"
#include "analysis/step_diagnosis/link_watch.h"
#include "analysis/step_diagnosis/persistence.h"
#include "analysis/step_diagnosis/regime_watch.h"
#include "analysis/step_diagnosis/shift_watch.h"
#include "analysis/step_diagnosis/step_pace.h"
#include "analysis/steps/step_feed.h"

namespace runglass {

// Time that the whole run loses on all ranks.
enum class RunShare : std::uint8_t { kHost = 0, kData };
// Shares of the step: the median rank's time lost to its host or its data at any time; and its increase over the first steps.
inline constexpr float kLargeShare = 0.10F, kRisenShare = 0.05F;

class AttemptWatch {
 public:
  explicit AttemptWatch(const Attempt& attempt) : m_attempt(attempt), m_feed(attempt.id), m_regime(attempt) {}
  // Reads the steps since the previous call. Shifts continue across attempts, so that the caller owns their watch.
  Status read(Reader& reader, bool ended, ShiftWatch& shifts, const std::stop_token& stop);
  // Call before the first read(): the regime of the previous attempt.
  void goOnFrom(const AttemptWatch& before) { m_regime.goOnFrom(before.m_regime.values()); }
  void startBack(std::int64_t steps) { m_feed.startBack(steps); }
  std::optional<std::int64_t> startedAt() const { return m_feed.startedAt(); }  // absent: at its first step
  // For an ended attempt after its last judgement: keeps the data of its summary only, 5 KB per rank less.
  void forget();

  const Attempt& attempt() const { return m_attempt; }
  void refresh(const Attempt& attempt) { m_attempt = attempt; }
  const std::vector<Rank>& ranks() const { return m_feed.ranks(); }
  const Roles& roles() const { return m_roles; }
  std::vector<Spell> rankSpells(WorkKind kind) const { return m_ranks[static_cast<std::size_t>(kind)].spells(); }
  std::vector<Spell> stageSpells() const { return m_stages.spells(); }
  // Stages that became slower relative to the others, in this kind of work, than they were in the first steps.
  std::vector<Spell> stageChanges(WorkKind kind) const { return m_stage_changes[static_cast<std::size_t>(kind)].spells.spells(); }
  std::vector<Spell> runSpells() const { return m_run.spells(); }  // subjects: RunShare
  std::vector<Spell> linkSpells() const { return m_links.spells(); }
  const ImbalanceWatch& imbalance() const { return m_imbalance; }
  // The ratio above which a rank's computing is not that of a healthy one, by the long-term spread of its stage's ranks.
  double outlierLimit(std::size_t rank) const;

  std::size_t steps() const { return m_steps; }
  std::size_t steadySteps() const { return m_steady; }
  std::size_t stepsWithParts() const { return m_with_parts; }
  // Mean share of ranks with step parts in a steady step; of all announced ranks.
  double coverage() const { return m_steady == 0 ? 0 : m_coverage / static_cast<double>(m_steady); }
  // Median of the newest steady steps; 0 before the first.
  double stepTime() const;
  const StepPace& pace() const { return m_pace; }
  double gpuHoursPerDay(double cost) const { return cost * static_cast<double>(ranks().size()) * 24; }
  // Mean share of the steps in which a rank was runnable without a CPU, for the median rank.
  double withoutCpu() const { return m_with_parts == 0 ? 0 : m_without_cpu / static_cast<double>(m_with_parts); }
  std::optional<std::int64_t> lastStep() const { return m_last; }
  std::optional<TimeNs> lastTime() const { return m_last_time; }

 private:
  using Place = std::pair<std::optional<std::int32_t>, std::optional<std::int32_t>>;  // stage, replica
  void placeRanks();
  void take(const StepFrame& frame, ShiftWatch& shifts);
  bool isSteady(const StepFrame& frame);
  void compare(const StepFrame& frame);
  void followStages(const StepFrame& frame, WorkKind kind, std::vector<Deviation> stages, const std::vector<float>& ready);
  void smooth(std::vector<Deviation>& deviations, WorkKind kind, double dur);
  void takeShift(const StepFrame& frame, ShiftWatch& shifts) const;

  Attempt m_attempt;
  StepFeed m_feed;
  StepRegimeWatch m_regime;
  Roles m_roles;
  std::vector<Place> m_places;  // the places that m_roles was made from
  std::array<PersistenceWatch, kWorkKindCount> m_ranks;
  PersistenceWatch m_stages, m_run;
  struct UsualShare {
    std::vector<float> first;  // of the regime's first steps
    float usual = std::numeric_limits<float>::quiet_NaN();
    bool hasRisen(float share);
  };
  std::array<UsualShare, 2> m_run_usual;  // by RunShare
  struct StageChanges {
    PersistenceWatch spells;
    std::vector<std::vector<float>> learning;  // by stage: ratios of its first steps
    std::vector<float> level;                  // their medians; NaN: unknown yet
    void learnAgain() { learning.clear(), level.clear(); }
  };
  std::array<StageChanges, kWorkKindCount> m_stage_changes;
  LinkWatch m_links;
  StepPace m_pace;
  ImbalanceWatch m_imbalance;
  StepNoise m_noise;
  std::array<std::vector<float>, kWorkKindCount> m_smooth;  // by rank: ratios; for computing over more steps
  std::size_t m_steps = 0, m_steady = 0, m_with_parts = 0;
  double m_coverage = 0, m_without_cpu = 0;
  StepPhase m_phase_before = StepPhase::kInit;
  std::deque<float> m_recent;  // durations
  std::optional<std::int64_t> m_last;
  std::optional<TimeNs> m_last_time;
};

}  // namespace runglass
