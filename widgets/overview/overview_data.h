// SPDX-License-Identifier: GPL-3.0-or-later
// OverviewData: all data of the overview of one run, read in one query on a query worker.
//
// Threading:  readOverview() on a worker; the value is immutable afterwards.
// Ownership:  plots share their bins.
// Units:      ns, steps; ratios.
// Errors:     the Reader's. Data missing from the store stays absent, with the reason.
// Cost:       bins of a few scalars plus the step times of every rank at kRankBins each; the goodput at every new step or 10 s.
#pragma once

#include <QCoreApplication>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/ranking/slow_verdict.h"
#include "analysis/views/newest_steps.h"
#include "widgets/charts/plot_data.h"
#include "widgets/charts/spike_marks.h"
#include "widgets/core/query_service.h"
#include "widgets/core/run_words.h"
#include "widgets/core/selection.h"
#include "widgets/core/theme.h"
#include "widgets/goodput/goodput_data.h"

namespace runglass {

struct OverviewText {
  Q_DECLARE_TR_FUNCTIONS(Overview)
};

inline constexpr std::size_t kRankBins = 400;

struct OverviewTile {
  QString title, value, note;  // title with the unit; note: the comparison
  QString why;                 // source and rule
  Severity severity = Severity::kInfo;
};

struct NodeSlowness {
  QString name;
  NodePace pace;
};

// The inputs of plots, besides the store.
struct PlotScope {
  RunId run;
  TimeWindow window;
  XAxis axis = XAxis::kTime;
  std::optional<std::pair<std::int64_t, std::int64_t>> steps;
  std::size_t pixels = 0;
  TimeStyle style = TimeStyle::kUtc;
  friend bool operator==(const PlotScope&, const PlotScope&) = default;
};

struct OverviewData {
  RunSummary summary;
  QString sentence;
  Severity sentence_severity = Severity::kInfo;
  std::vector<OverviewTile> tiles;
  std::shared_ptr<const PlotData> plots;
  std::int64_t x0 = 0, x1 = 0;
  bool has_times = true;                 // its curves can be drawn against time
  std::vector<NodeSlowness> slow_nodes;  // worst first, at most five
  StepBreakdown breakdown;
  std::shared_ptr<const SlowVerdict> slow;  // null in a quick answer
  std::vector<Finding> findings;            // most urgent first
  std::shared_ptr<const GoodputData> ledger;
  std::shared_ptr<const OverviewData> whole;  // for a moment in the past: the answer about now, with its plots
  PlotScope scope;
  bool complete = true;  // false: a quick answer, which omits the parts that read every rank's steps
  TimeNs read_at = 0;    // monotonic
};

struct OverviewQuestion {
  RunId run;
  TimeWindow window;
  XAxis axis = XAxis::kTime;
  std::optional<std::pair<std::int64_t, std::int64_t>> steps;  // window of the step axis; absent: all
  std::size_t pixels = 800;
  TimeStyle style = TimeStyle::kUtc;
  TimeNs now = 0;                                // by the clock
  std::optional<TimeNs> moment;                  // the playhead; absent: now
  std::shared_ptr<SpikeCache> spikes;            // of the view; null: no marks
  bool quick = false;                            // for many ranks: omits the parts that read every rank's steps, in a fraction of the time
  std::shared_ptr<SharedSlowVerdict> memory;     // of the view, for questions about now; null: a single question
  std::shared_ptr<const OverviewData> previous;  // the previous answer, if any: per-step data is reused from it
};

// Sentence, tiles and findings are as of the moment; plots show the whole run.
Result<OverviewData> readOverview(const MomentReaders& readers, const OverviewQuestion& question, std::stop_token stop);

}  // namespace runglass
