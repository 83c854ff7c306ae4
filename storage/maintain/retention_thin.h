// SPDX-License-Identifier: Apache-2.0
// What retention leaves of the points of a scalar's chunk. Internal to storage.
//
// Threading:  pure.
// Units:      x = training step.
// Cost:       a partial sort of the chunk's values.
#pragma once

#include "storage/codec/series_buffer.h"

namespace runglass {

inline constexpr std::int64_t kThinnedEvery = 16;  // steps

// The first and the last point, every 16th step, values that are no numbers, and outliers: more than five standard deviations from the
// median, estimated by the median of the distances, and of these at most one in 16 points.
RawPoints thinned(const RawPoints& points);

}  // namespace runglass
