// SPDX-License-Identifier: Apache-2.0
// State shared by the Readers of one replica about series that stay at the source hub.
//
// Threading:  under `mutex`; `refreshing` is held while extents are refreshed, so that one question serves all Readers.
// Units:      ids of the replica.
// Cost:       100 bytes per requested series.
#pragma once

#include <unordered_map>

#include "collectors/hub/replica/hub_questions.h"
#include "collectors/hub/replica/read_ahead.h"
#include "model/mutex.h"
#include "model/samples.h"

namespace runglass {

struct HubQuestions::Known {
  Mutex mutex;
  std::unordered_map<SeriesId, Series> extents RG_GUARDED_BY(mutex);  // id and extent only
  std::unordered_map<SeriesId, LatestSample> newest RG_GUARDED_BY(mutex);
  std::optional<std::uint64_t> generation RG_GUARDED_BY(mutex);  // of the hub, when extents were requested
  std::size_t asked RG_GUARDED_BY(mutex) = 0;                    // number of series requested
  DurNs refreshed RG_GUARDED_BY(mutex) = 0;                      // monotonic
  DurNs took RG_GUARDED_BY(mutex) = 0;
  Mutex refreshing;  // held during the request, so that one Reader asks and the others wait
  AskedGroups groups;
};

}  // namespace runglass
