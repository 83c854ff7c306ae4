// SPDX-License-Identifier: Apache-2.0
// The ranking of larger things: a GPU, node, rack or switch is as bad as its worst rank.
//
// Threading:  pure.
// Ownership:  values; indices into the rows that were given.
// Units:      as RankedRow.
// Errors:     none. Rows whose place at that level is not known are left out.
// Cost:       O(rows log rows).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/ranking/rank_rows.h"

namespace runglass {

struct RolledRow {
  std::string name;
  std::size_t worst = 0;             // index of the row with the most weight
  std::vector<std::size_t> members;  // indices, in the order of the rows
  std::size_t standing_out = 0;
  // Of the costliest suspect that names a member, of those that hold if any does: everybody waits for the slowest, so costs do not add.
  std::optional<double> gpu_hours_per_day;
};

// `name_of`: what a row belongs to, "" = not known. Worst first.
std::vector<RolledRow> rollUp(const std::vector<RankedRow>& rows, const Suspects* suspects,
                              const std::function<std::string(const RankedRow&)>& name_of);

}  // namespace runglass
