// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/painted_text.h"

#include <QPainter>
#include <algorithm>

#include "widgets/core/language.h"
#include "widgets/core/theme.h"

namespace runglass {

QString inLines(const QFontMetrics& metrics, const QString& words, const QRect& place) {
  const auto fits = [&](const QString& text) {
    const QRect needed = metrics.boundingRect(QRect(0, 0, place.width(), 100 * kRowHeight), Qt::TextWordWrap, text);
    return needed.height() <= place.height() && needed.width() <= place.width();
  };
  if (fits(words)) return words;
  QString kept = words;
  for (qsizetype end = kept.lastIndexOf(u' '); end > 0; end = kept.lastIndexOf(u' ')) {
    kept.truncate(end);
    if (fits(kept + u'…')) return kept + u'…';
  }
  return metrics.elidedText(words, Qt::ElideRight, place.width());
}

int severityChipWidth(Severity severity) {
  return QFontMetrics(tableFont()).horizontalAdvance(severityGlyph(severity) + u' ' + severityLabel(severity)) + 4 * kGrid;
}

int severityChipHeight() { return std::max(5 * kGrid, QFontMetrics(tableFont()).lineSpacing() + 2); }

void paintSeverityChip(QPainter& painter, const QRect& chip, Severity severity) {
  const Theme& theme = currentTheme();
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  if (severity > Severity::kInfo) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(severityColor(theme, severity));
    painter.drawRoundedRect(chip, kRadius, kRadius);
  }
  painter.setPen(severity > Severity::kInfo ? theme.on_critical : theme.muted);
  painter.setFont(tableFont());
  painter.drawText(chip, Qt::AlignCenter, severityGlyph(severity) + u' ' + severityLabel(severity));
  painter.restore();
}

}  // namespace runglass
