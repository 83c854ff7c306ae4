// SPDX-License-Identifier: GPL-3.0-or-later
// From a question to files: a report is read on a worker, its charts are drawn on the GUI thread, it is written on a worker.
//
// Threading:  readReportData() on the thread of the Reader; drawCharts() (report_charts.h) on the GUI thread; writeReport() on any.
// Ownership:  values; what was read is immutable.
// Units:      as ReportDocument.
// Errors:     readReport()'s; writeReport(): PERMISSION_DENIED or INTERNAL with the file's name, CANCELLED when `stop` fires. No file is
//             written over, and what is begun and not finished is removed.
// Cost:       as readReport() and readEvidence() for each card.
#pragma once

#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/report/read_report.h"
#include "analysis/report/redaction.h"
#include "widgets/report/report_pages.h"

namespace runglass {

enum class ReportFormat : std::uint8_t { kPdf, kHtml, kMarkdown, kJson, kCsv };
const char* reportFormatName(ReportFormat format);  // "pdf"; as the ending of its file
// "pdf,html" or "all"; absent: one of them is not known.
std::optional<std::set<ReportFormat>> reportFormatsFromText(std::string_view text);

struct ReportRequest {
  report::Question question;
  std::set<report::RedactClass> redact;
};

// What would be replaced, for who chooses; at most kMaxShown of each.
struct RedactionList {
  report::RedactClass what{};
  std::size_t count = 0;
  std::vector<report::Replacement> examples;
};
inline constexpr std::size_t kMaxShown = 200;

struct ReportData {
  report::ReportDocument document;
  std::vector<Evidence> evidence;  // of figuresOf(document)
  std::vector<RedactionList> redactions;
};

Result<ReportData> readReportData(Reader& reader, const ReportRequest& request, std::stop_token stop);

struct ReportFiles {
  std::set<ReportFormat> formats;
  Paper paper = kA4;
  std::string folder;  // is made where it is not there
};
// Paths, in the order of the formats. `progress`: how many of how many parts are done.
Result<std::vector<std::string>> writeReport(const ReportData& data, const std::vector<DrawnChart>& charts, const ReportFiles& files,
                                             std::stop_token stop, const std::function<void(std::size_t, std::size_t)>& progress = {});

}  // namespace runglass
