// SPDX-License-Identifier: Apache-2.0
#include "analysis/engine/cost_severity.h"

namespace runglass {

Severity severityOfCost(double gpu_hours_per_day) {
  return gpu_hours_per_day >= kUrgentGpuHours  ? Severity::kError
         : gpu_hours_per_day >= kWarnsGpuHours ? Severity::kWarning
                                               : Severity::kInfo;
}

}  // namespace runglass
