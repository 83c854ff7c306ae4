// SPDX-License-Identifier: Apache-2.0
// The points of a scalar's chunk that retention keeps. Internal to storage.
//
// Units:      x = training step.
// Cost:       a partial sort of the chunk's values.
#pragma once

#include "storage/codec/series_buffer.h"

namespace runglass {

inline constexpr std::int64_t kThinnedEvery = 16;  // steps

// Keeps the first and the last point, every 16th step, non-finite values, and outliers: more than five standard deviations from the median,
// with the deviation estimated from the median distance, and at most one outlier per 16 points.
RawPoints thinned(const RawPoints& points);

}  // namespace runglass
