// SPDX-License-Identifier: GPL-3.0-or-later
// EstimateInput: the input of the estimators, filled from a run where it recorded the values, and their results as text with formulas.
//
// Threading:  readEstimateInput() on a query worker; the rest on any thread.
// Units:      FLOP/s, seconds, tokens; ratios. Absent: not known; results that depend on it are absent.
// Errors:     the Reader's.
// Cost:       as readGoodputData().
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "analysis/estimate/memory.h"
#include "analysis/estimate/training_time.h"
#include "analysis/statistics/failures.h"
#include "widgets/core/run_words.h"

namespace runglass {

struct EstimateInput {
  std::optional<double> parameters, tokens, gpus;
  QString device;  // a name in the catalogue; empty: none
  std::optional<double> mfu;
  Recompute recompute = Recompute::kNone;
  int dp = 1, pp = 1, tp = 1, zero = 0;
  bool sequence_parallel = false;
  std::optional<double> layers, hidden, heads, sequence, micro_batch;
  std::optional<double> failures_per_gpu_day = kFieldFailuresPerGpuDay;
  std::optional<double> save_s, mtbf_s;
  QString from;  // source of the filled-in values
};

struct EstimateLine {
  QString title, value, formula;  // value kAbsentText: `formula` names the missing input
};

Result<EstimateInput> readEstimateInput(Reader& reader, const RunSummary& summary, TimeNs now, std::stop_token stop);
std::vector<EstimateLine> estimateLines(const EstimateInput& input);
// "175e9", "175 B", "1.4T", "8,192"; absent: not a positive number.
std::optional<double> typedNumber(const QString& text);
QString numberToType(std::optional<double> value);

}  // namespace runglass
