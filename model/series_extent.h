// SPDX-License-Identifier: Apache-2.0
// Where a series ends, also where somebody stored the last step or time that there is.
//
// Threading:  pure.
// Units:      those of the series' axis: steps or ns; half-open ranges.
// Errors:     none: what would be beyond the ends of the type is the end.
#pragma once

#include <cstdint>
#include <limits>

#include "model/samples.h"

namespace runglass {

// One past its last point.
inline std::int64_t endOf(const Series& series) {
  return series.last_x == std::numeric_limits<std::int64_t>::max() ? series.last_x : series.last_x + 1;
}

// Where the newest `count` of its axis begin.
inline std::int64_t newestOf(const Series& series, std::int64_t count) {
  std::int64_t begin = 0;
  return __builtin_sub_overflow(endOf(series), count, &begin) ? std::numeric_limits<std::int64_t>::min() : begin;
}

}  // namespace runglass
