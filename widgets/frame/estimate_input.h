// SPDX-License-Identifier: GPL-3.0-or-later
// EstimateInput: what the estimators are asked, filled from a run where it said so, and their answers in words with their formulas.
//
// Threading:  readEstimateInput() on a query worker; the rest anywhere.
// Ownership:  values.
// Units:      FLOP/s, seconds, tokens; ratios. Absent: not known, and what needs it is not answered.
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
  QString device;  // a name of the catalogue; empty: none
  std::optional<double> mfu;
  Recompute recompute = Recompute::kNone;
  int dp = 1, pp = 1, tp = 1, zero = 0;
  bool sequence_parallel = false;
  std::optional<double> layers, hidden, heads, sequence, micro_batch;
  std::optional<double> failures_per_gpu_day = kFieldFailuresPerGpuDay;
  std::optional<double> save_s, mtbf_s;
  QString from;  // where what is filled in came from
};

struct EstimateLine {
  QString title, value, formula;  // value kAbsentText: `formula` says what is missing
};

Result<EstimateInput> readEstimateInput(Reader& reader, const RunSummary& summary, TimeNs now, std::stop_token stop);
std::vector<EstimateLine> estimateLines(const EstimateInput& input);
// "175e9", "175 B", "1.4T", "8,192"; absent: no positive number.
std::optional<double> typedNumber(const QString& text);
QString numberToType(std::optional<double> value);

}  // namespace runglass
