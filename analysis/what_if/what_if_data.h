// SPDX-License-Identifier: Apache-2.0
// The what-if analysis of a stored attempt: reads the spans of its newest steps, links and evaluates them.
//
// Threading:  readWhatIf() on the thread of the Reader; its answer is immutable and may be used on any thread.
// Ownership:  the graph is shared.
// Units:      as WhatIf.
// Errors:     the Reader's; CANCELLED when `stop` fires. Missing data in spans is `insufficient` with a reason, not an error.
// Cost:       reads at most kMaxWhatIfSpans, the newest: 1 s per million on one core; 250 bytes each while reading.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/what_if/what_if.h"
#include "model/ids.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kMaxWhatIfSpans = 1'000'000;

struct WhatIfCoverage {
  std::size_t spans_read = 0, spans_left_out = 0;  // spans left out are older than those read
  std::size_t spans_used = 0;
  std::size_t open_spans = 0;  // not ended; their steps are incomplete
  StepGaps gaps;
  std::size_t steps = 0;
  std::optional<std::int64_t> first_step, last_step;  // of the steps read
  std::size_t workers = 0, ranks = 0;
  std::optional<std::size_t> workers_expected;  // dp x pp of the layout
  // Of the workers and of the steps that were read.
  double ratio() const;
};

struct WhatIfData {
  Attempt attempt;
  std::vector<Rank> ranks;
  std::int32_t gpus = 0;  // GPUs that a step occupies: the layout's world, else the known ranks
  std::shared_ptr<const StepGraph> graph;
  std::shared_ptr<const Replay> replay;  // null: insufficient
  WhatIf what_if;
  WhatIfCoverage coverage;
  bool transfers_known = true;  // false: no sends and receives were recorded
  // T - T_ideal in GPU-hours over the steps read; absent without an answer.
  std::optional<double> wastedGpuHours() const;
  // 0..1: grows with the number of steps, shrinks with the simulation error and with data left out.
  double confidence() const;
};

Result<WhatIfData> readWhatIf(Reader& reader, const Attempt& attempt, std::stop_token stop);
// The newest attempt with spans that have steps, else the newest. NOT_FOUND: the run has none.
Result<WhatIfData> readNewestWhatIf(Reader& reader, RunId run, std::stop_token stop);

// The model chunk in a span's arguments; -1: none. Exposed for tests.
std::int32_t modelChunkIn(const std::string& args);

}  // namespace runglass
