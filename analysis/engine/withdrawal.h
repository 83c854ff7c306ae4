// SPDX-License-Identifier: Apache-2.0
// Withdrawal: a finding that its analysis no longer concludes. It stays in the store as info, without a duration, so that it notifies
// nobody and costs nothing.
#pragma once

#include <string_view>

#include "model/findings.h"

namespace runglass {

// `now` ends a finding without a start. `reason`: a message id of which {what} is the sentence as it was.
void withdraw(Finding& finding, TimeNs now, std::string_view reason = "withdrawn");

}  // namespace runglass
