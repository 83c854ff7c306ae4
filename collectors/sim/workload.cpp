// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/workload.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace runglass::sim {
namespace {

enum What : std::uint64_t {
  kComputeNoise = 1,
  kGcNoise,
  kLengthNoise,
  kBackwardNoise,
  kDataNoise,
  kReduceNoise,
  kOptimizerNoise,
  kHostNoise,
  kSpeedNoise,
  kExpertNoise,
  kDelayNoise,
  kBlip,
  kBlipVictim,
  kBlipSize,
  kBlipPart,
  kGcVictim,
  kDataBurst,
};

constexpr double kCollects = 0.022;        // share of steps in which a rank's garbage collector runs unplanned
constexpr std::int64_t kExpertDrift = 24;  // steps between the points through which the experts' load drifts

double notLess(double value, double least) { return std::max(least, value); }

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

bool slowsSteps(const Fault& fault) {
  constexpr std::array<std::string_view, 11> kKinds = {"slow_rank",        "slow_node", "stage_imbalance",   "thermal_throttle",
                                                       "throughput_shift", "slow_link", "nic_flap",          "host_bound",
                                                       "data_bound",       "gc_jitter", "sequence_imbalance"};
  return std::ranges::find(kKinds, fault.kind) != kKinds.end();
}

bool isSaving(const Scenario& s, std::int64_t step) {
  return s.async_checkpoints && s.checkpoint_every_steps > 0 && step > s.checkpoint_every_steps &&
         (step - 1) % s.checkpoint_every_steps < s.async_save_steps;
}

Workload::Workload(const Scenario& scenario, DurNs micro_batch)
    : m_scenario(scenario),
      m_noise(scenario.seed),
      m_base(static_cast<DurNs>(scenario.step_seconds * kNsPerSecond)),
      m_micro_batch(micro_batch) {
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    m_coordinates.push_back(coordinatesOf(scenario, rank));
    m_speed.push_back(notLess(1 + scenario.gpu_spread_ratio * m_noise.normal(0, rank, kSpeedNoise), 0.5));
  }
}

double Workload::noise(std::int64_t step, std::int64_t subject, std::uint64_t what) const {
  return m_scenario.heavy_tails ? m_noise.heavy(step, subject, what) : m_noise.normal(step, subject, what);
}

bool Workload::hits(const Fault& fault, std::int32_t rank) const {
  switch (fault.target.kind) {
    case Target::Kind::kRun:
      return true;
    case Target::Kind::kRank:
      return fault.target.index == rank;
    case Target::Kind::kStage:
      return fault.target.index == coordinates(rank).pp;
    case Target::Kind::kGpu:
      return fault.target.index == rank / m_scenario.gpus_per_node && fault.target.gpu == rank % m_scenario.gpus_per_node;
    case Target::Kind::kNode:
    case Target::Kind::kNic:
      return fault.target.index == rank / m_scenario.gpus_per_node;
  }
  return false;
}

// GPUs share the node's ports in order. A port that the scenario does not name ("ibN") is the node's only one.
bool Workload::usesPort(const Fault& fault, std::int32_t rank) const {
  if (!hits(fault, rank)) return false;
  if (fault.target.kind != Target::Kind::kNic || m_scenario.nics_per_node <= 1) return true;
  const std::int32_t local = rank % m_scenario.gpus_per_node;
  return fault.target.nic == nicName(local * m_scenario.nics_per_node / m_scenario.gpus_per_node);
}

double Workload::stageRatio(std::int32_t stage) const {
  double ratio = 1;
  if (m_scenario.pp > 1 && stage == 0) ratio += m_scenario.first_stage_extra_ratio;
  if (m_scenario.pp > 1 && stage == m_scenario.pp - 1) ratio += m_scenario.last_stage_extra_ratio;
  return ratio;
}

// The number of tokens routed to a replica's experts drifts, and varies a little every step.
double Workload::imbalance(std::int64_t step, const Coordinates& at) const {
  const std::int64_t subject = at.dp * std::int64_t{m_scenario.pp} + at.pp, from = step / kExpertDrift;
  const double way = static_cast<double>(step % kExpertDrift) / static_cast<double>(kExpertDrift);
  const double drift = (1 - way) * m_noise.normal(from, subject, kExpertNoise) + way * m_noise.normal(from + 1, subject, kExpertNoise);
  return m_scenario.moe_imbalance_ratio * std::abs(0.7 * drift + 0.5 * m_noise.normal(-step, subject, kExpertNoise));
}

// Lengths have a long tail: in every step one replica has the longest batch and bears the whole excess, the others part of it.
double Workload::sequenceShare(std::int64_t step, std::int32_t replica) const {
  const auto length = [&](std::int32_t of) { return std::pow(m_noise.uniform(step, of, kLengthNoise), 3); };
  double longest = 0;
  for (std::int32_t other = 0; other < m_scenario.dp; ++other) longest = std::max(longest, length(other));
  return longest > 0 ? length(replica) / longest : 0;
}

// The first step compiles. In the second, some shapes are new; then autotuning and caches settle.
double Workload::warmup(double since) const {
  if (since < 1) return m_scenario.compile_factor;
  return 1 + 0.08 * (m_scenario.compile_factor - 1) * std::exp(-8 * (since - 1) / static_cast<double>(m_scenario.warmup_steps));
}

void Workload::addHabits(std::int64_t step, std::int64_t attempt_begin, Work& work, std::vector<double>& factor) const {
  const Scenario& s = m_scenario;
  double all = 1;
  if (s.warmup_steps > 0) all *= warmup(static_cast<double>(step - attempt_begin));
  if (s.daily_swing_ratio > 0) {
    const double hours = static_cast<double>(step) * s.step_seconds / 3600;
    all *= 1 + s.daily_swing_ratio * std::sin(2 * std::numbers::pi * hours / s.daily_swing_hours);
  }
  const bool saving = isSaving(s, step);
  if (saving) all *= 1 + s.async_save_ratio;
  for (std::size_t rank = 0; rank < factor.size(); ++rank) {
    const Coordinates& at = m_coordinates[rank];
    RankStep& r = work.ranks[rank];
    factor[rank] = all * m_speed[rank] * stageRatio(at.pp);
    if (s.variable_lengths) factor[rank] *= 1 + 0.1 * std::abs(m_noise.normal(step, at.dp, kLengthNoise));
    if (s.moe_imbalance_ratio > 0) factor[rank] *= 1 + imbalance(step, at);
    if (saving) work.reduce[rank] *= 1 + s.async_save_ratio;
    if (s.gc_every_steps > 0 && step % s.gc_every_steps == 0) r.gc = static_cast<DurNs>(s.gc_seconds * kNsPerSecond);
    if (s.eval_inside_step && s.eval_every_steps > 0 && step % s.eval_every_steps == 0)
      r.other = static_cast<DurNs>(s.eval_seconds * kNsPerSecond);
  }
  if (s.rank0_host_ratio > 0) work.ranks[0].host += scaled(m_base, s.rank0_host_ratio * notLess(1 + 0.2 * noise(step, -1, kHostNoise), 0));
}

void Workload::addFault(const Fault& fault, std::int64_t step, Work& work, std::vector<double>& factor) const {
  const double extra = std::max(0.0, fault.strength - 1);
  const std::string& kind = fault.kind;
  const bool computes =
      kind == "slow_rank" || kind == "slow_node" || kind == "stage_imbalance" || kind == "thermal_throttle" || kind == "throughput_shift";
  const bool link = kind == "slow_link" || kind == "nic_flap";
  for (std::int32_t rank = 0; rank < m_scenario.world(); ++rank) {
    if (!hits(fault, rank)) continue;
    const auto i = static_cast<std::size_t>(rank);
    RankStep& r = work.ranks[i];
    if (computes) {
      factor[i] *= fault.strength;
      if (fault.cause == FaultCause::kCpuSteal) r.run_delay += scaled(m_base, kPipelineShare * extra);
    } else if (link && usesPort(fault, rank)) {
      work.link[i] *= fault.strength;
      // A fault of the link of one GPU or rank also affects its NVLink.
      if (fault.target.kind == Target::Kind::kRank || fault.target.kind == Target::Kind::kGpu) work.any_link[i] *= fault.strength;
    } else if (kind == "host_bound") {  // gaps between launches
      const DurNs gaps = scaled(m_base, extra * notLess(1 + 0.1 * noise(step, rank, kHostNoise), 0));
      r.host += gaps;
      if (fault.cause == FaultCause::kCpuSteal) r.run_delay += gaps;
    } else if (kind == "data_bound") {  // reads come in bursts, from storage that all ranks share
      const bool shared = fault.target.kind == Target::Kind::kRun;
      const double burst =
          0.4 * m_noise.normal(step, shared ? -1 : rank, kDataBurst) + (shared ? 0.1 * m_noise.normal(step, rank, kDataBurst) : 0);
      r.data += scaled(m_base, extra * notLess(1 + burst, 0.1));
    } else if (kind == "gc_jitter" && m_noise.uniform(step, rank, kGcVictim) < kCollects) {
      r.collected += scaled(m_base, extra * notLess(1 + 0.3 * m_noise.normal(step, rank, kGcNoise), 0.2));
    } else if (kind == "sequence_imbalance") {
      factor[i] *= 1 + extra * sequenceShare(step, m_coordinates[i].dp);
    }
  }
}

// Unexplained delays: a page fault, a retry, an interrupt. One part of one rank, once.
void Workload::addBlips(std::int64_t step, Work& work) const {
  double expected = m_scenario.blips_per_step;
  for (std::int64_t i = 0; expected > 0; ++i, expected -= 1) {
    if (m_noise.uniform(step, i, kBlip) >= expected) continue;
    const auto victim = static_cast<std::size_t>(m_noise.uniform(step, i, kBlipVictim) * m_scenario.world());
    RankStep& r = work.ranks[std::min(victim, work.ranks.size() - 1)];
    const DurNs size = scaled(m_base, 0.05 + 0.25 * m_noise.uniform(step, i, kBlipSize));
    const std::array<DurNs*, 4> parts = {&r.data, &r.forward, &r.backward, &r.host};
    *parts[std::min<std::size_t>(3, static_cast<std::size_t>(4 * m_noise.uniform(step, i, kBlipPart)))] += size;
  }
}

Work Workload::of(std::int64_t step, std::int64_t attempt_begin) const {
  const Scenario& s = m_scenario;
  const std::size_t world = m_coordinates.size();
  Work work{.regime = regimeAt(s, step),
            .ranks = std::vector<RankStep>(world),
            .reduce = std::vector<double>(world, 1),
            .link = std::vector<double>(world, 1),
            .any_link = std::vector<double>(world, 1)};
  std::vector<double> factor(world, 1);
  const auto wobble = [&](std::size_t rank, std::uint64_t what) {
    return s.part_noise_ratio > 0 ? notLess(1 + s.part_noise_ratio * noise(step, static_cast<std::int64_t>(rank), what), 0.3) : 1.0;
  };
  addHabits(step, attempt_begin, work, factor);
  for (std::size_t rank = 0; rank < world; ++rank) {
    RankStep& r = work.ranks[rank];
    r.data = scaled(m_base, kDataShare * wobble(rank, kDataNoise));
    r.optimizer = scaled(m_base, kOptimizerShare * wobble(rank, kOptimizerNoise));
    r.host += scaled(m_base, s.host_ratio * wobble(rank, kHostNoise));
    work.reduce[rank] *= wobble(rank, kReduceNoise);
    if (s.host_cpu) r.run_delay = scaled(m_base, 3e-4 * std::abs(noise(step, static_cast<std::int64_t>(rank), kDelayNoise)));
  }
  for (const Fault& fault : s.faults)
    if (step >= fault.first_step && step <= fault.last_step) addFault(fault, step, work, factor);
  // Forward and backward have independent noise: where both grow together, there is a cause.
  const double batches = work.regime.micro_batches * work.regime.micro_batch_ratio * static_cast<double>(m_micro_batch);
  for (std::size_t rank = 0; rank < world; ++rank) {
    const auto own = [&](std::uint64_t what) {
      return notLess(1 + s.noise_ratio * noise(step, static_cast<std::int64_t>(rank), what), 0.1);
    };
    RankStep& r = work.ranks[rank];
    r.forward = static_cast<DurNs>(batches * kForwardShare * factor[rank] * own(kComputeNoise)) + r.collected;
    r.backward = static_cast<DurNs>(batches * (1 - kForwardShare) * factor[rank] * own(kBackwardNoise));
  }
  addBlips(step, work);
  return work;
}

}  // namespace runglass::sim
