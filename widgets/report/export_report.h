// SPDX-License-Identifier: GPL-3.0-or-later
// From a question to files: a report is read on a worker, its charts are drawn on the GUI thread, and it is written on a worker.
//
// Threading:  readReportData() on the thread of the Reader; drawCharts() (report_charts.h) on the GUI thread; writeReport() on any.
// Ownership:  the data read is immutable.
// Units:      as ReportDocument.
// Errors:     readReport()'s; writeReport(): PERMISSION_DENIED or INTERNAL with the file's name, CANCELLED when `stop` fires. No file is
//             overwritten, and an unfinished export is removed.
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
const char* reportFormatName(ReportFormat format);  // "pdf"; also the file's suffix
// "pdf,html" or "all"; absent: an unknown format.
std::optional<std::set<ReportFormat>> reportFormatsFromText(std::string_view text);

struct ReportRequest {
  report::Question question;
  std::set<report::RedactClass> redact;
};

// The strings that would be replaced, for the user to choose; at most kMaxShown of each.
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
  std::string folder;  // created if it does not exist
};
// Returns the paths, in the order of the formats. `progress`: parts done, of how many.
Result<std::vector<std::string>> writeReport(const ReportData& data, const std::vector<DrawnChart>& charts, const ReportFiles& files,
                                             std::stop_token stop, const std::function<void(std::size_t, std::size_t)>& progress = {});

}  // namespace runglass
