// SPDX-License-Identifier: Apache-2.0
#include "analysis/engine/withdrawal.h"

#include "analysis/words/sentences.h"

namespace runglass {

void withdraw(Finding& finding, TimeNs now, const words::Message& reason) {
  finding.severity = Severity::kInfo;
  finding.end = finding.start.value_or(now);
  words::setMessage(finding, reason);
}

void withdraw(Finding& finding, TimeNs now) { withdraw(finding, now, words::Message{"withdrawn", {{"what", words::messageOf(finding)}}}); }

}  // namespace runglass
