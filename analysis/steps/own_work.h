// SPDX-License-Identifier: Apache-2.0
// Own work: steps and times in which Runglass itself slowed a trainer down, by requested traces and captures.
//
// The slowdown in them is no evidence against a rank or a machine, and they are in no baseline.
//
// Threading:  reading on the thread of the Reader.
// Errors:     the Reader's.
// Cost:       readOwnWork(): two queries of events by kind.
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
