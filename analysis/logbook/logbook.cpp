// SPDX-License-Identifier: Apache-2.0
#include "analysis/logbook/logbook.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "analysis/incident/incident_words.h"
#include "analysis/incident/propose.h"
#include "model/number_text.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxValue = 80, kMaxArguments = 400, kMaxEntryText = 600;
// The facts shown in an attempt's first line, in this order.
constexpr std::array kFacts = {"git_hash", "config_hash",   "global_batch_size", "num_microbatches", "seq_length",    "lr",
                               "torch",    "torch_version", "cuda_version",      "nccl_version",     "driver_version"};

using words::Arg;
using words::Message;
using words::unlessEmpty;
using words::verbatim;

const char* stateWords(IncidentState state) {
  constexpr std::array kWords = {"open", "mitigated", "resolved", "dismissed"};
  return kWords[std::min(static_cast<std::size_t>(state), kWords.size() - 1)];
}

Arg sizesArg(const Layout& l) {
  std::string text;
  const std::pair<const char*, std::int32_t> sizes[] = {{"TP", l.tp}, {"PP", l.pp}, {"DP", l.dp}, {"CP", l.cp}, {"EP", l.ep}};
  for (const auto& [name, size] : sizes)
    if (size > 1) text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(size);
  if (l.world <= 0) return unlessEmpty(text);
  return Message{"log_sizes", {{"world", l.world}, {"sizes", unlessEmpty(text)}}};
}

class Keeper {
 public:
  explicit Keeper(const LogbookSource& source) : m_source(source) {}

  Logbook keep() {
    m_out.run = m_source.run;
    m_out.summary = summary();
    addAttempts();
    addFindings();
    addCheckpoints();
    addAlerts();
    addIncidents();
    addNotes();
    addEvents();
    for (LogbookEntry& entry : m_out.entries)
      if (entry.time && !entry.step && m_source.step_at) entry.step = m_source.step_at(*entry.time);
    std::ranges::stable_sort(m_out.entries, [](const LogbookEntry& a, const LogbookEntry& b) {
      const auto key = [](const LogbookEntry& e) {
        return std::tuple(e.time.value_or(std::numeric_limits<TimeNs>::min()), e.attempt, e.time ? 0 : e.step.value_or(-1));
      };
      return key(a) < key(b);
    });
    return std::move(m_out);
  }

 private:
  std::int32_t numberOf(AttemptId id) const {
    const Attempt* attempt = m_source.places.attempt(id);
    return attempt != nullptr ? attempt->number : 0;
  }
  const LedgerRow* rowOf(std::int32_t number) const {
    if (m_source.goodput == nullptr) return nullptr;
    const auto found = std::ranges::find(m_source.goodput->ledger.rows, number, &LedgerRow::number);
    return found != m_source.goodput->ledger.rows.end() ? &*found : nullptr;
  }

  void add(LogbookEntry entry, std::size_t most = kMaxEntryText) {
    if (entry.text.english.size() > most) entry.text.english = oneLineOf(entry.text.english, most);
    m_out.entries.push_back(std::move(entry));
  }

  Message summary() const {
    const std::size_t attempts = m_source.places.attempts.size();
    const Message count = attempts == 0 ? Message{"log_no_attempt", {}} : Message{"log_attempts", {{"count", attempts}}};
    if (m_source.goodput == nullptr) return count;
    const Ledger& ledger = m_source.goodput->ledger;
    const bool stepped = std::ranges::any_of(ledger.rows, [](const LedgerRow& row) { return row.first_step.has_value(); });
    const bool timed = ledger.effective_ratio && ledger.wall;
    return Message{"log_summary",
                   {{"attempts", count},
                    {"kept", stepped ? Arg(ledger.completed_steps) : Arg()},
                    {"lost", stepped ? Arg(ledger.lost_steps) : Arg()},
                    {"ratio", timed ? Arg(percentText(*ledger.effective_ratio, 1)) : Arg()},
                    {"wall", timed ? Arg(words::duration(*ledger.wall)) : Arg()}}};
  }

  Arg machinesArg(const Attempt& attempt) const {
    std::set<NodeId> nodes;
    if (const auto ranks = m_source.places.rank_nodes.find(attempt.id); ranks != m_source.places.rank_nodes.end())
      for (const auto& [rank, node] : ranks->second)
        if (node) nodes.insert(node);
    if (nodes.empty()) return {};
    std::map<std::string, std::size_t> models;
    for (const Device& device : m_source.devices)
      if (device.kind == "gpu" && nodes.contains(device.node) && !device.model.empty()) ++models[device.model];
    Arg::List list;
    for (const auto& [model, count] : models) list.emplace_back(std::to_string(count) + " × " + model);
    return Message{"log_machines", {{"nodes", nodes.size()}, {"models", list.empty() ? Arg() : Arg(std::move(list))}}};
  }

  std::string factsText(const Attempt& attempt) const {
    const auto facts = m_source.facts.find(attempt.id);
    if (facts == m_source.facts.end()) return {};
    const auto value = [&](std::string_view key) -> std::string {
      if (looksSecret(key)) return {};
      const auto found = std::ranges::find(facts->second, key, &Fact::key);
      return found != facts->second.end() ? found->value : std::string();
    };
    std::string text;
    const auto add = [&text](const std::string& fact) { text += (text.empty() ? "" : "; ") + fact; };
    for (const char* key : kFacts)
      if (const std::string one = value(key); !one.empty()) add(std::string(key) + " " + oneLineOf(one, kMaxValue));
    if (const std::string argv = value("argv"); !argv.empty()) add(oneLineOf(argv, kMaxArguments));
    return text;
  }

  void addAttempts() {
    std::vector<const Attempt*> attempts;
    for (const auto& [id, attempt] : m_source.places.attempts) attempts.push_back(&attempt);
    std::ranges::sort(attempts, {}, &Attempt::number);
    const Attempt* before = nullptr;
    for (const Attempt* attempt : attempts) {
      addStart(*attempt, before);
      addEnd(*attempt);
      before = attempt;
    }
  }

  void addStart(const Attempt& attempt, const Attempt* before) {
    LogbookEntry entry{.time = attempt.start, .step = {}, .attempt = attempt.number, .kind = before == nullptr ? "start" : "restart"};
    entry.what = verbatim(words::Term{entry.kind});
    const Arg sizes = sizesArg(attempt.layout);
    if (before == nullptr) {
      entry.text = Message{"log_start",
                           {{"number", attempt.number},
                            {"framework", unlessEmpty(m_source.run.framework)},
                            {"sizes", sizes},
                            {"machines", machinesArg(attempt)},
                            {"facts", unlessEmpty(factsText(attempt))}}};
      add(std::move(entry), 2 * kMaxEntryText);
      return;
    }
    entry.step = attempt.resumed_from_step;
    Arg lost, gap, changed;
    if (const LedgerRow* row = rowOf(attempt.number)) {
      if (row->lost_steps > 0) lost = row->lost_steps;
      if (const auto spent = row->spent[static_cast<std::size_t>(Spend::kGap)]) gap = words::duration(*spent);
      if (row->layout_changed) changed = sizes;
    }
    entry.text = Message{"log_restart",
                         {{"number", attempt.number},
                          {"step", attempt.resumed_from_step},
                          {"lost", lost},
                          {"gap", gap},
                          {"sizes", changed},
                          {"cause", unlessEmpty(before->end_cause)},
                          {"nodes", nodeChangeArg(nodeChange(*before, attempt, m_source.places))}}};
    add(std::move(entry));
  }

  void addEnd(const Attempt& attempt) {
    if (!attempt.end && attempt.end_cause.empty()) return;
    LogbookEntry entry{.time = attempt.end, .step = attempt.last_step, .attempt = attempt.number, .kind = "end"};
    entry.what = verbatim(words::Term{"end"});
    const Arg planned = !attempt.planned ? Arg() : *attempt.planned ? Arg(Message{"log_planned", {}}) : Arg(Message{"log_not_planned", {}});
    entry.text =
        Message{"log_end",
                {{"number", attempt.number}, {"step", attempt.last_step}, {"cause", unlessEmpty(attempt.end_cause)}, {"planned", planned}}};
    if (attempt.planned && !*attempt.planned) entry.severity = Severity::kError;
    add(std::move(entry));
  }

  void addFindings() {
    for (const Finding& finding : m_source.findings) {
      if (finding.severity < Severity::kWarning) continue;
      LogbookEntry entry{.time = finding.start,
                         .step = finding.first_step,
                         .attempt = numberOf(finding.attempt),
                         .rank = finding.rank,
                         .node = finding.node,
                         .kind = finding.kind,
                         .severity = finding.severity};
      entry.what = verbatim(words::Term{findingKindWords(finding.kind)});
      const bool lasted =
          finding.start && finding.end && static_cast<double>(*finding.end) - static_cast<double>(*finding.start) >= kNsPerSecond;
      entry.text = Message{
          "log_finding",
          {{"finding", words::messageOf(finding)}, {"length", lasted ? Arg(words::duration(*finding.end - *finding.start)) : Arg()}}};
      add(std::move(entry));
    }
  }

  static std::int64_t dayOf(std::optional<TimeNs> time) {
    constexpr TimeNs kDay = 24 * 3600 * kNsPerSecond;
    return time ? *time / kDay - (*time % kDay < 0 ? 1 : 0) : std::numeric_limits<std::int64_t>::min();
  }

  // The checkpoints of one attempt and day are one entry, at the time of the last one.
  void addCheckpoints() {
    struct Saves {
      std::vector<const Checkpoint*> durable;
    };
    std::map<std::tuple<std::int32_t, std::int64_t>, Saves> days;
    for (const Checkpoint& save : m_source.checkpoints) {
      if (save.durable) {
        days[{numberOf(save.attempt), dayOf(save.durable)}].durable.push_back(&save);
        continue;
      }
      LogbookEntry entry{
          .time = save.begin, .step = save.step, .attempt = numberOf(save.attempt), .kind = "checkpoints", .severity = Severity::kWarning};
      entry.what = verbatim(words::Term{"checkpoint"}), entry.text = Message{"log_not_durable", {{"step", save.step}}};
      add(std::move(entry));
    }
    for (auto& [key, saves] : days) {
      std::ranges::sort(saves.durable, {}, [](const Checkpoint* c) { return std::pair(c->step, *c->durable); });
      const Checkpoint &first = *saves.durable.front(), &last = *saves.durable.back();
      LogbookEntry entry{.time = last.durable, .step = last.step, .attempt = std::get<0>(key), .kind = "checkpoints"};
      for (const Checkpoint* one : saves.durable) entry.time = std::max(*entry.time, *one->durable);
      const std::size_t count = saves.durable.size();
      entry.what = verbatim(words::Term{count == 1 ? "checkpoint" : "checkpoints"});
      entry.text = count == 1 ? Message{"log_durable", {{"step", last.step}}}
                              : Message{"log_durable_several", {{"count", count}, {"first", first.step}, {"last", last.step}}};
      add(std::move(entry));
    }
  }

  void addAlerts() {
    for (const Alert& alert : m_source.alerts) {
      if (!alert.due) continue;
      LogbookEntry entry{.time = alert.due, .step = {}, .kind = "alert", .severity = alert.severity};
      entry.what = Message{"log_alert_rule", {{"rule", alert.rule}}};
      // A finding's sentence is in the log already.
      const bool known = !alert.kind.empty() && std::ranges::any_of(m_source.findings, [&](const Finding& finding) {
        return finding.severity >= Severity::kWarning && finding.summary == alert.summary;
      });
      entry.text = Message{"log_delivered",
                           {{"what", known ? Arg(words::Term{findingKindWords(alert.kind)}) : alertArg(alert, m_source.findings)},
                            {"delivery", unlessEmpty(alert.delivery)}}};
      add(std::move(entry));
    }
  }

  void addIncidents() {
    for (const Incident& incident : m_source.incidents) {
      LogbookEntry entry{.time = incident.range ? std::optional(incident.range->t0) : incident.created,
                         .step = {},
                         .attempt = numberOf(incident.attempt),
                         .kind = "incident",
                         .severity = incident.severity};
      entry.what = Message{"log_incident_state", {{"state", words::Term{stateWords(incident.state)}}}};
      entry.text = Message{"log_incident",
                           {{"title", incident.title}, {"cause", unlessEmpty(incident.cause)}, {"reason", unlessEmpty(incident.reason)}}};
      add(std::move(entry));
    }
  }

  void addNotes() {
    for (const Note& note : m_source.notes) {
      LogbookEntry entry{.time = note.time, .step = {}, .kind = "note"};
      entry.what = Message{"log_note_of", {{"author", unlessEmpty(note.author)}}};
      entry.text = verbatim(note.text);
      add(std::move(entry), kMaxEditText);
    }
  }

  // Errors that no finding covers: events at the time of a fault or a hang are its symptoms.
  void addEvents() {
    std::vector<std::pair<double, double>> explained;
    for (const Finding& finding : m_source.findings) {
      if ((finding.kind != "hardware_fault" && finding.kind != "hang") || !finding.start) continue;
      const FindingPlace place = placeOf(finding, m_source.places);
      explained.emplace_back(static_cast<double>(*place.start) - static_cast<double>(kMoment),
                             static_cast<double>(*place.until) + static_cast<double>(kUntilEnd));
    }
    std::vector<Event> errors;
    for (const Event& event : m_source.events) {
      if (event.severity < Severity::kError || !event.time) continue;
      const auto time = static_cast<double>(*event.time);
      if (std::ranges::none_of(explained, [&](const auto& one) { return time >= one.first && time <= one.second; }))
        errors.push_back(event);
    }
    const RunPlaces none;
    const Timeline timeline = timelineOf({.range = {},
                                          .events = errors,
                                          .findings = {},
                                          .published = {},
                                          .checkpoints = {},
                                          .alerts = {},
                                          .captures = {},
                                          .notes = {},
                                          .places = none,
                                          .step_at = {}});
    m_out.left_out = timeline.left_out;
    for (const TimelineEntry& one : timeline.entries) {
      LogbookEntry entry{.time = one.time, .step = one.step, .kind = "event", .severity = one.severity};
      entry.what = verbatim(words::Term{findingKindWords(one.kind)}), entry.text = one.text;
      add(std::move(entry));
    }
  }

  const LogbookSource& m_source;
  Logbook m_out;
};

}  // namespace

Logbook logbookOf(const LogbookSource& source) { return Keeper(source).keep(); }

}  // namespace runglass
