// SPDX-License-Identifier: Apache-2.0
// The scalar series in which a rank's training steps are recorded: their names, and the values of step_phase. x = step, time = its begin.
// metric_catalog.cpp describes them; analysis/steps/attempt_steps.h lists those of an attempt.
//
// Units: *_ns are nanoseconds. A part is named by the label "part"; its wait has the same source and labels.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/samples.h"

namespace runglass {

inline constexpr std::string_view kStepTimeMetric = "step_time_ns", kStepPhaseMetric = "step_phase", kStepPartMetric = "step_part_ns",
                                  kStepPartWaitMetric = "step_part_wait_ns", kStepCpuMetric = "step_cpu_ns",
                                  kStepRunDelayMetric = "step_run_delay_ns";

enum class StepPhase : std::uint8_t { kInit = 0, kWarmup, kSteady, kEval, kCheckpoint };
inline constexpr std::array<const char*, 5> kStepPhaseNames = {"init", "warmup", "steady", "eval", "checkpoint"};

// Step times printed by a trainer's log, whatever their name: a log rule labels them {"canonical":"step_time_ns"}. x is the step that has
// ended, times are those of the line, and a line may give the mean of the steps since the previous line.
bool isLoggedStepTime(const SeriesKey& key);
// Those of an attempt. Null where step times are recorded, or where none are logged.
const Series* loggedStepTimes(std::span<const Series> all, AttemptId attempt);

}  // namespace runglass
