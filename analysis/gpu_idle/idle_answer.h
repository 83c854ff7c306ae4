// SPDX-License-Identifier: Apache-2.0
// GPU idle, explained: the share of the steps in which an attempt's devices were idle, its causes and their evidence.
//
// Threading:  readIdleAnswer() on the thread of the Reader; the answer is immutable.
// Units:      shares 0..1 of step time; TimeNs.
// Errors:     the Reader's; CANCELLED when `stop` fires. Without evidence the status is kInsufficient with a reason, not an error.
// Cost:       reads the spans of the newest steps, at most kMaxIdleSpans (0.2 s per million on one core; 150 bytes each, one rank at a
//             time), else the parts of the newest kIdleSteps steps; 256 bins of a dozen series per machine.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/gpu_idle/idle_cause.h"
#include "analysis/words/sentence.h"
#include "model/ids.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kMaxIdleSpans = 2'000'000;
inline constexpr std::int64_t kIdleSteps = 200;  // newest

// The source of the idle share, the first available. Spans count only where all work of the device was recorded: a profiler's trace, or
// steps that the CUDA tracer recorded in exact mode.
enum class IdleBasis : std::uint8_t { kSpans, kParts, kMetrics };
const char* idleBasisName(IdleBasis basis);  // "spans", "step_parts", "metrics"

struct IdleScope {
  std::optional<std::int64_t> first_step, last_step;  // inclusive; absent: the newest kIdleSteps
  std::optional<TimeRange> time;
};

struct IdleRow {
  IdleCause cause = IdleCause::kUnexplained;
  std::optional<double> share;  // of step time; absent: the cause occurred, but its duration was not recorded
  std::size_t units = 0, units_total = 0;
  std::string unit;  // of the counts: "rank", "device", "node"
  words::Sentence evidence;
  std::optional<std::int64_t> first_step, last_step;  // in which it took at least kNoticed of a step
  std::optional<TimeRange> when;                      // its longest interval
  std::optional<std::int32_t> rank;                   // the rank of that interval
  TrackId track;                                      // of the device; 0: none
  DeviceId device;                                    // 0: none
  NodeId node;                                        // 0: none
  double confidence = 0;
};

// A possible cause without the data to rule it out.
struct IdleNotRecorded {
  IdleCause cause = IdleCause::kUnexplained;
  words::Sentence why;
};

// Busy time by kind; shares of step time. Absent: not distinguished.
struct BusyShares {
  std::optional<double> compute, comm, copy;  // comm and copy are exposed time
  std::optional<double> comm_wait;            // of the steps' parts: waiting for peers, while a communication kernel spins
  std::optional<double> overlapped_comm;      // within compute
};

struct LaunchStats {
  std::size_t kernels = 0, short_kernels = 0;
  double short_share = 0;  // of kernel time
  std::size_t launches_known = 0, starved = 0;
  DurNs median_delay = 0;
};

struct IdleAnswer {
  bool ok = false;
  words::Sentence reason;  // why there is no answer
  AttemptId attempt;
  IdleBasis basis = IdleBasis::kMetrics;
  words::Sentence basis_words;  // "GPU streams of 8 ranks", ...
  double idle_share = 0;        // the sum of the rows of idle causes, including unexplained
  BusyShares busy;
  std::vector<IdleRow> rows;  // idle causes by share, unexplained last; then causes of slow time
  std::vector<IdleNotRecorded> not_recorded;
  std::optional<LaunchStats> launches;
  std::optional<double> gpu_busy_ratio, sm_active_ratio;  // means of the metrics, for any basis
  std::size_t units = 0;                                  // devices or ranks analysed
  std::size_t steps = 0;                                  // distinct; 0: no steps are recorded, and the whole trace counts as one
  std::optional<std::int64_t> first_step, last_step;
  std::optional<TimeRange> when;
  double step_ns = 0;        // mean; length of the trace where there are no steps
  std::size_t left_out = 0;  // older steps whose spans were not read
  std::size_t ranks_left_out = 0;
  const IdleRow* row(IdleCause cause) const;
};

inline constexpr double kNoticed = 0.01;     // of a step
inline constexpr double kReported = 0.0005;  // of step time; below it there is no row

Result<IdleAnswer> readIdleAnswer(Reader& reader, const Attempt& attempt, const IdleScope& scope, std::stop_token stop);

}  // namespace runglass
