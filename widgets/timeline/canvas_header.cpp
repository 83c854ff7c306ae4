// SPDX-License-Identifier: GPL-3.0-or-later
// Above the rows of the timeline: where the window lies in the run, the time, and the steps.
#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <cmath>

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
  const QFontMetrics metrics(tableFont());
  for (const AxisTick& tick : xTicks(time, XAxis::kTime, m_style)) {
    const int x = static_cast<int>(std::lround(tick.pixel));
    painter.fillRect(QRect(x, kMinimap + kRuler - 4, 1, 4), theme.muted);
    painter.setPen(theme.muted);
    // Half a time is worse than none.
    if (x + 3 + metrics.horizontalAdvance(tick.label) > kGutter + timeWidth()) continue;
    painter.drawText(QRect(x + 3, kMinimap, 160, kRuler - 2), Qt::AlignVCenter, tick.label);
  }
  painter.setPen(theme.muted);
  painter.drawText(QRect(kGrid, kMinimap, kGutter - 2 * kGrid, kRuler), Qt::AlignVCenter, formatDuration(m_t1 - m_t0) + tr(" on screen"));
  renderBands(painter);
  painter.fillRect(QRect(0, kHeader - 1, width(), 1), theme.line);
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
  painter.setClipRect(QRect(kGutter, top, timeWidth(), kBands));
  for (std::size_t i = 0; i < m_picture->steps.size(); ++i) {
    const StepBand& band = m_picture->steps[i];
    if (band.t1 <= m_t0 || band.t0 >= m_t1) continue;
    const double a = time.toPixel(std::max(band.t0, m_t0)), b = time.toPixel(std::min(band.t1, m_t1));
    const QRect rect(static_cast<int>(a), top + 1, std::max(1, static_cast<int>(b) - static_cast<int>(a)), kBands - 3);
    painter.fillRect(rect, band.step % 2 == 0 ? theme.raised : mix(theme.raised, theme.line, 0.6));
    if (band.slow) {
      painter.setPen(theme.warning);
      painter.drawRect(rect.adjusted(0, 0, -1, -1));
    }
    if (rect.width() < 36) continue;
    QString text = formatCount(band.step);
    if (rect.width() > 110) text += QStringLiteral("   ") + formatDuration(band.t1 - band.t0);
    painter.setPen(theme.text);
    painter.drawText(rect.adjusted(4, 0, -2, 0), Qt::AlignVCenter, text);
  }
  painter.setClipping(false);
}

}  // namespace runglass
