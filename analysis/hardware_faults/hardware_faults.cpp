// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. m_said has every finding of this object by its identity; one that newer events explain as another's symptom ends as info.
//  2. A finding keeps the step it was first said with, so that its identity does not move.
#include "analysis/hardware_faults/hardware_faults.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/hardware_faults/fault_finding.h"
#include "analysis/hardware_faults/step_at.h"

namespace runglass {
namespace {

constexpr std::size_t kMostEvents = 100'000;
constexpr DurNs kLookBack = 2LL * 3600 * kNsPerSecond;  // longer than any fault's aftermath

class HardwareFaults : public Analysis {
 public:
  Result<std::vector<Finding>> look(const Question& question) override {
    RG_TRY(readPlaces(question));
    if (m_attempts.empty()) return std::vector<Finding>();
    m_axes.clear();
    RG_TRY(judgeEvents(question));
    RG_TRY(judgeClocks(question));
    std::vector<Finding> out;
    for (const auto& [identity, finding] : m_said) out.push_back(finding);
    return out;
  }

 private:
  using Identity = std::pair<std::string, TimeNs>;  // kind and subject; begin

  // Nodes and devices of the run: those its ranks are on; where ranks name none, all that its events do.
  Status readPlaces(const Question& question) {
    m_places = {};
    RG_ASSIGN(m_attempts, question.reader.attempts(question.run));
    RG_ASSIGN(const auto nodes, question.reader.nodes());
    RG_ASSIGN(const auto devices, question.reader.devices());
    for (const Node& node : nodes) m_places.nodes[node.id] = node.name;
    for (const Device& device : devices) m_places.devices[device.id] = device;
    m_own_nodes.clear();
    for (const Attempt& attempt : m_attempts) {
      RG_ASSIGN(const auto ranks, question.reader.ranks(attempt.id));
      for (const Rank& rank : ranks) {
        if (rank.node) m_own_nodes[rank.node] = m_places.nodes[rank.node];
        if (rank.device) m_places.ranks[rank.device] = rank;
      }
    }
    return {};
  }

  Status judgeEvents(const Question& question) {
    EventFilter filter;
    filter.run = question.run;
    filter.at_least = Severity::kInfo;
    filter.limit = kMostEvents;
    if (m_newest) filter.range.t0 = *m_newest - kLookBack;
    RG_ASSIGN(const auto events, question.reader.events(filter));
    TimeNs from = std::numeric_limits<TimeNs>::min();
    for (const Event& event : events)
      if (event.time) m_newest = std::max(m_newest.value_or(*event.time), *event.time);
    if (filter.range.t0 != TimeRange{}.t0) from = filter.range.t0 + kAftermath;
    std::set<NodeId> nodes;
    for (const auto& [id, name] : m_own_nodes) nodes.insert(id);
    for (const Event& event : events)
      if (event.node) nodes.insert(event.node);
    std::set<Identity> found;
    for (const CorrelatedFault& fault : correlate(events, nodes.size())) {
      // What began just before this window was judged with all of its events.
      if (fault.start < from) continue;
      Finding finding = faultFinding(fault, m_places);
      RG_TRY(place(question, finding, fault.root.attempt));
      found.insert(say(std::move(finding)));
    }
    for (auto& [identity, finding] : m_said) {
      if (found.contains(identity) || !m_of_events.contains(identity) || finding.start.value_or(0) < from ||
          finding.severity == Severity::kInfo)
        continue;
      finding.severity = Severity::kInfo;
      finding.end = finding.start;
      finding.summary = "Explained by another fault since: " + finding.summary;
    }
    m_of_events.merge(found);
    return {};
  }

  Status judgeClocks(const Question& question) {
    RG_TRY(m_throttle.read(question.reader, m_own_nodes, question.stop));
    for (const ThrottledTogether& together : throttledTogether(m_throttle.devices())) {
      if (!during(together.t0)) continue;
      Finding finding = throttleFinding(together, m_places);
      RG_TRY(place(question, finding, {}));
      (void)say(std::move(finding));
    }
    return {};
  }

  // While one of the run's attempts went on.
  bool during(TimeNs time) const {
    return std::ranges::any_of(m_attempts, [&](const Attempt& attempt) {
      return (!attempt.start || *attempt.start <= time) && (!attempt.end || time <= *attempt.end);
    });
  }

  Status place(const Question& question, Finding& finding, AttemptId attempt) {
    finding.run = question.run;
    const TimeNs start = finding.start.value_or(0);
    if (!attempt)
      for (const Attempt& one : m_attempts)
        if (!one.start || *one.start <= start) attempt = one.id;
    finding.attempt = attempt ? attempt : m_attempts.front().id;
    const auto [axis, added] = m_axes.try_emplace(finding.attempt);
    if (added) RG_TRY(axis->second.read(question.reader, finding.attempt, question.stop));
    finding.first_step = axis->second.at(start);
    if (finding.end) finding.last_step = axis->second.at(*finding.end);
    return {};
  }

  Identity say(Finding finding) {
    const Identity identity{finding.kind + '\n' + finding.subject, finding.start.value_or(0)};
    const auto known = m_said.find(identity);
    if (known != m_said.end()) finding.first_step = known->second.first_step;
    m_said[identity] = std::move(finding);
    return identity;
  }

  std::vector<Attempt> m_attempts;
  Places m_places;
  std::map<NodeId, std::string> m_own_nodes;
  std::map<AttemptId, StepAxis> m_axes;
  ThrottleWatch m_throttle;
  std::optional<TimeNs> m_newest;  // event
  std::map<Identity, Finding> m_said;
  std::set<Identity> m_of_events;
};

}  // namespace

std::unique_ptr<Analysis> makeHardwareFaults() { return std::make_unique<HardwareFaults>(); }

}  // namespace runglass
