// SPDX-License-Identifier: Apache-2.0
#include "analysis/what_if/straggler_findings.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/words/sentences.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
using words::Arg;
using words::Message;

constexpr double kWarns = 5, kUrgent = 1'000;  // GPU-hours per day
constexpr double kHoursPerDay = 24;
constexpr double kSameThing = 0.8;  // one cause explains nearly as much as another
constexpr double kCorrelates = 0.9, kSpread = 0.05;
constexpr double kMaxSteps = 0.5;
constexpr std::size_t kListed = 16;

words::Quantity ms(double ns) { return words::shortDuration(std::llround(ns)); }

class Teller {
 public:
  Teller(const WhatIfData& data, RunId run, const std::map<NodeId, std::string>& nodes)
      : m_data(data), m_all(data.what_if), m_graph(*data.graph), m_run(run), m_nodes(nodes) {}

  std::vector<Finding> tell() {
    tellNode();
    tellWorkers();
    tellStage();
    tellSequences();
    return std::move(m_out);
  }

 private:
  // `explained`: the share of the slowdown that this finding explains.
  Finding make(const char* kind, std::string subject, double explained, const FixSet& fixed, Json& evidence) const {
    const FixOutcome outcome = outcomeOf(*m_data.replay, m_all, fixed);
    const double cost = std::max(outcome.saved_ratio, 0.0), a_day = cost * m_data.gpus * kHoursPerDay;
    Finding finding;
    finding.run = m_run, finding.attempt = m_data.attempt.id;
    finding.kind = kind, finding.subject = std::move(subject);
    finding.severity = a_day >= kUrgent ? Severity::kError : a_day >= kWarns ? Severity::kWarning : Severity::kInfo;
    finding.start = m_graph.steps.front().t0, finding.end = m_graph.steps.back().t1;
    finding.first_step = m_data.attempt.first_step ? m_data.attempt.first_step : m_data.coverage.first_step;
    finding.last_step = m_data.coverage.last_step;
    finding.score = m_all.s;
    finding.coverage = m_data.coverage.ratio();
    finding.confidence = m_data.confidence();
    evidence = {{"s", m_all.s},
                {"waste_ratio", m_all.waste_ratio},
                {"explained_ratio", explained},
                {"t_ns", std::llround(m_all.t_ns)},
                {"t_ideal_ns", std::llround(m_all.t_ideal_ns)},
                {"t_fixed_ns", std::llround(outcome.t_ns)},
                {"sim_error_ratio", m_all.sim_error_ratio},
                {"cost_ratio", cost},
                {"gpu_hours_per_day", a_day},
                {"steps", m_all.steps.size()},
                {"workers", m_graph.workers.size()},
                {"separable", "dp, pp"}};
    return finding;
  }

  Message gain(const Json& evidence) const {
    return Message{"straggler_gain",
                   {{"fixed", ms(evidence["t_fixed_ns"].get<double>())},
                    {"now", ms(m_all.t_ns)},
                    {"saved", words::ratio(evidence["cost_ratio"].get<double>())},
                    {"steps", m_all.steps.size()}}};
  }

  Message workerOf(std::uint32_t index) const {
    const StepWorker& worker = m_graph.workers[index];
    const Layout& layout = m_data.attempt.layout;
    const bool folded = worker.rank_count > 1 || layout.tp > 1 || layout.cp > 1;
    return Message{folded ? "worker_folded" : "worker_rank", {{"rank", worker.rank}, {"dp", worker.dp}, {"pp", worker.pp}}};
  }

  const Rank* rankOf(std::uint32_t worker) const {
    const auto at = std::ranges::find(m_data.ranks, m_graph.workers[worker].rank, &Rank::rank);
    return at != m_data.ranks.end() ? &*at : nullptr;
  }

  // A machine with several slow workers.
  void tellNode() {
    std::map<NodeId, std::vector<std::uint32_t>> by_node;
    for (std::uint32_t w = 0; w < m_graph.workers.size(); ++w)
      if (const Rank* rank = rankOf(w); rank != nullptr && rank->node) by_node[rank->node].push_back(w);
    if (by_node.size() < 2 || m_graph.replicas.size() < 2) return;
    NodeId worst{};
    double most = 0;
    for (const auto& [node, workers] : by_node) {
      double sum = 0;
      for (const std::uint32_t worker : workers) sum += m_all.by_worker[worker];
      if (workers.size() >= 2 && sum / static_cast<double>(workers.size()) > most) {
        most = sum / static_cast<double>(workers.size());
        worst = node;
      }
    }
    if (!worst) return;
    FixSet fixed(m_graph, false);
    for (const std::uint32_t worker : by_node[worst]) fixed.setWorker(worker, true);
    const auto explained = explainedBy(*m_data.replay, m_all, fixed);
    // One slow worker of the machine is a slow rank; a machine that holds a whole stage is reported as the stage.
    if (!explained || *explained < kExplainedFrom || *explained * kSameThing <= m_all.m_w.value_or(0)) return;
    std::set<std::int32_t> stages, replicas;
    for (const std::uint32_t worker : by_node[worst])
      stages.insert(m_graph.workers[worker].pp), replicas.insert(m_graph.workers[worker].dp);
    if (stages.size() == 1 && replicas.size() == m_graph.replicas.size() && m_graph.stages.size() > 1) return;
    Json evidence;
    const auto named = m_nodes.find(worst);
    const std::string name = named != m_nodes.end() ? named->second : "node " + std::to_string(worst.value);
    Finding finding = make("slow_node", "node:" + name, *explained, fixed, evidence);
    finding.node = worst;
    evidence["ranks"] = Json::array();
    for (const std::uint32_t worker : by_node[worst]) evidence["ranks"].push_back(m_graph.workers[worker].rank);
    const Arg node = named != m_nodes.end() ? Arg(name) : Arg(Message{"node_number", {{"node", worst.value}}});
    words::setMessage(
        finding,
        Message{"straggler_node",
                {{"node", node}, {"workers", by_node[worst].size()}, {"explained", words::ratio(*explained)}, {"gain", gain(evidence)}}});
    m_blamed.insert(by_node[worst].begin(), by_node[worst].end());
    m_blamed_explains = *explained;
    finish(std::move(finding), evidence);
  }

  void tellWorkers() {
    // Without another replica of its stage, a worker cannot be distinguished from its stage.
    if (!m_all.m_w || *m_all.m_w < kExplainedFrom || m_graph.replicas.size() < 2 || !m_blamed.empty()) return;
    if (m_all.worst_in_steps < kMaxSteps) return;
    FixSet fixed(m_graph, false);
    for (const std::uint32_t worker : m_all.worst) fixed.setWorker(worker, true);
    const std::uint32_t worst = m_all.worst.front();
    const StepWorker& worker = m_graph.workers[worst];
    Json evidence;
    Finding finding = make("slow_rank", "rank:" + std::to_string(worker.rank), *m_all.m_w, fixed, evidence);
    finding.rank = worker.rank, finding.dp = worker.dp, finding.pp = worker.pp;
    if (const Rank* rank = rankOf(worst)) {
      finding.node = rank->node;
      if (worker.rank_count == 1) finding.tp = rank->tp;
    }
    evidence["m_w"] = *m_all.m_w;
    evidence["in_steps_ratio"] = m_all.worst_in_steps;
    evidence["slow_workers"] = Json::array();
    for (const std::uint32_t w : m_all.worst)
      if (evidence["slow_workers"].size() < kListed)
        evidence["slow_workers"].push_back({{"rank", m_graph.workers[w].rank},
                                            {"dp", m_graph.workers[w].dp},
                                            {"pp", m_graph.workers[w].pp},
                                            {"s", m_all.by_worker[w]},
                                            {"folded_ranks", m_graph.workers[w].rank_count}});
    words::setMessage(finding, Message{"straggler_worker",
                                       {{"worker", workerOf(worst)},
                                        {"more", m_all.worst.size() > 1 ? Arg(m_all.worst.size() - 1) : Arg()},
                                        {"steps", words::ratio(m_all.worst_in_steps)},
                                        {"gain", gain(evidence)}}});
    m_blamed.insert(m_all.worst.begin(), m_all.worst.end());
    m_blamed_explains = *m_all.m_w;
    finish(std::move(finding), evidence);
  }

  void tellStage() {
    std::uint32_t worst = 0;
    for (std::uint32_t s = 1; s < m_all.explained_by_stage.size(); ++s)
      if (m_all.explained_by_stage[s].value_or(0) > m_all.explained_by_stage[worst].value_or(0)) worst = s;
    const double explained = m_all.explained_by_stage[worst].value_or(0);
    if (explained < kExplainedFrom) return;
    // If a few workers of the stage explain the same slowdown as all of them, those are the cause.
    const auto stages = static_cast<std::uint32_t>(m_graph.stages.size());
    const bool inside = std::ranges::any_of(m_blamed, [&](std::uint32_t worker) { return worker % stages == worst; });
    if (inside && m_blamed_explains >= kSameThing * explained) return;
    FixSet fixed(m_graph, false);
    fixed.setStage(worst, true);
    Json evidence;
    const std::int32_t stage = m_graph.stages[worst];
    Finding finding = make("stage_imbalance", "stage:" + std::to_string(stage), explained, fixed, evidence);
    finding.pp = stage;
    evidence["stage"] = stage;
    evidence["pattern"] = "row";
    evidence["explained_by_stage"] = Json::array();
    for (std::uint32_t s = 0; s < stages; ++s)
      evidence["explained_by_stage"].push_back(
          {{"pp", m_graph.stages[s]}, {"explained_ratio", m_all.explained_by_stage[s].value_or(0)}, {"s", m_all.by_stage[s]}});
    if (m_all.m_s) evidence["m_s"] = *m_all.m_s;
    const bool one_replica = m_graph.replicas.size() < 2;
    if (one_replica) finding.confidence = *finding.confidence / 2;
    words::setMessage(finding, Message{worst + 1 == stages ? "straggler_stage_last" : "straggler_stage",
                                       {{"stage", stage},
                                        {"stages", stages},
                                        {"explained", words::ratio(explained)},
                                        {"gain", gain(evidence)},
                                        {"doubt", one_replica ? Arg(Message{"straggler_one_replica", {}}) : Arg()}}});
    finish(std::move(finding), evidence);
  }

  void tellSequences() {
    if (!m_all.pass_correlation || *m_all.pass_correlation < kCorrelates || m_graph.replicas.size() < 2) return;
    if (m_all.replica_spread < kSpread || m_all.steps.size() < 3) return;
    // By chance, another one of n replicas is the slowest in 1 - 1/n of the steps.
    const double at_random = 1 - 1 / static_cast<double>(m_graph.replicas.size());
    if (m_all.slowest_changes < at_random / 2) return;
    FixSet fixed(m_graph, false);
    fixed.setOp(StepOp::kForward, true);
    fixed.setOp(StepOp::kBackward, true);
    const double explained = explainedBy(*m_data.replay, m_all, fixed).value_or(0);
    Json evidence;
    Finding finding = make("sequence_imbalance", "run", explained, fixed, evidence);
    evidence["pass_correlation"] = *m_all.pass_correlation;
    evidence["slowest_changes_ratio"] = m_all.slowest_changes;
    evidence["replica_spread_ratio"] = m_all.replica_spread;
    words::setMessage(finding, Message{"straggler_sequences",
                                       {{"spread", words::ratio(m_all.replica_spread)},
                                        {"correlation", words::number(*m_all.pass_correlation, 2)},
                                        {"gain", gain(evidence)}}});
    finish(std::move(finding), evidence);
  }

  void finish(Finding finding, const Json& evidence) {
    finding.evidence = evidence.dump();
    m_out.push_back(std::move(finding));
  }

  const WhatIfData& m_data;
  const WhatIf& m_all;
  const StepGraph& m_graph;
  const RunId m_run;
  const std::map<NodeId, std::string>& m_nodes;
  std::set<std::uint32_t> m_blamed;  // workers
  double m_blamed_explains = 0;
  std::vector<Finding> m_out;
};

}  // namespace

std::vector<Finding> stragglerFindings(const WhatIfData& data, RunId run, const std::map<NodeId, std::string>& nodes) {
  if (data.what_if.status != WhatIfStatus::kOk || data.what_if.s <= kStragglingFrom) return {};
  return Teller(data, run, nodes).tell();
}

}  // namespace runglass
