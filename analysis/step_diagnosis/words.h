// SPDX-License-Identifier: Apache-2.0
// Words and weights that all findings about steps share.
//
// Threading:  pure.
// Ownership:  values.
// Units:      ratios; GPU-hours a day.
// Errors:     none.
// Cost:       one string.
#pragma once

#include <string>

#include "model/findings.h"

namespace runglass {

inline constexpr double kWarnsGpuHours = 5, kUrgentGpuHours = 1'000;  // a day

// "4.2 %", "18 %".
std::string percentText(double ratio);
// By what it costs: a ratio says little of a job of 8 and much of one of 8,000.
Severity severityOfCost(double gpu_hours_per_day);

}  // namespace runglass
