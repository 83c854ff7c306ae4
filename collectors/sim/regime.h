// SPDX-License-Identifier: Apache-2.0
// Regime: settings that the job changes on purpose: number of micro-batches, sequence length, pauses. A change is planned, not a fault.
//
// Threading:  pure.
// Units:      ns, samples, tokens; ratios of the scenario's undisturbed step.
// Errors:     the scenario was validated when it was read.
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
  double micro_batch_ratio = 1;      // compute time of a micro-batch, relative to the beginning
  double transfer_ratio = 1;         // data transferred between stages, relative to the beginning
  friend bool operator==(const Regime&, const Regime&) = default;
};

Regime regimeAt(const Scenario& scenario, std::int64_t step);
// Whether the regime ever changes; only then do the trainers report it at every step.
bool changesRegime(const Scenario& scenario);
// The learning rate, and the share (0..1) of the loss reduction by its decay that has been reached.
struct Schedule {
  double learning_rate = 0, decayed = 0;
};
Schedule scheduleAt(const Scenario& scenario, std::int64_t step);

constexpr bool isDue(std::int64_t every_steps, std::int64_t step) { return every_steps > 0 && step % every_steps == 0; }
inline constexpr DurNs kRestartPause = 30 * kNsPerSecond;
// Time for which a save stops the job: an asynchronous save only copies to the host.
DurNs saveLength(const Scenario& scenario);
DurNs evaluationLength(const Scenario& scenario);  // between steps
DurNs epochPause(const Scenario& scenario);

}  // namespace runglass::sim
