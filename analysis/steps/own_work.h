// SPDX-License-Identifier: Apache-2.0
// Own work: steps and times in which Runglass itself slowed a trainer down, by traces and captures that were asked for.
//
// What takes longer then is evidence against no rank and no machine, and is in no baseline.
//
// Threading: plain value; reading on the thread of the Reader.
// Errors:    the Reader's.
// Cost:      readOwnWork() two queries of events by kind.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "model/time.h"
#include "storage/reader.h"

namespace runglass {

struct OwnWork {
  std::vector<std::pair<std::int64_t, std::int64_t>> traced;  // steps [first, end)
  std::vector<TimeRange> captures;                            // from the command to the last node's answer
  bool covers(std::int64_t step, const std::optional<TimeRange>& when) const;
};
Result<OwnWork> readOwnWork(Reader& reader, AttemptId attempt);

}  // namespace runglass
