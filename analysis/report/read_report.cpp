// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/read_report.h"

#include <algorithm>

#include "analysis/incident/incident_words.h"
#include "analysis/incident/read_proposals.h"
#include "analysis/report/report_builder.h"
#include "analysis/run_summary/run_summary.h"
#include "model/issue_catalog.h"
#include "model/number_text.h"

namespace runglass::report {
namespace {

struct Subject {
  RunId run;
  std::optional<Incident> incident;
  std::optional<Finding> finding;
};

Result<Subject> subjectOf(Reader& reader, const Question& question) {
  if (!question.incident.empty()) {
    RG_ASSIGN(Incident incident, reader.incident(question.incident));
    const RunId run = incident.run;
    return Subject{.run = run, .incident = std::move(incident), .finding = {}};
  }
  if (question.finding) {
    RG_ASSIGN(const auto findings, reader.findings(std::nullopt));
    const auto found = std::ranges::find(findings, *question.finding, &Finding::id);
    if (found == findings.end()) return Status(Code::kNotFound, "report: there is no finding " + std::to_string(*question.finding));
    return Subject{.run = found->run, .incident = {}, .finding = *found};
  }
  if (question.run) return Subject{.run = *question.run, .incident = {}, .finding = {}};
  RG_ASSIGN(const auto incidents, reader.incidents(std::nullopt));
  const auto newest = std::ranges::find_if(incidents, [](const Incident& one) { return one.state != IncidentState::kDismissed; });
  if (newest != incidents.end()) return Subject{.run = newest->run, .incident = *newest, .finding = {}};
  return Subject{};
}

// Comes first: figures from a damaged store may be too small.
Status addDamage(Builder& build) {
  RG_ASSIGN(auto issues, build.reader().issues());
  std::erase_if(issues, [](const Issue& issue) { return !meansMissingData(issue.code); });
  if (issues.empty()) return {};
  BulletList list;
  for (const Issue& issue : issues) list.items.push_back(issue.detail);
  Section section{.title = "Missing data", .link = build.link("health", std::nullopt), .blocks = {}};
  section.blocks.push_back(Paragraph{"Part of the data could not be read. Figures of this report may be too small."});
  section.blocks.push_back(std::move(list));
  auto& sections = build.document().sections;
  sections.insert(sections.begin(), std::move(section));
  return {};
}

// A single finding is reported as an incident with one finding.
Incident incidentOf(const Finding& finding) {
  Incident incident;
  incident.run = finding.run, incident.attempt = finding.attempt, incident.severity = finding.severity;
  incident.findings = {finding.id};
  return incident;
}

}  // namespace

Result<ReportDocument> readReport(Reader& reader, const Question& question, std::stop_token stop) {
  const auto held = reader.hold();
  RG_ASSIGN(const Subject subject, subjectOf(reader, question));
  RG_ASSIGN(const Run run, chooseRun(reader, subject.run));
  RG_ASSIGN(const StoreInfo info, reader.info());
  RG_ASSIGN(const RunPlaces places, readRunPlaces(reader, run, stop));
  Known known;
  RG_ASSIGN(known.findings, reader.findings(run.id));
  RG_ASSIGN(known.incidents, reader.incidents(run.id));

  ReportDocument out;
  out.kind = subject.incident ? "incident" : subject.finding ? "finding" : "run";
  out.summary = question.summary, out.summary_edited = !question.summary.empty();
  out.provenance = {.store_uuid = info.store_uuid,
                    .run_uuid = run.uuid,
                    .run = run.name,
                    .program = question.program,
                    .schema_version = info.schema_version,
                    .clock = run.time_domain.value_or(TimeDomain::kUtc),
                    .made = question.made,
                    .range = {},
                    .options = question.options,
                    .pseudonyms = question.pseudonyms,
                    .redactions = {}};
  if (question.price) out.provenance.options.push_back("price of a GPU-hour: " + moneyText(*question.price));
  Builder build(reader, run, places, out, stop);
  if (subject.incident)
    RG_TRY(addIncident(build, *subject.incident, known, question.price, stop));
  else if (subject.finding)
    RG_TRY(addIncident(build, incidentOf(*subject.finding), known, question.price, stop));
  else
    RG_TRY(addRun(build, known, question.price, stop));
  if (stop.stop_requested()) return Status(Code::kCancelled, "report: superseded");
  RG_TRY(addDamage(build));
  return out;
}

}  // namespace runglass::report
