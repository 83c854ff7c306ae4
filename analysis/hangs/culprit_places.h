// SPDX-License-Identifier: Apache-2.0
// The culprits by place: ranks without a watchdog timeout, and the node and coordinates that culprits share.
//
// Threading:  one thread.
// Errors:     the Reader's.
// Cost:       reads the attempt's ranks.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "analysis/hangs/hang_evidence.h"
#include "model/findings.h"
#include "storage/reader.h"

namespace runglass {

// Ranks, recorded or of the layout, without a watchdog timeout; empty if there are more than a few: then logs are missing, not ranks.
Result<std::vector<HangMember>> withoutTimeout(Reader& reader, const Attempt& attempt, const std::set<std::int32_t>& timed_out);
// From `collective_state` events: the ranks that completed the fewest operations of their process group, if they are a minority of it.
std::vector<HangMember> furthestBehind(std::span<const Event> states);
// Fills the finding's rank, node and coordinates where all culprits share them.
Status placeCulprits(Reader& reader, const Attempt& attempt, const HangEvidence& evidence, Finding& finding);

}  // namespace runglass
