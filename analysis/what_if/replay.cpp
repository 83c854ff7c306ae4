// SPDX-License-Identifier: Apache-2.0
#include "analysis/what_if/replay.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/median.h"

namespace runglass {
namespace {}  // namespace

void FixSet::setWorker(std::uint32_t worker, bool fixed) {
  for (int op = 0; op < kStepOpCount; ++op) set(worker, static_cast<StepOp>(op), fixed);
}

void FixSet::setReplica(std::uint32_t replica, bool fixed) {
  const auto stages = static_cast<std::uint32_t>(m_graph->stages.size());
  for (std::uint32_t stage = 0; stage < stages; ++stage) setWorker(replica * stages + stage, fixed);
}

void FixSet::setStage(std::uint32_t stage, bool fixed) {
  const auto stages = static_cast<std::uint32_t>(m_graph->stages.size());
  for (std::uint32_t worker = stage; worker < m_graph->workers.size(); worker += stages) setWorker(worker, fixed);
}

void FixSet::setOp(StepOp op, bool fixed) {
  for (std::uint32_t worker = 0; worker < m_graph->workers.size(); ++worker) set(worker, op, fixed);
}

Replay::Replay(std::shared_ptr<const StepGraph> graph) : m_graph(std::move(graph)), m_key(m_graph->size()) {
  for (const StepGraph::Step& step : m_graph->steps) m_most = std::max(m_most, step.end_node - step.first_node);
  for (std::uint32_t i = 0; i < m_graph->size(); ++i) m_key[i] = FixSet::keyOf(m_graph->worker[i], m_graph->op[i]);
  findIdeals();
}

void Replay::findIdeals() {
  for (int kind = 0; kind < kStepOpCount; ++kind) {
    const auto op = static_cast<StepOp>(kind);
    std::vector<DurNs> transfers;
    double sum = 0;
    std::size_t& count = m_count[static_cast<std::size_t>(kind)];
    for (std::size_t i = 0; i < m_graph->size(); ++i) {
      if (m_graph->op[i] != op) continue;
      ++count;
      if (isCommunication(op))
        transfers.push_back(m_graph->work[i]);
      else
        sum += static_cast<double>(m_graph->work[i]);
    }
    if (count == 0) continue;
    m_ideal[static_cast<std::size_t>(kind)] =
        isCommunication(op) ? medianBetween(transfers) : static_cast<DurNs>(std::llround(sum / static_cast<double>(count)));
  }
}

DurNs Replay::replay(const FixSet& fixed, const StepGraph::Step& step, std::vector<DurNs>& end_of) const {
  const std::uint32_t* deps = m_graph->deps.data();
  DurNs last = 0;
  for (std::uint32_t group = step.first_group; group < step.end_group; ++group) {
    const std::uint32_t first = m_graph->first_member[group], end = m_graph->first_member[group + 1];
    DurNs launched = 0;
    for (std::uint32_t i = m_graph->first_dep[first]; i < m_graph->first_dep[end]; ++i)
      launched = std::max(launched, end_of[deps[i] - step.first_node]);
    for (std::uint32_t node = first; node < end; ++node) {
      const std::uint32_t key = m_key[node];
      const DurNs ended = launched + (fixed.has(key) ? m_ideal[key % kStepOpCount] : m_graph->work[node]);
      end_of[node - step.first_node] = ended;
      last = std::max(last, ended);
    }
  }
  return last;
}

std::vector<DurNs> Replay::stepTimes(const FixSet& fixed) const {
  std::vector<DurNs> times, end_of(m_most);
  times.reserve(m_graph->steps.size());
  for (const StepGraph::Step& step : m_graph->steps) times.push_back(replay(fixed, step, end_of));
  return times;
}

std::vector<DurNs> Replay::stepTimes(const FixSet& fixed, std::span<const std::uint32_t> steps) const {
  std::vector<DurNs> times, end_of(m_most);
  times.reserve(steps.size());
  for (const std::uint32_t step : steps) times.push_back(replay(fixed, m_graph->steps[step], end_of));
  return times;
}

std::vector<DurNs> Replay::ends(const FixSet& fixed, const StepGraph::Step& step) const {
  std::vector<DurNs> end_of(step.end_node - step.first_node);
  replay(fixed, step, end_of);
  return end_of;
}

}  // namespace runglass
