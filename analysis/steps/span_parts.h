// SPDX-License-Identifier: Apache-2.0
// The parts of steps for ranks whose spans are stored: an imported trace, or a run whose trainer records no parts itself.
//
// Threading:  on the thread of the Reader.
// Units:      as StepParts; ratios 0..1.
// Errors:     the Reader's; CANCELLED when `stop` fires. Ranks without spans in their steps have no entry.
// Cost:       reads the spans of the newest steps, at most kMaxPartSpans: 1 s per million on one core. 100 MB.
#pragma once

#include <map>
#include <stop_token>
#include <vector>

#include "analysis/steps/step_parts.h"
#include "model/ids.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kMaxPartSpans = 2'000'000;

struct StepWindow {
  std::int64_t step = 0;
  TimeRange range;
  friend auto operator<=>(const StepWindow& a, const StepWindow& b) { return a.step <=> b.step; }
  friend bool operator==(const StepWindow&, const StepWindow&) = default;
};

struct StepWithParts {
  std::int64_t step = 0;
  StepParts parts;
};

struct SpanPartsAnswer {
  std::map<std::int32_t, std::vector<StepWithParts>> ranks;
  double waits_known = 0;    // share of the steps' communication with known waiting; 0 without communication
  std::size_t left_out = 0;  // older steps whose spans were not read
};

// `windows`: the steps of each rank.
Result<SpanPartsAnswer> readSpanParts(Reader& reader, AttemptId attempt, const std::vector<Rank>& ranks,
                                      const std::map<std::int32_t, std::vector<StepWindow>>& windows, std::stop_token stop);

}  // namespace runglass
