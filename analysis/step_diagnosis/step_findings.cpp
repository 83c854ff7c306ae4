// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/step_findings.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/engine/cost_severity.h"
#include "analysis/step_diagnosis/blame.h"
#include "analysis/words/sentences.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
using Who = Blame::Who;
using words::Arg;
using words::Message;

constexpr double kCostToWarn = 0.05;  // of the step; an imbalance below it is of severity info
constexpr double kCostOfImbalance = 0.10;
constexpr std::size_t kStepsToBeSure = 50, kStepsToSay = 20;
constexpr double kGoodCoverage = 0.8, kPoorCoverage = 0.5;
constexpr double kSameSequence = 0.9;  // correlation of forward and backward
constexpr double kMaxOfIt = 0.5;

words::Quantity ms(double ns) { return words::shortDuration(static_cast<DurNs>(ns)); }

class AttemptFindings {
 public:
  AttemptFindings(const AttemptWatch& watch, const NodeNames& nodes, bool over, FindingMemory& memory)
      : m_watch(watch), m_nodes(nodes), m_over(over), m_memory(memory), m_costs(watch, memory.costs()) {}

  std::vector<Finding> all() {
    for (const WorkKind kind : {WorkKind::kCompute, WorkKind::kHost, WorkKind::kData})
      for (const Blame& blame : blameOf(m_watch.rankSpells(kind), m_watch.ranks()))
        take({nameOf(kind, blame), subjectOf(blame), blame.spell.first_step}, blame.spell, [&] { return ofBlame(kind, blame); });
    for (const Spell& spell : m_watch.stageSpells())
      if (spell.since_before) take(keyOf("stage", spell), spell, [&] { return ofStage(spell, false); });
    for (const Spell& spell : m_watch.stageChanges(WorkKind::kCompute))
      take(keyOf("stage change", spell), spell, [&] { return ofStage(spell, true); });
    for (const Spell& spell : m_watch.stageChanges(WorkKind::kHost))
      take(keyOf("stage host", spell), spell, [&] { return ofStageWithout(spell, WorkKind::kHost); });
    for (const Spell& spell : m_watch.stageChanges(WorkKind::kData))
      take(keyOf("stage data", spell), spell, [&] { return ofStageWithout(spell, WorkKind::kData); });
    for (const Spell& spell : m_watch.runSpells()) take(keyOf("run", spell), spell, [&] { return ofRun(spell); });
    for (const Imbalance& one : m_watch.imbalance().wandering())
      take({"wandering", "", one.first_step}, spellOf(one), [&] { return ofWandering(one); });
    sayTooLittle();
    return std::move(m_out);
  }

 private:
  template <class Make>
  void take(FindingMemory::Key key, const Spell& spell, Make make) {
    const std::optional<Finding>* const known = m_memory.find(key);
    const std::optional<Finding> finding = known != nullptr ? *known : make();
    if (known == nullptr) m_memory.add(m_watch, std::move(key), spell.open, spell.last_step, finding);
    if (finding) m_out.push_back(*finding);
  }
  static FindingMemory::Key keyOf(const char* what, const Spell& spell) { return {what, std::to_string(spell.subject), spell.first_step}; }

  Finding make(std::string kind, std::string subject, const Spell& spell) const {
    Finding finding;
    finding.attempt = m_watch.attempt().id;
    finding.kind = std::move(kind), finding.subject = std::move(subject);
    finding.start = spell.start, finding.end = spell.end;
    finding.first_step = spell.first_step, finding.last_step = spell.last_step;
    if (spell.open && m_over) finding.end = m_watch.attempt().end;
    finding.coverage = m_watch.coverage();
    const bool much = spell.steps >= kStepsToBeSure && m_watch.coverage() >= kGoodCoverage;
    finding.confidence = much ? 0.95 : m_watch.coverage() >= kPoorCoverage ? 0.7 : 0.4;
    return finding;
  }

  double perDay(double cost) const { return m_watch.gpuHoursPerDay(cost); }
  Severity severityOf(double cost) const { return severityOfCost(perDay(cost)); }

  Json evidenceOf(const Spell& spell, const StepCost& cost) const {
    return {{"own_ns", std::llround(spell.own_ns)},
            {"peers_ns", std::llround(spell.usual_ns)},
            {"slower_ratio", spell.ratio()},
            {"steps", spell.steps},
            {"steps_above", spell.above},
            {"since_first_step", spell.since_before},
            {"step_ns", std::llround(cost.step_ns)},
            {"cost_ratio", cost.ratio},
            {"cost_measured", cost.measured},
            {"cost_together_ratio", cost.together},
            {"gpu_hours_per_day", perDay(cost.ratio)},
            {"steady_steps", m_watch.steadySteps()},
            {"ranks", m_watch.ranks().size()}};
  }

  std::string nodeName(NodeId node) const {
    const auto found = m_nodes.find(node);
    return found == m_nodes.end() ? "node " + std::to_string(node.value) : found->second;
  }

  void place(Finding& finding, const Blame& blame, Json& evidence) const {
    const auto& ranks = m_watch.ranks();
    if (blame.who == Who::kRank) {
      const Rank& rank = ranks[blame.ranks.front()];
      finding.rank = rank.rank, finding.node = rank.node, finding.dp = rank.dp, finding.pp = rank.pp, finding.tp = rank.tp;
    }
    if (blame.who == Who::kNode) finding.node = blame.node;
    if (blame.who == Who::kReplica) finding.dp = blame.replica;
    evidence["slow_ranks"] = Json::array();
    for (const std::size_t index : blame.ranks) evidence["slow_ranks"].push_back(ranks[index].rank);
  }

  Arg nodeArg(NodeId node) const {
    const auto found = m_nodes.find(node);
    return found == m_nodes.end() ? Arg(Message{"node_number", {{"node", node.value}}}) : Arg(found->second);
  }

  Message whoOf(const Blame& blame) const {
    switch (blame.who) {
      case Who::kNode:
        return Message{"slow_node", {{"node", nodeArg(blame.node)}, {"ranks", blame.ranks.size()}}};
      case Who::kReplica:
        return Message{"slow_replica", {{"replica", blame.replica.value_or(-1)}, {"ranks", blame.ranks.size()}}};
      default: {
        const Rank& rank = m_watch.ranks()[blame.ranks.front()];
        return Message{"slow_rank", {{"rank", rank.rank}, {"node", rank.node ? nodeArg(rank.node) : Arg()}}};
      }
    }
  }

  std::string subjectOf(const Blame& blame) const {
    switch (blame.who) {
      case Who::kNode:
        return "node:" + nodeName(blame.node);
      case Who::kReplica:
        return "dp:" + std::to_string(blame.replica.value_or(-1));
      default:
        return "rank:" + std::to_string(m_watch.ranks()[blame.ranks.front()].rank);
    }
  }

  // While loads wander, a rank may be the slowest for a while: a longer spell, or a higher cost, shows that it is slow by itself.
  bool mayWander(const Spell& spell, double cost) const {
    constexpr std::size_t kOwn = 100;  // steps
    constexpr double kMore = 2;        // times the cost of the wandering
    return spell.steps < kOwn && std::ranges::any_of(m_watch.imbalance().wandering(), [&](const Imbalance& one) {
             return one.first_step <= spell.last_step && (one.holds || one.last_step >= spell.first_step) && cost < kMore * one.cost;
           });
  }

  static Message costArg(const StepCost& cost, bool open) {
    constexpr double kShown = 0.0005;  // prints as 0.1 %
    if (cost.together < kShown) return Message{open ? "cost_none_now" : "cost_none_past", {}};
    const Arg ratio = words::ratio(cost.ratio);
    if (cost.measured) return Message{open ? "cost_now" : "cost_past", {{"cost", ratio}}};
    return Message{open ? "cost_up_to_now" : "cost_up_to_past", {{"cost", ratio}}};
  }

  static Message when(const Spell& spell) {
    if (spell.since_before) return spell.open ? Message{"when_always", {}} : Message{"when_from_start", {{"last", spell.last_step}}};
    if (spell.open) return Message{"when_since", {{"first", spell.first_step}}};
    return Message{"when_past", {{"first", spell.first_step}, {"last", spell.last_step}}};
  }

  static std::string nameOf(WorkKind kind, const Blame& blame) {
    if (kind == WorkKind::kHost) return "host_bound";
    if (kind == WorkKind::kData) return "data_bound";
    return blame.who == Who::kNode ? "slow_node" : blame.who == Who::kReplica ? "sequence_imbalance" : "slow_rank";
  }

  std::optional<Finding> ofBlame(WorkKind kind, const Blame& blame) const {
    if (kind == WorkKind::kCompute && blame.who == Who::kRank && blame.spell.ratio() < m_watch.outlierLimit(blame.ranks.front())) return {};
    const StepCost costed = m_costs.ofRanks(blame.spell, blame.ranks);
    const double cost = costed.ratio;
    Finding finding = make(nameOf(kind, blame), subjectOf(blame), blame.spell);
    Json evidence = evidenceOf(blame.spell, costed);
    place(finding, blame, evidence);
    // The peers' host and data times are near 0: a ratio of them is meaningless.
    if (kind != WorkKind::kCompute) evidence["slower_ratio"] = Json();
    evidence["pattern"] = blame.who == Who::kNode ? "host_block" : blame.who == Who::kReplica ? "column" : "cell";
    finding.score = kind == WorkKind::kCompute ? 1 + blame.spell.ratio() : cost;
    finding.severity = severityOf(costed.together);
    if (kind == WorkKind::kCompute && blame.who == Who::kRank && mayWander(blame.spell, cost)) {
      finding.severity = Severity::kInfo;
      finding.confidence = 0.3;
      evidence["may_wander"] = true;
    }
    // The first rank writes logs and saves: that is normal.
    if (kind == WorkKind::kHost && blame.who == Who::kRank && finding.rank == 0) finding.severity = Severity::kInfo;
    const Arg who = whoOf(blame), own = ms(blame.spell.own_ns), peers = ms(blame.spell.usual_ns), since = when(blame.spell);
    const Arg costs = costArg(costed, blame.spell.open);
    if (kind == WorkKind::kCompute)
      words::setMessage(finding, Message{"slow_computes",
                                         {{"who", who},
                                          {"own", own},
                                          {"peers", peers},
                                          {"ratio", words::ratio(blame.spell.ratio())},
                                          {"when", since},
                                          {"cost", costs}}});
    else
      words::setMessage(finding, Message{kind == WorkKind::kHost ? "slow_host" : "slow_data",
                                         {{"who", who}, {"own", own}, {"peers", peers}, {"when", since}, {"cost", costs}}});
    finding.evidence = evidence.dump();
    return finding;
  }

  bool isJudged(const Spell& stage) const {
    return (!stage.open || stage.steps_open >= kHoldBack) && stage.subject < m_watch.roles().stages.size();
  }

  // The node with all ranks of the stage and no others, which it would have slowed too. Absent if there is none.
  NodeId nodeOf(std::size_t stage) const {
    const NodeId node = m_watch.ranks()[m_watch.roles().by_stage[stage].front()].node;
    for (std::size_t rank = 0; rank < m_watch.ranks().size(); ++rank)
      if ((m_watch.ranks()[rank].node == node) != (m_watch.roles().stage_of[rank] == stage)) return {};
    return node;
  }

  // All ranks of a stage wait for the host, or for data, more than before: the comparison with peers does not show it.
  std::optional<Finding> ofStageWithout(const Spell& spell, WorkKind what) const {
    if (!isJudged(spell)) return {};
    const std::int32_t stage = m_watch.roles().stages[spell.subject];
    const NodeId node = nodeOf(spell.subject);
    const StepCost costed = m_costs.ofStage(spell);
    const bool host = what == WorkKind::kHost;
    Finding finding = make(host ? "host_bound" : "data_bound", node ? "node:" + nodeName(node) : "stage:" + std::to_string(stage), spell);
    finding.node = node;
    if (!node) finding.pp = stage;
    finding.score = costed.ratio;
    finding.severity = severityOf(costed.together);
    Json evidence = evidenceOf(spell, costed);
    evidence["slower_ratio"] = Json();
    evidence["pattern"] = node ? "host_block" : "row";
    evidence["stage"] = stage;
    finding.evidence = evidence.dump();
    const auto& members = m_watch.roles().by_stage[spell.subject];
    const Message who = node ? Message{"slow_node", {{"node", nodeArg(node)}, {"ranks", members.size()}}}
                             : Message{"slow_stage", {{"stage", stage}, {"ranks", members.size()}}};
    const Arg own = ms(spell.own_ns), others = ms(spell.usual_ns), since = when(spell), costs = costArg(costed, spell.open);
    words::setMessage(finding, Message{host ? "slow_host" : "slow_data",
                                       {{"who", who}, {"own", own}, {"peers", others}, {"when", since}, {"cost", costs}}});
    return finding;
  }

  std::optional<Finding> ofStage(const Spell& spell, bool changed) const {
    if (!isJudged(spell)) return {};
    const std::int32_t stage = m_watch.roles().stages[spell.subject];
    const NodeId node = nodeOf(spell.subject);
    // A stage that was balanced before did not get another share of the layers.
    const bool is_node = node && changed;
    const StepCost costed = m_costs.ofStage(spell);
    const double cost = costed.ratio;
    Finding finding =
        is_node ? make("slow_node", "node:" + nodeName(node), spell) : make("stage_imbalance", "stage:" + std::to_string(stage), spell);
    finding.pp = stage;
    if (is_node) finding.node = node, finding.confidence = std::min(*finding.confidence, 0.7);
    finding.score = 1 + spell.ratio();
    // First and last stages have more work in nearly every job: severity is above info only if it costs much.
    finding.severity = changed || cost >= kCostOfImbalance ? severityOf(costed.together) : Severity::kInfo;
    Json evidence = evidenceOf(spell, costed);
    evidence["pattern"] = "row";
    evidence["changed"] = changed;
    evidence["stage"] = stage;
    finding.evidence = evidence.dump();
    const Arg own = ms(spell.own_ns), others = ms(spell.usual_ns), ratio = words::ratio(spell.ratio()), since = when(spell);
    const Arg costs = costArg(costed, spell.open);
    if (is_node)
      words::setMessage(finding, Message{"stage_node",
                                         {{"node", nodeArg(node)},
                                          {"stage", stage},
                                          {"own", own},
                                          {"others", others},
                                          {"ratio", ratio},
                                          {"when", since},
                                          {"cost", costs}}});
    else
      words::setMessage(finding,
                        Message{changed ? "stage_became_slower" : "stage_longer",
                                {{"stage", stage}, {"own", own}, {"others", others}, {"ratio", ratio}, {"when", since}, {"cost", costs}}});
    return finding;
  }

  std::optional<Finding> ofRun(const Spell& spell) const {
    if (spell.open && spell.steps_open < kHoldBack) return {};
    const bool is_data = spell.subject == static_cast<std::size_t>(RunShare::kData);
    const StepCost costed = m_costs.ofRun(spell);
    const double cost = costed.ratio;
    Finding finding = make(is_data ? "data_bound" : "host_bound", "run", spell);
    finding.score = cost;
    finding.severity = severityOf(cost);
    Json evidence = evidenceOf(spell, costed);
    evidence["pattern"] = "everybody";
    const bool no_cpu = !is_data && m_watch.withoutCpu() >= kMaxOfIt * cost;
    evidence["without_cpu_ratio"] = m_watch.withoutCpu();
    finding.evidence = evidence.dump();
    words::setMessage(finding, Message{is_data  ? "slow_all_data"
                                       : no_cpu ? "slow_all_cpu"
                                                : "slow_all_host",
                                       {{"share", words::ratio(costed.step_ns > 0 ? spell.own_ns / costed.step_ns : 0)},
                                        {"own", ms(spell.own_ns)},
                                        {"step", ms(costed.step_ns)},
                                        {"when", when(spell)},
                                        {"cost", costArg(costed, spell.open)}}});
    return finding;
  }

  static Spell spellOf(const Imbalance& one) {
    Spell spell{.first_step = one.first_step, .last_step = one.last_step, .start = one.start, .end = one.end};
    spell.open = one.holds, spell.since_before = one.since_before, spell.steps = one.steps, spell.above = one.touched;
    return spell;
  }

  Json evidenceOf(const Imbalance& one, const StepCost& cost) const {
    Json json = {{"cost_ratio", cost.ratio},
                 {"cost_measured", cost.measured},
                 {"gpu_hours_per_day", perDay(cost.ratio)},
                 {"steps", one.steps},
                 {"steps_touched", one.touched},
                 {"culprits", one.culprits},
                 {"since_first_step", one.since_before},
                 {"step_ns", std::llround(cost.step_ns)}};
    json["forward_backward_correlation"] = one.correlation ? Json(*one.correlation) : Json();
    return json;
  }

  // An imbalance from the start is a property of the run and its data; one that begins later deserves attention.
  Severity severityOf(const Imbalance& one, double cost) const {
    return !one.since_before && cost >= kCostToWarn ? severityOf(cost) : Severity::kInfo;
  }

  Finding ofWandering(const Imbalance& one) const {
    const bool same = one.correlation && *one.correlation >= kSameSequence;
    Finding finding = make("sequence_imbalance", "run", spellOf(one));
    const StepCost costed = m_costs.ofImbalance(one);
    finding.score = costed.ratio;
    finding.severity = severityOf(one, costed.ratio);
    finding.confidence = same ? 0.9 : 0.4;
    Json evidence = evidenceOf(one, costed);
    evidence["pattern"] = "speckle";
    finding.evidence = evidence.dump();
    words::setMessage(finding, Message{same ? "wander_loads" : "wander_perhaps",
                                       {{"culprits", one.culprits}, {"when", when(spellOf(one))}, {"cost", words::ratio(costed.ratio)}}});
    return finding;
  }

  void sayTooLittle() {
    if (m_watch.ranks().size() < 2 || m_watch.steadySteps() < kStepsToSay) return;
    const bool none = m_watch.stepsWithParts() * 2 < m_watch.steadySteps();
    if (!none && m_watch.coverage() >= kPoorCoverage) return;
    Finding finding = make("insufficient_evidence", "attempt:" + std::to_string(m_watch.attempt().number), {});
    finding.start = m_watch.attempt().start, finding.end.reset();
    finding.first_step = m_watch.attempt().first_step, finding.last_step = m_watch.lastStep();
    finding.severity = Severity::kInfo;
    finding.confidence.reset();
    finding.coverage = none ? 0 : m_watch.coverage();
    finding.evidence = Json{{"steady_steps", m_watch.steadySteps()},
                            {"steps_with_parts", m_watch.stepsWithParts()},
                            {"coverage", *finding.coverage},
                            {"ranks", m_watch.ranks().size()}}
                           .dump();
    words::setMessage(finding,
                      none ? Message{"parts_missing", {}} : Message{"parts_few", {{"coverage", words::ratio(m_watch.coverage())}}});
    m_out.push_back(std::move(finding));
  }

  const AttemptWatch& m_watch;
  const NodeNames& m_nodes;
  const bool m_over;
  FindingMemory& m_memory;
  const SpellCosts m_costs;
  std::vector<Finding> m_out;
};

}  // namespace

std::vector<Finding> findingsOf(const AttemptWatch& watch, const NodeNames& nodes, bool over, FindingMemory& memory) {
  return AttemptFindings(watch, nodes, over, memory).all();
}

}  // namespace runglass
