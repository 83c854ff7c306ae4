// SPDX-License-Identifier: Apache-2.0
// What the Readers of one copy know together of series that stay at the hub.
//
// Threading:  under `mutex`; who refreshes extents holds `refreshing` meanwhile, so that one question serves all Readers.
// Ownership:  plain values.
// Units:      ids of the copy.
// Errors:     none.
// Cost:       100 bytes a series that was asked for.
#pragma once

#include <mutex>
#include <unordered_map>

#include "collectors/follow/hub_questions.h"
#include "collectors/follow/read_ahead.h"
#include "model/samples.h"

namespace runglass {

struct HubQuestions::Known {
  std::mutex mutex;
  std::unordered_map<SeriesId, Series> extents;  // id and extent alone
  std::unordered_map<SeriesId, LatestSample> newest;
  std::optional<std::uint64_t> generation;  // of the hub, when extents were asked for
  std::size_t asked = 0;                    // for so many series
  DurNs refreshed = 0, took = 0;            // monotonic
  std::mutex refreshing;
  AskedGroups groups;
};

}  // namespace runglass
