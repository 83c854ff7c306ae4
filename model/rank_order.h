// SPDX-License-Identifier: Apache-2.0
// The order in which a layout's parallel dimensions number its ranks, and the coordinates of a rank in it.
//
// Threading:  pure.
// Units:      counts; an order names the fastest-varying dimension first, each with its size if needed: "tp-cp-ep-dp-pp", "tp8-dp4-pp2".
// Errors:     INVALID_ARGUMENT: an invalid order. If the product of the sizes is not the world size, the rank keeps no coordinates.
// Cost:       O(dimensions).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"
#include "model/topology.h"

namespace runglass {

// Megatron-LM's default (megatron/core/parallel_state.py, RankGenerator); DeepSpeed's PipeModelDataParallelTopology and torchtitan's mesh
// number the dimensions that they have in the same order.
inline constexpr const char* kDefaultRankOrder = "tp-cp-ep-dp-pp";
// The fact of an attempt that holds the order a person chose for it; empty: none chosen.
inline constexpr const char* kRankOrderFact = "runglass_rank_order";

struct RankOrderPart {
  std::string name;       // tp, pp, dp, cp, ep
  std::int32_t size = 0;  // 0: as in the layout
};
Result<std::vector<RankOrderPart>> parseRankOrder(std::string_view order);
// The layout with the sizes in the order; a missing world size is their product.
Layout sizesBy(const std::vector<RankOrderPart>& order, Layout layout);

// Sets the coordinates of `rank`. `ep` either multiplies the world or, as in Megatron, divides dp. Sizes in the order are ignored here.
void placeRank(const Layout& layout, std::string_view order, Rank& rank);

}  // namespace runglass
