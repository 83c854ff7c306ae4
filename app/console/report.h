// SPDX-License-Identifier: GPL-3.0-or-later
// `runglass report`: a report of an incident, a finding or a run as files, without a window; also for a store that is being written.
//
// Threading:  GUI thread, because charts are laid out in a scene.
// Units:      --at in ns since 1970, or as 2026-03-02T10:00:00Z.
// Errors:     INVALID_ARGUMENT: wrong usage; otherwise those of readReportData() and writeReport().
// Cost:       that of the report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/result.h"

namespace runglass {

class Options;

struct ReportArguments {
  std::string store, incident, run, out, format = "pdf,html", paper = "a4", redact, summary, at;
  std::optional<std::int64_t> finding;
  std::optional<double> price;
  void declare(Options options);
};

// Prints the path of each file.
Status makeReport(const ReportArguments& arguments, const std::string& program);

}  // namespace runglass
