// SPDX-License-Identifier: Apache-2.0
// Members of communicators that no source has listed: the ranks whose newest spans name them.
//
// Threading:  one thread.
// Ownership:  values.
// Units:      TimeNs.
// Errors:     the Reader's. A rank without spans in the range is in none of them.
// Cost:       reads the spans of every track of a rank in the range: for a run that stands still, once.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "storage/reader.h"

namespace runglass {

// `wanted`: their numbers. The kind is the one coordinate in which all members differ, where there is one.
Result<std::vector<CommGroup>> learnGroups(Reader& reader, AttemptId attempt, std::span<const Rank> ranks,
                                           const std::set<std::int64_t>& wanted, TimeRange range, std::stop_token stop);

}  // namespace runglass
