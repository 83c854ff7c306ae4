// SPDX-License-Identifier: Apache-2.0
// The downtime of a run's restarts.
//
// Threading:  on the thread of the Reader.
// Units:      DurNs: from the last recorded time of an attempt to the first step of the next.
// Errors:     the Reader's. Attempts without a clock are left out.
// Cost:       two short reads of one step series per attempt.
#pragma once

#include <stop_token>
#include <vector>

#include "analysis/ranking/eviction.h"
#include "storage/reader.h"

namespace runglass {

Result<RestartTime> readRestartTime(Reader& reader, const std::vector<Attempt>& attempts, std::stop_token stop);

}  // namespace runglass
