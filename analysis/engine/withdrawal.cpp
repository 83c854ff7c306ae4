// SPDX-License-Identifier: Apache-2.0
#include "analysis/engine/withdrawal.h"

namespace runglass {

void withdraw(Finding& finding, TimeNs now, std::string_view reason) {
  finding.severity = Severity::kInfo;
  finding.end = finding.start.value_or(now);
  finding.summary = std::string(reason) + ": " + finding.summary;
}

}  // namespace runglass
