// SPDX-License-Identifier: Apache-2.0
// GPU idle, explained: how much of the steps the devices of an attempt did nothing, and what held them up, with its evidence.
//
// Threading:  readIdleAnswer() on the thread of the Reader; the answer is immutable.
// Ownership:  values.
// Units:      shares 0..1 of step time; TimeNs.
// Errors:     the Reader's; CANCELLED when `stop` fires. Without evidence the status is kInsufficient with a reason, no error.
// Cost:       reads the spans of the newest steps, at most kMaxIdleSpans (0.2 s a million on one core, 150 bytes each of one rank at a
//             time), else the parts of the newest kIdleSteps steps; 256 bins of a dozen series a machine.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/gpu_idle/idle_cause.h"
#include "model/ids.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kMaxIdleSpans = 2'000'000;
inline constexpr std::int64_t kIdleSteps = 200;  // newest

// Where the idle share comes from; the first that is there. Spans count only where all work of the device was recorded: a profiler's trace,
// or steps that the CUDA tracer saw in exact mode.
enum class IdleBasis : std::uint8_t { kSpans, kParts, kMetrics };
const char* idleBasisName(IdleBasis basis);  // "spans", "step_parts", "metrics"

struct IdleScope {
  std::optional<std::int64_t> first_step, last_step;  // inclusive; absent: the newest kIdleSteps
  std::optional<TimeRange> time;
};

struct IdleRow {
  IdleCause cause = IdleCause::kUnexplained;
  std::optional<double> share;  // of step time; absent: it happened, but how long it took was not recorded
  std::size_t units = 0, units_total = 0;
  std::string unit;  // what they are: "rank", "device", "node"
  std::string evidence;
  std::optional<std::int64_t> first_step, last_step;  // in which it took at least kNoticed of a step
  std::optional<TimeRange> when;                      // its longest stretch
  std::optional<std::int32_t> rank;                   // where that was
  TrackId track;                                      // of the device; 0: none
  DeviceId device;                                    // 0: none
  NodeId node;                                        // 0: none
  double confidence = 0;
};

// What could have been a cause and is not known to be none.
struct IdleNotRecorded {
  IdleCause cause = IdleCause::kUnexplained;
  std::string why;
};

// What of the device's time was work; shares of step time. Absent: not told apart.
struct BusyShares {
  std::optional<double> compute, comm, copy;  // comm and copy exposed
  std::optional<double> comm_wait;            // of steps' parts: waiting for peers, in which a communication kernel spins
  std::optional<double> overlapped_comm;      // inside compute
};

struct LaunchStats {
  std::size_t kernels = 0, short_kernels = 0;
  double short_share = 0;  // of the time of kernels
  std::size_t launches_known = 0, starved = 0;
  DurNs median_delay = 0;
};

struct IdleAnswer {
  bool ok = false;
  std::string reason;  // why not
  AttemptId attempt;
  IdleBasis basis = IdleBasis::kMetrics;
  std::string basis_words;  // "GPU streams of 8 ranks", ...
  double idle_share = 0;    // the sum of the rows of idle causes, unexplained among them
  BusyShares busy;
  std::vector<IdleRow> rows;  // idle causes by share, unexplained last; then those of slow, not idle time
  std::vector<IdleNotRecorded> not_recorded;
  std::optional<LaunchStats> launches;
  std::optional<double> gpu_busy_ratio, sm_active_ratio;  // means of the metrics, whatever the basis
  std::size_t units = 0;                                  // devices or ranks looked at
  std::size_t steps = 0;                                  // distinct; 0: no steps are recorded, the whole trace counts as one
  std::optional<std::int64_t> first_step, last_step;
  std::optional<TimeRange> when;
  double step_ns = 0;        // mean; of the trace where there are no steps
  std::size_t left_out = 0;  // older steps with spans that were not read
  std::size_t ranks_left_out = 0;
  const IdleRow* row(IdleCause cause) const;
};

inline constexpr double kNoticed = 0.01;     // of a step
inline constexpr double kReported = 0.0005;  // of step time; below it there is no row

Result<IdleAnswer> readIdleAnswer(Reader& reader, const Attempt& attempt, const IdleScope& scope, std::stop_token stop);

}  // namespace runglass
