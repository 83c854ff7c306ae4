// SPDX-License-Identifier: Apache-2.0
// The ranking of larger units: a GPU, node, rack or switch has the score of its worst rank.
//
// Threading:  pure.
// Ownership:  indices refer to the given rows.
// Units:      as RankedRow.
// Errors:     rows whose place at that level is unknown are left out.
// Cost:       O(rows log rows).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/ranking/rank_rows.h"

namespace runglass {

struct RolledRow {
  std::string name;
  std::size_t worst = 0;             // index of the row with the largest weight
  std::vector<std::size_t> members;  // indices, in row order
  std::size_t standing_out = 0;
  // The cost of the costliest suspect that names a member, current ones first: all ranks wait for the slowest, so that costs do not add up.
  std::optional<double> gpu_hours_per_day;
};

// `name_of`: the unit of a row, "" = unknown. Worst first.
std::vector<RolledRow> rollUp(const std::vector<RankedRow>& rows, const Suspects* suspects,
                              const std::function<std::string(const RankedRow&)>& name_of);

}  // namespace runglass
