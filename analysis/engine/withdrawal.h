// SPDX-License-Identifier: Apache-2.0
// Withdrawal: a finding that its analysis no longer concludes. It stays in the store as info, without a duration: it sends no notification
// and costs nothing.
#pragma once

#include "analysis/words/message.h"
#include "model/findings.h"

namespace runglass {

// `now` ends a finding without a start. `reason`: the sentence from now on.
void withdraw(Finding& finding, TimeNs now, const words::Message& reason);
void withdraw(Finding& finding, TimeNs now);

}  // namespace runglass
