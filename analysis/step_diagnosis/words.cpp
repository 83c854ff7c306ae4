// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/words.h"

#include <cmath>
#include <cstdio>

namespace runglass {

std::string percentText(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, std::fabs(ratio) < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * ratio);
  return text;
}

Severity severityOfCost(double gpu_hours_per_day) {
  return gpu_hours_per_day >= kUrgentGpuHours  ? Severity::kError
         : gpu_hours_per_day >= kWarnsGpuHours ? Severity::kWarning
                                               : Severity::kInfo;
}

}  // namespace runglass
