// SPDX-License-Identifier: GPL-3.0-or-later
// The header above the rows of the timeline: the window's position in the run, the time axis, and the steps.
#include <QPainter>
#include <algorithm>

#include "widgets/timeline/timeline_canvas.h"

namespace runglass {

void TimelineCanvas::renderHeader(QPainter& painter) {
  const Theme& theme = currentTheme();
  painter.fillRect(QRect(0, 0, width(), kHeader), theme.surface);
  if (m_t1 <= m_t0) return;
  const XMap time = map();
  if (m_extent && m_extent->t1 > m_extent->t0) {
    const XMap whole{m_extent->t0, m_extent->t1, static_cast<double>(kGutter), static_cast<double>(timeWidth())};
    painter.fillRect(QRect(kGutter, 2, timeWidth(), kMinimap - 3), theme.raised);
    const int a =
        static_cast<int>(std::clamp(whole.toPixel(std::clamp(m_t0, m_extent->t0, m_extent->t1)), whole.left, whole.left + whole.width));
    const int b =
        static_cast<int>(std::clamp(whole.toPixel(std::clamp(m_t1, m_extent->t0, m_extent->t1)), whole.left, whole.left + whole.width));
    painter.fillRect(QRect(a, 2, std::max(3, b - a), kMinimap - 3), theme.accent);
  }
  painter.setFont(tableFont());
  paintTimeRuler(painter, time, m_style, QRect(kGutter, kMinimap, timeWidth(), kRuler), theme);
  painter.setPen(theme.muted);
  painter.drawText(QRect(kGrid, kMinimap, kGutter - 2 * kGrid, kRuler), Qt::AlignVCenter,
                   tr("%1 on screen").arg(formatLength(m_t1 - m_t0)));
  renderFindings(painter);
  renderBands(painter);
  painter.fillRect(QRect(0, kHeader - 1, width(), 1), theme.line);
}

// Along the lower edge of the time axis.
void TimelineCanvas::renderFindings(QPainter& painter) {
  const XMap time = map();
  TopColumns columns(kGutter, kGutter + timeWidth());
  for (const FindingSpan& finding : m_marks.findings) {
    if (finding.range.t1 < m_t0 || finding.range.t0 >= m_t1) continue;
    columns.add(time.toPixel(std::max(finding.range.t0, m_t0)), time.toPixel(std::min(finding.range.t1, m_t1)),
                static_cast<std::size_t>(finding.severity));
  }
  paintFindingLine(painter, columns, kMinimap + kRuler - kFindingSpanPx);
}

void TimelineCanvas::renderBands(QPainter& painter) {
  const Theme& theme = currentTheme();
  const XMap time = map();
  const int top = kMinimap + kRuler;
  painter.setPen(theme.muted);
  const bool any = m_picture && !m_picture->steps.empty();
  painter.drawText(QRect(kGrid, top, kGutter - 2 * kGrid, kBands), Qt::AlignVCenter,
                   any                                      ? tr("steps")
                   : m_picture && m_picture->steps_too_many ? tr("steps: zoom in")
                                                            : tr("no steps here"));
  if (!any) return;
  paintStepBands(painter, m_picture->steps, time, QRect(kGutter, top + 1, timeWidth(), kBands - 3), theme);
}

}  // namespace runglass
