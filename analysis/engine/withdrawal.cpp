// SPDX-License-Identifier: Apache-2.0
#include "analysis/engine/withdrawal.h"

#include "analysis/words/sentences.h"

namespace runglass {

void withdraw(Finding& finding, TimeNs now, std::string_view reason) {
  finding.severity = Severity::kInfo;
  finding.end = finding.start.value_or(now);
  words::setMessage(finding, words::Message{std::string(reason), {{"what", words::messageOf(finding)}}});
}

}  // namespace runglass
