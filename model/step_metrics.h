// SPDX-License-Identifier: Apache-2.0
// The scalar series in which a rank's training steps are recorded: their names, and the values of step_phase. x = step, time = its begin.
// What they mean stands in metric_catalog.cpp; analysis/steps/attempt_steps.h lists those of an attempt.
//
// Units: *_ns are nanoseconds. A part is named by the label "part"; its wait has the same source and labels.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace runglass {

inline constexpr std::string_view kStepTimeMetric = "step_time_ns", kStepPhaseMetric = "step_phase", kStepPartMetric = "step_part_ns",
                                  kStepPartWaitMetric = "step_part_wait_ns", kStepCpuMetric = "step_cpu_ns",
                                  kStepRunDelayMetric = "step_run_delay_ns";

enum class StepPhase : std::uint8_t { kInit = 0, kWarmup, kSteady, kEval, kCheckpoint };
inline constexpr std::array<const char*, 5> kStepPhaseNames = {"init", "warmup", "steady", "eval", "checkpoint"};

}  // namespace runglass
