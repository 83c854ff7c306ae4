// SPDX-License-Identifier: GPL-3.0-or-later
// Text of painted widgets: as many words as fit, and the chip of a severity.
//
// Threading:  GUI thread.
#pragma once

#include <QFontMetrics>
#include <QString>

#include "model/events.h"

class QPainter;

namespace runglass {

// As many words as fit into the place, then an ellipsis.
QString inLines(const QFontMetrics& metrics, const QString& words, const QRect& place);

// Shape and word of a severity in the table font: on a fill of its colour, for info without one.
int severityChipWidth(Severity severity);
int severityChipHeight();
void paintSeverityChip(QPainter& painter, const QRect& chip, Severity severity);

}  // namespace runglass
