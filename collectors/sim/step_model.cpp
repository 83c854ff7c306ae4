// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/step_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace runglass::sim {
namespace {

// Shares of an undisturbed step.
constexpr double kData = 0.01, kCommunication = 0.10, kOptimizer = 0.05;
constexpr double kPipeline = 1 - kData - kCommunication - kOptimizer;
constexpr double kForwardShare = 1.0 / 3;  // a backward pass costs two forwards

std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

enum Noise : std::uint64_t { kComputeNoise = 1, kGcNoise, kLengthNoise };

DurNs scaled(DurNs base, double factor) { return static_cast<DurNs>(static_cast<double>(base) * factor); }

}  // namespace

Coordinates coordinatesOf(const Scenario& scenario, std::int32_t rank) {
  Coordinates at;
  std::int32_t rest = rank;
  for (std::size_t i = 0; i + 2 <= scenario.order.size(); i += 3) {
    const std::string_view dimension = std::string_view(scenario.order).substr(i, 2);
    const auto take = [&rest](std::int32_t size, std::int32_t& index) {
      index = rest % size;
      rest /= size;
    };
    if (dimension == "tp") take(scenario.tp, at.tp);
    if (dimension == "cp") take(scenario.cp, at.cp);
    if (dimension == "dp") take(scenario.dp, at.dp);
    if (dimension == "pp") take(scenario.pp, at.pp);
  }
  return at;
}

StepModel::StepModel(const Scenario& scenario) : m_scenario(scenario) {
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) m_coordinates.push_back(coordinatesOf(scenario, rank));
}

double StepModel::noise(std::int64_t step, std::int64_t subject, std::uint64_t what) const {
  const std::uint64_t key =
      mix(mix(mix(m_scenario.seed) ^ static_cast<std::uint64_t>(step)) ^ static_cast<std::uint64_t>(subject)) ^ mix(what);
  const double u1 = (static_cast<double>(mix(key) >> 11) + 1) * 0x1.0p-53;
  const double u2 = static_cast<double>(mix(key + 1) >> 11) * 0x1.0p-53;
  return std::sqrt(-2 * std::log(u1)) * std::cos(2 * std::numbers::pi * u2);
}

bool StepModel::hits(const Fault& fault, std::int32_t rank) const {
  switch (fault.target.kind) {
    case Target::Kind::kRun:
      return true;
    case Target::Kind::kRank:
      return fault.target.index == rank;
    case Target::Kind::kStage:
      return fault.target.index == coordinates(rank).pp;
    case Target::Kind::kGpu:
      return fault.target.index == nodeOf(rank) && fault.target.gpu == rank % m_scenario.gpus_per_node;
    case Target::Kind::kNode:
    case Target::Kind::kNic:
      return fault.target.index == nodeOf(rank);
  }
  return false;
}

void StepModel::applyFaults(std::int64_t number, Step& step, std::vector<double>& factor) const {
  const auto base = static_cast<DurNs>(m_scenario.step_seconds * kNsPerSecond);
  for (const Fault& fault : m_scenario.faults) {
    if (number < fault.first_step || number > fault.last_step) continue;
    const double extra = std::max(0.0, fault.strength - 1);
    for (std::int32_t rank = 0; rank < m_scenario.world(); ++rank) {
      if (!hits(fault, rank)) continue;
      RankStep& r = step.ranks[static_cast<std::size_t>(rank)];
      const std::string& kind = fault.kind;
      if (kind == "slow_rank" || kind == "slow_node" || kind == "stage_imbalance" || kind == "thermal_throttle" ||
          kind == "throughput_shift")
        factor[static_cast<std::size_t>(rank)] *= fault.strength;
      else if (kind == "slow_link" || kind == "nic_flap")
        r.communication = scaled(r.communication, fault.strength);
      else if (kind == "host_bound")
        r.host += scaled(base, extra);
      else if (kind == "data_bound")
        r.data += scaled(base, extra);
      else if (kind == "gc_jitter" && noise(number, rank, kGcNoise) > 2)
        r.gc += scaled(base, extra);
      else if (kind == "sequence_imbalance")  // one replica's batch is longer, another one every step
        factor[static_cast<std::size_t>(rank)] *= 1 + extra * std::abs(noise(number, coordinates(rank).dp, kLengthNoise)) / 2;
    }
  }
}

Step StepModel::step(std::int64_t number) const {
  const Scenario& s = m_scenario;
  const auto base = static_cast<DurNs>(s.step_seconds * kNsPerSecond);
  const auto world = static_cast<std::size_t>(s.world());
  Step step;
  step.ranks.assign(world,
                    {.data = scaled(base, kData), .communication = scaled(base, kCommunication), .optimizer = scaled(base, kOptimizer)});
  std::vector<double> factor(world);
  for (std::size_t rank = 0; rank < world; ++rank) {
    factor[rank] = std::max(0.1, 1 + s.noise_ratio * noise(number, static_cast<std::int64_t>(rank), kComputeNoise));
    if (s.variable_lengths) factor[rank] *= 1 + 0.1 * std::abs(noise(number, m_coordinates[rank].dp, kLengthNoise));
  }
  applyFaults(number, step, factor);

  // What a stage computes for all its micro-batches, so that an undisturbed pipeline with its bubble fills kPipeline of the step.
  const double bubble = static_cast<double>(s.pp - 1) / (s.micro_batches + s.pp - 1);
  const DurNs work = scaled(base, kPipeline * (1 - bubble));
  const std::int32_t replicas = s.dp * s.cp;
  std::vector<std::vector<DurNs>> forward(static_cast<std::size_t>(replicas), std::vector<DurNs>(static_cast<std::size_t>(s.pp))),
      backward = forward;
  for (std::size_t rank = 0; rank < world; ++rank) {
    RankStep& r = step.ranks[rank];
    r.forward = scaled(work, factor[rank] * kForwardShare);
    r.backward = scaled(work, factor[rank] * (1 - kForwardShare));
    const auto replica = static_cast<std::size_t>(m_coordinates[rank].dp) * static_cast<std::size_t>(s.cp) +
                         static_cast<std::size_t>(m_coordinates[rank].cp);
    const auto stage = static_cast<std::size_t>(m_coordinates[rank].pp);
    // A stage moves at the pace of its slowest tensor-parallel member.
    forward[replica][stage] = std::max(forward[replica][stage], (r.forward + r.host / 3 + r.gc / 3) / s.micro_batches);
    backward[replica][stage] = std::max(backward[replica][stage], (r.backward + r.host * 2 / 3 + r.gc * 2 / 3) / s.micro_batches);
  }
  DurNs longest_data = 0, longest_pipeline = 0, longest_reduce = 0, longest_optimizer = 0;
  step.ops.resize(static_cast<std::size_t>(replicas) * static_cast<std::size_t>(s.pp));
  for (std::int32_t replica = 0; replica < replicas; ++replica)
    longest_pipeline = std::max(longest_pipeline, runPipeline(step, replica, forward[static_cast<std::size_t>(replica)],
                                                              backward[static_cast<std::size_t>(replica)]));
  for (const RankStep& r : step.ranks) {
    longest_data = std::max(longest_data, r.data);
    longest_reduce = std::max(longest_reduce, r.communication);
    longest_optimizer = std::max(longest_optimizer, r.optimizer);
  }
  step.pipeline_begin = longest_data;
  step.reduce_begin = longest_data + longest_pipeline;
  step.optimizer_begin = step.reduce_begin + longest_reduce;
  step.dur = step.optimizer_begin + longest_optimizer;
  for (RankStep& r : step.ranks) r.wait = step.dur - r.busy();
  return step;
}

// 1F1B: stage s runs min(M, pp - s - 1) forwards, then one forward and one backward in turn, then the backwards that are left.
DurNs StepModel::runPipeline(Step& step, std::int32_t replica, const std::vector<DurNs>& forward,
                             const std::vector<DurNs>& backward) const {
  const auto stages = static_cast<std::size_t>(m_scenario.pp);
  const std::int32_t batches = m_scenario.micro_batches;
  const auto opsOf = [&](std::size_t stage) -> std::vector<PipelineOp>& {
    return step.ops[static_cast<std::size_t>(replica) * stages + stage];
  };
  for (std::size_t stage = 0; stage < stages; ++stage) {
    auto& ops = opsOf(stage);
    ops.reserve(static_cast<std::size_t>(batches) * 2);
    const auto ahead = std::min<std::int32_t>(batches, m_scenario.pp - static_cast<std::int32_t>(stage) - 1);
    for (std::int32_t f = 0, b = 0; b < batches;) {
      const bool run_forward = f < batches && f - b < ahead + 1;
      const std::int32_t batch = run_forward ? f++ : b++;
      ops.push_back({batch, !run_forward, 0, run_forward ? forward[stage] : backward[stage]});
    }
  }
  // Start times: after the stage's previous op and after the neighbour that the op receives from.
  std::vector<std::size_t> next(stages, 0);
  std::vector<DurNs> free_at(stages, 0);
  std::vector<std::vector<DurNs>> done_forward(stages, std::vector<DurNs>(static_cast<std::size_t>(batches), -1)),
      done_backward = done_forward;
  DurNs end = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t stage = 0; stage < stages; ++stage) {
      auto& ops = opsOf(stage);
      while (next[stage] < ops.size()) {
        PipelineOp& op = ops[next[stage]];
        const auto batch = static_cast<std::size_t>(op.microbatch);
        DurNs ready = 0;
        if (!op.backward && stage > 0) ready = done_forward[stage - 1][batch];
        if (op.backward) ready = stage + 1 < stages ? done_backward[stage + 1][batch] : done_forward[stage][batch];
        if (ready < 0) break;
        op.start = std::max(free_at[stage], ready);
        free_at[stage] = op.start + op.dur;
        (op.backward ? done_backward : done_forward)[stage][batch] = free_at[stage];
        end = std::max(end, free_at[stage]);
        ++next[stage];
        moved = true;
      }
    }
  }
  return end;
}

}  // namespace runglass::sim
