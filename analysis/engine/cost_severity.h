// SPDX-License-Identifier: Apache-2.0
// Severity from lost GPU time.
//
// Threading:  pure.
// Units:      GPU-hours per day.
#pragma once

#include "model/findings.h"

namespace runglass {

inline constexpr double kWarnsGpuHours = 5, kUrgentGpuHours = 1'000;  // per day

// By cost, not by ratio: the same ratio is minor in a job of 8 GPUs and major in one of 8,000.
Severity severityOfCost(double gpu_hours_per_day);

}  // namespace runglass
