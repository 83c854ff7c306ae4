// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. m_said has every finding of this object by its identity; a finding that newer events explain as a symptom of another ends as info.
//  2. A finding keeps the step that it was first published with, so that its identity is stable.
#include "analysis/hardware_faults/hardware_faults.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/engine/withdrawal.h"
#include "analysis/hardware_faults/fault_finding.h"
#include "analysis/layout/layout_reading.h"
#include "analysis/steps/step_at.h"
#include "analysis/words/sentences.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxEvents = 100'000;
constexpr DurNs kLookBack = 2LL * 3600 * kNsPerSecond;  // longer than the aftermath of any fault

class HardwareFaults : public Analysis {
 public:
  Result<std::vector<Finding>> look(const Question& question) override {
    RG_TRY(readPlaces(question));
    if (m_attempts.empty()) return std::vector<Finding>();
    m_axes.clear();
    RG_TRY(remember(question));
    RG_TRY(judgeEvents(question));
    RG_TRY(judgeClocks(question));
    return said();
  }

 private:
  using Identity = std::pair<std::string, TimeNs>;  // kind and subject; start
  static Identity identityOf(const Finding& finding) { return {finding.kind + '\n' + finding.subject, finding.start.value_or(0)}; }

  // State about a fault whose events a later call does not read again.
  struct Trace {
    TimeNs last = 0;  // time of its newest event
    bool of_program = false;
    std::set<NodeId> silent;  // its nodes, if one fell silent
  };

  // Repeats of the same fault in one step, or without steps, are one finding: open before ended, then the most severe, then the newest.
  std::vector<Finding> said() const {
    std::map<std::pair<std::string, std::optional<std::int64_t>>, const Finding*> best;
    const auto order = [](const Finding& one) { return std::pair(!one.end, one.severity); };
    for (const auto& [identity, finding] : m_said) {
      const Finding*& to = best[{identity.first, finding.first_step}];
      if (to == nullptr || order(finding) >= order(*to)) to = &finding;
    }
    std::vector<Finding> out;
    for (const auto& [key, finding] : best) out.push_back(*finding);
    return out;
  }

  // Findings of an earlier instance of this analysis: their step is that of the data available then.
  Status remember(const Question& question) {
    if (std::exchange(m_remembered, true)) return {};
    RG_ASSIGN(const auto stored, question.reader.findings(question.run));
    for (const Finding& one : stored)
      if (one.kind == "hardware_fault" || one.kind == "slow_link" || one.kind == "thermal_throttle") m_stored[identityOf(one)] = one;
    return {};
  }

  // Nodes and devices of the run: those of its ranks; if the ranks have none, all that its events name.
  Status readPlaces(const Question& question) {
    RG_ASSIGN(m_attempts, question.reader.attempts(question.run));
    RG_ASSIGN(const auto nodes, question.reader.nodes());
    RG_ASSIGN(const auto devices, question.reader.devices());
    for (const Node& node : nodes) m_places.nodes[node.id] = node.name;
    for (const Device& device : devices) m_places.devices[device.id] = device;
    for (const Attempt& attempt : m_attempts) {
      // The placement of an ended attempt does not change.
      if (attempt.id != m_attempts.back().id && !m_placed.insert(attempt.id).second) continue;
      RG_ASSIGN(const auto ranks, placedRanks(question.reader, attempt.id));
      for (const Rank& rank : ranks) {
        if (rank.node) m_own_nodes[rank.node] = m_places.nodes[rank.node], m_nodes_of[attempt.id].insert(rank.node);
        if (rank.device) m_places.ranks[rank.device] = rank;
      }
    }
    return {};
  }

  // Whether the event's node belonged to the attempt at that time: a node that a restart left out is no longer the run's, except for faults
  // that began before.
  bool isOwn(const Event& event) const {
    if (!event.time || !event.node || event.attempt) return true;
    if (!m_began || *event.time < *m_began) return false;
    const auto ranOn = [&](TimeNs time) {
      const Attempt* then = &m_attempts.front();
      for (const Attempt& one : m_attempts)
        if (!one.start || *one.start <= time) then = &one;
      const auto nodes = m_nodes_of.find(then->id);
      return nodes == m_nodes_of.end() || nodes->second.contains(event.node);
    };
    return ranOn(*event.time) || ranOn(*event.time - kSameFault);
  }

  // The run's start, else that of its data: earlier faults of its nodes are not its own.
  Status findBegin(const Question& question) {
    if (m_began) return {};
    RG_ASSIGN(const Run run, question.reader.run(question.run));
    m_began = m_attempts.front().start ? m_attempts.front().start : run.start;
    if (m_began) return {};
    RG_ASSIGN(const auto all, question.reader.series({.run = question.run}));
    for (const Series& series : all)
      if (series.first_time) m_began = std::min(m_began.value_or(*series.first_time), *series.first_time);
    return {};
  }

  Status judgeEvents(const Question& question) {
    EventFilter filter;
    filter.run = question.run;
    filter.at_least = Severity::kInfo;
    filter.limit = kMaxEvents;
    TimeNs from = std::numeric_limits<TimeNs>::min();
    if (m_newest) filter.range.t0 = *m_newest - kLookBack, from = filter.range.t0 + kAftermath;
    RG_TRY(findBegin(question));
    // The unlimited range includes events without a time.
    RG_ASSIGN(auto events, question.reader.events(filter));
    std::ranges::reverse(events);
    const auto start = m_attempts.front().start;
    std::erase_if(events, [&](const Event& event) { return !isOwn(event) || (start && event.time && *event.time < *start); });
    for (const Event& event : events)
      if (event.time) m_newest = std::max(m_newest.value_or(*event.time), *event.time);
    // A clock that is ahead must not hide later events.
    if (m_newest && question.now) m_newest = std::min(*m_newest, *question.now);
    std::set<NodeId> nodes;
    for (const auto& [id, name] : m_own_nodes) nodes.insert(id);
    for (const Event& event : events)
      if (event.node) nodes.insert(event.node);
    std::set<Identity> found;
    for (const CorrelatedFault& fault : correlate(events, nodes.size())) {
      Finding finding = faultFinding(fault, m_places);
      if (const auto first = repeated(identityOf(finding), fault)) {
        found.insert(*first);
        continue;
      }
      // Faults that began just before this window were judged with all their events.
      if (fault.root.time && fault.start < from) continue;
      RG_ASSIGN(const Identity identity, say(question, std::move(finding), fault.root.attempt));
      found.insert(identity);
      m_of_events[identity] = traceOf(fault);
    }
    for (auto& [identity, finding] : m_said) {
      if (found.contains(identity) || !m_of_events.contains(identity) || finding.start.value_or(0) < from ||
          finding.severity == Severity::kInfo)
        continue;
      withdraw(finding, m_newest.value_or(0), words::Message{"fault_explained", {{"what", words::messageOf(finding)}}});
    }
    return endOld(question, events);
  }

  static Trace traceOf(const CorrelatedFault& fault) {
    Trace trace{.last = fault.last, .of_program = fault.info != nullptr && fault.info->scope == FaultScope::kProcess, .silent = {}};
    const auto lost = [](const Event& event) { return event.kind == "node_lost"; };
    if (lost(fault.root) || std::ranges::any_of(fault.symptoms, lost)) trace.silent.insert(fault.nodes.begin(), fault.nodes.end());
    return trace;
  }

  // A program's fault may recur long after the window of its first occurrence.
  std::optional<Identity> repeated(const Identity& identity, const CorrelatedFault& fault) {
    if (fault.info == nullptr || fault.info->scope != FaultScope::kProcess || m_said.contains(identity)) return std::nullopt;
    for (auto& [known, trace] : m_of_events) {
      if (known.first != identity.first || !trace.of_program || known.second > fault.start || fault.start - trace.last > kProgramRepeats)
        continue;
      trace.last = std::max(trace.last, fault.last);
      return known;
    }
    return std::nullopt;
  }

  // Findings older than the window also end: when their nodes are back, or the job restarts.
  Status endOld(const Question& question, const std::vector<Event>& events) {
    std::set<std::pair<TimeNs, NodeId>> backs;
    for (const Event& event : events)
      if (event.kind == "node_back" && event.time) backs.emplace(*event.time, event.node);
    for (const auto& [identity, trace] : m_of_events) {
      Finding& finding = m_said.at(identity);
      if (finding.end) continue;
      for (const auto& [time, node] : backs)
        if (!finding.end && time > identity.second && trace.silent.contains(node)) finding.end = time;
      placeInTime(finding, finding.attempt);
      if (!finding.end) continue;
      RG_ASSIGN(finding.last_step, stepAt(question, finding.attempt, *finding.end));
    }
    return {};
  }

  Status judgeClocks(const Question& question) {
    RG_TRY(m_throttle.read(question.reader, m_own_nodes, question.stop));
    TimeNs newest = 0;
    for (const auto& [id, device] : m_throttle.devices()) newest = std::max(newest, device.last);
    std::set<Identity> found;
    for (const ThrottledTogether& together : throttledTogether(m_throttle.devices())) {
      if (!during(together.t0)) continue;
      Finding finding = throttleFinding(together, m_places);
      // A device that reports late moves the start, not the identity.
      const auto is_same = [&](const Identity& known, const Finding& one) {
        return known.first == identityOf(finding).first && !found.contains(known) && together.t0 <= one.end.value_or(newest) &&
               known.second <= together.t1;
      };
      if (!m_said.contains(identityOf(finding))) {
        for (const auto* reported : {&m_stored, &m_said})
          for (const auto& [known, one] : *reported)
            if (is_same(known, one)) finding.start = known.second;
      }
      RG_ASSIGN(const Identity identity, say(question, std::move(finding), {}));
      found.insert(identity);
    }
    // A finding that became another kind, or grew from a node to the cluster, continues under that identity.
    for (const Identity& known : m_of_clocks) {
      Finding& finding = m_said.at(known);
      if (!found.contains(known) && !finding.end) finding.end = std::max(newest, known.second);
    }
    m_of_clocks.merge(found);
    return {};
  }

  // Whether one of the run's attempts was running.
  bool during(TimeNs time) const {
    return std::ranges::any_of(m_attempts, [&](const Attempt& attempt) {
      const auto start = attempt.start ? attempt.start : m_began;
      return start && *start <= time && (!attempt.end || time <= *attempt.end);
    });
  }

  Result<std::optional<std::int64_t>> stepAt(const Question& question, AttemptId attempt, TimeNs time) {
    const auto [axis, added] = m_axes.try_emplace(attempt);
    if (added) RG_TRY(axis->second.read(question.reader, attempt, question.stop));
    return axis->second.at(time);
  }

  // Sets the attempt that was running, and the end if a restart implies it.
  void placeInTime(Finding& finding, AttemptId attempt) const {
    const TimeNs start = finding.start.value_or(0);
    const Attempt* own = &m_attempts.front();
    for (const Attempt& one : m_attempts) {
      if (attempt ? one.id == attempt : !one.start || *one.start <= start) own = &one;
      if (finding.start && !finding.end && one.start && *one.start > start && one.id != m_attempts.front().id) finding.end = one.start;
    }
    finding.attempt = own->id;
  }

  Result<Identity> say(const Question& question, Finding finding, AttemptId attempt) {
    finding.run = question.run;
    placeInTime(finding, attempt);
    const Identity identity = identityOf(finding);
    const auto known = m_said.find(identity);
    // An end that its own events do not have: see endOld().
    if (known != m_said.end() && !finding.end && m_of_events.contains(identity) && known->second.end > finding.start)
      finding.end = known->second.end;
    if (known != m_said.end()) {
      finding.first_step = known->second.first_step;
    } else if (const auto stored = m_stored.find(identity); stored != m_stored.end()) {
      finding.first_step = stored->second.first_step;
    } else if (finding.start) {
      RG_ASSIGN(finding.first_step, stepAt(question, finding.attempt, *finding.start));
    }
    if (known != m_said.end() && known->second.end == finding.end) {
      finding.last_step = known->second.last_step;
    } else if (finding.end) {
      RG_ASSIGN(finding.last_step, stepAt(question, finding.attempt, *finding.end));
    }
    m_said[identity] = std::move(finding);
    return identity;
  }

  std::vector<Attempt> m_attempts;
  Places m_places;
  std::map<NodeId, std::string> m_own_nodes;
  std::map<AttemptId, std::set<NodeId>> m_nodes_of;
  std::set<AttemptId> m_placed;
  std::map<AttemptId, StepAxis> m_axes;  // valid for one call
  ThrottleWatch m_throttle;
  std::optional<TimeNs> m_newest;  // time of the newest event
  std::optional<TimeNs> m_began;
  bool m_remembered = false;
  std::map<Identity, Finding> m_stored, m_said;
  std::map<Identity, Trace> m_of_events;
  std::set<Identity> m_of_clocks;
};

}  // namespace

std::unique_ptr<Analysis> makeHardwareFaults() { return std::make_unique<HardwareFaults>(); }

}  // namespace runglass
