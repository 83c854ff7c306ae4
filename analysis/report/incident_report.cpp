// SPDX-License-Identifier: Apache-2.0
// The sections of an incident, from analysis/incident, in reading order.
#include <algorithm>

#include "analysis/incident/incident_answer.h"
#include "analysis/incident/incident_words.h"
#include "analysis/report/read_report.h"
#include "analysis/report/report_builder.h"
#include "model/incident_causes.h"
#include "model/number_text.h"
#include "model/time_ranges.h"
#include "model/time_text.h"

namespace runglass::report {
namespace {

constexpr DurNs kLogbookMargin = 600 * kNsPerSecond;
constexpr std::size_t kMaxText = 600;
constexpr std::string_view kHow =
    "goodput and the findings' shares of it (docs/guide/incident_answers.md, docs/guide/goodput.md); runglassctl incident show";
constexpr std::string_view kHowScored =
    "its finding or the ranking (docs/guide/incident_answers.md, docs/guide/ranking.md); runglassctl incident show";

class IncidentSections {
 public:
  IncidentSections(Builder& build, const IncidentAnswer& answer) : m_build(build), m_a(answer) {}

  void impact() {
    Section& section = m_build.section("Impact", m_build.link("overview", m_a.shown));
    const IncidentImpact& impact = m_a.impact;
    KeyFigures figures;
    const auto add = [&](KeyFigure figure) { figures.figures.push_back(std::move(figure)); };
    add(m_build.figure(impact.goes_on ? "Lasts so far" : "Lasted", impact.duration, "ns",
                       impact.duration.value ? shortDurationText(*impact.duration.value) : "", kHow));
    add(m_build.figure("Steps lost", impact.lost_steps, "steps", impact.lost_steps.value ? countText(*impact.lost_steps.value) : "", kHow));
    add(m_build.figure("Wall time lost", impact.lost_time, "ns", impact.lost_time.value ? shortDurationText(*impact.lost_time.value) : "",
                       kHow));
    add(m_build.figure("GPU-hours lost", impact.gpu_hours, "gpu_hours", impact.gpu_hours.value ? gpuHoursText(*impact.gpu_hours.value) : "",
                       kHow));
    add(m_build.figure("Money", impact.money, "money", impact.money.value ? moneyText(*impact.money.value) : "",
                       "GPU-hours lost times the price of one"));
    section.blocks.push_back(std::move(figures));
    for (const std::string& title : impact.also_in)
      section.blocks.push_back(
          Paragraph{"Some of the lost time is counted in the incident “" + title + "” too: the two do not add up.", true});
    if (impact.items.empty()) return;
    Table table{.name = "cost",
                .caption = "What the lost time is made of",
                .columns = {{"What", "what", false, 3},
                            {"Attempt", "attempt", true},
                            {"Time", "time_ns", true},
                            {"GPU-hours", "gpu_hours", true},
                            {"SQL", "sql"}},
                .rows = {},
                .left_out = {}};
    BarChart chart{.caption = "Lost time by cause", .unit = "ns", .labels = {}, .parts = {{"time", {}}}};
    for (const CostItem& item : impact.items) {
      const std::string what = item.what + ", attempt " + std::to_string(item.attempt);
      const SqlRef sql = m_build.query(what, item.sql, static_cast<double>(item.time), kHow);
      table.rows.push_back(
          {textCell(item.what), countCell(item.attempt), durationCell(item.time), numberCell(item.gpu_hours), sqlCell(sql)});
      chart.labels.push_back(item.what + " (" + std::to_string(item.attempt) + ")");
      chart.parts[0].values.emplace_back(static_cast<double>(item.time));
    }
    section.blocks.push_back(std::move(table));
    if (chart.labels.size() > 1) section.blocks.push_back(std::move(chart));
  }

  void timeline() {
    Section& section = m_build.section("Timeline", m_build.link("timeline", m_a.shown));
    if (m_a.timeline.entries.empty()) {
      section.blocks.push_back(
          Paragraph{m_a.range ? "Nothing is recorded for this time." : "There is no timeline: none of its findings has a time.", true});
      return;
    }
    // Two lanes: what happened, and what was known when; as a picture and as a table.
    const TimeRange range = m_a.range.value_or(TimeRange{m_a.timeline.entries.front().time, m_a.timeline.entries.back().time});
    section.blocks.push_back(FigureReference{
        .card = {.kind = "lanes", .title = "What happened, and what was known when", .caption = {}, .range = m_a.range, .select = {}},
        .run = m_build.run().id,
        .attempt = m_a.attempt ? m_a.attempt->id : AttemptId{},
        .link = m_build.link("incidents", m_a.range, selectOfIncident()),
        .lanes = Lanes{m_a.timeline.entries, range, firstSign(m_a).value_or(range.t0)}});
    Table table{.name = "timeline",
                .caption = "What happened, and what was known when",
                .columns = {{"When", "time_ns"},
                            {"Step", "step", true},
                            {"What happened", "happened", false, 3},
                            {"What was known", "known", false, 3}},
                .rows = {},
                .left_out = {}};
    for (const TimelineEntry& entry : m_a.timeline.entries) {
      if (table.rows.size() == kMaxTimelineRows) break;
      std::string text = oneLineOf(entry.text.english, kMaxText);
      if (entry.severity >= Severity::kError) text += std::string(" [") + severityName(entry.severity) + "]";
      const bool known = entry.lane == IncidentLane::kKnown;
      table.rows.push_back(
          {m_build.timeCell(entry.time), countCell(entry.step), known ? Cell{} : textCell(text), known ? textCell(text) : Cell{}});
    }
    // If nothing was published or captured, the empty column is left out.
    if (std::ranges::none_of(m_a.timeline.entries, [](const TimelineEntry& one) { return one.lane == IncidentLane::kKnown; })) {
      table.columns.pop_back();
      for (std::vector<Cell>& row : table.rows) row.pop_back();
    }
    const std::size_t more = m_a.timeline.entries.size() - table.rows.size() + m_a.timeline.left_out;
    if (more > 0) table.left_out = countText(static_cast<std::int64_t>(more)) + " more entries are not listed.";
    section.blocks.push_back(std::move(table));
  }

  void suspects() {
    Section& section = m_build.section("Suspects", m_build.link("ranking", m_a.shown));
    if (m_a.suspects.empty()) {
      section.blocks.push_back(Paragraph{"None: " + m_a.suspects_reason + ".", true});
      return;
    }
    Table table{.name = "suspects",
                .caption = "Suspects, the first one first; a score is of the kind beside it",
                .columns = {{"", "place", true},
                            {"Suspect", "suspect", false, 1.2},
                            {"Score", "score", true},
                            {"Kind", "score_kind"},
                            {"Why", "why", false, 4},
                            {"SQL", "sql"}},
                .rows = {},
                .left_out = {}};
    for (const IncidentSuspect& one : m_a.suspects) {
      std::string kind = one.score_kind;
      std::ranges::replace(kind, '_', ' ');
      const bool ratio = one.score_kind == "confidence" || one.score_kind.ends_with("_ratio");
      table.rows.push_back({countCell(static_cast<std::int64_t>(table.rows.size()) + 1), textCell(one.what),
                            ratio ? ratioCell(one.score) : numberCell(one.score), textCell(std::move(kind)),
                            textCell(oneLineOf(one.why.english, kMaxText)),
                            sqlCell(m_build.query("suspect: " + one.what, one.sql, one.score, kHowScored))});
    }
    section.blocks.push_back(std::move(table));
  }

  // The user's cards, else those suggested by the analyses.
  void evidence() {
    const std::vector<IncidentEvidence>& cards = m_a.incident.evidence.empty() ? m_a.cards : m_a.incident.evidence;
    if (cards.empty()) return;
    Section& section = m_build.section("Evidence", m_build.link("incidents", m_a.shown, selectOfIncident()));
    for (const IncidentEvidence& card : cards) {
      if (section.blocks.size() == kMaxCards) break;
      // The finding's text is printed above; the caption below a picture describes the picture.
      IncidentEvidence shown = card;
      if (std::ranges::any_of(m_a.findings, [&](const Finding& one) { return oneLineOf(one.summary, kMaxSummary) == shown.caption; }))
        shown.caption.clear();
      section.blocks.push_back(FigureReference{.card = std::move(shown),
                                               .run = m_build.run().id,
                                               .attempt = m_a.attempt ? m_a.attempt->id : AttemptId{},
                                               .link = m_build.link(viewOf(card.kind), card.range, card.select)});
    }
  }

  void ruledOut() {
    Section& section = m_build.section("What was ruled out");
    if (m_a.ruled_out.empty()) {
      section.blocks.push_back(Paragraph{"The recorded data rules nothing out.", true});
      return;
    }
    Table table{.name = "ruled-out",
                .caption = "Looked at, and not the cause",
                .columns = {{"What", "what", false, 1.3}, {"Because", "why", false, 4}, {"SQL", "sql"}},
                .rows = {},
                .left_out = {}};
    for (const RuledOut& one : m_a.ruled_out)
      table.rows.push_back(
          {textCell(one.what.english), textCell(one.why.english), sqlCell(m_build.query("ruled out: " + one.what.english, one.sql))});
    section.blocks.push_back(std::move(table));
  }

  void quality() { addQuality(m_build, m_a.quality); }

  void changes() {
    Section& section = m_build.section("Differences to the attempt before", m_build.link("compare", std::nullopt));
    for (const auto& [nodes, words] : {std::pair{&m_a.nodes.gone, "Nodes that are gone: "}, std::pair{&m_a.nodes.come, "New nodes: "}}) {
      std::string names;
      for (const std::string& name : *nodes) names += (names.empty() ? "" : ", ") + name;
      if (!names.empty()) section.blocks.push_back(Paragraph{words + names + "."});
    }
    if (m_a.changes.empty()) {
      const std::string why = m_a.changes_reason.empty() ? "both attempts recorded the same" : m_a.changes_reason;
      section.blocks.push_back(Paragraph{"No setting is different: " + why + ".", true});
      return;
    }
    Table table{.name = "changes",
                .caption = m_a.before ? "Settings of attempt " + std::to_string(m_a.before->number) + " and of attempt " +
                                            std::to_string(m_a.attempt->number)
                                      : "Settings before and now",
                .columns = {{"Setting", "key", false, 1.2}, {"Before", "before", false, 2}, {"Now", "now", false, 2}},
                .rows = {},
                .left_out = {}};
    for (const FactDelta& fact : m_a.changes) {
      if (table.rows.size() == kMaxFactRows) break;
      const auto value = [](const std::optional<std::string>& one) { return one ? textCell(oneLineOf(*one, kMaxText)) : textCell({}); };
      table.rows.push_back({textCell(fact.key), value(fact.a), value(fact.b)});
    }
    section.blocks.push_back(std::move(table));
  }

  void environment() { addEnvironment(m_build, m_a.environment); }

 private:
  static Cell sqlCell(SqlRef ref) { return ref == 0 ? textCell({}) : Cell{static_cast<std::int64_t>(ref), "S" + std::to_string(ref)}; }
  static std::string_view viewOf(std::string_view kind) {
    if (kind == "loss" || kind == "series") return "curves";
    if (kind == "device") return "gpus";
    if (kind == "log") return "events";
    return kind == "steps" ? "ranking" : "timeline";
  }
  std::string selectOfIncident() const { return m_a.incident.uuid.empty() ? std::string() : "incident=" + m_a.incident.uuid; }

  Builder& m_build;
  const IncidentAnswer& m_a;
};

std::string factsLine(const Builder& build, const IncidentAnswer& answer) {
  std::string line;
  const auto add = [&](const std::string& part) { line += (line.empty() ? "" : " · ") + part; };
  add("State: " + std::string(incidentStateName(answer.incident.state)));
  add("Severity: " + std::string(severityName(answer.incident.severity)));
  if (const IncidentCause* cause = findIncidentCause(answer.incident.cause))
    add("Root cause: " + std::string(cause->words) + " (" + causeGroupName(cause->group) + ")");
  else
    add("Root cause: not said");
  if (answer.range) {
    std::string range = "From " + build.timeText(answer.range->t0);
    if (answer.range->t1 != INT64_MAX) range += " to " + build.timeText(answer.range->t1);
    add(range);
  }
  if (answer.attempt) add("Attempt " + std::to_string(answer.attempt->number));
  return line;
}

}  // namespace

Status addIncident(Builder& build, const Incident& incident, const Known& known, std::optional<double> price, std::stop_token stop) {
  RG_ASSIGN(
      const IncidentAnswer answer,
      readIncidentAnswer(build.reader(), {.run = build.run(), .incident = incident, .findings = known.findings, .price = price}, stop));
  ReportDocument& out = build.document();
  if (out.title.empty()) out.title = answer.title.english.empty() ? "Incident" : answer.title.english;
  out.provenance.range = answer.range;
  out.link =
      incident.uuid.empty() ? build.link("findings", answer.shown) : build.link("incidents", answer.shown, "incident=" + incident.uuid);
  if (out.summary.empty()) {
    out.summary = answer.sentence.english;
    if (!out.summary.empty() && !out.summary.ends_with('.')) out.summary += '.';
    if (out.summary.empty()) out.summary = "No finding belongs to this incident, and it has no summary.";
  }
  IncidentSections sections(build, answer);
  sections.impact();
  build.document().sections.front().blocks.insert(build.document().sections.front().blocks.begin(), Paragraph{factsLine(build, answer)});
  addNextSteps(build, answer.next_steps,
               answer.findings.empty() ? "No finding belongs to it: no advice." : "The catalogue has no advice for these findings.");
  sections.timeline();
  sections.suspects();
  sections.evidence();
  if (!answer.findings.empty()) {
    std::vector<const Finding*> members;
    for (const Finding& one : answer.findings) members.push_back(&one);
    build.section("Findings", build.link("findings", answer.shown))
        .blocks.push_back(findingTable(build, members, "findings", "Findings that belong to it, the root first"));
  }
  RG_TRY(addHardware(build, answer.shown, stop));
  sections.ruledOut();
  sections.quality();
  sections.changes();
  sections.environment();
  RG_TRY(addLogLines(build, answer.shown, stop));
  const std::optional<TimeRange> around = answer.range ? std::optional(widened(*answer.range, kLogbookMargin)) : std::nullopt;
  if (around) RG_TRY(addLogbook(build, known.findings, known.incidents, around, stop));
  RG_ASSIGN(const auto notes, build.reader().notes(build.run().id));
  addNotes(build, incident.notes, around ? std::span<const runglass::Note>(notes) : std::span<const runglass::Note>(), around);
  return {};
}

}  // namespace runglass::report
