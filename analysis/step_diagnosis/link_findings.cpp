// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/link_findings.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/engine/cost_severity.h"
#include "analysis/statistics/median.h"
#include "analysis/step_diagnosis/blame.h"
#include "analysis/words/sentences.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
using words::Arg;
using words::Message;

constexpr std::size_t kMaxListed = 64, kMaxNamed = 4;

struct Stretch {
  std::vector<Spell> spells;  // by start
  // The one that was noticed first: its start identifies the finding, even if others are noticed later.
  const Spell& first() const {
    return *std::ranges::min_element(spells, {}, [](const Spell& one) { return std::pair(one.noticed_step, one.first_step); });
  }
  // An open one counts as longer than all that ended.
  const Spell& longest() const {
    return *std::ranges::max_element(spells, {}, [](const Spell& one) { return std::pair(one.open, one.last_step); });
  }
};

// Spells that begin together.
std::vector<Stretch> stretchesOf(std::vector<Spell> spells) {
  std::erase_if(spells, [](const Spell& one) { return one.open && one.steps_open < kHoldBack; });
  std::ranges::stable_sort(spells, {}, &Spell::first_step);
  std::vector<Stretch> out;
  for (const Spell& one : spells) {
    if (out.empty() || one.first_step - out.back().spells.front().first_step > kTogether) out.emplace_back();
    out.back().spells.push_back(one);
  }
  return out;
}

double middleOf(const std::vector<Spell>& spells, double Spell::*member) {
  std::vector<double> values;
  for (const Spell& one : spells) values.push_back(one.*member);
  return median(std::move(values)).value();
}

// Absent if no node is known.
Arg nodesOf(const Stretch& stretch, const AttemptWatch& watch, const NodeNames& nodes) {
  std::set<std::string> names;
  for (const Spell& one : stretch.spells)
    if (const auto name = nodes.find(watch.ranks()[one.subject].node); name != nodes.end()) names.insert(name->second);
  if (names.empty()) return {};
  Arg::List listed;
  for (const std::string& name : names)
    if (listed.size() < kMaxNamed) listed.emplace_back(name);
  const Arg more = names.size() > kMaxNamed ? Arg(names.size() - kMaxNamed) : Arg();
  return Message{"link_nodes", {{"nodes", std::move(listed)}, {"more", more}}};
}

// Sets subject, node and evidence of the port; returns the sentence that accuses it.
Message accuse(const OddPort& odd, const NodeNames& nodes, Finding& finding, Json& evidence) {
  const auto name = nodes.find(odd.node);
  const std::string node = name == nodes.end() ? "node " + std::to_string(odd.node.value) : name->second;
  finding.subject = "nic:" + node + (odd.port.empty() ? "" : "/" + odd.port);
  finding.node = odd.node;
  evidence["port"] = {{"node", node}, {"port", odd.port}, {"metric", odd.metric}, {"own", odd.own}, {"others", odd.others}};
  return portSentence(odd, name == nodes.end() ? Arg(Message{"node_number", {{"node", odd.node.value}}}) : Arg(node));
}

Finding findingOf(const Stretch& stretch, const PortEvidence& ports, const AttemptWatch& watch, const SpellCosts& costs,
                  const NodeNames& nodes, bool over) {
  const double own = middleOf(stretch.spells, &Spell::own_ns), before = middleOf(stretch.spells, &Spell::usual_ns);
  const Spell* longest = &stretch.longest();
  Finding finding;
  finding.attempt = watch.attempt().id;
  finding.kind = "slow_link";
  const Spell& first = stretch.first();
  finding.first_step = first.first_step, finding.last_step = longest->last_step;
  finding.start = first.start, finding.end = longest->end;
  if (longest->open && over) finding.end = watch.attempt().end;
  Spell whole = first;
  whole.open = longest->open, whole.last_step = longest->last_step;
  // The ranks next to a slow link lose more than those that only reduce gradients with them.
  const StepCost costed = costs.ofLink(whole, std::ranges::max(stretch.spells, {}, &Spell::excess).excess());
  const double cost = costed.ratio;
  finding.score = before > 0 ? own / before : 1;
  finding.coverage = watch.coverage();
  Json evidence = {{"own_ns", std::llround(own)},
                   {"before_ns", std::llround(before)},
                   {"cost_ratio", cost},
                   {"gpu_hours_per_day", watch.gpuHoursPerDay(cost)},
                   {"cost_measured", costed.measured},
                   {"step_ns", std::llround(costed.step_ns)},
                   {"ranks_touched", stretch.spells.size()},
                   {"ports_looked_at", ports.ports}};
  Json ranks = Json::array();
  for (const Spell& one : stretch.spells)
    if (ranks.size() < kMaxListed) ranks.push_back(watch.ranks()[one.subject].rank);
  evidence["slow_ranks"] = std::move(ranks);
  Message port;
  if (ports.odd) {
    port = accuse(*ports.odd, nodes, finding, evidence);
    finding.severity = severityOfCost(watch.gpuHoursPerDay(cost));
    finding.confidence = 0.9;
  } else {
    finding.subject = "run";
    finding.severity = Severity::kInfo;
    finding.confidence = 0.4;
    port = Message{ports.ports == 0 ? "link_no_counters" : "link_no_port", {{"nodes", nodesOf(stretch, watch, nodes)}}};
  }
  words::setMessage(finding, Message{"link_slow",
                                     {{"ranks", stretch.spells.size()},
                                      {"own", words::shortDuration(static_cast<DurNs>(own))},
                                      {"before", words::shortDuration(static_cast<DurNs>(before))},
                                      {"first", first.first_step},
                                      {"cost", words::ratio(cost)},
                                      {"port", std::move(port)}}});
  finding.evidence = evidence.dump();
  return finding;
}

}  // namespace

Status addLinkFindings(Reader& reader, const AttemptWatch& watch, const NodeNames& nodes, TimeNs now, bool over, LinkMemory& memory,
                       FindingMemory& judged, std::vector<Finding>& findings, const std::stop_token& stop) {
  const SpellCosts costs(watch, judged.costs());
  for (const Stretch& stretch : stretchesOf(watch.linkSpells())) {
    FindingMemory::Key key{"link", "", stretch.first().first_step};
    if (const auto* const known = judged.find(key)) {
      findings.push_back(known->value());
      continue;
    }
    auto& said = memory.said[{watch.attempt().id, stretch.first().first_step}];
    TimeRange range{stretch.spells.front().start.value_or(now), now};
    std::set<NodeId> touched;
    for (const Spell& one : stretch.spells) touched.insert(watch.ranks()[one.subject].node);
    const Spell& longest = stretch.longest();
    if (!longest.open) range.t1 = stretch.spells.front().end.value_or(now);
    range.t1 = std::max(range.t1, range.t0 + 1);
    if (said.until == 0 || range.t1 - said.until >= LinkMemory::kAskAgain) {
      RG_ASSIGN(PortEvidence evidence, portEvidence(reader, {touched.begin(), touched.end()}, range, stop));
      // Once a port is accused it is kept: the finding keeps its subject.
      if (!said.evidence.odd) said.evidence = std::move(evidence);
      said.until = range.t1;
    }
    findings.push_back(findingOf(stretch, said.evidence, watch, costs, nodes, over));
    judged.add(watch, std::move(key), longest.open, longest.last_step, findings.back());
  }
  return {};
}

Status addCounterFinding(Reader& reader, const AttemptWatch& watch, const NodeNames& nodes, TimeNs now, bool over, LinkMemory& memory,
                         std::vector<Finding>& findings, const std::stop_token& stop) {
  const Attempt& attempt = watch.attempt();
  if (!attempt.start || now <= *attempt.start) return {};
  LinkMemory::Counted& counted = memory.counted[attempt.id];
  if (counted.until == 0 || now - counted.until >= LinkMemory::kCountAgain) {
    std::set<NodeId> own;
    for (const Rank& rank : watch.ranks())
      if (rank.node) own.insert(rank.node);
    RG_ASSIGN(counted.port, countingPort(reader, {own.begin(), own.end()}, {*attempt.start, now}, stop));
    counted.until = now;
  }
  if (!counted.port) return {};
  Finding finding;
  finding.attempt = attempt.id;
  finding.kind = "slow_link";
  finding.start = attempt.start, finding.first_step = attempt.first_step, finding.last_step = watch.lastStep();
  if (over) finding.end = attempt.end;
  finding.severity = Severity::kInfo, finding.confidence = 0.5;
  finding.score = counted.port->own / std::max(counted.port->others, 1.0);
  Json evidence = Json::object();
  const Message sentence = accuse(*counted.port, nodes, finding, evidence);
  if (std::ranges::any_of(findings, [&](const Finding& one) { return one.kind == finding.kind && one.subject == finding.subject; }))
    return {};
  words::setMessage(finding, Message{"link_counts", {{"what", sentence}}});
  finding.evidence = evidence.dump();
  findings.push_back(std::move(finding));
  return {};
}

}  // namespace runglass
