// SPDX-License-Identifier: Apache-2.0
// Reads the spans of an attempt's devices and of the threads that launch on them, as input of deviceIdle().
//
// Threading:  on the thread of the Reader.
// Units:      as DeviceIdle.
// Errors:     the Reader's; CANCELLED when `stop` fires. If no stream has all its work recorded, the answer has no units.
// Cost:       as readIdleAnswer(): one rank's spans at a time.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <vector>

#include "analysis/gpu_idle/device_idle.h"
#include "analysis/gpu_idle/idle_answer.h"
#include "analysis/gpu_idle/idle_tally.h"

namespace runglass {

// A step of a rank; -1: a trace without a rank.
struct RankStep {
  std::optional<std::int64_t> step;
  TimeRange range;
};
using RankSteps = std::map<std::int32_t, std::vector<RankStep>>;

struct SpanIdle {
  IdleTally tally;
  double compute = 0, comm = 0, copy = 0, overlapped = 0;  // ns
  LaunchStats launches;                                    // median_delay: of the device with the most launches
  std::array<bool, kHostActivityCount> seen{};             // on threads that launch
  bool partial = false;                                    // some streams are recorded, but not all of their work
  std::size_t left_out = 0;                                // older steps that were not read
  std::size_t ranks_left_out = 0;  // ranks whose spans were not read, because even one step of all ranks is too large
};

// The steps of each rank with their times: steady steps and saves, the newest kIdleSteps of the scope.
Result<RankSteps> readRankSteps(Reader& reader, AttemptId attempt, const IdleScope& scope, const std::stop_token& stop);
// From the first start to the last end of device spans; absent: there are none.
Result<std::optional<TimeRange>> readDeviceExtent(Reader& reader, AttemptId attempt, const std::stop_token& stop);
// A rank without steps counts from its first to its last device span.
Result<SpanIdle> readSpanIdle(Reader& reader, AttemptId attempt, const RankSteps& steps, const IdleScope& scope,
                              const std::stop_token& stop);

}  // namespace runglass
