// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/incident_answer_text.h"

#include <cstdio>

#include "app/cli/json_value.h"
#include "app/cli/output.h"
#include "model/number_text.h"
#include "model/time_text.h"

namespace runglass::ctl {
namespace {

constexpr std::size_t kTextSuspects = 5, kTextEntries = 12;

template <class T>
Json reportedJson(const Reported<T>& reported) {
  return {{"value", orNull(reported.value)},
          {"at_least", reported.at_least},
          {"reason", orNull(reported.reason)},
          {"sql", orNull(reported.sql)}};
}

template <class T, class Words>
std::string reportedText(const char* name, const Reported<T>& reported, Words words) {
  std::string text = std::string("  ") + name + ": ";
  if (reported.value) text += (reported.at_least ? "at least " : "") + words(*reported.value);
  if (!reported.value || reported.at_least) text += (reported.value ? "; " : "not known: ") + oneLine(reported.reason);
  return text + "\n";
}

Json impactJson(const IncidentImpact& impact) {
  Json items = Json::array();
  for (const CostItem& item : impact.items)
    items.push_back({{"what", item.what},
                     {"attempt", item.attempt},
                     {"time_ns", item.time},
                     {"gpu_hours", orNull(item.gpu_hours)},
                     {"finding_id", item.finding > 0 ? Json(item.finding) : Json()},
                     {"sql", orNull(item.sql)}});
  return {{"duration_ns", reportedJson(impact.duration)},
          {"lost_steps", reportedJson(impact.lost_steps)},
          {"lost_time_ns", reportedJson(impact.lost_time)},
          {"gpu_hours", reportedJson(impact.gpu_hours)},
          {"money", reportedJson(impact.money)},
          {"goes_on", impact.goes_on},
          {"also_in", impact.also_in},
          {"items", std::move(items)}};
}

Json timelineJson(const Timeline& timeline) {
  Json entries = Json::array();
  for (const TimelineEntry& entry : timeline.entries)
    entries.push_back({{"time_ns", entry.time},
                       {"until_ns", orNull(entry.until)},
                       {"step", orNull(entry.step)},
                       {"lane", entry.lane == IncidentLane::kHappened ? "happened" : "known"},
                       {"kind", entry.kind},
                       {"severity", severityName(entry.severity)},
                       {"text", entry.text.english},
                       {"count", entry.count}});
  return {{"entries", std::move(entries)}, {"left_out", timeline.left_out}};
}

Json cardsJson(const std::vector<IncidentEvidence>& cards) {
  Json all = Json::array();
  for (const IncidentEvidence& card : cards)
    all.push_back({{"kind", card.kind},
                   {"title", card.title},
                   {"caption", orNull(card.caption)},
                   {"start_ns", card.range ? Json(card.range->t0) : Json()},
                   {"end_ns", card.range ? Json(card.range->t1) : Json()},
                   {"select", orNull(card.select)}});
  return all;
}

Json qualityJson(const DataQuality& quality) {
  Json issues = Json::array();
  for (const QualityIssue& issue : quality.issues) issues.push_back({{"code", issue.code}, {"count", issue.count}});
  return {{"ranks_told", reportedJson(quality.ranks_reported)},
          {"ranks", quality.ranks},
          {"series_told", reportedJson(quality.series_reported)},
          {"series", quality.series},
          {"lost", reportedJson(quality.lost)},
          {"clock_error_ns", reportedJson(quality.clock_error)},
          {"coverage", orNull(quality.least_coverage)},
          {"issues", std::move(issues)}};
}

std::string gpuHours(double value) { return gpuHoursText(value); }
std::string money(double value) { return moneyText(value); }
std::string count(std::int64_t value) { return countText(value); }

}  // namespace

Json answerJson(const IncidentAnswer& answer) {
  Json json = {{"sentence", answer.sentence.english},
               {"impact", impactJson(answer.impact)},
               {"timeline", timelineJson(answer.timeline)},
               {"suspects", Json::array()},
               {"suspects_reason", orNull(answer.suspects_reason)},
               {"ruled_out", Json::array()},
               {"changes", Json::array()},
               {"changes_reason", orNull(answer.changes_reason)},
               {"nodes_gone", answer.nodes.gone},
               {"nodes_come", answer.nodes.come},
               {"quality", qualityJson(answer.quality)},
               {"environment", Json::array()},
               {"cards", cardsJson(answer.cards)}};
  for (const IncidentSuspect& suspect : answer.suspects)
    json["suspects"].push_back({{"what", suspect.what},
                                {"rank", orNull(suspect.rank)},
                                {"node", orNull(suspect.node)},
                                {"score", orNull(suspect.score)},
                                {"score_kind", orNull(suspect.score_kind)},
                                {"why", suspect.why.english},
                                {"sql", orNull(suspect.sql)}});
  for (const RuledOut& one : answer.ruled_out)
    json["ruled_out"].push_back({{"what", one.what.english}, {"why", one.why.english}, {"sql", orNull(one.sql)}});
  for (const FactDelta& fact : answer.changes)
    json["changes"].push_back({{"key", fact.key}, {"before", orNull(fact.a)}, {"now", orNull(fact.b)}});
  for (const EnvironmentFact& fact : answer.environment)
    json["environment"].push_back({{"key", fact.key}, {"value", fact.value}, {"values", fact.values}});
  return json;
}

std::string answerText(const IncidentAnswer& answer) {
  const IncidentImpact& impact = answer.impact;
  std::string text = answer.incident.summary == answer.sentence.english ? "" : "  " + oneLine(answer.sentence.english) + "\n";
  text += reportedText("lost steps", impact.lost_steps, count);
  text += reportedText("lost time", impact.lost_time, durationText);
  text += reportedText("GPU-hours", impact.gpu_hours, gpuHours);
  if (impact.money.value) text += reportedText("money", impact.money, money);
  for (const CostItem& item : impact.items)
    text += "    " + durationText(item.time) + " " + oneLine(item.what) + ", attempt " + std::to_string(item.attempt) + "\n";
  for (const std::string& title : impact.also_in) text += "    some of it is counted too in: " + oneLine(title) + "\n";
  for (std::size_t i = 0; i < answer.suspects.size() && i < kTextSuspects; ++i)
    text += "  suspect: " + oneLine(answer.suspects[i].what) + ": " + oneLine(answer.suspects[i].why.english) + "\n";
  if (answer.suspects.empty()) text += "  suspects: none: " + oneLine(answer.suspects_reason) + "\n";
  for (const RuledOut& one : answer.ruled_out) text += "  ruled out: " + oneLine(one.what.english) + ": " + oneLine(one.why.english) + "\n";
  for (std::size_t i = 0; i < answer.timeline.entries.size() && i < kTextEntries; ++i) {
    const TimelineEntry& entry = answer.timeline.entries[i];
    text += "  " + utcText(entry.time) + (entry.lane == IncidentLane::kKnown ? " known: " : " ") + oneLine(entry.text.english) + "\n";
  }
  if (answer.timeline.entries.size() > kTextEntries)
    text += "  " + std::to_string(answer.timeline.entries.size() - kTextEntries) + " more entries: --json\n";
  return text;
}

Json proposalsJson(const Proposals& proposals) {
  Json json = {{"proposals", Json::array()}, {"findings_left_out", proposals.left_out}};
  for (const IncidentProposal& one : proposals.all)
    json["proposals"].push_back({{"key", one.key},
                                 {"title", one.incident.title},
                                 {"summary", orNull(one.incident.summary)},
                                 {"severity", severityName(one.incident.severity)},
                                 {"start_ns", one.incident.range ? Json(one.incident.range->t0) : Json()},
                                 {"end_ns", one.incident.range ? Json(one.incident.range->t1) : Json()},
                                 {"findings", one.incident.findings},
                                 {"joins", orNull(one.joins)},
                                 {"score", one.score},
                                 {"cards", cardsJson(one.incident.evidence)}});
  return json;
}

std::string proposalsText(const Proposals& proposals) {
  std::string text;
  for (const IncidentProposal& one : proposals.all)
    text += one.key + "  " + severityName(one.incident.severity) + "  " + oneLine(one.incident.title) + " (" +
            std::to_string(one.incident.findings.size()) + (one.incident.findings.size() == 1 ? " finding)" : " findings)") +
            (one.joins.empty() ? "" : ", joins " + one.joins) + "\n";
  if (proposals.left_out > 0) text += std::to_string(proposals.left_out) + " findings were left out: they are too many\n";
  return text.empty() ? "nothing to propose\n" : text;
}

}  // namespace runglass::ctl
