// SPDX-License-Identifier: Apache-2.0
// StepModel: duration of every part of a training step on every rank of the simulated job, and the waits of ranks for each other.
//
// Threading:  const after construction; step() is pure: the same scenario, step and rank give the same numbers.
// Ownership:  borrows the scenario, which must outlive it.
// Units:      ns from the step's begin.
// Errors:     the scenario was validated when it was read.
// Cost:       step(): O(world x faults + dp x pp x micro_batches).
//
// A stage runs at the speed of the slowest of its tensor- and context-parallel members. Stages of a replica wait in their receives
// (pipeline.h; vpp is recorded in the layout and does not change the schedule). The replicas of a stage wait for each other in the
// gradients' collective, which is as slow as the slowest network port in it. All ranks wait for all before the optimizer (the gradients'
// norm) and at the step's end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectors/sim/pipeline.h"
#include "collectors/sim/workload.h"

namespace runglass::sim {

struct Step {
  DurNs dur = 0;  // equal on all ranks: a synchronous optimizer step ends together
  DurNs pipeline_begin = 0, optimizer_begin = 0;
  Regime regime;
  std::vector<RankStep> ranks;
  std::vector<std::vector<PipelineOp>> ops;  // [dp x pp + stage], in order of execution
  std::vector<DurNs> transfer;               // [dp x pp + stage] between that stage and the next, one micro-batch
  std::vector<double> reduce_ratio;          // by rank: its collective relative to an undisturbed one
};

class StepModel {
 public:
  explicit StepModel(const Scenario& scenario);
  explicit StepModel(Scenario&& scenario) = delete;  // borrowed: a temporary would dangle
  // `attempt_begin`: the first step of its attempt.
  Step step(std::int64_t number, std::int64_t attempt_begin = 1) const;
  // Share of the time of the steps `first` to `last` that they would save without fault number `fault`, all else equal; warm-up left out.
  // Absent where the fault slows no step.
  std::optional<double> costOf(std::size_t fault, std::int64_t first, std::int64_t last, std::int64_t attempt_begin) const;
  const Coordinates& coordinates(std::int32_t rank) const { return m_work.coordinates(rank); }
  std::int32_t nodeOf(std::int32_t rank) const { return rank / m_scenario.gpus_per_node; }
  bool hits(const Fault& fault, std::int32_t rank) const { return m_work.hits(fault, rank); }
  // Standard normal noise as a function of its arguments and the seed.
  double noise(std::int64_t step, std::int64_t subject, std::uint64_t what) const { return m_noise.normal(step, subject, what); }
  double uniform(std::int64_t step, std::int64_t subject, std::uint64_t what) const { return m_noise.uniform(step, subject, what); }

 private:
  std::size_t place(std::int32_t replica, std::int32_t stage) const {
    return static_cast<std::size_t>(replica) * static_cast<std::size_t>(m_scenario.pp) + static_cast<std::size_t>(stage);
  }
  std::size_t groupOf(std::int32_t rank) const;  // group with which it reduces gradients
  void runReplicas(const Work& work, Step& step) const;
  void reduceGradients(const Work& work, Step& step) const;

  const Scenario& m_scenario;
  Noise m_noise;
  DurNs m_base, m_micro_batch;
  Workload m_work;
  std::vector<std::vector<std::int32_t>> m_groups;
  std::vector<bool> m_spans_nodes;                       // by group
  std::vector<std::vector<std::int32_t>> m_place_ranks;  // by place
};

}  // namespace runglass::sim
