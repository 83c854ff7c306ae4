// SPDX-License-Identifier: Apache-2.0
// NewestSteps: the parts and lengths of an attempt's newest steps. Its answers share the points that they read.
//
// Threading:  that of the Reader.
// Units:      ns; ratios.
// Errors:     the Reader's.
// Cost:       breakdown(): at most kBreakdownSteps points of each series of steps, parts and waits; the others kRecentSteps.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/run_summary/run_summary.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::int64_t kBreakdownSteps = kThroughputSteps / 10;

// Means over ranks and steps: of the newest kRecentSteps, and of the steps before them.
struct PartMeans {
  std::string part;
  double recent_ns = 0, before_ns = 0;
};
struct StepBreakdown {
  PartMeans step;                // the whole; its part has no name
  std::vector<PartMeans> parts;  // longest first; last the remainder of the step, if it is at least 1 % of it
};
struct StepTimes {
  double median_ns = 0, p99_ns = 0;  // over ranks and the newest kRecentSteps
};

class NewestSteps {
 public:
  // `series`: of the run; they must outlive this object.
  NewestSteps(Reader& reader, const std::vector<Series>& series, std::stop_token stop)
      : m_reader(reader), m_series(series), m_stop(std::move(stop)) {}

  // Means only, so that they sum to the step: medians of parts belong to different steps. Waiting for peers in communication is a separate
  // part.
  Result<StepBreakdown> breakdown(AttemptId attempt);
  // Absent: no series in `steps` has a point.
  Result<std::optional<StepTimes>> times(std::span<const Series* const> steps);

 private:
  Result<const ScalarColumns*> points(const Series& series, std::int64_t count);
  Result<std::span<const double>> values(const Series& series, std::int64_t count);

  Reader& m_reader;
  const std::vector<Series>& m_series;
  std::stop_token m_stop;
  std::unordered_map<SeriesId, ScalarColumns> m_points;
};

}  // namespace runglass
