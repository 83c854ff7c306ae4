// SPDX-License-Identifier: Apache-2.0
// Where a rank stands in the parallel layout.
//
// Threading:  pure.
// Ownership:  none.
// Units:      counts; `order` names the fastest-varying dimension first: "tp-cp-ep-dp-pp".
// Errors:     sizes that do not give the world: the rank keeps no coordinates.
// Cost:       O(dimensions).
#pragma once

#include <string_view>

#include "model/topology.h"

namespace runglass {

// Coordinates of `rank`. `ep` either multiplies the world or, as in Megatron, divides dp.
void placeRank(const Layout& layout, std::string_view order, Rank& rank);

}  // namespace runglass
