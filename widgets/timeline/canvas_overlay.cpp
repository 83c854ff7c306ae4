// SPDX-License-Identifier: GPL-3.0-or-later
// Drawn over the rows of the timeline: the selection and its arrows, the selected area, the cursor.
#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "widgets/charts/playhead_line.h"
#include "widgets/timeline/timeline_canvas.h"

namespace runglass {

std::optional<QRect> TimelineCanvas::rectOf(TrackId track, TimeNs t0, TimeNs t1, std::int64_t id) const {
  const XMap time = map();
  for (const TimelineRow& row : m_rows->rows()) {
    if (row.kind == RowKind::kGroup || std::ranges::find(row.question.tracks, track) == row.question.tracks.end()) continue;
    // The open row comes after the strip of its rank and takes precedence.
    if (row.question.strip && row.open) continue;
    const int top = screenY(row);
    if (top + row.height <= kHeader + (row.pinned ? 0 : m_rows->pinnedHeight()) || top >= height()) return std::nullopt;
    int y = top, h = row.height;
    if (const RowPicture* made = pictureOf(row); made != nullptr && !row.question.strip) {
      h = RowList::kLaneHeight;
      for (std::size_t lane = 0; lane < made->lanes.size(); ++lane) {
        const auto& bars = made->lanes[lane].bars;
        auto bar = std::ranges::lower_bound(bars, t0, {}, &SpanBar::t0);
        for (; bar != bars.end() && bar->t0 == t0; ++bar)
          if (bar->id == id || id == 0) y = top + static_cast<int>(lane) * RowList::kLaneHeight;
      }
    }
    const double a = time.toPixel(std::clamp(t0, m_t0, m_t1)), b = time.toPixel(std::clamp(t1, m_t0, m_t1));
    return QRect(static_cast<int>(a), y, std::max(2, static_cast<int>(b) - static_cast<int>(a)), h - 1);
  }
  return std::nullopt;
}

void TimelineCanvas::placeNotes() {
  m_flags = m_t1 > m_t0 ? placeFlags(m_marks.notes, map(), kMinimap + 1, kRuler - 3, QFontMetrics(tableFont())) : std::vector<Flag>();
}

const Flag* TimelineCanvas::flagAt(QPointF at) const {
  const auto found = std::ranges::find_if(m_flags, [&](const Flag& flag) { return flag.box.contains(at.toPoint()); });
  return found == m_flags.end() ? nullptr : &*found;
}

void TimelineCanvas::paintMarks(QPainter& painter) const {
  const Theme& theme = currentTheme();
  painter.setClipRect(QRect(kGutter, kMinimap, timeWidth(), height() - kMinimap));
  paintFlags(painter, m_flags, m_marks.notes, height());
  painter.setClipRect(timeArea());
  if (m_playhead && m_t1 > m_t0) paintPlayhead(painter, map(), *m_playhead, kHeader, height());
  if (m_live && m_now >= m_t0 && m_now < m_t1)
    painter.fillRect(QRect(static_cast<int>(map().toPixel(m_now)), kHeader, 1, height()), theme.accent);
  if (m_selected) {
    if (const auto rect = rectOf(m_selected->track, m_selected->bar.t0, m_selected->bar.t1, m_selected->bar.id)) {
      painter.setPen(QPen(theme.text, kSelectionLine));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(rect->adjusted(-1, -1, 1, 1));
    }
  }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.accent, 1.5));
  for (const FlowArrow& arrow : m_arrows) {
    const auto from = rectOf(arrow.from, arrow.from_time, arrow.from_time + 1, 0),
               to = rectOf(arrow.to, arrow.to_time, arrow.to_time + 1, 0);
    if (!from || !to) continue;
    const QPointF a(from->left(), from->center().y()), b(to->left(), to->center().y());
    const double bend = std::max(20.0, std::abs(b.x() - a.x()) / 2);
    QPainterPath path(a);
    path.cubicTo(a + QPointF(bend, 0), b - QPointF(bend, 0), b);
    painter.drawPath(path);
    painter.drawEllipse(b, 2.5, 2.5);
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setClipping(false);
}

void TimelineCanvas::paintArea(QPainter& painter) const {
  std::optional<TimeRange> area = m_area;
  if (m_drag == Drag::kArea) {
    const TimeNs a = map().fromPixel(m_press.x()), b = map().fromPixel(m_here.x());
    area = TimeRange{std::min(a, b), std::max(a, b)};
  }
  if (!area || area->t1 <= m_t0 || area->t0 >= m_t1) return;
  const Theme& theme = currentTheme();
  const XMap time = map();
  const int a = static_cast<int>(time.toPixel(std::max(area->t0, m_t0))), b = static_cast<int>(time.toPixel(std::min(area->t1, m_t1)));
  const QRect rect(a, kHeader, std::max(1, b - a), height() - kHeader);
  QColor fill = theme.accent;
  fill.setAlphaF(0.12F);
  painter.fillRect(rect, fill);
  painter.setPen(theme.accent);
  painter.drawLine(rect.topLeft(), rect.bottomLeft());
  painter.drawLine(rect.topRight(), rect.bottomRight());
  painter.setFont(tableFont());
  const QString text = formatDuration(area->t1 - area->t0);
  const QRect box(std::clamp(rect.center().x() - 50, kGutter, std::max(kGutter, width() - 110)), kMinimap + 1, 100, kRuler - 3);
  painter.fillRect(box, theme.raised);
  painter.setPen(theme.text);
  painter.drawText(box, Qt::AlignCenter, text);
}

void TimelineCanvas::paintCursor(QPainter& painter) const {
  if (!m_cursor || m_drag == Drag::kArea || m_t1 <= m_t0 || m_cursor->x() < kGutter || m_cursor->x() >= kGutter + timeWidth()) return;
  const Theme& theme = currentTheme();
  const int x = static_cast<int>(m_cursor->x());
  QColor line = theme.muted;
  line.setAlphaF(0.5F);
  painter.fillRect(QRect(x, kMinimap, 1, height()), line);
  const QString text = formatTimeFull(map().fromPixel(m_cursor->x()), m_style);
  painter.setFont(tableFont());
  const int wide = QFontMetrics(tableFont()).horizontalAdvance(text) + 2 * kGrid;
  const QRect box(std::clamp(x + kGrid, kGutter, std::max(kGutter, width() - wide)), kMinimap + 1, wide, kRuler - 3);
  painter.fillRect(box, theme.raised);
  painter.setPen(theme.text);
  painter.drawText(box, Qt::AlignCenter, text);
}

}  // namespace runglass
