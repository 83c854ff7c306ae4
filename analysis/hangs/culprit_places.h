// SPDX-License-Identifier: Apache-2.0
// The culprits by place: ranks without a watchdog timeout, and the node and coordinates that culprits share.
//
// Threading:  one thread.
// Errors:     the Reader's.
// Cost:       reads the attempt's ranks.
#pragma once

#include <set>
#include <vector>

#include "analysis/hangs/hang_evidence.h"
#include "model/findings.h"
#include "storage/reader.h"

namespace runglass {

struct SilentRanks {
  std::vector<HangMember> members;  // empty if there are more than a few: then logs are missing, not ranks
  std::int64_t world = 0;           // known ranks
  bool whole = false;               // the layout or the recorded ranks give their number; else the highest rank of an event does
};
// The ranks of the attempt without a watchdog timeout.
Result<SilentRanks> withoutTimeout(Reader& reader, const Attempt& attempt, const std::set<std::int32_t>& timed_out);
// Fills the finding's rank, node and coordinates where all culprits share them.
Status placeCulprits(Reader& reader, const Attempt& attempt, const HangEvidence& evidence, Finding& finding);

}  // namespace runglass
