// SPDX-License-Identifier: Apache-2.0
// Simulator: plays a scenario into a Recorder as agents of the simulated nodes would, with its faults recorded as labels.
//
// Threading:  play() on one thread; stopped from another through the token.
// Ownership:  borrows scenario and Recorder during play().
// Units:      virtual time runs from `start`; speed 1 = real time, 0 = as fast as the Recorder accepts records.
// Errors:     the Recorder's first failure ends the play and is returned; CANCELLED when stopped early.
// Cost:       per virtual second and GPU: 9 fast metrics x metrics_hertz, and per step and rank about 20 records without spans.
//
// The run is marked simulated, and every view shows that. All numbers follow from (seed, step, rank): a scenario repeats exactly.
#pragma once

#include <atomic>
#include <functional>
#include <stop_token>

#include "collectors/sim/scenario.h"
#include "model/recorder.h"

namespace runglass::sim {

// Position of a play, for observers on other threads.
struct PlayState {
  std::atomic<std::int64_t> step = 0;
  std::atomic<std::int64_t> attempt = 0;     // its key
  std::atomic<const Fault*> hang = nullptr;  // of the scenario, while it acts
};

struct PlayOptions {
  TimeNs start = 0;  // virtual begin; with speed 0 choose it so that the end is not in the future
  double speed = 1;  // 0 = max
  std::stop_token stop;
  PlayState* state = nullptr;
  std::function<void()> after_flush;  // may block: limits a producer at full speed to the rate of its hub
};

// Virtual length of the play, to choose `start`: with speed 0 it ends at `start` + this. Costs a play without metrics and spans.
DurNs scenarioLength(const Scenario& scenario);

Status play(const Scenario& scenario, Recorder& out, const PlayOptions& options);

}  // namespace runglass::sim
