// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/raster.h"

#include <QPainterPath>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

namespace runglass {
namespace {

constexpr double kLine = 1.4;  // pixels

// Blends by area coverage: a pixel that a shape covers by half gets half its colour.
class Scanlines {
 public:
  Scanlines(QImage& image, const QRect& clip, const QColor& color)
      : m_bits(reinterpret_cast<QRgb*>(image.bits())),
        m_stride(image.bytesPerLine() / 4),
        m_clip(clip.intersected(image.rect())),
        m_alpha(static_cast<unsigned>(color.alpha())),
        m_color(color.rgb()) {}

  // Pixel column x from y0 to y1, in any order, at least `thick` tall.
  void column(int x, double from, double to, double thick = 1) {
    if (x < m_clip.left() || x > m_clip.right() || m_clip.isEmpty()) return;
    if (from > to) std::swap(from, to);
    if (to - from < thick) {
      const double middle = (from + to) / 2;
      from = middle - thick / 2, to = middle + thick / 2;
    }
    from = std::max(from, static_cast<double>(m_clip.top())), to = std::min(to, m_clip.bottom() + 1.0);
    if (!(from < to)) return;
    const int first = static_cast<int>(from), last = std::min(static_cast<int>(to), m_clip.bottom());
    QRgb* at = m_bits + static_cast<std::ptrdiff_t>(first) * m_stride + x;
    if (first == last) return blend(at, to - from);
    blend(at, first + 1 - from);
    at += m_stride;
    if (m_alpha == 255) {
      for (int y = first + 1; y < last; ++y, at += m_stride) *at = m_color;
    } else {
      for (int y = first + 1; y < last; ++y, at += m_stride) blend(at, 1);
    }
    blend(at, to - last);
  }

  // A straight line, kLine wide: stepped along its longer side, so that it is smooth at every slope.
  void segment(QPointF a, QPointF b) {
    if (std::abs(b.x() - a.x()) >= std::abs(b.y() - a.y()))
      walk(a.x(), a.y(), b.x(), b.y(), m_clip.left(), m_clip.right(), m_clip.top(), m_clip.bottom(), 1, m_stride);
    else
      walk(a.y(), a.x(), b.y(), b.x(), m_clip.top(), m_clip.bottom(), m_clip.left(), m_clip.right(), m_stride, 1);
  }

 private:
  // u along, v across; both in pixels of the image.
  void walk(double u0, double v0, double u1, double v1, int u_min, int u_max, int v_min, int v_max, std::ptrdiff_t u_stride,
            std::ptrdiff_t v_stride) {
    if (u0 > u1) std::swap(u0, u1), std::swap(v0, v1);
    const double length = u1 - u0;
    if (!(length > 0) || !(length < 1e9)) return;
    const double slope = (v1 - v0) / length, half = kLine / 2 * std::sqrt(1 + slope * slope);
    const int first = std::max(u_min, static_cast<int>(std::floor(std::max(u0, -1.0)))),
              last = std::min(u_max, static_cast<int>(std::ceil(std::min(u1, u_max + 1.0))) - 1);
    for (int u = first; u <= last; ++u) {
      const double begin = std::max<double>(u, u0), end = std::min<double>(u + 1, u1), share = end - begin;
      const double middle = v0 + ((begin + end) / 2 - u0) * slope;
      const double low = middle - half, high = middle + half;
      if (!(low < v_max + 1.0) || !(high > v_min)) continue;
      const int from = std::max(v_min, static_cast<int>(std::floor(std::max(low, -1.0)))), to = std::min(v_max, static_cast<int>(high));
      QRgb* at = m_bits + u * u_stride + from * v_stride;
      for (int v = from; v <= to; ++v, at += v_stride) {
        const double cover = std::min(high, v + 1.0) - std::max<double>(low, v);
        if (cover > 0) blend(at, cover * share);
      }
    }
  }

  void blend(QRgb* at, double cover) const {
    const auto a = static_cast<unsigned>(static_cast<double>(m_alpha) * std::min(cover, 1.0) + 0.5), b = 255 - a;
    // Two channels at a time: x / 255 as (x + 128 + (x + 128) / 256) / 256, exact for these products.
    const auto scale = [](unsigned pair) { return ((pair + 0x800080U + ((pair >> 8) & 0xFF00FFU)) >> 8) & 0xFF00FFU; };
    const unsigned under = *at;
    const unsigned red_blue = scale((m_color & 0xFF00FFU) * a + (under & 0xFF00FFU) * b);
    const unsigned green = scale(((m_color >> 8) & 0xFFU) * a + ((under >> 8) & 0xFFU) * b);
    *at = 0xFF000000U | red_blue | ((green & 0xFFU) << 8);
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
  double last = 0;  // of the column before, in pixels
  const std::size_t count = columns.columns.size();
  for (std::size_t i = 0; i < count; ++i) {
    const PixelColumn& column = columns.columns[i];
    const double first = map.toPixel(column.first);
    double from = column.one ? first : map.toPixel(column.min), to = column.one ? first : map.toPixel(column.max);
    const bool joined = before != nullptr && !column.gap_before;
    if (joined && column.pixel - before->pixel == 1 && !(column.one && before->one)) {
      const double middle = (last + first) / 2;  // each column draws the half of the join that lies in it
      out.column(before->pixel, last, middle);
      from = std::max(from, middle);
      to = std::min(to, middle);
    } else if (joined) {
      out.segment({before->x, last}, {column.x, first});
    }
    const bool alone = !joined && (i + 1 == count || columns.columns[i + 1].gap_before);
    if (alone && column.one) {  // a point that no line reaches must be seen
      for (int dx = -1; dx <= 1; ++dx) out.column(column.pixel + dx, first - 1.5, first + 1.5);
    } else if (!column.one) {
      out.column(column.pixel, from, to, kLine);
    }
    last = column.one ? first : map.toPixel(column.last);
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
    const double x = column.x;
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

void paintBand(QPainter& painter, const PixelColumns& columns, const YMap& map, const QColor& color) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  const auto& all = columns.columns;
  for (std::size_t from = 0; from < all.size();) {
    std::size_t to = from + 1;
    while (to < all.size() && !all[to].gap_before) ++to;
    QPolygonF outline;
    for (std::size_t i = from; i < to; ++i) outline << QPointF(all[i].x, map.toPixel(all[i].max));
    for (std::size_t i = to; i-- > from;) outline << QPointF(all[i].x, map.toPixel(all[i].min));
    painter.drawPolygon(outline);
    from = to;
  }
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
