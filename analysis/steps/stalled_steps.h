// SPDX-License-Identifier: Apache-2.0
// Stalled steps: those in which the run made no progress (a hang that recovered, a stall, a restart within the attempt).
//
// No baseline includes them. A recovered hang in a percentile would lift the hang limit above the next hang; in a mean it would hide a
// change.
//
// Threading:  pure; reading on the thread of the Reader.
// Errors:     the Reader's.
// Cost:       usualLength() O(n); excludedSteps() one scalar read, one of the phases, and that of own work.
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
// Maximum number of stalled steps in one list: more frequent long steps (evaluations, saves) are normal for the run.
inline constexpr std::size_t kMaxStalled = 3;

// max(5 x p99, 30 s): the limit of a step, or of the time between two.
DurNs stallLimitOf(DurNs p99);

struct UsualLength {
  // Without the stalled steps: the 99th percentile of the lengths; for fewer than a hundred the second largest. 0: no steps.
  DurNs p99 = 0;
  std::optional<DurNs> limit;  // a longer step is stalled; absent: fewer than kStepsToJudge steps
  bool isStalled(DurNs length) const { return limit && length > *limit; }
};
UsualLength usualLength(std::vector<DurNs> lengths);

using ExcludedSteps = std::unordered_set<std::int64_t>;
// The values of a series, by step, without the excluded steps.
std::vector<double> valuesWithout(const ScalarColumns& points, const ExcludedSteps& excluded);
// Stalled steps and steps disturbed by own work (own_work.h) among the steps [first, end) of one series of step times. Steps that are not
// steady by `phases` are not judged.
Result<ExcludedSteps> excludedSteps(Reader& reader, const Series& times, std::span<const Series> phases, std::int64_t first,
                                    std::int64_t end, const std::stop_token& stop);

}  // namespace runglass
