// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/incident_timeline.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/incident/incident_words.h"
#include "model/orders.h"

namespace runglass {
namespace {

using Json = nlohmann::json;
using words::Arg;
using words::Message;
using words::unlessEmpty;
using words::verbatim;

constexpr DurNs kRepeat = 60 * kNsPerSecond;
constexpr std::size_t kMaxText = 300, kNamedNodes = 5;

// Hostile times are near the limits: their difference must not overflow.
bool apart(TimeNs before, TimeNs after, DurNs most) {
  return static_cast<double>(after) - static_cast<double>(before) > static_cast<double>(most);
}

constexpr std::string_view kReported[] = {"start", "restart", "node_left", "node_back", "checkpoint_loaded", "agent_start", "phase"};

struct Group {
  TimelineEntry entry;
  std::set<std::int32_t> ranks;
  std::set<NodeId> nodes;
};

class Teller {
 public:
  explicit Teller(const TimelineSource& source) : m_source(source) {}

  Timeline tell() {
    addEvents();
    addFindings();
    addAttempts();
    addCheckpoints();
    addKnown();
    bound();
    std::ranges::stable_sort(m_out.entries, {}, [](const TimelineEntry& e) { return std::tuple(e.time, e.lane); });
    for (TimelineEntry& entry : m_out.entries)
      if (!entry.step && m_source.step_at) entry.step = m_source.step_at(entry.time);
    return std::move(m_out);
  }

 private:
  bool inside(std::optional<TimeNs> time) const { return time && *time >= m_source.range.t0 && *time < m_source.range.t1; }

  void add(TimelineEntry entry) {
    entry.text.english = oneLineOf(entry.text.english, kMaxText);
    m_out.entries.push_back(std::move(entry));
  }

  std::string selectOf(std::optional<std::int32_t> rank, NodeId node) const {
    if (rank) return "rank=" + std::to_string(*rank);
    const std::string name = m_source.places.nodeName(node);
    return name.empty() || name.find_first_of(",= \n") != std::string::npos ? "" : "node=" + name;
  }

  void addEvents() {
    std::vector<const Event*> events;
    for (const Event& event : m_source.events) {
      const bool wanted = event.severity >= Severity::kWarning || std::ranges::find(kReported, event.kind) != std::end(kReported);
      if (wanted && inside(event.time)) events.push_back(&event);
    }
    std::ranges::stable_sort(events, {}, [](const Event* e) { return *e->time; });
    std::map<std::pair<std::string, std::string>, Group> open;
    for (const Event* event : events) {
      // The code of a collective timeout differs from rank to rank; that of an Xid does not.
      const std::pair key(event->kind, event->kind == "xid" ? event->code : std::string());
      auto found = open.find(key);
      if (found != open.end() && apart(*found->second.entry.until, *event->time, kRepeat)) {
        close(found->second);
        open.erase(found);
        found = open.end();
      }
      if (found == open.end()) {
        Group group;
        group.entry = {.time = *event->time,
                       .until = event->time,
                       .step = event->step,
                       .kind = event->kind,
                       .severity = event->severity,
                       .text = verbatim(event->message),
                       .count = 0};
        group.entry.select = selectOf(event->rank, event->node);
        found = open.emplace(key, std::move(group)).first;
      }
      Group& group = found->second;
      ++group.entry.count, group.entry.until = event->time;
      group.entry.severity = std::max(group.entry.severity, event->severity);
      if (event->rank) group.ranks.insert(*event->rank);
      if (event->node) group.nodes.insert(event->node);
    }
    for (auto& [key, group] : open) close(group);
  }

  void close(Group& group) {
    TimelineEntry& entry = group.entry;
    // A user requested a capture, or an agent took one.
    if (isOwnEvent(entry.kind)) entry.lane = IncidentLane::kKnown;
    const words::Term kind{findingKindWords(entry.kind)};
    if (entry.text.english.empty())
      entry.text = verbatim(kind);
    else if (entry.kind == "restart" || entry.kind == "start")
      entry.text = Message{"log_kind", {{"kind", kind}, {"text", entry.text.message}}};
    if (entry.count > 1) {
      Arg where;
      const Arg nodes = group.nodes.size() > 1 ? Arg(group.nodes.size()) : Arg();
      if (group.ranks.size() > 1)
        where = Message{"log_ranks", {{"ranks", group.ranks.size()}, {"nodes", nodes}}};
      else if (nodes.present())
        where = Message{"log_nodes", {{"nodes", nodes}}};
      entry.text = Message{"log_several", {{"count", entry.count}, {"kind", kind}, {"where", where}, {"first", entry.text.message}}};
      if (group.ranks.size() > 1 || group.nodes.size() > 1) entry.select.clear();
    } else {
      entry.until.reset();
    }
    add(std::move(entry));
  }

  void addFindings() {
    for (const Finding& finding : m_source.findings) {
      if (finding.severity < Severity::kWarning && finding.kind != "throughput_shift") continue;
      TimelineEntry entry{.time = 0,
                          .until = {},
                          .step = finding.first_step,
                          .kind = "finding",
                          .severity = finding.severity,
                          .text = verbatim(words::messageOf(finding))};
      entry.finding = finding.id;
      entry.select = selectOf(finding.rank, finding.node);
      if (inside(finding.start)) {
        entry.time = *finding.start;
        if (finding.end && *finding.end > *finding.start) entry.until = finding.end;
        add(entry);
      }
      if (addPublished(finding, entry)) continue;
      const Json evidence = Json::parse(finding.evidence, nullptr, false);
      const auto judged = evidence.is_object() ? evidence.find("as_of_ns") : evidence.end();
      if (!evidence.is_object() || judged == evidence.end() || !judged->is_number_integer() || !inside(judged->get<TimeNs>())) continue;
      entry.time = judged->get<TimeNs>(), entry.until.reset(), entry.step.reset();
      entry.lane = IncidentLane::kKnown;
      entry.text = Message{"log_judged", {{"kind", words::Term{findingKindWords(finding.kind)}}}};
      add(std::move(entry));
    }
  }

  // When it was first published, became worse or better, and ended. False: it was not published during its run.
  bool addPublished(const Finding& finding, TimelineEntry entry) {
    const Finding* before = nullptr;
    for (const Finding& one : m_source.published) {
      if (one.id != finding.id || !one.published) continue;
      const bool news = before == nullptr || before->severity != one.severity || before->end.has_value() != one.end.has_value();
      Message text = Message{before == nullptr                 ? "log_published"
                             : before->severity < one.severity ? "log_worse"
                             : before->severity > one.severity ? "log_better"
                             : one.end                         ? "log_ended"
                                                               : "log_continues",
                             {{"finding", words::messageOf(one)}}};
      before = &one;
      if (!news || !inside(one.published)) continue;
      entry.time = *one.published, entry.until.reset(), entry.step.reset();
      entry.lane = IncidentLane::kKnown;
      entry.severity = one.severity;
      entry.text = std::move(text);
      add(entry);
    }
    return before != nullptr;
  }

  void addAttempts() {
    for (const auto& [id, attempt] : m_source.places.attempts) {
      if (inside(attempt.start)) {
        const Attempt* before = m_source.places.before(attempt);
        const Arg nodes = before != nullptr ? nodeChangeArg(nodeChange(*before, attempt, m_source.places)) : Arg();
        add({.time = *attempt.start,
             .until = {},
             .step = {},
             .kind = "attempt_start",
             .severity = Severity::kInfo,
             .text = Message{"log_attempt_starts", {{"number", attempt.number}, {"step", attempt.resumed_from_step}, {"nodes", nodes}}}});
      }
      if (inside(attempt.end))
        add({.time = *attempt.end,
             .until = {},
             .step = attempt.last_step,
             .kind = "attempt_end",
             .severity = attempt.planned.value_or(true) ? Severity::kInfo : Severity::kError,
             .text = Message{"log_attempt_ends", {{"number", attempt.number}, {"cause", unlessEmpty(attempt.end_cause)}}}});
    }
  }

  void addCheckpoints() {
    for (const Checkpoint& save : m_source.checkpoints) {
      const auto time = save.durable ? save.durable : save.begin;
      if (!inside(time)) continue;
      add({.time = *time,
           .until = {},
           .step = save.step,
           .kind = "checkpoint",
           .severity = Severity::kInfo,
           .text = Message{save.durable ? "log_checkpoint_durable" : "log_checkpoint_begins", {{"step", save.step}}}});
    }
  }

  void addKnown() {
    const auto known = [&](TimeNs time, const char* kind, Severity severity, Message text) {
      add({.time = time,
           .until = {},
           .step = {},
           .lane = IncidentLane::kKnown,
           .kind = kind,
           .severity = severity,
           .text = std::move(text)});
    };
    for (const Alert& alert : m_source.alerts) {
      const bool later = alert.due && alert.notified && apart(*alert.due, *alert.notified, kNsPerSecond);
      const Arg delivery = unlessEmpty(alert.delivery);
      if (inside(alert.due))
        known(*alert.due, "alert", alert.severity,
              Message{"log_alert",
                      {{"rule", alert.rule}, {"what", alertArg(alert, m_source.findings)}, {"delivery", later ? Arg() : delivery}}});
      if (later && inside(alert.notified))
        known(*alert.notified, "alert_told", alert.severity, Message{"log_notified", {{"rule", alert.rule}, {"delivery", delivery}}});
    }
    // All captures of one command are one entry.
    const TimelineEntry* last = nullptr;
    std::vector<TimelineEntry> captures;
    for (const Capture& capture : m_source.captures) {
      if (!inside(capture.time)) continue;
      last = captures.empty() ? nullptr : &captures.back();
      if (last != nullptr && !apart(last->until.value_or(last->time), capture.time, kRepeat)) {
        ++captures.back().count, captures.back().until = capture.time;
        continue;
      }
      captures.push_back({.time = capture.time,
                          .until = {},
                          .step = {},
                          .lane = IncidentLane::kKnown,
                          .kind = "capture",
                          .severity = Severity::kInfo,
                          .text = verbatim(capture.reason)});
    }
    for (TimelineEntry& one : captures) {
      one.text = Message{"log_captures", {{"count", one.count}, {"reason", unlessEmpty(one.text.english)}}};
      add(std::move(one));
    }
    for (const Note& note : m_source.notes)
      if (inside(note.time))
        known(*note.time, "note", Severity::kInfo, Message{"log_note", {{"author", unlessEmpty(note.author)}, {"text", note.text}}});
  }

  // The least severe are dropped first, among equals the latest; findings, attempts and the second lane are kept longest.
  void bound() {
    if (m_out.entries.size() <= kMaxEntries) return;
    m_out.left_out = m_out.entries.size() - kMaxEntries;
    std::ranges::stable_sort(m_out.entries, {}, [](const TimelineEntry& e) {
      const bool kept = e.lane == IncidentLane::kKnown || e.kind == "finding" || e.kind.starts_with("attempt");
      return std::tuple(!kept, -static_cast<int>(e.severity), e.time);
    });
    m_out.entries.resize(kMaxEntries);
  }

  const TimelineSource& m_source;
  Timeline m_out;
};

std::set<std::string> nodesOf(const Attempt& attempt, const RunPlaces& places) {
  std::set<std::string> names;
  const auto ranks = places.rank_nodes.find(attempt.id);
  if (ranks == places.rank_nodes.end()) return names;
  for (const auto& [rank, node] : ranks->second)
    if (const std::string name = places.nodeName(node); !name.empty()) names.insert(name);
  return names;
}

Arg listOf(const std::vector<std::string>& names) {
  Arg::List list;
  for (std::size_t i = 0; i < names.size() && i < kNamedNodes; ++i) list.emplace_back(names[i]);
  if (names.size() <= kNamedNodes) return list;
  return Message{"names_more", {{"names", std::move(list)}, {"count", names.size() - kNamedNodes}}};
}

}  // namespace

Timeline timelineOf(const TimelineSource& source) { return Teller(source).tell(); }

NodeChange nodeChange(const Attempt& before, const Attempt& after, const RunPlaces& places) {
  const std::set<std::string> a = nodesOf(before, places), b = nodesOf(after, places);
  NodeChange out;
  if (a.empty() || b.empty()) return out;
  std::ranges::set_difference(a, b, std::back_inserter(out.gone));
  std::ranges::set_difference(b, a, std::back_inserter(out.come));
  return out;
}

Arg nodeChangeArg(const NodeChange& change) {
  if (change.gone.empty() && change.come.empty()) return {};
  if (change.come.empty()) return Message{"nodes_gone", {{"nodes", listOf(change.gone)}, {"count", change.gone.size()}}};
  if (change.gone.empty()) return Message{"nodes_new", {{"nodes", listOf(change.come)}, {"count", change.come.size()}}};
  return Message{"nodes_replaced", {{"gone", listOf(change.gone)}, {"count", change.gone.size()}, {"come", listOf(change.come)}}};
}

Arg alertArg(const Alert& alert, std::span<const Finding> findings) {
  const auto found = std::ranges::find(findings, alert.summary, &Finding::summary);
  return found != findings.end() ? words::messageOf(*found) : Arg(alert.summary);
}

}  // namespace runglass
