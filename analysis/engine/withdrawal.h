// SPDX-License-Identifier: Apache-2.0
// Withdrawal of a finding that its analysis no longer concludes. It stays in the store with severity info and no duration: it sends no
// notification and has no cost.
#pragma once

#include "analysis/words/message.h"
#include "model/findings.h"

namespace runglass {

// `now` ends a finding without a start. `reason` replaces its summary.
void withdraw(Finding& finding, TimeNs now, const words::Message& reason);
void withdraw(Finding& finding, TimeNs now);

}  // namespace runglass
