// SPDX-License-Identifier: Apache-2.0
// The what-if analysis of a stored attempt: its newest steps' spans, read, linked and asked.
//
// Threading:  readWhatIf() on the thread of the Reader; its answer is immutable and may be asked from any thread.
// Ownership:  values; the graph is shared.
// Units:      as WhatIf.
// Errors:     the Reader's; CANCELLED when `stop` fires. What spans lack is `insufficient` with a reason, not an error.
// Cost:       reads at most kMaxWhatIfSpans, the newest: 1 s a million on one core; 250 bytes each while it reads.
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
  std::size_t spans_read = 0, spans_left_out = 0;  // the latter are older than what was read
  std::size_t spans_used = 0;
  std::size_t open_spans = 0;  // not ended; their steps are not whole
  StepGaps gaps;
  std::size_t steps = 0;
  std::optional<std::int64_t> first_step, last_step;  // looked at
  std::size_t workers = 0, ranks = 0;
  std::optional<std::size_t> workers_expected;  // dp x pp of the layout
  // Of the workers and of the steps that were read.
  double ratio() const;
};

struct WhatIfData {
  Attempt attempt;
  std::vector<Rank> ranks;
  std::int32_t gpus = 0;  // whose time a step takes: the layout's world, else the ranks that are known
  std::shared_ptr<const StepGraph> graph;
  std::shared_ptr<const Replay> replay;  // null: insufficient
  WhatIf what_if;
  WhatIfCoverage coverage;
  bool transfers_known = true;  // false: no sends and receives were recorded
  // GPU-hours of the steps looked at that T - T_ideal is; absent when not asked.
  std::optional<double> wastedGpuHours() const;
  // 0..1: grows with the steps, shrinks with the simulation's error and what was left out.
  double confidence() const;
};

Result<WhatIfData> readWhatIf(Reader& reader, const Attempt& attempt, std::stop_token stop);
// The newest attempt that has spans with steps, else the newest. NOT_FOUND: the run has none.
Result<WhatIfData> readNewestWhatIf(Reader& reader, RunId run, std::stop_token stop);

// The model chunk in a span's arguments; -1: none is told. Exposed for tests.
std::int32_t modelChunkIn(const std::string& args);

}  // namespace runglass
