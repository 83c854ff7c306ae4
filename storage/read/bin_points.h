// SPDX-License-Identifier: Apache-2.0
// Reduces points in x order to uniform bins. Internal to storage.
//
// Units:      as model/samples.h; half-open ranges of x.
// Errors:     NaN is counted separately.
// Cost:       O(points + bins).
#pragma once

#include <cstdint>
#include <vector>

#include "model/samples.h"

namespace runglass {

inline constexpr std::size_t kMaxBins = std::size_t{1} << 24;

// Edge k of `bins` uniform bins over [x0, x1).
std::int64_t binEdge(std::int64_t x0, std::int64_t x1, std::size_t bins, std::size_t k);
std::vector<Bin> emptyBins(std::int64_t x0, std::int64_t x1, std::size_t bins);
// x in order; every point belongs to the last bin that begins at or before it.
void addPoints(std::vector<Bin>& bins, const std::vector<std::int64_t>& x, const std::vector<double>& value);

}  // namespace runglass
