// SPDX-License-Identifier: Apache-2.0
// Workload: each rank's own work in a step, without waits for other ranks: regime, variations of a healthy job, noise, faults.
//
// Threading:  const after construction; of() is pure.
// Ownership:  borrows the scenario, which must outlive it.
// Units:      ns.
// Cost:       of(): O(world x faults).
#pragma once

#include <cstdint>
#include <vector>

#include "collectors/sim/noise.h"
#include "collectors/sim/regime.h"
#include "collectors/sim/scenario.h"
#include "model/time.h"

namespace runglass::sim {

inline DurNs scaled(DurNs base, double factor) { return static_cast<DurNs>(static_cast<double>(base) * factor); }

struct Coordinates {
  std::int32_t tp = 0, cp = 0, dp = 0, pp = 0;
};
// Coordinates of a rank under scenario.order (expert ranks fold into dp).
Coordinates coordinatesOf(const Scenario& scenario, std::int32_t rank);

struct RankStep {
  DurNs data = 0, forward = 0, backward = 0, host = 0, gc = 0, communication = 0, optimizer = 0;
  DurNs other = 0;  // in the step but in none of its parts: an evaluation
  DurNs wait = 0;   // waits for other ranks: in pipeline receives and collectives
  DurNs busy() const { return data + forward + backward + host + gc + communication + optimizer + other; }
  DurNs collected = 0;                     // part of the forward pass: an unplanned garbage collection
  DurNs run_delay = 0;                     // ready to run, without a CPU
  DurNs reduce_begin = 0, reduce_end = 0;  // entry into the gradients' collective; the time its group leaves it
};

struct Work {
  Regime regime;
  std::vector<RankStep> ranks;   // communication, wait and reduce_* are still 0
  std::vector<double> reduce;    // by rank: noise of the collectives that it leads
  std::vector<double> link;      // by rank: slowdown of transfers through its network port
  std::vector<double> any_link;  // by rank: slowdown of transfers inside its node
};

// Shares of an undisturbed step.
inline constexpr double kDataShare = 0.01, kCommunicationShare = 0.10, kOptimizerShare = 0.05;
inline constexpr double kPipelineShare = 1 - kDataShare - kCommunicationShare - kOptimizerShare;
inline constexpr double kForwardShare = 1.0 / 3;  // a backward pass costs two forwards

class Workload {
 public:
  // `micro_batch`: compute time of a stage, forward and backward, for one micro-batch of the undisturbed job.
  Workload(const Scenario& scenario, DurNs micro_batch);
  // `attempt_begin`: the first step of the attempt, which compiles.
  Work of(std::int64_t step, std::int64_t attempt_begin) const;
  const Coordinates& coordinates(std::int32_t rank) const { return m_coordinates[static_cast<std::size_t>(rank)]; }
  bool hits(const Fault& fault, std::int32_t rank) const;
  // Compute time of the stage relative to the others.
  double stageRatio(std::int32_t stage) const;

 private:
  double noise(std::int64_t step, std::int64_t subject, std::uint64_t what) const;
  double warmup(double since) const;  // steps since the attempt began
  void addHabits(std::int64_t step, std::int64_t attempt_begin, Work& work, std::vector<double>& factor) const;
  void addFault(const Fault& fault, std::int64_t step, Work& work, std::vector<double>& factor) const;
  void addBlips(std::int64_t step, Work& work) const;
  double imbalance(std::int64_t step, const Coordinates& at) const;
  double sequenceShare(std::int64_t step, std::int32_t replica) const;
  bool usesPort(const Fault& fault, std::int32_t rank) const;

  const Scenario& m_scenario;
  Noise m_noise;
  DurNs m_base, m_micro_batch;
  std::vector<Coordinates> m_coordinates;
  std::vector<double> m_speed;  // by rank: permanent factor of its GPU's compute time
};

// slowsSteps: whether steps take longer while the fault acts. isSaving: whether an asynchronous save of an earlier step is still being
// written.
bool slowsSteps(const Fault& fault);
bool isSaving(const Scenario& scenario, std::int64_t step);

}  // namespace runglass::sim
