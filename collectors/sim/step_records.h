// SPDX-License-Identifier: Apache-2.0
// StepRecords: records of the simulated trainers about their steps: durations, parts, loss, spans, progress.
//
// Threading:  the player's thread.
// Ownership:  borrows scenario, model and Recorder.
// Units:      catalogue units.
// Cost:       per step and rank: 10 to 14 scalars, 1 progress, and with coarse spans 2 x micro_batches + 4 spans and as many sends and
//             receives as there are neighbours.
#pragma once

#include <array>
#include <vector>

#include "collectors/sim/step_model.h"
#include "model/recorder.h"

namespace runglass::sim {

class StepRecords {
 public:
  // `attempt_begin`: the first step of the attempt.
  StepRecords(const Scenario& scenario, const StepModel& model, Recorder& out, AttemptId attempt, std::int64_t attempt_begin);
  void begin(std::int64_t step, TimeNs now);
  // Progress of every rank during a save or an evaluation.
  void phase(std::int64_t step, TimeNs now, const char* phase, const char* op);
  void end(std::int64_t step, TimeNs began_at, const Step& timing);
  void validation(std::int64_t step, TimeNs now);
  // Progress of the ranks while the fault's ranks do not enter their collectives, `now` - `since` after the step began; dead ranks record
  // nothing.
  void hang(const Fault& fault, std::int64_t step, TimeNs since, TimeNs now, bool culprits_dead);
  // The watchdog's timeout on every waiting rank.
  void timeOut(const Fault& fault, std::int64_t step, TimeNs now);

 private:
  static constexpr std::size_t kParts = 7;
  struct RankSeries {
    SeriesId dur, phase;
    std::array<SeriesId, kParts> part;
    SeriesId communication_wait, data_wait, cpu, run_delay;
    TrackId track, receive, send_forward, send_backward, collector;
  };
  struct Sum {  // over the steps since the last logged one
    double loss = 0, tokens = 0;
    DurNs time = 0;
    std::int64_t steps = 0;
  };
  bool isWarmup(std::int64_t step) const;
  double lossOf(std::int64_t step, double& grad_norm);
  bool silent(std::int32_t rank, std::int64_t step) const;
  DurNs skew(std::int32_t rank, std::int64_t step) const;  // how far its node's clock is ahead
  std::int64_t groupOf(std::int32_t rank) const;           // group with which it reduces gradients
  std::int64_t tensorGroupOf(std::int32_t rank) const;
  std::int64_t pipelineGroupOf(std::int32_t rank) const;
  std::int64_t contextGroupOf(std::int32_t rank) const;
  void declareGroups();
  std::vector<std::int32_t> culpritsOf(const Fault& fault) const;
  Progress standing(const std::vector<std::int32_t>& culprits, std::int32_t rank, std::int64_t step, TimeNs since) const;
  void globals(std::int64_t step, TimeNs end, const Step& timing);
  void spans(std::int32_t rank, std::int64_t step, TimeNs began, const Step& timing);
  void transferSpans(std::int32_t rank, std::int64_t step, TimeNs began, const Step& timing);
  void collectorSpan(std::int32_t rank, std::int64_t step, TimeNs start, DurNs dur);

  const Scenario& m_scenario;
  const StepModel& m_model;
  Recorder& m_out;
  AttemptId m_attempt;
  std::int64_t m_attempt_begin;
  std::vector<RankSeries> m_ranks;
  SeriesId m_loss, m_grad_norm, m_learning_rate, m_tokens, m_validation, m_batch, m_consumed, m_length;
  double m_divergence = 0;
  double m_samples = 0;  // consumed
  Sum m_sum;
};

}  // namespace runglass::sim
