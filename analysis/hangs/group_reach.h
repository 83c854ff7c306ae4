// SPDX-License-Identifier: Apache-2.0
// How far ranks are in their communicators: from what flight recorders say of each group, and from the spans of operations that ended.
//
// Threading:  one thread.
// Ownership:  values.
// Units:      sequence numbers of collectives; TimeNs.
// Errors:     the Reader's. Text that is no list of groups says nothing.
// Cost:       of facts O(text); of spans those of the ranks' tracks in the range.
#pragma once

#include <map>
#include <set>
#include <span>

#include "analysis/hangs/wavefront.h"
#include "storage/reader.h"

namespace runglass {

using RankReach = std::map<std::int32_t, std::vector<GroupReach>>;

// Of the facts `nccl_pg_status`. Of a run that goes on after its dump, what was enqueued by then is not all: `whole` is false.
RankReach reachOfDumps(std::span<const Fact> facts, bool whole);
// Adds what these ranks' spans of communication have completed. Of a rank whose numbers in a group do not rise nothing is said.
Status addReachOfSpans(Reader& reader, AttemptId attempt, const std::set<std::int32_t>& ranks, TimeRange range, std::stop_token stop,
                       RankReach& into);

}  // namespace runglass
