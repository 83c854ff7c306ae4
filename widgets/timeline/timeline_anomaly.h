// SPDX-License-Identifier: GPL-3.0-or-later
// The next anomaly on the time axis: a slow step, a slow span of the selected name, an event or finding of the run.
//
// Threading:  runs on a query worker.
// Units:      TimeNs; MAD: the median distance from the median, unscaled (not converted to a sigma).
// Errors:     as Reader. Finding no anomaly is no error.
// Cost:       all steps of one rank, the run's marks, and at most kMaxAnomalySpans spans of one track.
#pragma once

#include "widgets/timeline/timeline_data.h"

namespace runglass {

inline constexpr std::int64_t kMaxAnomalySpans = 1'000'000;

struct AnomalyQuestion {
  TimeNs from = 0;  // only anomalies that start after it (by 1) or before it (by -1)
  int by = 1;       // 1: the next one, -1: the one before
  std::optional<std::int32_t> step_rank;
  TrackId track;  // with `name`: that of the selected span; else none
  std::int32_t rank = -1;
  std::string name;  // full name
};

struct Anomaly {
  TimeNs t0 = 0, t1 = 0;
  TrackId track;  // of a span
  std::int32_t rank = -1;
  std::int64_t id = 0;  // of a span; 0: a step, an event or a finding
  QString words;        // "slow step 48,210: 1.31 s, +24 % over the median of 812 steps"
};

struct AnomalyAnswer {
  std::optional<Anomaly> found;
  QString looked;  // "812 steps, 2 events and findings, 412 spans named …": the data searched, for the case that no anomaly is found
};

// A step is slow above 1.1 times its rank's median, as outlined in the step band; a span above the median of its name on its track plus
// five times its MAD, of eight or more spans.
Result<AnomalyAnswer> nextAnomaly(Reader& reader, const TimelineCatalog& catalog, const AnomalyQuestion& question, std::stop_token stop);

}  // namespace runglass
