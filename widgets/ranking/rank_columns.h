// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the ranking's table.
//
// Threading:  GUI thread.
// Units:      as RankRow.
// Errors:     none: an absent value is kAbsentText and sorts last.
#pragma once

#include <vector>

#include "widgets/core/table_model.h"
#include "widgets/ranking/ranking_data.h"

namespace runglass {

inline constexpr int kSparkColumn = 8;
std::vector<Column<RankRow>> rankColumns();

}  // namespace runglass
