// SPDX-License-Identifier: Apache-2.0
// The facts that a finding's card shows with its sentence: end, cost, one curve of its evidence, and the culprits of a hang.
//
// Threading:  factsOf() is pure; readFindingFacts() on the thread of the Reader.
// Units:      TimeNs; shares of a step; GPU-hours; the curve in its series' unit.
// Errors:     the Reader's. Values that are not recorded or not estimated are absent.
// Cost:       one catalogue read of the attempt's step series (of one metric, where the evidence names it), kTrendBins bins of at most two
//             series for each part of a step.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "analysis/hangs/hang_evidence.h"
#include "model/findings.h"
#include "model/result.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kTrendBins = 48;
inline constexpr std::int64_t kTrendMargin = 40;  // steps shown before and after, at least

// Estimated by its analysis. Absent: it estimates none.
struct FindingCost {
  std::optional<double> step_ratio;         // share of each step
  std::optional<double> gpu_hours_per_day;  // while it lasts
  // Of a standstill: the time of all ranks of the attempt, to its end or to `now`.
  std::optional<double> gpu_hours;
};

enum class TrendKind : std::uint8_t {
  kNone,
  kMetric,    // the one that its evidence names
  kOwnWork,   // of its rank in each step: all parts without their waits
  kStepTime,  // of its rank, else of the attempt
};

// Means of equal parts of the shown range.
struct FindingTrend {
  TrendKind kind = TrendKind::kNone;
  std::string metric, unit;
  std::optional<std::int32_t> rank;
  std::vector<double> values;            // NaN: no data
  std::size_t begin = 0, end = 0;        // the values in which the finding lasted; end is past the last
  std::optional<double> before, during;  // means of the values before it and in it
  bool empty() const { return kind == TrendKind::kNone; }
};

struct FindingFacts {
  std::optional<TimeNs> end;  // its own, else that of its attempt
  bool open = false;          // it has not ended; without an end and not open: unknown, since its attempt is
  FindingCost cost;
  FindingTrend trend;
  std::optional<HangEvidence> hang;  // of a hang whose evidence can be read
};

// Those that need no reading. `attempt`: the finding's; null: not known yet. `now`: the present of a run that has not ended.
FindingFacts factsOf(const Finding& finding, const Attempt* attempt, TimeNs now);

Result<FindingFacts> readFindingFacts(Reader& reader, const Finding& finding, TimeNs now, const std::stop_token& stop);

}  // namespace runglass
