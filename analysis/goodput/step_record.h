// SPDX-License-Identifier: Apache-2.0
// The steps of one attempt as inputs of `Ledger`: when each began and ended, from the best source.
//
// Threading:  on the thread of the Reader.
// Units:      TimeNs, steps.
// Errors:     the Reader's; CANCELLED when `stop` fires. Without a clock there are durations at most.
// Cost:       one scalar series of the attempt and its phases: 24 bytes per step read.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/goodput/ledger.h"
#include "storage/reader.h"

namespace runglass {

struct StepRecord {
  std::vector<LedgerStep> steps;  // by time
  std::vector<DurNs> durations;   // of all but the first, where there is no clock
  std::string source;             // "step_time_ns of rank 0", "times of \"lm loss\""; empty: no steps recorded
};

// A rank's own step times (the lowest rank among those that recorded nearly the maximum number of steps: one may fall silent while the job
// continues), else a log's, whose stamp is a step's end and whose lines may summarize several steps; else the times between points of a
// scalar (the loss if there is one): a step that took more than kLongStep times the median is then cut to the median, and the rest is
// unexplained.
Result<StepRecord> readSteps(Reader& reader, AttemptId attempt, std::span<const Series> of_attempt, std::stop_token stop);

inline constexpr double kLongStep = 5;

}  // namespace runglass
