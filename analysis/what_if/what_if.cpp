// SPDX-License-Identifier: Apache-2.0
#include "analysis/what_if/what_if.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

namespace runglass {
namespace {

constexpr double kNothingSlow = 0.001;  // T within this of T_ideal: shares of the difference would be noise

double meanOf(const std::vector<DurNs>& times) {
  double sum = 0;
  for (const DurNs t : times) sum += static_cast<double>(t);
  return times.empty() ? 0 : sum / static_cast<double>(times.size());
}

class Asker {
 public:
  Asker(const Replay& replay, std::stop_token stop) : m_replay(replay), m_graph(replay.graph()), m_stop(std::move(stop)) {}

  WhatIf ask() {
    if (m_graph.steps.empty()) {
      m_out.reason = "no whole step was recorded";
      return m_out;
    }
    timeSteps();
    if (m_out.t_ideal_ns <= 0) {
      m_out.reason = "the recorded operations have no duration";
      return m_out;
    }
    if (m_out.sim_error_ratio > kMaxSimulationError) {
      m_out.status = WhatIfStatus::kRefused;
      m_out.reason = "the simulated steps differ from the recorded ones by " + std::to_string(std::lround(m_out.sim_error_ratio * 100)) +
                     (m_out.t_ns < m_out.t_real_ns ? " %: more than 5 % of their time is not in the recorded operations"
                                                   : " %: operations that ran at the same time are taken to run one after the other");
      return m_out;
    }
    if (isTooMuch()) {
      m_out = {};
      m_out.reason = std::to_string(m_graph.replicas.size()) + " replicas of " + std::to_string(m_graph.stages.size()) +
                     " stages are too many to ask of each what it costs";
      return m_out;
    }
    chooseSteps();
    decompose();
    explain();
    correlate();
    m_out.status = m_stop.stop_requested() ? WhatIfStatus::kInsufficient : WhatIfStatus::kOk;
    if (m_stop.stop_requested()) m_out.reason = "stopped";
    return m_out;
  }

 private:
  void timeSteps() {
    m_recorded = m_replay.stepTimes(FixSet(m_graph, false));
    m_fixed = m_replay.stepTimes(FixSet(m_graph, true));
    std::vector<DurNs> real;
    for (std::size_t i = 0; i < m_graph.steps.size(); ++i) {
      const StepGraph::Step& step = m_graph.steps[i];
      real.push_back(step.t1 - step.t0);
      m_out.steps.push_back({.step = step.step, .real = real.back(), .t = m_recorded[i], .ideal = m_fixed[i]});
    }
    m_out.t_real_ns = meanOf(real), m_out.t_ns = meanOf(m_recorded), m_out.t_ideal_ns = meanOf(m_fixed);
    if (m_out.t_ideal_ns <= 0 || m_out.t_real_ns <= 0) return;
    m_out.sim_error_ratio = std::fabs(m_out.t_ns - m_out.t_real_ns) / m_out.t_real_ns;
    m_out.launch_slowdown = m_out.t_real_ns / m_out.t_ns;
    m_out.s = m_out.t_ns / m_out.t_ideal_ns;
    m_out.waste_ratio = 1 - 1 / m_out.s;
  }

  // Whether a single step, replayed for every replica and stage, is too large.
  bool isTooMuch() const {
    const double nodes = static_cast<double>(m_graph.size()), replicas = static_cast<double>(m_graph.replicas.size()),
                 stages = static_cast<double>(m_graph.stages.size());
    return (replicas + stages) * nodes / static_cast<double>(m_graph.steps.size()) + stages * nodes > static_cast<double>(kTooManyVisits);
  }

  // Evenly spaced if all would take too long.
  void chooseSteps() {
    const std::size_t replays = m_graph.replicas.size() + m_graph.stages.size() + kStepOpCount + kExactWorkers;
    const std::size_t visits = std::max<std::size_t>(replays * m_graph.size(), 1), all = m_graph.steps.size();
    const std::size_t wanted = visits <= kMaxVisits ? all : std::max<std::size_t>(all * (kMaxVisits / replays) / m_graph.size(), 1);
    std::vector<DurNs> fixed;
    for (std::size_t i = 0; i < wanted; ++i) {
      m_chosen.push_back(static_cast<std::uint32_t>(i * all / wanted));
      fixed.push_back(m_fixed[m_chosen.back()]);
    }
    m_chosen_ideal = meanOf(fixed);
    m_out.decomposed_steps = wanted;
  }

  // The slowdown with everything fixed except what `unfix` removes.
  template <class Unfix>
  double slowdownBy(Unfix unfix) {
    if (m_stop.stop_requested()) return 1;
    FixSet fixed(m_graph, true);
    unfix(fixed);
    return meanOf(m_replay.stepTimes(fixed, m_chosen)) / m_chosen_ideal;
  }

  void decompose() {
    std::map<std::string, std::vector<StepOp>> shares;
    for (int op = 0; op < kStepOpCount; ++op)
      if (m_replay.count(static_cast<StepOp>(op)) > 0) shares[stepOpShareName(static_cast<StepOp>(op))].push_back(static_cast<StepOp>(op));
    for (const auto& [name, ops] : shares)
      m_out.by_op.push_back({name, slowdownBy([&](FixSet& fixed) {
                               for (const StepOp op : ops) fixed.setOp(op, false);
                             })});
    std::ranges::stable_sort(m_out.by_op, std::greater(), &WhatIfShare::s);
    const auto replicas = static_cast<std::uint32_t>(m_graph.replicas.size()), stages = static_cast<std::uint32_t>(m_graph.stages.size());
    for (std::uint32_t r = 0; r < replicas; ++r) m_out.by_replica.push_back(slowdownBy([&](FixSet& fixed) { fixed.setReplica(r, false); }));
    for (std::uint32_t s = 0; s < stages; ++s) m_out.by_stage.push_back(slowdownBy([&](FixSet& fixed) { fixed.setStage(s, false); }));
    for (std::uint32_t w = 0; w < replicas * stages; ++w)
      m_out.by_worker.push_back(std::min(m_out.by_replica[w / stages], m_out.by_stage[w % stages]));
    std::vector<std::uint32_t> order(m_graph.workers.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return m_out.by_worker[a] != m_out.by_worker[b] ? m_out.by_worker[a] > m_out.by_worker[b]
                                                      : m_graph.workers[a].rank < m_graph.workers[b].rank;
    });
    m_out.exact_by_worker.resize(order.size());
    for (std::size_t i = 0; i < std::min(kExactWorkers, order.size()); ++i)
      m_out.exact_by_worker[order[i]] = slowdownBy([&](FixSet& fixed) { fixed.setWorker(order[i], false); });
    order.resize(static_cast<std::size_t>(std::ceil(static_cast<double>(order.size()) * kWorstShare)));
    m_out.worst = std::move(order);
  }

  void explain() {
    const auto stages = static_cast<std::uint32_t>(m_graph.stages.size());
    m_out.explained_by_stage.resize(stages);
    for (std::uint32_t s = 0; s < stages && stages > 1; ++s) {
      FixSet fixed(m_graph, false);
      fixed.setStage(s, true);
      if (!m_stop.stop_requested()) m_out.explained_by_stage[s] = explainedBy(m_replay, m_out, fixed);
    }
    m_out.m_s = m_out.explained_by_stage.back();
    FixSet fixed(m_graph, false);
    for (const std::uint32_t worker : m_out.worst) fixed.setWorker(worker, true);
    m_out.m_w = explainedBy(m_replay, m_out, fixed);
    if (!m_out.m_w) return;
    const std::vector<DurNs> without = m_replay.stepTimes(fixed);
    std::size_t in = 0;
    for (std::size_t i = 0; i < without.size(); ++i)
      if (m_recorded[i] > m_fixed[i] &&
          static_cast<double>(m_recorded[i] - without[i]) >= kExplainedFrom * static_cast<double>(m_recorded[i] - m_fixed[i]))
        ++in;
    m_out.worst_in_steps = static_cast<double>(in) / static_cast<double>(without.size());
  }

  // Sums of forward and backward passes by step and worker.
  void correlate() {
    const std::size_t workers = m_graph.workers.size(), stages = m_graph.stages.size();
    std::vector<std::array<double, 2>> sums(m_graph.steps.size() * workers);
    std::vector<std::array<double, 2>> of_stage(stages);
    for (std::size_t s = 0; s < m_graph.steps.size(); ++s)
      for (std::uint32_t i = m_graph.steps[s].first_node; i < m_graph.steps[s].end_node; ++i) {
        if (m_graph.op[i] != StepOp::kForward && m_graph.op[i] != StepOp::kBackward) continue;
        const std::size_t way = m_graph.op[i] == StepOp::kForward ? 0 : 1;
        sums[s * workers + m_graph.worker[i]][way] += static_cast<double>(m_graph.dur[i]);
        of_stage[m_graph.worker[i] % stages][way] += static_cast<double>(m_graph.dur[i]);
      }
    for (auto& sum : of_stage)
      for (double& value : sum) value /= static_cast<double>(m_graph.steps.size() * m_graph.replicas.size());
    double xx = 0, yy = 0, xy = 0;
    for (std::size_t at = 0; at < sums.size(); ++at) {
      const auto& mean = of_stage[at % workers % stages];
      if (mean[0] <= 0 || mean[1] <= 0) return;
      const double x = sums[at][0] / mean[0] - 1, y = sums[at][1] / mean[1] - 1;
      xx += x * x, yy += y * y, xy += x * y;
    }
    if (sums.size() >= 3 && xx > 0 && yy > 0) m_out.pass_correlation = xy / std::sqrt(xx * yy);
    watchSlowest(sums, of_stage);
  }

  // Stages differ in their work: a replica's slowness is the mean over its stages, each relative to the stage's mean.
  void watchSlowest(const std::vector<std::array<double, 2>>& sums, const std::vector<std::array<double, 2>>& of_stage) {
    const std::size_t stages = m_graph.stages.size(), replicas = m_graph.replicas.size(), steps = m_graph.steps.size();
    std::size_t changes = 0, before = 0;
    for (std::size_t s = 0; s < steps; ++s) {
      std::size_t slowest = 0;
      double most = -1, all = 0;
      for (std::size_t r = 0; r < replicas; ++r) {
        double slow = 0;
        for (std::size_t stage = 0; stage < stages; ++stage) {
          const auto& sum = sums[(s * replicas + r) * stages + stage];
          slow += (sum[0] + sum[1]) / (of_stage[stage][0] + of_stage[stage][1]);
        }
        all += slow;
        if (slow > most) most = slow, slowest = r;
      }
      if (all > 0) m_out.replica_spread += (most * static_cast<double>(replicas) / all - 1) / static_cast<double>(steps);
      if (s > 0 && slowest != before) ++changes;
      before = slowest;
    }
    if (steps > 1) m_out.slowest_changes = static_cast<double>(changes) / static_cast<double>(steps - 1);
  }

  const Replay& m_replay;
  const StepGraph& m_graph;
  const std::stop_token m_stop;
  WhatIf m_out;
  std::vector<DurNs> m_recorded, m_fixed;  // by step
  std::vector<std::uint32_t> m_chosen;
  double m_chosen_ideal = 0;
};

}  // namespace

const char* whatIfStatusName(WhatIfStatus status) {
  static constexpr const char* kNames[] = {"insufficient", "refused", "ok"};
  return kNames[static_cast<std::size_t>(status)];
}

WhatIf askWhatIf(const Replay& replay, const std::stop_token& stop) { return Asker(replay, stop).ask(); }

std::optional<double> explainedBy(const Replay& replay, const WhatIf& all, const FixSet& fixed) {
  const double slow = all.t_ns - all.t_ideal_ns;
  if (slow <= kNothingSlow * all.t_ideal_ns) return std::nullopt;
  return (all.t_ns - meanOf(replay.stepTimes(fixed))) / slow;
}

FixOutcome outcomeOf(const Replay& replay, const WhatIf& all, const FixSet& fixed) {
  FixOutcome out;
  out.t_ns = meanOf(replay.stepTimes(fixed));
  if (all.t_ideal_ns <= 0 || all.t_ns <= 0 || out.t_ns <= 0) return out;
  out.s = out.t_ns / all.t_ideal_ns;
  out.waste_ratio = 1 - 1 / out.s;
  out.saved_ratio = 1 - out.t_ns / all.t_ns;
  return out;
}

}  // namespace runglass
