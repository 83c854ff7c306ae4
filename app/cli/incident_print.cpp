// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/incident_print.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <sstream>

#include "app/cli/finding_json.h"
#include "app/cli/json_value.h"
#include "app/cli/output.h"
#include "model/incident_causes.h"
#include "model/time_text.h"

namespace runglass::ctl {
namespace {

constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();

Json startOf(const std::optional<TimeRange>& range) { return range ? Json(range->t0) : Json(); }
Json endOf(const std::optional<TimeRange>& range) { return range && range->t1 != kHighest ? Json(range->t1) : Json(); }

std::string timesText(const std::optional<TimeRange>& range) {
  if (!range) return "no time";
  if (range->t1 == kHighest) return utcText(range->t0) + ", not over";
  return utcText(range->t0) + ", " + shortDurationText(range->t1 - range->t0);
}

std::string causeText(const std::string& code) {
  const IncidentCause* const cause = findIncidentCause(code);
  return cause == nullptr ? oneLine(code) : std::string(cause->words) + " (" + causeGroupName(cause->group) + ")";
}

}  // namespace

Result<IncidentContext> contextOf(Reader& reader, const Incident& incident, const std::vector<Finding>& all) {
  IncidentContext context;
  RG_ASSIGN(context.run, reader.run(incident.run));
  if (const auto attempt = reader.attempt(incident.attempt); attempt.ok()) context.attempt = attempt->number;
  std::ranges::copy_if(all, std::back_inserter(context.findings), [&](const Finding& one) {
    return one.run == incident.run && std::ranges::find(incident.findings, one.id) != incident.findings.end();
  });
  return context;
}

Json incidentJson(const Incident& incident, const IncidentContext& context) {
  const IncidentCause* const cause = findIncidentCause(incident.cause);
  Json json = {{"incident_id", incident.id},
               {"incident_uuid", incident.uuid},
               {"run_id", incident.run.value},
               {"run_uuid", context.run.uuid},
               {"attempt", context.attempt ? Json(*context.attempt) : Json()},
               {"title", incident.title},
               {"state", incidentStateName(incident.state)},
               {"severity", severityName(incident.severity)},
               {"start_ns", startOf(incident.range)},
               {"end_ns", endOf(incident.range)},
               {"created_ns", orNull(incident.created)},
               {"updated_ns", orNull(incident.updated)},
               {"cause", orNull(incident.cause)},
               {"cause_words", cause == nullptr ? Json() : Json(cause->words)},
               {"cause_group", cause == nullptr ? Json() : Json(causeGroupName(cause->group))},
               {"summary", orNull(incident.summary)},
               {"notes", orNull(incident.notes)},
               {"reason", orNull(incident.reason)},
               {"findings", Json::array()},
               {"evidence", Json::array()}};
  for (const Finding& one : context.findings)
    json["findings"].push_back({{"finding_id", one.id},
                                {"kind", one.kind},
                                {"subject", one.subject},
                                {"severity", severityName(one.severity)},
                                {"start_ns", orNull(one.start)},
                                {"summary", one.summary},
                                {"message", findingMessageJson(one)}});
  for (const IncidentEvidence& card : incident.evidence)
    json["evidence"].push_back({{"kind", card.kind},
                                {"title", card.title},
                                {"caption", orNull(card.caption)},
                                {"start_ns", startOf(card.range)},
                                {"end_ns", endOf(card.range)},
                                {"select", orNull(card.select)}});
  return json;
}

std::string incidentLine(const Incident& incident, const IncidentContext& context) {
  return std::to_string(incident.id) + "  " + incidentStateName(incident.state) + "  " + severityName(incident.severity) + "  " +
         timesText(incident.range) + "  " + oneLine(context.run.name) + ": " + oneLine(incident.title) + "\n";
}

std::string incidentText(const Incident& incident, const IncidentContext& context) {
  std::string text = oneLine(incident.title) + "\n" + "  incident " + std::to_string(incident.id) + ", " + oneLine(incident.uuid) + "\n";
  text += std::string("  ") + incidentStateName(incident.state) + ", " + severityName(incident.severity) + ", " +
          timesText(incident.range) + "\n";
  text += "  run " + oneLine(context.run.name) + (context.attempt ? ", attempt " + std::to_string(*context.attempt) : "") + "\n";
  text += "  root cause: " + (incident.cause.empty() ? "not known" : causeText(incident.cause)) + "\n";
  if (!incident.summary.empty()) text += "  " + oneLine(incident.summary) + "\n";
  if (!incident.reason.empty()) text += "  dismissed because: " + oneLine(incident.reason) + "\n";
  if (incident.updated) text += "  changed " + utcText(*incident.updated) + "\n";
  for (const Finding& one : context.findings)
    text += "  finding " + std::to_string(one.id) + ", " + oneLine(one.kind) + ": " + oneLine(one.summary) + "\n";
  for (const IncidentEvidence& card : incident.evidence)
    text += "  card " + oneLine(card.kind) + ": " + oneLine(card.title) + " (" + timesText(card.range) + ")\n";
  if (!incident.notes.empty()) text += "\n";
  std::istringstream notes(incident.notes);
  for (std::string line; std::getline(notes, line);) text += "  | " + oneLine(line) + "\n";
  return text;
}

}  // namespace runglass::ctl
