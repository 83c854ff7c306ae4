// SPDX-License-Identifier: Apache-2.0
// What the Readers of one copy know together of series that stay at the hub.
//
// Threading:  under `mutex`; who refreshes extents holds `refreshing` meanwhile, so that one question serves all Readers.
// Ownership:  plain values.
// Units:      ids of the copy.
// Errors:     none.
// Cost:       100 bytes a series that was asked for.
#pragma once

#include <unordered_map>

#include "collectors/hub/replica/hub_questions.h"
#include "collectors/hub/replica/read_ahead.h"
#include "model/mutex.h"
#include "model/samples.h"

namespace runglass {

struct HubQuestions::Known {
  Mutex mutex;
  std::unordered_map<SeriesId, Series> extents RG_GUARDED_BY(mutex);  // id and extent alone
  std::unordered_map<SeriesId, LatestSample> newest RG_GUARDED_BY(mutex);
  std::optional<std::uint64_t> generation RG_GUARDED_BY(mutex);  // of the hub, when extents were asked for
  std::size_t asked RG_GUARDED_BY(mutex) = 0;                    // for so many series
  DurNs refreshed RG_GUARDED_BY(mutex) = 0;                      // monotonic
  DurNs took RG_GUARDED_BY(mutex) = 0;
  Mutex refreshing;  // held while the hub is asked, so that one asks and the others wait
  AskedGroups groups;
};

}  // namespace runglass
