// SPDX-License-Identifier: Apache-2.0
// Stalled steps: those in which the run stood still (a hang that recovered, a stall, a restart within the attempt).
//
// No baseline includes them. A recovered hang in a percentile lifts the hang limit above the next hang; in a mean it hides a change.
//
// Threading: pure; reading on the thread of the Reader.
// Errors:    the Reader's.
// Cost:      usualLength() O(n); excludedSteps() one scalar read, one of the phases, and that of own work.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <unordered_set>
#include <vector>

#include "model/time.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kStepsToJudge = 10;
// Max stalled steps of one list: long steps that come more often (evaluations, saves) belong to the run.
inline constexpr std::size_t kMaxStalled = 3;

// max(5 x p99, 30 s): how long a step, or the time to the next one, may take.
DurNs stallLimitOf(DurNs p99);

struct UsualLength {
  // Without the stalled steps: the length below which 99 of 100 lie; of fewer than a hundred the second largest. 0: no steps.
  DurNs p99 = 0;
  std::optional<DurNs> limit;  // longer: stalled; absent: fewer than kStepsToJudge
  bool isStalled(DurNs length) const { return limit && length > *limit; }
};
UsualLength usualLength(std::vector<DurNs> lengths);

using ExcludedSteps = std::unordered_set<std::int64_t>;
// Of a series by step: the values of the other steps.
std::vector<double> valuesWithout(const ScalarColumns& points, const ExcludedSteps& excluded);
// Stalled steps and those of our own work (own_work.h) of the steps [first, end) of one series of step times. Steps that `phases` call
// other than steady are not judged.
Result<ExcludedSteps> excludedSteps(Reader& reader, const Series& times, std::span<const Series> phases, std::int64_t first,
                                    std::int64_t end, const std::stop_token& stop);

}  // namespace runglass
