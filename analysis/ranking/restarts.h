// SPDX-License-Identifier: Apache-2.0
// How long a run stood still at its restarts.
//
// Threading:  on the thread of the Reader.
// Units:      DurNs: from the last thing known of an attempt to the first step of the next.
// Errors:     the Reader's. Attempts without a clock tell nothing.
// Cost:       two short reads of one step series an attempt.
#pragma once

#include <stop_token>
#include <vector>

#include "analysis/ranking/eviction.h"
#include "storage/reader.h"

namespace runglass {

Result<RestartTime> readRestartTime(Reader& reader, const std::vector<Attempt>& attempts, std::stop_token stop);

}  // namespace runglass
