// SPDX-License-Identifier: Apache-2.0
// StepModel: how long every part of a training step takes on every rank of the simulated job, faults included.
//
// Threading:  const after construction; step() is pure: the same scenario, step and rank give the same numbers.
// Ownership:  borrows the scenario, which outlives it.
// Units:      ns from the step's begin.
// Errors:     none; the scenario was checked when it was read.
// Cost:       step(): O(world + dp x pp x micro_batches).
//
// The pipeline is non-interleaved 1F1B (PipeDream-Flush; Narayanan et al., "Efficient Large-Scale Language Model Training on GPU
// Clusters Using Megatron-LM", SC21, section 2.2.1); vpp is recorded in the layout and does not change the schedule.
#pragma once

#include <cstdint>
#include <vector>

#include "collectors/sim/scenario.h"
#include "model/time.h"

namespace runglass::sim {

struct Coordinates {
  std::int32_t tp = 0, cp = 0, dp = 0, pp = 0;
};
// Coordinates of a rank under scenario.order (expert ranks fold into dp).
Coordinates coordinatesOf(const Scenario& scenario, std::int32_t rank);

struct PipelineOp {
  std::int32_t microbatch;
  bool backward;
  DurNs start, dur;
};

struct RankStep {
  DurNs data = 0, forward = 0, backward = 0, host = 0, gc = 0, communication = 0, optimizer = 0;
  DurNs wait = 0;  // for others: in pipeline receives and collectives
  DurNs busy() const { return data + forward + backward + host + gc + communication + optimizer; }
};

struct Step {
  DurNs dur = 0;  // the same on all ranks: a synchronous optimizer step ends together
  DurNs pipeline_begin = 0, reduce_begin = 0, optimizer_begin = 0;
  std::vector<RankStep> ranks;
  std::vector<std::vector<PipelineOp>> ops;  // [(dp x cp) x pp + stage], in order of execution
};

class StepModel {
 public:
  explicit StepModel(const Scenario& scenario);
  Step step(std::int64_t number) const;
  const Coordinates& coordinates(std::int32_t rank) const { return m_coordinates[static_cast<std::size_t>(rank)]; }
  std::int32_t nodeOf(std::int32_t rank) const { return rank / m_scenario.gpus_per_node; }
  bool hits(const Fault& fault, std::int32_t rank) const;
  // Standard normal noise that depends on nothing but its arguments and the seed.
  double noise(std::int64_t step, std::int64_t subject, std::uint64_t what) const;

 private:
  DurNs runPipeline(Step& step, std::int32_t replica, const std::vector<DurNs>& forward, const std::vector<DurNs>& backward) const;
  void applyFaults(std::int64_t number, Step& step, std::vector<double>& factor) const;

  const Scenario& m_scenario;
  std::vector<Coordinates> m_coordinates;
};

}  // namespace runglass::sim
