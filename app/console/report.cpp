// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/report.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "app/cli/options.h"
#include "app/cli/run_choice.h"
#include "app/cli/store_access.h"
#include "app/console/place.h"
#include "storage/reader_at.h"
#include "widgets/report/export_report.h"
#include "widgets/report/report_charts.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxSummary = 64U << 10;

Result<std::string> summaryFrom(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status(Code::kNotFound, "report: " + path + ": cannot be read");
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.size() > kMaxSummary) return Status(Code::kInvalidArgument, "report: " + path + ": a summary has at most 64 KiB");
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// The creation time; a build that must be reproducible sets SOURCE_DATE_EPOCH (reproducible-builds.org).
TimeNs madeNow() {
  const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");
  const std::string_view text = epoch != nullptr ? epoch : "";
  std::int64_t seconds = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool reported = error == std::errc() && end == text.data() + text.size() && seconds >= 0 && seconds < INT64_MAX / kNsPerSecond;
  return reported ? seconds * kNsPerSecond : wallNow();
}

}  // namespace

void ReportArguments::declare(Options options) {
  options.add("--store", store, "The store, a .rgl file; it may be written meanwhile").required();
  const Option of_incident = options.add("--incident", incident, "Report of this incident: id, uuid or first digits of the uuid");
  const Option of_finding = options.add("--finding", finding, "Report of this finding: finding_id of the relation finding");
  const Option of_run = options.add("--run", run, "Report of this run (default: the newest incident, else the newest run)");
  of_incident.excludes(of_finding).excludes(of_run);
  of_finding.excludes(of_run);
  options.add("--out", out, "Output folder; existing files are not overwritten").required();
  options.add("--format", format, "pdf, html, md, json, csv (a folder of tables), several with commas, or all").defaultShown();
  options.add("--paper", paper, "a4 or letter").oneOf({"a4", "letter"}).defaultShown();
  options.add("--redact", redact, "Replace these names: hosts,users,paths,addresses,tokens, or all");
  options.add("--price", price, "Price of a GPU-hour, in any currency").nonNegative();
  options.add("--summary", summary, "File with a summary that replaces the computed one");
  options.add("--at", at, "As of this moment: ns since 1970, or 2026-03-02T10:00:00Z");
}

Status makeReport(const ReportArguments& arguments, const std::string& program) {
  const auto formats = reportFormatsFromText(arguments.format);
  if (!formats || formats->empty())
    return {Code::kInvalidArgument, "--format " + arguments.format + ": expected pdf, html, md, json, csv or all"};
  const auto redact = report::redactClassesFromText(arguments.redact);
  if (!redact) return {Code::kInvalidArgument, "--redact " + arguments.redact + ": expected hosts, users, paths, addresses, tokens or all"};
  std::optional<TimeNs> moment;
  if (!arguments.at.empty()) {
    RG_ASSIGN(moment, parseMoment(arguments.at));
  }

  RG_ASSIGN(const auto store, openForReading(arguments.store));
  const std::unique_ptr<Reader> then = moment ? readerAt(*store, *moment) : nullptr;
  Reader* const reader = then ? then.get() : store.get();
  ReportRequest request{.question = {}, .redact = *redact};
  request.question.price = arguments.price, request.question.finding = arguments.finding;
  request.question.program = program, request.question.made = madeNow();
  if (moment) request.question.options.push_back("as the store was at " + arguments.at);
  if (!arguments.incident.empty()) {
    RG_ASSIGN(const Incident incident, wantedIncident(*reader, arguments.store, arguments.incident));
    request.question.incident = incident.uuid;
  }
  if (!arguments.run.empty()) {
    RG_ASSIGN(const Run run, wantedRun(*reader, arguments.store, arguments.run));
    request.question.run = run.id;
  }
  if (!arguments.summary.empty()) {
    RG_ASSIGN(request.question.summary, summaryFrom(arguments.summary));
  }
  RG_ASSIGN(const ReportData data, readReportData(*reader, request, {}));
  const ReportFiles files{.formats = *formats, .paper = arguments.paper == "letter" ? kLetter : kA4, .folder = arguments.out};
  RG_ASSIGN(const auto paths, writeReport(data, drawCharts(data.document), files, {}));
  for (const std::string& path : paths) std::printf("%s\n", path.c_str());
  return {};
}

}  // namespace runglass
