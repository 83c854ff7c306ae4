// SPDX-License-Identifier: Apache-2.0
// How severe a loss of GPU time is.
//
// Threading:  pure.
// Ownership:  values.
// Units:      GPU-hours a day.
// Errors:     none.
// Cost:       none.
#pragma once

#include "model/findings.h"

namespace runglass {

inline constexpr double kWarnsGpuHours = 5, kUrgentGpuHours = 1'000;  // a day

// By what it costs: a ratio says little of a job of 8 and much of one of 8,000.
Severity severityOfCost(double gpu_hours_per_day);

}  // namespace runglass
