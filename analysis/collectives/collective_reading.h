// SPDX-License-Identifier: Apache-2.0
// An attempt's collectives, read from a store and matched.
//
// Threading:  on the thread of the Reader.
// Errors:     the Reader's; CANCELLED when `stop` fires. An attempt without collectives gives an empty answer.
// Cost:       O(spans of the tracks that communicate), at most kMaxCollectiveSpans: beyond that, the newest part of the run with that many.
#pragma once

#include <optional>
#include <set>
#include <stop_token>
#include <vector>

#include "analysis/collectives/collective_waits.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kMaxCollectiveSpans = 400'000;

struct Collectives {
  std::vector<CollectiveSet> sets;
  TimeRange range{0, 0};  // that was read
  bool all_of_run = true;
};
// `within`: only calls in that time; absent: in the whole run.
Result<Collectives> readCollectives(Reader& reader, RunId run, AttemptId attempt, const std::set<std::int32_t>& ranks,
                                    std::optional<TimeRange> within, const std::stop_token& stop);

}  // namespace runglass
