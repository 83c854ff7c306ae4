// SPDX-License-Identifier: Apache-2.0
#include "collectors/wire/judgement_message.h"

#include <algorithm>

#include "collectors/wire/edit_message.h"
#include "collectors/wire/record_decode.h"
#include "collectors/wire/record_message.h"

namespace runglass {
namespace {

Severity severityOf(std::uint32_t number) {
  return static_cast<Severity>(std::min(number, static_cast<std::uint32_t>(Severity::kCritical)));
}

template <class Parts>
void addEdit(const Edit& edit, Parts& out) {
  for (v1::EditPart& part : partsOf(edit, {})) out.Add(std::move(part));
}

// Calls `take` with each valid edit of the parts; the others are counted.
template <class Take>
void eachEdit(const google::protobuf::RepeatedPtrField<v1::EditPart>& parts, std::int64_t& unreadable, const Take& take) {
  for (int from = 0, to = 0; from < parts.size(); from = to) {
    EditAssembly assembly;
    bool sound = true;
    do {
      sound = assembly.add(parts[to]).ok() && sound;
      ++to;
    } while (to < parts.size() && parts[to].what_case() == v1::EditPart::WHAT_NOT_SET);
    Result<Edit> edit = assembly.take();
    if (sound && edit.ok() && take(std::move(edit).value())) continue;
    ++unreadable;
  }
}

template <class Wanted, class List>
bool takeAs(Edit edit, List& list) {
  auto* one = std::get_if<Wanted>(&edit);
  if (one != nullptr) list.push_back(std::move(*one));
  return one != nullptr;
}

Finding findingOf(const v1::Finding& m) {
  Finding f;
  f.id = m.id();
  f.run = {m.run()}, f.attempt = {m.attempt()};
  f.kind = m.kind(), f.subject = m.subject();
  f.severity = severityOf(m.severity());
  f.start = optionalOf(m.has_start_ns(), m.start_ns()), f.end = optionalOf(m.has_end_ns(), m.end_ns());
  f.first_step = optionalOf(m.has_first_step(), m.first_step()), f.last_step = optionalOf(m.has_last_step(), m.last_step());
  f.node = {m.node()};
  f.rank = optionalOf(m.has_rank(), m.rank()), f.dp = optionalOf(m.has_dp(), m.dp());
  f.pp = optionalOf(m.has_pp(), m.pp()), f.tp = optionalOf(m.has_tp(), m.tp());
  f.score = optionalOf(m.has_score(), m.score());
  f.confidence = optionalOf(m.has_confidence(), m.confidence());
  f.coverage = optionalOf(m.has_coverage(), m.coverage());
  f.summary = m.summary(), f.message = m.message(), f.evidence = m.evidence();
  f.published = optionalOf(m.has_published_ns(), m.published_ns());
  return f;
}

Alert alertOf(const v1::Alert& m) {
  Alert a;
  a.run = {m.run()};
  a.rule = m.rule(), a.cause = m.cause(), a.kind = m.kind();
  a.severity = severityOf(m.severity());
  a.since = m.since_ns();
  a.end = optionalOf(m.has_end_ns(), m.end_ns());
  a.due = optionalOf(m.has_due_ns(), m.due_ns());
  a.notified = optionalOf(m.has_notified_ns(), m.notified_ns());
  a.count = m.count();
  a.summary = m.summary(), a.link = m.link(), a.delivery = m.delivery();
  return a;
}

}  // namespace

v1::Finding messageOf(const Finding& f) {
  v1::Finding m;
  m.set_id(f.id);
  m.set_run(wireId(f.run.value));
  m.set_attempt(wireId(f.attempt.value));
  m.set_kind(f.kind);
  m.set_subject(f.subject);
  m.set_severity(static_cast<std::uint32_t>(f.severity));
  if (f.start) m.set_start_ns(*f.start);
  if (f.end) m.set_end_ns(*f.end);
  if (f.first_step) m.set_first_step(*f.first_step);
  if (f.last_step) m.set_last_step(*f.last_step);
  m.set_node(wireId(f.node.value));
  if (f.rank) m.set_rank(*f.rank);
  if (f.dp) m.set_dp(*f.dp);
  if (f.pp) m.set_pp(*f.pp);
  if (f.tp) m.set_tp(*f.tp);
  if (f.score) m.set_score(*f.score);
  if (f.confidence) m.set_confidence(*f.confidence);
  if (f.coverage) m.set_coverage(*f.coverage);
  m.set_summary(f.summary);
  m.set_message(f.message);
  m.set_evidence(f.evidence);
  if (f.published) m.set_published_ns(*f.published);
  return m;
}

v1::Alert messageOf(const Alert& a) {
  v1::Alert m;
  m.set_run(wireId(a.run.value));
  m.set_rule(a.rule);
  m.set_cause(a.cause);
  m.set_kind(a.kind);
  m.set_severity(static_cast<std::uint32_t>(a.severity));
  m.set_since_ns(a.since);
  if (a.end) m.set_end_ns(*a.end);
  if (a.due) m.set_due_ns(*a.due);
  if (a.notified) m.set_notified_ns(*a.notified);
  m.set_count(a.count);
  m.set_summary(a.summary);
  m.set_link(a.link);
  m.set_delivery(a.delivery);
  return m;
}

v1::Judgements messageOf(const Judgements& all) {
  v1::Judgements m;
  for (const Finding& finding : all.findings) *m.add_finding() = messageOf(finding);
  for (const Finding& published : all.published) *m.add_published() = messageOf(published);
  for (const Alert& alert : all.alerts) *m.add_alert() = messageOf(alert);
  for (const IncidentEdit& incident : all.incidents) addEdit(incident, *m.mutable_edit());
  for (const ClockAlignment& alignment : all.alignments) addEdit(alignment, *m.mutable_edit());
  m.set_all_incidents(all.incident_uuids.has_value());
  for (const std::string& uuid : all.incident_uuids.value_or(std::vector<std::string>())) m.add_incident_uuid(uuid);
  m.set_all_notes(all.notes.has_value());
  if (all.notes)
    for (const Note& note : *all.notes) addEdit(note, *m.mutable_note());
  m.set_all_snoozes(all.snoozes.has_value());
  if (all.snoozes)
    for (const Snooze& snooze : *all.snoozes) addEdit(snooze, *m.mutable_snooze());
  return m;
}

v1::Mark messageOf(const MirrorMark& mark) {
  v1::Mark m;
  m.set_source_uuid(mark.source_uuid);
  m.set_from(mark.from);
  if (mark.complete) m.set_complete_ns(*mark.complete);
  m.set_event(mark.event);
  m.set_log(mark.log);
  m.set_label(mark.label);
  if (mark.summarised) m.set_summarised_ns(*mark.summarised);
  return m;
}

Judgements judgementsOf(const v1::Judgements& message, std::int64_t& unreadable) {
  Judgements all;
  for (const v1::Finding& finding : message.finding()) all.findings.push_back(findingOf(finding));
  for (const v1::Finding& published : message.published())
    if (published.has_published_ns()) all.published.push_back(findingOf(published));
  for (const v1::Alert& alert : message.alert()) all.alerts.push_back(alertOf(alert));
  eachEdit(message.edit(), unreadable, [&](Edit edit) {
    return std::holds_alternative<IncidentEdit>(edit) ? takeAs<IncidentEdit>(std::move(edit), all.incidents)
                                                      : takeAs<ClockAlignment>(std::move(edit), all.alignments);
  });
  if (message.all_incidents()) all.incident_uuids.emplace(message.incident_uuid().begin(), message.incident_uuid().end());
  if (message.all_notes()) {
    all.notes.emplace();
    eachEdit(message.note(), unreadable, [&](Edit edit) { return takeAs<Note>(std::move(edit), *all.notes); });
  }
  if (message.all_snoozes()) {
    all.snoozes.emplace();
    eachEdit(message.snooze(), unreadable, [&](Edit edit) { return takeAs<Snooze>(std::move(edit), *all.snoozes); });
  }
  return all;
}

v1::SummaryMark messageOf(const SummaryPosition& position) {
  v1::SummaryMark m;
  m.set_chunk(position.chunk);
  m.set_points(position.main.points);
  m.set_x1(position.main.x1);
  m.set_late_points(position.late.points);
  m.set_late_x1(position.late.x1);
  return m;
}

SummaryPosition positionOf(const v1::SummaryMark& m) { return {m.chunk(), {m.points(), m.x1()}, {m.late_points(), m.late_x1()}}; }

MirrorMark markOf(const v1::Mark& m) {
  return {.source_uuid = m.source_uuid(),
          .from = m.from(),
          .complete = optionalOf(m.has_complete_ns(), m.complete_ns()),
          .summarised = optionalOf(m.has_summarised_ns(), m.summarised_ns()),
          .event = m.event(),
          .log = m.log(),
          .label = m.label()};
}

}  // namespace runglass
