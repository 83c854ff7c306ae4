// SPDX-License-Identifier: Apache-2.0
// The fields of additions by analyses and people. The roles are defined in fields.h.
#pragma once

#include "model/alerts.h"
#include "model/edits.h"
#include "model/fields.h"
#include "model/findings.h"
#include "model/incident.h"

namespace runglass {

template <class F, Of<Finding> Self>
void fields(F& f, Self& r) {
  f.own("id", r.id);
  f.owner("run", r.run);
  f.ref("attempt", r.attempt);
  f.key("kind", r.kind);
  f.text("subject", r.subject);
  f.value("severity", r.severity), f.value("start", r.start), f.value("end", r.end);
  f.value("first_step", r.first_step), f.value("last_step", r.last_step);
  f.ref("node", r.node);
  f.value("rank", r.rank), f.value("dp", r.dp), f.value("pp", r.pp), f.value("tp", r.tp);
  f.value("score", r.score), f.value("confidence", r.confidence), f.value("coverage", r.coverage);
  f.text("summary", r.summary);
  f.json("message", r.message);
  f.json("evidence", r.evidence);
  f.value("told", r.published);
}

template <class F, Of<IncidentEvidence> Self>
void fields(F& f, Self& r) {
  f.word("kind", r.kind);
  f.text("title", r.title), f.text("caption", r.caption);
  f.value("range", r.range);
  f.text("select", r.select);
}

template <class F, Of<Incident> Self>
void fields(F& f, Self& r) {
  f.own("id", r.id);
  f.word("uuid", r.uuid);
  f.owner("run", r.run), f.ref("attempt", r.attempt);
  f.text("title", r.title);
  f.value("state", r.state), f.value("severity", r.severity), f.value("range", r.range);
  f.value("created", r.created), f.value("updated", r.updated);
  f.word("cause", r.cause);
  f.text("summary", r.summary), f.text("notes", r.notes), f.text("reason", r.reason);
  f.value("findings", r.findings);  // ids of findings: code that copies them renumbers them itself
  f.parts("evidence", r.evidence);
}

template <class F, Of<Alert> Self>
void fields(F& f, Self& r) {
  f.own("id", r.id);
  f.ref("run", r.run);
  f.text("rule", r.rule), f.text("cause", r.cause), f.text("kind", r.kind);
  f.value("severity", r.severity), f.value("since", r.since), f.value("end", r.end), f.value("due", r.due), f.value("told", r.notified);
  f.value("count", r.count);
  f.text("summary", r.summary), f.text("link", r.link), f.text("delivery", r.delivery);
}

template <class F, Of<Snooze> Self>
void fields(F& f, Self& r) {
  f.text("rule", r.rule), f.text("cause", r.cause);
  f.value("until", r.until);
  f.person("author", r.author);
}

template <class F, Of<Note> Self>
void fields(F& f, Self& r) {
  f.own("id", r.id);
  f.word("run_uuid", r.run_uuid);
  f.value("time", r.time);
  f.person("author", r.author);
  f.text("text", r.text);
}

template <class F, Of<ClockShift> Self>
void fields(F& f, Self& r) {
  f.value("rank", r.rank), f.value("at", r.at), f.value("shift", r.shift), f.value("error", r.error);
}

template <class F, Of<ClockAlignment> Self>
void fields(F& f, Self& r) {
  f.word("run_uuid", r.run_uuid);
  f.value("attempt", r.attempt);  // its number, which may differ in a copy
  f.text("source", r.source);
  f.value("matches", r.matches), f.value("residual", r.residual);
  f.parts("shifts", r.shifts);
}

template <class F, Of<RankOrderChoice> Self>
void fields(F& f, Self& r) {
  f.word("run_uuid", r.run_uuid);
  f.value("attempt", r.attempt);
  f.word("order", r.order);
}

template <class F, Of<IncidentEdit> Self>
void fields(F& f, Self& r) {
  f.word("run_uuid", r.run_uuid);
  f.value("attempt", r.attempt);
  f.part("incident", r.incident);
  f.value("remove", r.remove);
}

template <class F, Of<AgentForget> Self>
void fields(F& f, Self& r) {
  f.host("name", r.name);
}

}  // namespace runglass
