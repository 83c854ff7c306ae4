// SPDX-License-Identifier: GPL-3.0-or-later
// The small charts of a report: bars by QtCharts, recorded as painter calls, so that they are vectors wherever they are painted.
//
// Threading:  GUI thread, because QtCharts lays out in a scene. The result can be painted on any thread.
// Units:      px of 1/96 inch.
// Errors:     none: an absent value has no bar.
// Cost:       a few ms a chart.
#pragma once

#include "analysis/report/report_document.h"
#include "widgets/report/report_pages.h"

namespace runglass {

DrawnChart drawChart(const report::BarChart& chart);
std::vector<DrawnChart> drawCharts(const report::ReportDocument& document);

}  // namespace runglass
