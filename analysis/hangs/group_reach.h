// SPDX-License-Identifier: Apache-2.0
// The progress of ranks in their communicators, from the group status of flight recorders and the spans of completed operations.
//
// Threading:  one thread.
// Units:      sequence numbers of collectives; TimeNs.
// Errors:     the Reader's. Text that is not a list of groups is ignored.
// Cost:       for facts O(text); for spans, those of the ranks' tracks in the range.
#pragma once

#include <map>
#include <set>
#include <span>

#include "analysis/hangs/wavefront.h"
#include "storage/reader.h"

namespace runglass {

using RankReach = std::map<std::int32_t, std::vector<GroupReach>>;

// From the facts `nccl_pg_status`. `whole` is false for a run that continued after its dump: its enqueued numbers are then incomplete and
// left out.
RankReach reachOfDumps(std::span<const Fact> facts, bool whole);
// Adds the operations that these ranks' communication spans completed. Groups in which a rank's numbers do not increase are left out.
Status addReachOfSpans(Reader& reader, AttemptId attempt, const std::set<std::int32_t>& ranks, TimeRange range, std::stop_token stop,
                       RankReach& into);

// The bytes that each rank passes to one operation, by its spans. A rank without a size is left out.
Result<std::map<std::int32_t, std::int64_t>> sizesOf(Reader& reader, AttemptId attempt, std::int64_t group, std::int64_t seq,
                                                     std::stop_token stop);

}  // namespace runglass
