// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/raster.h"

#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace runglass {
namespace {

class Scanlines {
 public:
  Scanlines(QImage& image, const QRect& clip, const QColor& color)
      : m_bits(reinterpret_cast<QRgb*>(image.bits())),
        m_stride(image.bytesPerLine() / 4),
        m_clip(clip.intersected(image.rect())),
        m_alpha(static_cast<unsigned>(color.alpha())),
        m_color(color.rgb()) {}

  // Pixels (x, y0..y1), both ends included, in any order.
  void column(int x, double from, double to) {
    if (x < m_clip.left() || x > m_clip.right()) return;
    if (from > to) std::swap(from, to);
    if (to < m_clip.top() || from > m_clip.bottom()) return;
    const int y0 = std::max(m_clip.top(), static_cast<int>(std::lround(std::max(from, -1e6)))),
              y1 = std::min(m_clip.bottom(), static_cast<int>(std::lround(std::min(to, 1e6))));
    QRgb* at = m_bits + static_cast<std::ptrdiff_t>(y0) * m_stride + x;
    for (int y = y0; y <= y1; ++y, at += m_stride) *at = m_alpha == 255 ? m_color : blended(*at);
  }

 private:
  QRgb blended(QRgb under) const {
    const unsigned a = m_alpha, b = 255 - a;
    const auto channel = [&](int over, int below) {
      return (static_cast<unsigned>(over) * a + static_cast<unsigned>(below) * b + 127) / 255;
    };
    return qRgb(static_cast<int>(channel(qRed(m_color), qRed(under))), static_cast<int>(channel(qGreen(m_color), qGreen(under))),
                static_cast<int>(channel(qBlue(m_color), qBlue(under))));
  }
  QRgb* m_bits;
  std::ptrdiff_t m_stride;
  QRect m_clip;
  unsigned m_alpha;
  QRgb m_color;
};

}  // namespace

void drawColumns(QImage& image, const QRect& clip, const PixelColumns& columns, const YMap& map, const QColor& color) {
  Scanlines out(image, clip, color);
  const PixelColumn* before = nullptr;
  for (const PixelColumn& column : columns.columns) {
    double from = map.toPixel(column.min), to = map.toPixel(column.max);
    if (before != nullptr && !column.gap_before) {
      const double y0 = map.toPixel(before->last), y1 = map.toPixel(column.first);
      const int distance = column.pixel - before->pixel;
      if (distance == 1) {  // the join's half that lies in this column
        const double middle = (y0 + y1) / 2;
        out.column(before->pixel, y0, middle);
        from = std::max(from, std::max(middle, map.toPixel(column.first)));
        to = std::min(to, std::min(middle, map.toPixel(column.first)));
      } else {
        for (int i = 1; i < distance; ++i) {
          const double a = y0 + (y1 - y0) * (i - 0.5) / distance, b = y0 + (y1 - y0) * (i + 0.5) / distance;
          out.column(before->pixel + i, a, b);
        }
      }
    }
    out.column(column.pixel, from, to);
    before = &column;
  }
}

void drawBand(QImage& image, const QRect& clip, const PixelColumns& columns, const YMap& map, const QColor& color) {
  Scanlines out(image, clip, color);
  const PixelColumn* before = nullptr;
  for (const PixelColumn& column : columns.columns) {
    if (before != nullptr && !column.gap_before) {
      const int distance = column.pixel - before->pixel;
      for (int i = 1; i < distance; ++i) {
        const double share = static_cast<double>(i) / distance;
        out.column(before->pixel + i, map.toPixel(before->min + (column.min - before->min) * share),
                   map.toPixel(before->max + (column.max - before->max) * share));
      }
    }
    out.column(column.pixel, map.toPixel(column.min), map.toPixel(column.max));
    before = &column;
  }
}

void paintColumns(QPainter& painter, const PixelColumns& columns, const YMap& map, const QColor& color, double width) {
  QPainterPath path;
  bool open = false;
  for (const PixelColumn& column : columns.columns) {
    const double x = column.pixel + 0.5;
    if (!open || column.gap_before)
      path.moveTo(x, map.toPixel(column.first));
    else
      path.lineTo(x, map.toPixel(column.first));
    open = true;
    if (column.min != column.max) {
      path.lineTo(x, map.toPixel(column.min));
      path.lineTo(x, map.toPixel(column.max));
      path.lineTo(x, map.toPixel(column.last));
    }
  }
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(path);
  // A point that no line reaches would not be seen.
  const auto alone = [&](std::size_t i) {
    return (i == 0 || columns.columns[i].gap_before) && (i + 1 == columns.columns.size() || columns.columns[i + 1].gap_before);
  };
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  for (std::size_t i = 0; i < columns.columns.size(); ++i)
    if (alone(i)) painter.drawEllipse(QPointF(columns.columns[i].pixel + 0.5, map.toPixel(columns.columns[i].last)), 2, 2);
  painter.restore();
}

void paintHatch(QPainter& painter, const QRect& rect, const QColor& color) {
  if (rect.isEmpty()) return;
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.setPen(QPen(color, 1));
  for (int x = rect.left() - rect.height(); x < rect.right(); x += 6) painter.drawLine(x, rect.bottom(), x + rect.height(), rect.top());
  painter.restore();
}

}  // namespace runglass
