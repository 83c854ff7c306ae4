// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_findings.h"

#include "analysis/engine/analysis.h"

namespace runglass {

Result<std::vector<Finding>> findAll(Reader& reader, const Run& run, std::stop_token stop) {
  std::vector<Finding> all;
  for (const AnalysisEntry& entry : analyses()) {
    auto found = entry.make()->look({.reader = reader, .run = run.id, .now = {}, .stop = stop});
    if (!found.ok()) return Status(found.status().code(), "analysis " + std::string(entry.name) + ": " + found.status().message());
    for (Finding& finding : *found) {
      finding.run = run.id;
      all.push_back(std::move(finding));
    }
  }
  return all;
}

}  // namespace runglass
