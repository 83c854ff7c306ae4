// SPDX-License-Identifier: GPL-3.0-or-later
// The span of a finding on a time axis: from its start to its end, in the colour of its severity, the same on plots, the event lane, the
// timeline's ruler and the playhead bar.
//
// Threading:  the Reader's thread; inks are resolved when they are painted.
// Units:      TimeNs, half-open; pixels.
// Errors:     the Reader's. A finding without a time has no span.
// Cost:       one read of the findings and one of the attempts.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <span>
#include <vector>

#include "model/findings.h"
#include "model/result.h"
#include "model/topology.h"
#include "storage/reader.h"
#include "widgets/core/theme.h"
#include "widgets/core/top_columns.h"

class QPainter;

namespace runglass {

inline constexpr int kFindingSpanPx = 3;  // height of the line on rulers and bars
inline constexpr qsizetype kTooltipLines = 8;

struct FindingSpan {
  TimeRange range;
  Severity severity = Severity::kWarning;
  QString text;  // made safe with screenText()
};

// An open finding lasts to the end of its attempt, else to the highest time.
std::optional<TimeRange> spanOf(const Finding& finding, std::span<const Attempt> attempts);
// Of severity warning and above, the least severe first, so that it is painted below the others.
std::vector<FindingSpan> findingSpans(std::span<const Finding> findings, std::span<const Attempt> attempts);
Result<std::vector<FindingSpan>> readFindingSpans(Reader& reader, RunId run);
// Behind curves.
Ink findingTint(Severity severity);
// The line of the findings on a ruler or bar; the tags of the columns are severities.
void paintFindingLine(QPainter& painter, const TopColumns& columns, int top);
// A tooltip stays on the screen: of more than kTooltipLines lines it has the first, and the number of the others.
QString tooltipText(const QStringList& lines);

}  // namespace runglass
