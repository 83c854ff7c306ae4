// SPDX-License-Identifier: GPL-3.0-or-later
// A table on paper: columns as wide as they need, wrapped rows, a header repeated on each page.
//
// Threading:  any thread that paints.
// Ownership:  the pieces own their text.
// Units:      px of 1/96 inch.
// Cost:       one layout a cell.
#pragma once

#include "analysis/report/report_document.h"
#include "widgets/core/theme.h"
#include "widgets/report/page_flow.h"

namespace runglass {

// Widths of the columns, including their gaps; they sum to `width`.
std::vector<double> columnWidths(const report::Table& table, double width);
void addTable(PageFlow& flow, const report::Table& table, int number, const Theme& theme);

}  // namespace runglass
