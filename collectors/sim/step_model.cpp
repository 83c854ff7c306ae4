// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/step_model.h"

#include <algorithm>

namespace runglass::sim {
namespace {

constexpr double kTransferShare = 0.01;  // of a micro-batch's forward and backward: activations between stages

// Compute time of a stage for one micro-batch, such that an undisturbed pipeline with its bubble and transfers fills its share of the step.
// All times scale with it, so that one play with a known unit gives the result.
DurNs microBatchOf(const Scenario& s) {
  constexpr DurNs kUnit = kNsPerSecond;
  std::vector<StageTimes> stages;
  for (std::int32_t stage = 0; stage < s.pp; ++stage) {
    const bool first = s.pp > 1 && stage == 0, last = s.pp > 1 && stage == s.pp - 1;
    const double ratio = 1 + (first ? s.first_stage_extra_ratio : 0) + (last ? s.last_stage_extra_ratio : 0);
    stages.push_back({0, scaled(kUnit, kForwardShare * ratio), scaled(kUnit, (1 - kForwardShare) * ratio)});
  }
  const std::vector<DurNs> transfer(static_cast<std::size_t>(s.pp), scaled(kUnit, kTransferShare));
  const PipelineRun run = runPipeline(stages, transfer, s.micro_batches);
  const DurNs length = *std::ranges::max_element(run.end);
  return scaled(scaled(static_cast<DurNs>(s.step_seconds * kNsPerSecond), kPipelineShare),
                static_cast<double>(kUnit) / static_cast<double>(length));
}

}  // namespace

StepModel::StepModel(const Scenario& scenario)
    : m_scenario(scenario),
      m_noise(scenario.seed),
      m_base(static_cast<DurNs>(scenario.step_seconds * kNsPerSecond)),
      m_micro_batch(microBatchOf(scenario)),
      m_work(scenario, m_micro_batch),
      m_groups(static_cast<std::size_t>(scenario.tp) * static_cast<std::size_t>(scenario.pp)),
      m_spans_nodes(m_groups.size(), false),
      m_place_ranks(static_cast<std::size_t>(scenario.dp) * static_cast<std::size_t>(scenario.pp)) {
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const Coordinates& at = coordinates(rank);
    m_groups[groupOf(rank)].push_back(rank);
    m_place_ranks[place(at.dp, at.pp)].push_back(rank);
  }
  for (std::size_t group = 0; group < m_groups.size(); ++group)
    m_spans_nodes[group] =
        std::ranges::any_of(m_groups[group], [&](std::int32_t rank) { return nodeOf(rank) != nodeOf(m_groups[group].front()); });
}

std::size_t StepModel::groupOf(std::int32_t rank) const {
  const Coordinates& at = coordinates(rank);
  return static_cast<std::size_t>(at.pp) * static_cast<std::size_t>(m_scenario.tp) + static_cast<std::size_t>(at.tp);
}

void StepModel::runReplicas(const Work& work, Step& step) const {
  const auto batches = work.regime.micro_batches;
  const auto stages = static_cast<std::size_t>(m_scenario.pp);
  step.ops.resize(m_place_ranks.size());
  step.transfer.assign(m_place_ranks.size(), 0);
  const DurNs usual = scaled(m_micro_batch, kTransferShare * work.regime.transfer_ratio);
  for (std::int32_t replica = 0; replica < m_scenario.dp; ++replica) {
    std::vector<StageTimes> times(stages);
    std::vector<DurNs> transfer(stages, usual);
    for (std::size_t stage = 0; stage < stages; ++stage) {
      const auto& members = m_place_ranks[place(replica, static_cast<std::int32_t>(stage))];
      for (std::size_t i = 0; i < members.size(); ++i) {
        const auto rank = static_cast<std::size_t>(members[i]);
        const RankStep& r = work.ranks[rank];
        times[stage].begin = std::max(times[stage].begin, r.data);
        // Rounded up, so that no rank works longer than its stage.
        times[stage].forward = std::max(times[stage].forward, (r.forward - r.collected + r.host / 3 + batches - 1) / batches);
        times[stage].pause = std::max(times[stage].pause, r.collected);
        times[stage].backward = std::max(times[stage].backward, (r.backward + r.host - r.host / 3 + batches - 1) / batches);
        if (stage + 1 == stages) continue;
        const auto next = static_cast<std::size_t>(m_place_ranks[place(replica, static_cast<std::int32_t>(stage) + 1)][i]);
        const bool far = nodeOf(members[i]) != nodeOf(static_cast<std::int32_t>(next));
        const auto& link = far ? work.link : work.any_link;
        transfer[stage] = std::max(transfer[stage], scaled(usual, std::max(link[rank], link[next])));
      }
    }
    PipelineRun run = runPipeline(times, transfer, batches);
    for (std::size_t stage = 0; stage < stages; ++stage) {
      const std::size_t at = place(replica, static_cast<std::int32_t>(stage));
      step.transfer[at] = transfer[stage];
      step.pipeline_begin = std::max(step.pipeline_begin, times[stage].begin);
      for (const std::int32_t rank : m_place_ranks[at]) {
        RankStep& r = step.ranks[static_cast<std::size_t>(rank)];
        r.communication += run.transferred[stage];
        r.reduce_begin = run.end[stage];
      }
      step.ops[at] = std::move(run.ops[stage]);
    }
  }
}

void StepModel::reduceGradients(const Work& work, Step& step) const {
  step.reduce_ratio.assign(step.ranks.size(), 1);
  for (std::size_t group = 0; group < m_groups.size(); ++group) {
    const auto& members = m_groups[group];
    DurNs begin = 0;
    double slowest = 1;
    for (const std::int32_t rank : members) {
      const auto i = static_cast<std::size_t>(rank);
      begin = std::max(begin, step.ranks[i].reduce_begin);
      slowest = std::max(slowest, m_spans_nodes[group] ? work.link[i] : work.any_link[i]);
    }
    const double ratio = work.reduce[static_cast<std::size_t>(members.front())] * slowest;
    const DurNs transfer = scaled(m_base, kCommunicationShare * ratio);
    for (const std::int32_t rank : members) {
      RankStep& r = step.ranks[static_cast<std::size_t>(rank)];
      r.communication += transfer;
      r.reduce_end = begin + transfer;
      step.reduce_ratio[static_cast<std::size_t>(rank)] = ratio;
    }
    step.optimizer_begin = std::max(step.optimizer_begin, begin + transfer);
  }
}

Step StepModel::step(std::int64_t number, std::int64_t attempt_begin) const {
  Work work = m_work.of(number, attempt_begin);
  Step step;
  step.regime = work.regime;
  step.ranks = work.ranks;
  runReplicas(work, step);
  reduceGradients(work, step);
  DurNs last = 0;
  for (const RankStep& r : step.ranks) last = std::max(last, r.optimizer + r.gc + r.other);
  step.dur = step.optimizer_begin + last;
  for (RankStep& r : step.ranks) r.wait = step.dur - r.busy();
  return step;
}

std::optional<double> StepModel::costOf(std::size_t fault, std::int64_t first, std::int64_t last, std::int64_t attempt_begin) const {
  if (!slowsSteps(m_scenario.faults[fault])) return std::nullopt;
  constexpr std::int64_t kMaxSteps = 1'000;  // with more steps, every second, third, ... is used
  Scenario without = m_scenario;
  without.faults.erase(without.faults.begin() + static_cast<std::ptrdiff_t>(fault));
  const StepModel healthy(without);
  first = std::max(first, attempt_begin + m_scenario.warmup_steps);
  const std::int64_t stride = 1 + std::max<std::int64_t>(0, last - first) / kMaxSteps;
  double with = 0, saved = 0;
  for (std::int64_t number = first; number <= last; number += stride) {
    const DurNs dur = step(number, attempt_begin).dur;
    with += static_cast<double>(dur);
    saved += static_cast<double>(dur - healthy.step(number, attempt_begin).dur);
  }
  return with > 0 ? std::optional(saved / with) : std::nullopt;
}

}  // namespace runglass::sim
