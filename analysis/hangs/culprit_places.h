// SPDX-License-Identifier: Apache-2.0
// Who holds a run up, by place: which ranks the watchdogs do not speak of, and what node and coordinates culprits share.
//
// Threading:  one thread.
// Ownership:  values.
// Units:      none.
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

// The ranks, recorded or of the layout, of which the watchdog logged nothing; none where that is more than a few: then logs are
// missing, not ranks.
Result<std::vector<HangMember>> withoutTimeout(Reader& reader, const Attempt& attempt, const std::set<std::int32_t>& timed_out);
// Of `collective_state` events: the ranks that completed the fewest operations of their process group, if they are its minority.
std::vector<HangMember> furthestBehind(std::span<const Event> states);
// Fills the finding's rank, node and coordinates, as far as all culprits share them.
Status placeCulprits(Reader& reader, const Attempt& attempt, const HangEvidence& evidence, Finding& finding);

}  // namespace runglass
