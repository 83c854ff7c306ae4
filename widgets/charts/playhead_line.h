// SPDX-License-Identifier: GPL-3.0-or-later
// The playhead over any plot with time or steps on its axis: one colour everywhere.
//
// Threading:  GUI thread.
// Units:      x as in the map; pixels.
// Errors:     none; outside the map's range nothing is painted.
// Cost:       two shapes.
#pragma once

#include <QPainter>

#include "widgets/charts/geometry.h"
#include "widgets/core/theme.h"

namespace runglass {

inline void paintPlayhead(QPainter& painter, const XMap& map, std::int64_t x, int top, int bottom) {
  if (x < map.x0 || x > map.x1) return;
  const QColor& ink = currentTheme().accent;
  const double at = map.toPixel(x);
  painter.fillRect(QRectF(at - kSelectionLine / 2.0, top, kSelectionLine, bottom - top), ink);
  painter.save();
  painter.setPen(Qt::NoPen);
  painter.setBrush(ink);
  painter.drawPolygon(QPolygonF({{at - kGrid, static_cast<double>(top)}, {at + kGrid, static_cast<double>(top)}, {at, top + 1.5 * kGrid}}));
  painter.restore();
}

}  // namespace runglass
