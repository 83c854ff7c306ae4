// SPDX-License-Identifier: Apache-2.0
// Reads a report of an incident, a finding or a whole run from a store. It uses the queries of the console's views and computes nothing of
// its own.
//
// Threading:  on the thread of the Reader.
// Units:      as ReportDocument.
// Errors:     the Reader's; NOT_FOUND: no such incident, finding or run; CANCELLED when `stop` fires.
// Cost:       as readIncidentAnswer() or readGoodput(), one ranking and the run log.
#pragma once

#include <stop_token>

#include "analysis/report/report_document.h"
#include "storage/reader.h"

namespace runglass::report {

inline constexpr std::size_t kMaxFindingRows = 100, kMaxRankRows = 40, kMaxTimelineRows = 120, kMaxLogbookRows = 400;
inline constexpr std::size_t kMaxHardwareRows = 60, kMaxLogLines = 60, kMaxFactRows = 100, kMaxCards = 40;

struct Question {
  // At most one of them is set; none: the newest incident that is not dismissed, else the run that is running or started last.
  std::optional<RunId> run;
  std::string incident;  // uuid
  std::optional<std::int64_t> finding;

  std::optional<double> price;  // per GPU-hour, in any currency
  std::string summary;          // replaces the computed one; "": computed
  std::string program;          // name and version of the calling program
  std::optional<TimeNs> made;
  std::vector<std::string> options;
  bool pseudonyms = false;  // the Reader returns no real node names
};

Result<ReportDocument> readReport(Reader& reader, const Question& question, std::stop_token stop);

}  // namespace runglass::report
