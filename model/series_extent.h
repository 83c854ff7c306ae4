// SPDX-License-Identifier: Apache-2.0
// The end of a series, including series that contain the highest step or time of the type.
//
// Threading:  pure.
// Units:      those of the series' axis: steps or ns; half-open ranges.
// Errors:     results are clamped to the range of the type.
#pragma once

#include <cstdint>
#include <limits>

#include "model/samples.h"

namespace runglass {

// One past its last point.
inline std::int64_t endOf(const Series& series) {
  return series.last_x == std::numeric_limits<std::int64_t>::max() ? series.last_x : series.last_x + 1;
}

// The start of the newest `count` units of its axis.
inline std::int64_t newestOf(const Series& series, std::int64_t count) {
  std::int64_t begin = 0;
  return __builtin_sub_overflow(endOf(series), count, &begin) ? std::numeric_limits<std::int64_t>::min() : begin;
}

}  // namespace runglass
