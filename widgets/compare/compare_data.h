// SPDX-License-Identifier: GPL-3.0-or-later
// CompareData: two attempts next to each other as the compare view shows them, read on a query worker.
//
// Threading:  readCompare() on a worker; the value is immutable afterwards.
// Ownership:  plots share their bins.
// Units:      ns, steps.
// Errors:     the Reader's. Nothing to compare is no error: `missing` names what to select.
// Cost:       as readComparison(); the lists of runs and attempts.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/compare/read_comparison.h"
#include "widgets/charts/plot_data.h"
#include "widgets/core/theme.h"

namespace runglass {

struct CompareText {
  Q_DECLARE_TR_FUNCTIONS(Compare)
};

struct CompareEntry {
  RunId run;
  std::int32_t attempt = 0;
  QString name;  // "pretrain / attempt 1"
  friend bool operator==(const CompareEntry& a, const CompareEntry& b) { return a.run == b.run && a.attempt == b.attempt; }
};

struct CompareRequest {
  RunId run;                         // selected
  std::optional<CompareEntry> a, b;  // as selected; absent: the newest attempt of the run against the one before it
  std::optional<std::int64_t> at_step;
};

struct CompareData {
  std::vector<CompareEntry> entries;  // newest runs first
  std::optional<CompareEntry> a, b;   // the compared attempts
  std::optional<std::int64_t> at_step;
  QString missing;  // reason why nothing is compared
  std::optional<ComparisonAnswer> answer;
  std::shared_ptr<const PlotData> plots;  // scalars of both by step, and the difference
  std::int64_t x0 = 0, x1 = 0;
};

Result<CompareData> readCompare(Reader& reader, const CompareRequest& request, std::stop_token stop);

}  // namespace runglass
