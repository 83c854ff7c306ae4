// SPDX-License-Identifier: Apache-2.0
// A report of an incident, of a finding or of a whole run, read from a store. It asks what the console's views ask, and reckons nothing
// of its own.
//
// Threading:  on the thread of the Reader.
// Units:      as ReportDocument.
// Errors:     the Reader's; NOT_FOUND: no such incident, finding or run; CANCELLED when `stop` fires.
// Cost:       as readIncidentAnswer() or readGoodput() and one ranking, and the logbook.
#pragma once

#include <stop_token>

#include "analysis/report/report_document.h"
#include "storage/reader.h"

namespace runglass::report {

inline constexpr std::size_t kMaxFindingRows = 100, kMaxRankRows = 40, kMaxTimelineRows = 120, kMaxLogbookRows = 400;
inline constexpr std::size_t kMaxHardwareRows = 60, kMaxLogLines = 60, kMaxFactRows = 100, kMaxCards = 40;

struct Question {
  // One of them; nothing: the newest incident that is not dismissed, else the run that runs or began last.
  std::optional<RunId> run;
  std::string incident;  // uuid
  std::optional<std::int64_t> finding;

  std::optional<double> price;  // of a GPU-hour, in any currency
  std::string summary;          // in place of the computed one; "": that
  std::string program;          // name and version of who asks
  std::optional<TimeNs> made;
  std::vector<std::string> options;
  bool pseudonyms = false;  // the Reader does not tell the nodes' own names
};

Result<ReportDocument> readReport(Reader& reader, const Question& question, std::stop_token stop);

}  // namespace runglass::report
