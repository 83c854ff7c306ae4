// SPDX-License-Identifier: Apache-2.0
// The steps of one attempt as the ledger wants them: when each began and ended, told by whoever told it best.
//
// Threading:  on the thread of the Reader.
// Ownership:  values.
// Units:      TimeNs, steps.
// Errors:     the Reader's; CANCELLED when `stop` fires. Without a clock there are durations at most.
// Cost:       one scalar series of the attempt and its phases: 24 bytes a step read.
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
  std::string source;             // "step_time_ns of rank 0", "times of \"lm loss\""; empty: nobody told steps
};

// A rank's own step times (the lowest rank of those that told nearly as many as any: one may fall silent while the job goes on), else a
// log's, whose stamp is a step's end and whose lines may sum up several; else the times between points of a scalar (of the loss where there
// is one): then a step that took more than kLongStep times the median is only as long as the median, and the rest is left unexplained.
Result<StepRecord> readSteps(Reader& reader, AttemptId attempt, std::span<const Series> of_attempt, std::stop_token stop);

inline constexpr double kLongStep = 5;

}  // namespace runglass
