// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/step_findings.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/engine/cost_severity.h"
#include "analysis/step_diagnosis/blame.h"
#include "analysis/step_diagnosis/spell_costs.h"
#include "analysis/words/sentences.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
using Who = Blame::Who;
using words::Arg;
using words::Message;

constexpr double kHoursPerDay = 24;
constexpr double kCostToWarn = 0.05;  // of the step: what was so from the start is told from here on
constexpr double kCostOfImbalance = 0.10;
constexpr std::size_t kStepsToBeSure = 50, kStepsToSay = 20;
constexpr double kGoodCoverage = 0.8, kPoorCoverage = 0.5;
constexpr double kSameSequence = 0.9;    // correlation of forward and backward
constexpr std::int64_t kSameOnset = 30;  // steps
constexpr double kMostOfIt = 0.5;
constexpr double kExplains = 0.5;  // share of a shift

words::Quantity ms(double ns) { return words::shortDuration(static_cast<DurNs>(ns)); }

class AttemptFindings {
 public:
  AttemptFindings(const AttemptWatch& watch, const NodeNames& nodes, bool over)
      : m_watch(watch), m_nodes(nodes), m_over(over), m_costs(watch) {}

  std::vector<Finding> all() {
    for (const WorkKind kind : {WorkKind::kCompute, WorkKind::kHost, WorkKind::kData})
      for (const Blame& blame : blameOf(m_watch.rankSpells(kind), m_watch.ranks())) sayBlame(kind, blame);
    for (const Spell& spell : m_watch.stageSpells())
      if (spell.since_before) sayStage(spell, false);
    for (const Spell& spell : m_watch.stageChanges()) sayStage(spell, true);
    for (const Spell& spell : m_watch.runSpells()) sayRun(spell);
    for (const Imbalance& one : m_watch.imbalance().wandering()) sayWandering(one);
    sayTooLittle();
    return std::move(m_out);
  }

 private:
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

  // Where loads wander, somebody is the slowest for a while: it takes longer, or more, to be somebody's own.
  bool mayWander(const Spell& spell, double cost) const {
    constexpr std::size_t kOwn = 100;  // steps
    constexpr double kMore = 2;        // times what the wandering costs
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

  void sayBlame(WorkKind kind, const Blame& blame) {
    if (kind == WorkKind::kCompute && blame.who == Who::kRank && blame.spell.ratio() < m_watch.outlierLimit(blame.ranks.front())) return;
    const StepCost costed = m_costs.ofRanks(blame.spell, blame.ranks);
    const double cost = costed.ratio;
    std::string name;
    if (kind == WorkKind::kHost) name = "host_bound";
    if (kind == WorkKind::kData) name = "data_bound";
    if (kind == WorkKind::kCompute)
      name = blame.who == Who::kNode ? "slow_node" : blame.who == Who::kReplica ? "sequence_imbalance" : "slow_rank";
    Finding finding = make(name, subjectOf(blame), blame.spell);
    Json evidence = evidenceOf(blame.spell, costed);
    place(finding, blame, evidence);
    // The peers' host and data times are near 0: a ratio of them says nothing.
    if (kind != WorkKind::kCompute) evidence["slower_ratio"] = Json();
    evidence["pattern"] = blame.who == Who::kNode ? "host_block" : blame.who == Who::kReplica ? "column" : "cell";
    finding.score = kind == WorkKind::kCompute ? 1 + blame.spell.ratio() : cost;
    finding.severity = severityOf(costed.together);
    if (kind == WorkKind::kCompute && blame.who == Who::kRank && mayWander(blame.spell, cost)) {
      finding.severity = Severity::kInfo;
      finding.confidence = 0.3;
      evidence["may_wander"] = true;
    }
    // The first rank writes logs and saves: that is its job.
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
    m_out.push_back(std::move(finding));
  }

  void sayStage(const Spell& spell, bool changed) {
    if ((spell.open && spell.steps_open < kHoldBack) || spell.subject >= m_watch.roles().stages.size()) return;
    const auto& members = m_watch.roles().by_stage[spell.subject];
    const std::int32_t stage = m_watch.roles().stages[spell.subject];
    // A node that has ranks of other stages, too, would have slowed those.
    NodeId node = m_watch.ranks()[members.front()].node;
    for (std::size_t rank = 0; rank < m_watch.ranks().size(); ++rank)
      if ((m_watch.ranks()[rank].node == node) != (m_watch.roles().stage_of[rank] == spell.subject)) node = {};
    // What was even and no longer is did not get another share of the layers.
    const bool is_node = node && changed;
    const StepCost costed = m_costs.ofStage(spell);
    const double cost = costed.ratio;
    Finding finding =
        is_node ? make("slow_node", "node:" + nodeName(node), spell) : make("stage_imbalance", "stage:" + std::to_string(stage), spell);
    finding.pp = stage;
    if (is_node) finding.node = node, finding.confidence = std::min(*finding.confidence, 0.7);
    finding.score = 1 + spell.ratio();
    // First and last stages have more to do in nearly every job: that is told loudly only where it costs much.
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
    m_out.push_back(std::move(finding));
  }

  void sayRun(const Spell& spell) {
    if (spell.open && spell.steps_open < kHoldBack) return;
    const bool is_data = spell.subject == static_cast<std::size_t>(RunShare::kData);
    const StepCost costed = m_costs.ofRun(spell);
    const double cost = costed.ratio;
    Finding finding = make(is_data ? "data_bound" : "host_bound", "run", spell);
    finding.score = cost;
    finding.severity = severityOf(cost);
    Json evidence = evidenceOf(spell, costed);
    evidence["pattern"] = "everybody";
    const bool no_cpu = !is_data && m_watch.withoutCpu() >= kMostOfIt * cost;
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
    m_out.push_back(std::move(finding));
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

  // What was so from the start belongs to the run and its data; what begins, somebody should look at.
  Severity severityOf(const Imbalance& one, double cost) const {
    return !one.since_before && cost >= kCostToWarn ? severityOf(cost) : Severity::kInfo;
  }

  void sayWandering(const Imbalance& one) {
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
    m_out.push_back(std::move(finding));
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
  const SpellCosts m_costs;
  std::vector<Finding> m_out;
};

// With what is as long as it.
double costOf(const Finding& finding) {
  const auto evidence = Json::parse(finding.evidence, nullptr, false);
  return evidence.is_object() ? evidence.value("cost_together_ratio", evidence.value("cost_ratio", 0.0)) : 0;
}

bool namesSomebody(const Finding& finding) { return finding.rank || finding.node || finding.pp || finding.dp; }

bool overlaps(const Finding& finding, const ThroughputShift& shift) {
  return finding.first_step && *finding.first_step <= shift.last_step && finding.last_step.value_or(shift.last_step) >= shift.first_step;
}

Json partsOf(const ThroughputShift& shift) {
  Json parts = Json::object();
  for (std::size_t c = 0; c < kStepColumnCount; ++c) {
    if (std::isnan(shift.parts_before[c]) || std::isnan(shift.parts_after[c])) continue;
    parts[stepColumnName(static_cast<StepColumn>(c))] = {{"before_ns", std::llround(shift.parts_before[c])},
                                                         {"after_ns", std::llround(shift.parts_after[c])}};
  }
  return parts;
}

Message sentenceOf(const ThroughputShift& shift, Arg cause) {
  const Arg change = words::ratio(std::fabs(shift.change())), before = ms(shift.before), after = ms(shift.after);
  const Arg restart = shift.across_restart ? Arg(Message{"shift_restart", {}}) : Arg();
  const bool longer = shift.change() > 0;
  if (shift.open)
    return Message{longer ? "shift_longer_now" : "shift_less_now",
                   {{"change", change},
                    {"first", shift.first_step},
                    {"restart", restart},
                    {"before", before},
                    {"after", after},
                    {"cause", std::move(cause)}}};
  return Message{longer ? "shift_longer_past" : "shift_less_past",
                 {{"change", change},
                  {"first", shift.first_step},
                  {"restart", restart},
                  {"last", shift.last_step},
                  {"before", before},
                  {"after", after},
                  {"cause", std::move(cause)}}};
}

}  // namespace

std::vector<Finding> findingsOf(const AttemptWatch& watch, const NodeNames& nodes, bool over) {
  return AttemptFindings(watch, nodes, over).all();
}

std::vector<Finding> findingsOf(const std::vector<ThroughputShift>& shifts, const std::vector<const AttemptWatch*>& attempts,
                                const std::vector<Finding>& explaining) {
  std::vector<Finding> out;
  for (const ThroughputShift& shift : shifts) {
    Finding finding;
    const AttemptWatch* own = attempts.front();
    for (const AttemptWatch* one : attempts)
      if (one->attempt().id == shift.attempt) own = one;
    finding.attempt = own->attempt().id;
    finding.kind = "throughput_shift", finding.subject = "run";
    finding.start = shift.start, finding.end = shift.end;
    finding.first_step = shift.first_step, finding.last_step = shift.last_step;
    finding.score = shift.change();
    finding.coverage = 1, finding.confidence = 0.95;
    // A log's steps belong to no rank.
    const double world = own->ranks().empty() ? own->attempt().layout.world : static_cast<double>(own->ranks().size());
    const double hours = shift.change() / (1 + shift.change()) * world * kHoursPerDay;
    finding.severity = shift.change() < 0 ? Severity::kInfo : severityOfCost(hours);
    Json evidence = {{"before_ns", std::llround(shift.before)},
                     {"after_ns", std::llround(shift.after)},
                     {"change_ratio", shift.change()},
                     {"error_ratio", shift.error},
                     {"steps_before", shift.steps_before},
                     {"steps_after", shift.steps_after},
                     {"gpu_hours_per_day", std::max(0.0, hours)},
                     {"across_restart", shift.across_restart},
                     {"parts", partsOf(shift)}};
    const double lost = shift.change() / (1 + shift.change());  // of a step, as costs are
    const Finding *because = nullptr, *named = nullptr;
    for (const Finding& one : explaining) {
      if (one.attempt != finding.attempt || !one.first_step || !(lost > 0)) continue;
      const double cost = costOf(one);
      if (std::abs(*one.first_step - shift.first_step) <= kSameOnset && cost >= kExplains * lost &&
          (because == nullptr || std::pair(one.severity, cost) > std::pair(because->severity, costOf(*because))))
        because = &one;
      if (namesSomebody(one) && overlaps(one, shift) && (named == nullptr || cost > costOf(*named))) named = &one;
    }
    Arg cause;
    if (because != nullptr) {
      // One cause is told once. One that notifies nobody does not keep the shift from doing so.
      if (because->severity > Severity::kInfo) finding.severity = Severity::kInfo;
      evidence["explained_by"] = {{"kind", because->kind}, {"subject", because->subject}, {"first_step", *because->first_step}};
      cause = Message{"shift_explained", {{"subject", because->subject}, {"kind", because->kind}}};
    } else if (named != nullptr) {
      cause = Message{"shift_partly", {{"subject", named->subject}, {"kind", named->kind}, {"cost", words::ratio(costOf(*named))}}};
    } else if (shift.change() > 0 && own->stepsWithParts() > 0) {
      cause = own->coverage() < kGoodCoverage ? Message{"shift_no_rank_of_few", {{"coverage", words::ratio(own->coverage())}}}
                                              : Message{"shift_no_rank", {}};
    }
    words::setMessage(finding, sentenceOf(shift, std::move(cause)));
    finding.evidence = evidence.dump();
    out.push_back(std::move(finding));
  }
  return out;
}

}  // namespace runglass
