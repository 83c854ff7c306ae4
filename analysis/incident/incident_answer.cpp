// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/incident_answer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "analysis/incident/data_quality.h"
#include "analysis/incident/evidence_cards.h"
#include "analysis/incident/incident_costs.h"
#include "analysis/incident/incident_words.h"
#include "analysis/incident/next_steps.h"
#include "analysis/incident/read_proposals.h"
#include "analysis/run_summary/roles.h"
#include "analysis/steps/step_at.h"
#include "model/time_ranges.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxAlerts = 2'000, kMaxValue = 300;

class Asking {
 public:
  Asking(Reader& reader, const IncidentQuestion& question, std::stop_token stop)
      : m_reader(reader), m_q(question), m_stop(std::move(stop)) {}

  Result<IncidentAnswer> ask() {
    m_out.incident = m_q.incident;
    RG_ASSIGN(m_places, readRunPlaces(m_reader, m_q.run, m_stop));
    chooseFindings();
    choosePlace();
    RG_ASSIGN(const Goodput goodput, readGoodput(m_reader, m_q.run, m_q.findings, std::nullopt, m_stop));
    m_out.impact = impactOf({.goodput = goodput, .places = m_places, .range = m_out.range, .findings = m_members, .price = m_q.price});
    RG_TRY(readSharing(goodput));
    RG_TRY(readTimeline());
    RG_TRY(readSuspects());
    RG_TRY(readChanges());
    RG_ASSIGN(
        m_out.quality,
        readDataQuality(m_reader, {.run = m_q.run, .attempt = attempt(), .range = m_out.shown, .findings = m_members, .places = m_places},
                        m_stop));
    m_out.cards = suggestEvidence(m_out.incident, m_members, m_places);
    m_out.next_steps = nextSteps(m_members, m_places);
    if (m_stop.stop_requested()) return Status(Code::kCancelled, "incident: superseded");
    return std::move(m_out);
  }

 private:
  const Attempt* attempt() const { return m_out.attempt ? &*m_out.attempt : nullptr; }

  // The incident's findings; the root first, as in a proposal of them.
  void chooseFindings() {
    std::vector<Finding> own;
    for (const Finding& one : m_q.findings)
      if (one.id != 0 && std::ranges::find(m_q.incident.findings, one.id) != m_q.incident.findings.end()) own.push_back(one);
    std::vector<bool> used(own.size());
    for (const IncidentProposal& part : proposeIncidents(own, m_places, {}, m_stop).all)
      for (const std::size_t i : part.members) m_out.findings.push_back(own[i]), used[i] = true;
    for (std::size_t i = 0; i < own.size(); ++i)
      if (!used[i]) m_out.findings.push_back(std::move(own[i]));
    for (const Finding& one : m_out.findings) m_members.push_back(&one);
  }

  void choosePlace() {
    std::optional<AttemptId> of = m_q.incident.attempt ? std::optional(m_q.incident.attempt) : std::nullopt;
    for (const Finding* one : m_members)
      if (!of && one->attempt) of = one->attempt;
    m_out.range = incidentRange(m_q.incident, m_members, m_places);
    m_out.incident.range = m_out.range;
    if (m_out.range) m_out.shown = widened(*m_out.range, kMargin);
    const Attempt* chosen = of ? m_places.attempt(*of) : nullptr;
    if (chosen == nullptr && m_out.range)
      for (const auto& [id, one] : m_places.attempts)
        if (one.start && *one.start <= m_out.range->t0 && (chosen == nullptr || one.number > chosen->number)) chosen = &one;
    if (chosen != nullptr) m_out.attempt = *chosen;
    if (chosen != nullptr)
      if (const Attempt* before = m_places.before(*chosen)) m_out.before = *before;
    m_out.title = words::Message{"verbatim", {{"text", m_q.incident.title}}};
    m_out.sentence = words::Message{"verbatim", {{"text", m_q.incident.summary}}};
    if (m_members.empty()) return;
    const Attempt* ended = nullptr;
    for (const Finding* one : m_members)
      if (ended == nullptr) ended = endedBy(*one, placeOf(*one, m_places), m_places);
    // Text that is still the computed one keeps its message.
    words::Sentence title = incidentTitle(*m_members.front(), m_places);
    words::Sentence sentence = incidentSentence(*m_members.front(), std::span<const Finding* const>(m_members).subspan(1), ended, m_places);
    if (m_q.incident.title.empty() || m_q.incident.title == title.english) m_out.title = std::move(title);
    if (m_q.incident.summary.empty() || m_q.incident.summary == sentence.english) m_out.sentence = std::move(sentence);
  }

  Status readSharing(const Goodput& goodput) {
    if (m_out.impact.items.empty()) return {};
    RG_ASSIGN(std::vector<Incident> others, m_reader.incidents(m_q.run.id));
    std::erase_if(others, [&](const Incident& one) { return one.uuid == m_q.incident.uuid || one.state == IncidentState::kDismissed; });
    const IncidentCosts costs = incidentCosts(goodput, m_places, others, m_q.findings, std::nullopt);
    for (const Incident& one : others)
      if (shareCost(m_out.impact, costs.of.at(one.uuid))) m_out.impact.also_in.push_back(one.title);
    return {};
  }

  Status readTimeline() {
    if (!m_out.shown) return {};
    const TimeRange range = *m_out.shown;
    RG_ASSIGN(m_events,
              m_reader.events({.range = range, .run = m_q.run.id, .at_least = Severity::kDebug, .kind = "", .limit = kMaxEventsRead}));
    RG_ASSIGN(const auto published, m_reader.publishedFindings(m_q.run.id));
    RG_ASSIGN(const auto saves, m_reader.checkpoints(m_q.run.id));
    RG_ASSIGN(auto alerts, m_reader.alerts(kMaxAlerts));
    std::erase_if(alerts, [&](const Alert& one) { return one.run && one.run != m_q.run.id; });
    RG_ASSIGN(const auto captures, m_reader.captures(m_q.run.id, range, CaptureTexts::kWithout));
    RG_ASSIGN(const auto notes, m_reader.notes(m_q.run.id));
    StepAxis steps;
    if (m_out.attempt) RG_TRY(steps.read(m_reader, m_out.attempt->id, m_stop));
    const auto step_at = [&](TimeNs time) -> std::optional<std::int64_t> {
      if (!m_out.attempt || (m_out.attempt->end && time >= *m_out.attempt->end)) return std::nullopt;
      return steps.at(time);
    };
    m_out.timeline = timelineOf({.range = range,
                                 .events = m_events,
                                 .findings = m_q.findings,
                                 .published = published,
                                 .checkpoints = saves,
                                 .alerts = alerts,
                                 .captures = captures,
                                 .notes = notes,
                                 .places = m_places,
                                 .step_at = step_at});
    return {};
  }

  Status readSuspects() {
    std::optional<Ranking> ranking;
    if (m_q.with_ranking && m_out.attempt) {
      const std::vector<Finding> known(m_q.findings.begin(), m_q.findings.end());
      RankingFeed feed(m_q.run.id, m_out.attempt->id);
      RG_ASSIGN(Ranking read, feed.read(m_reader, &known, m_stop));
      if (read.attempt.id == m_out.attempt->id) ranking = std::move(read);
    }
    const Ranking* reported = ranking ? &*ranking : nullptr;
    m_out.suspects = incidentSuspects(m_members, m_places, reported);
    if (m_out.suspects.empty())
      m_out.suspects_reason = !m_out.attempt             ? "the run has no attempt at that time"
                              : reported == nullptr      ? "no finding belongs to it"
                              : reported->reason.empty() ? "no finding belongs to it, and no rank deviates"
                                                         : reported->reason;
    RuledOutSource source{.findings = m_members, .of_run = m_q.findings, .places = m_places, .range = m_out.shown, .hardware_events = {}};
    source.ranking = reported;
    if (m_out.shown) RG_TRY(readWhatWasHeard(source));
    m_out.ruled_out = ruledOut(source);
    return {};
  }

  // Silence is not evidence: only nodes with data in the window can be ruled out.
  Status readWhatWasHeard(RuledOutSource& source) {
    RG_ASSIGN(const auto devices, m_reader.devices());
    std::map<DeviceId, NodeId> node_of;
    for (const Device& one : devices) node_of[one.id] = one.node;
    std::set<NodeId> asked;
    for (const Finding* one : m_members)
      for (const NodeId node : placeOf(*one, m_places).nodes) asked.insert(node);
    const auto in_range = [&](const Series& one) {
      return one.first_time && one.last_time && *one.first_time < m_out.shown->t1 && *one.last_time >= m_out.shown->t0;
    };
    for (const NodeId node : asked) {
      RG_ASSIGN(const auto of_node, m_reader.series({.node = node}));
      if (std::ranges::any_of(of_node, in_range)) source.hardware_events[node] = 0;
    }
    if (m_events.size() < kMaxEventsRead) {
      for (const Event& event : m_events) {
        const auto device = node_of.find(event.device);
        const NodeId node = event.node ? event.node : device != node_of.end() ? device->second : NodeId{};
        if (const auto found = source.hardware_events.find(node);
            found != source.hardware_events.end() && event.severity >= Severity::kWarning)
          ++found->second;
      }
    } else {
      source.hardware_events.clear();
    }
    RG_ASSIGN(const auto series, m_reader.series({.run = m_q.run.id, .kind = SeriesKind::kScalar}));
    std::vector<Series> within;
    std::ranges::copy_if(series, std::back_inserter(within), in_range);
    source.loss_reported = pickSeries(within, Role::kLoss) != nullptr;
    return {};
  }

  Status readChanges() {
    if (!m_out.attempt) {
      m_out.changes_reason = "the run has no attempt at that time";
      return {};
    }
    RG_ASSIGN(const auto facts, m_reader.facts(m_out.attempt->id));
    addEnvironment(facts);
    if (!m_out.before) {
      m_out.changes_reason = "it is the run's first attempt";
      return {};
    }
    RG_ASSIGN(const auto before, m_reader.facts(m_out.before->id));
    m_out.changes = differentFacts(before, facts);
    m_out.nodes = nodeChange(*m_out.before, *m_out.attempt, m_places);
    if (facts.empty() || before.empty())
      m_out.changes_reason = "attempt " + std::to_string((facts.empty() ? m_out.attempt : m_out.before)->number) + " recorded no facts";
    else if (m_out.changes.empty())
      m_out.changes_reason =
          "attempts " + std::to_string(m_out.before->number) + " and " + std::to_string(m_out.attempt->number) + " recorded the same";
    return {};
  }

  void addEnvironment(const std::vector<Fact>& facts) {
    const auto add = [&](std::string key, std::string value) { m_out.environment.push_back({std::move(key), std::move(value)}); };
    const Layout& l = m_out.attempt->layout;
    if (!m_q.run.framework.empty()) add("framework", m_q.run.framework);
    const std::pair<const char*, std::int32_t> sizes[] = {{"world size", l.world}, {"tensor parallel", l.tp},  {"pipeline parallel", l.pp},
                                                          {"data parallel", l.dp}, {"context parallel", l.cp}, {"expert parallel", l.ep}};
    for (const auto& [name, size] : sizes)
      if (size > 0) add(name, std::to_string(size));
    std::map<std::string, std::map<std::string, std::size_t>> by_key;
    for (const Fact& fact : facts)
      if (!looksSecret(fact.key)) ++by_key[fact.key][fact.value];
    for (const auto& [key, values] : by_key) {
      if (m_out.environment.size() >= kMaxEnvironment) break;
      const auto most = std::ranges::max_element(values, {}, [](const auto& one) { return one.second; });
      m_out.environment.push_back({key, oneLineOf(most->first, kMaxValue), values.size()});
    }
  }

  Reader& m_reader;
  const IncidentQuestion& m_q;
  std::stop_token m_stop;
  RunPlaces m_places;
  std::vector<const Finding*> m_members;
  std::vector<Event> m_events;
  IncidentAnswer m_out;
};

}  // namespace

std::optional<TimeNs> firstSign(const IncidentAnswer& answer) {
  std::optional<TimeNs> first;
  for (const Finding& one : answer.findings)
    if (one.start) first = std::min(first.value_or(*one.start), *one.start);
  if (!first && answer.range) first = answer.range->t0;
  return first;
}

Result<IncidentAnswer> readIncidentAnswer(Reader& reader, const IncidentQuestion& question, std::stop_token stop) {
  return Asking(reader, question, std::move(stop)).ask();
}

}  // namespace runglass
