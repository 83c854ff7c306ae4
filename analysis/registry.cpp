// SPDX-License-Identifier: Apache-2.0
#include "analysis/engine/analysis.h"
#include "analysis/hangs/hangs.h"
#include "analysis/hardware_faults/hardware_faults.h"
#include "analysis/job_failure/job_failure.h"
#include "analysis/loss_health/loss_health.h"
#include "analysis/scheduling/scheduling.h"
#include "analysis/settings_check/settings_check.h"
#include "analysis/step_diagnosis/step_diagnosis.h"
#include "analysis/what_if/what_if_analysis.h"

namespace runglass {

const std::vector<AnalysisEntry>& analyses() {
  static const std::vector<AnalysisEntry> kAll = {
      {"hangs", makeHangs},
      {"hardware_faults", makeHardwareFaults},
      {"job_failure", makeJobFailure},
      {"loss_health", makeLossHealth},
      {"scheduling", makeScheduling},
      {"settings_check", makeSettingsCheck},
      {"step_diagnosis", makeStepDiagnosis},
      {"what_if", makeWhatIf},
  };
  return kAll;
}

}  // namespace runglass
