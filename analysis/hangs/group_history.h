// SPDX-License-Identifier: Apache-2.0
// Members of communicators that no source lists: the ranks whose newest spans name them.
//
// Threading:  one thread.
// Units:      TimeNs.
// Errors:     the Reader's. A rank without spans in the range is in none of them.
// Cost:       reads the spans of every track of a rank in the range: once per standstill.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "storage/reader.h"

namespace runglass {

// `wanted`: the communicators' numbers. The kind is the one coordinate in which all members differ, if there is one.
Result<std::vector<CommGroup>> learnGroups(Reader& reader, AttemptId attempt, std::span<const Rank> ranks,
                                           const std::set<std::int64_t>& wanted, TimeRange range, std::stop_token stop);

}  // namespace runglass
