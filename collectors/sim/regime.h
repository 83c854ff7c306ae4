// SPDX-License-Identifier: Apache-2.0
// Regime: what the job has decided to do: how many micro-batches, how long sequences, when to pause. A change is a plan, not a fault.
//
// Threading:  pure.
// Ownership:  values.
// Units:      ns, samples, tokens; ratios of the scenario's undisturbed step.
// Errors:     none; the scenario was checked when it was read.
// Cost:       O(1).
#pragma once

#include "collectors/sim/scenario.h"
#include "model/time.h"

namespace runglass::sim {

struct Regime {
  std::int32_t micro_batches = 1;    // of a replica
  std::int64_t sequence_length = 0;  // tokens
  std::int64_t global_batch = 0;     // samples
  double tokens = 0;                 // of a step of the whole job
  double micro_batch_ratio = 1;      // how much longer one micro-batch computes than at the begin
  double transfer_ratio = 1;         // how much more goes between stages
  friend bool operator==(const Regime&, const Regime&) = default;
};

Regime regimeAt(const Scenario& scenario, std::int64_t step);
// Whether the regime ever changes; only then do the trainers tell it every step.
bool changesRegime(const Scenario& scenario);
// The learning rate, and how much the loss falls because it decays (0..1 of the decay).
struct Schedule {
  double learning_rate = 0, decayed = 0;
};
Schedule scheduleAt(const Scenario& scenario, std::int64_t step);

constexpr bool isDue(std::int64_t every_steps, std::int64_t step) { return every_steps > 0 && step % every_steps == 0; }
inline constexpr DurNs kRestartPause = 30 * kNsPerSecond;
// How long a save stops the job: one that is written beside the following steps only copies to the host.
DurNs saveLength(const Scenario& scenario);
DurNs evaluationLength(const Scenario& scenario);  // between steps
DurNs epochPause(const Scenario& scenario);

}  // namespace runglass::sim
