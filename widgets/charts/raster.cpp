// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/raster.h"

#include <QPainterPath>
#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace runglass {
namespace {

constexpr double kLine = 1.4;                      // pixels
constexpr std::size_t kWorthASecondCore = 20'000;  // bins or columns: about a millisecond, against 50 us for a thread
constexpr int kStrip = 16;                         // columns drawn together: one cache line of an image row

// A height in 1/256 pixels: enough for runs of columns, which are computed in integers.
using Fixed = std::int32_t;
constexpr Fixed kOnePixel = 256;
Fixed toFixed(double y) { return static_cast<Fixed>(std::clamp(y, -1e6, 1e6) * kOnePixel); }

// A curve in pixels, so that logarithms are computed once.
struct PixelCurve {
  struct Place {
    int pixel;
    float x, first, last;              // for slanting lines
    Fixed first_y, last_y, low, high;  // low is the lower end on screen, hence the larger value
    bool gap_before, one;
  };
  std::vector<Place> places;
  QColor color;
  bool band = false;
};

PixelCurve toPixels(const RasterCurve& curve, const YMap& map) {
  PixelCurve out;
  out.color = curve.color;
  out.band = curve.band;
  out.places.resize(curve.columns.columns.size());
  // As YMap::toPixel(), with the division done once.
  const double factor = map.height / (map.hi - map.lo), bottom = map.top + map.height;
  const auto pixel = [&](double value) { return map.log ? map.toPixel(value) : bottom - (value - map.lo) * factor; };
  PixelCurve::Place* place = out.places.data();
  for (const PixelColumn& column : curve.columns.columns) {
    const double first = pixel(column.first), last = column.one ? first : pixel(column.last);
    const Fixed first_y = toFixed(first);
    *place++ = {column.pixel,
                static_cast<float>(column.x),
                static_cast<float>(first),
                static_cast<float>(last),
                first_y,
                column.one ? first_y : toFixed(last),
                column.one ? first_y : toFixed(pixel(column.min)),
                column.one ? first_y : toFixed(pixel(column.max)),
                column.gap_before,
                column.one};
  }
  return out;
}

// Eight pixels of 32 bits as 16 channels pairwise; the compiler maps it to one or two registers.
using Lanes = std::uint16_t __attribute__((vector_size(32)));

// `over` over each pixel with 255 - keep of 255: x / 255 as (x + 128 + (x + 128) / 256) / 256, exact for these products.
__attribute__((target_clones("avx2", "default"))) void blendPixels(QRgb* at, std::ptrdiff_t count, QRgb over, unsigned alpha) {
  const auto keep = static_cast<std::uint16_t>(255 - alpha);
  const auto part = [&](int shift) { return static_cast<std::uint16_t>(((over >> shift) & 0xFFU) * alpha + 128); };
  const std::uint16_t blue = part(0), green = part(8), red = part(16), opaque = part(24);
  const Lanes even{blue, red, blue, red, blue, red, blue, red, blue, red, blue, red, blue, red, blue, red};
  const Lanes odd{green, opaque, green, opaque, green, opaque, green, opaque, green, opaque, green, opaque, green, opaque, green, opaque};
  for (; count > 0; at += 8, count -= 8) {
    Lanes under{};
    const std::size_t bytes = count >= 8 ? sizeof(under) : static_cast<std::size_t>(count) * sizeof(QRgb);
    if (count >= 8)
      std::memcpy(&under, at, sizeof(under));
    else
      std::memcpy(&under, at, bytes);
    Lanes low = (under & 0xFF) * keep + even, high = (under >> 8) * keep + odd;
    low = (low + (low >> 8)) >> 8;
    high = (high + (high >> 8)) >> 8;
    const Lanes mixed = low | (high << 8);
    if (count >= 8)
      std::memcpy(at, &mixed, sizeof(mixed));
    else
      std::memcpy(at, &mixed, bytes);
  }
}

// A few columns of an image, transposed: a run of a column is contiguous, which makes blending fast. Blends by area coverage: a pixel half
// covered by a shape gets half its colour.
class Strip {
 public:
  explicit Strip(const QRect& clip) : m_clip(clip), m_height(clip.height()) {
    m_pixels.resize(static_cast<std::size_t>(kStrip) * static_cast<std::size_t>(m_height));
  }
  void load(const QImage& image, int left) {
    m_left = left;
    m_right = std::min(left + kStrip - 1, m_clip.right());
    for (int y = 0; y < m_height; ++y) {
      const QRgb* line = reinterpret_cast<const QRgb*>(image.constScanLine(m_clip.top() + y)) + m_left;
      for (int x = 0; x <= m_right - m_left; ++x) m_pixels[index(x, y)] = line[x];
    }
  }
  void store(QImage& image) const {
    for (int y = 0; y < m_height; ++y) {
      QRgb* line = reinterpret_cast<QRgb*>(image.scanLine(m_clip.top() + y)) + m_left;
      for (int x = 0; x <= m_right - m_left; ++x) line[x] = m_pixels[index(x, y)];
    }
  }
  void setColor(const QColor& color) {
    m_alpha = static_cast<unsigned>(color.alpha());
    m_color = color.rgb();
  }
  int left() const { return m_left; }
  int right() const { return m_right; }

  // Pixel column x from y0 to y1, in any order, at least `thick` tall.
  void column(int x, Fixed from, Fixed to, Fixed thick = kOnePixel) {
    if (x < m_left || x > m_right) return;
    if (from > to) std::swap(from, to);
    if (to - from < thick) {
      from = (from + to - thick) / 2;
      to = from + thick;
    }
    from = std::max(from - m_clip.top() * kOnePixel, 0), to = std::min(to - m_clip.top() * kOnePixel, m_height * kOnePixel);
    if (from >= to) return;
    const int first = from / kOnePixel, last = std::min(to / kOnePixel, m_height - 1);
    QRgb* at = &m_pixels[index(x - m_left, 0)];
    if (first == last) return cover(at + first, to - from);
    cover(at + first, (first + 1) * kOnePixel - from);
    if (m_alpha == 255)
      std::fill(at + first + 1, at + last, m_color);
    else
      blendPixels(at + first + 1, last - first - 1, m_color, m_alpha);
    cover(at + last, to - last * kOnePixel);
  }

  // A straight line, kLine wide: stepped along its longer side, so that it is smooth at every slope.
  void segment(QPointF a, QPointF b) {
    const double top = m_clip.top(), y0 = a.y() - top, y1 = b.y() - top, x0 = a.x() - m_left, x1 = b.x() - m_left;
    if (std::max(x0, x1) < -kLine || std::min(x0, x1) > kStrip + kLine) return;
    if (std::abs(x1 - x0) >= std::abs(y1 - y0))
      walk(x0, y0, x1, y1, m_right - m_left, m_height - 1, m_height, 1);
    else
      walk(y0, x0, y1, x1, m_height - 1, m_right - m_left, 1, m_height);
  }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(m_height) + static_cast<std::size_t>(y);
  }

  // u along, v across, both counted from the strip's corner.
  void walk(double u0, double v0, double u1, double v1, int u_max, int v_max, std::ptrdiff_t u_stride, std::ptrdiff_t v_stride) {
    if (u0 > u1) std::swap(u0, u1), std::swap(v0, v1);
    const double length = u1 - u0;
    if (!(length > 0) || !(length < 1e9)) return;
    const double slope = (v1 - v0) / length, half = kLine / 2 * std::sqrt(1 + slope * slope);
    const int first = std::max(0, static_cast<int>(std::floor(std::max(u0, -1.0)))),
              last = std::min(u_max, static_cast<int>(std::ceil(std::min(u1, u_max + 1.0))) - 1);
    for (int u = first; u <= last; ++u) {
      const double begin = std::max<double>(u, u0), end = std::min<double>(u + 1, u1), share = end - begin;
      const double middle = v0 + ((begin + end) / 2 - u0) * slope;
      const double low = middle - half, high = middle + half;
      if (!(low < v_max + 1.0) || !(high > 0)) continue;
      const int from = std::max(0, static_cast<int>(std::floor(std::max(low, -1.0)))), to = std::min(v_max, static_cast<int>(high));
      QRgb* at = m_pixels.data() + u * u_stride + from * v_stride;
      for (int v = from; v <= to; ++v, at += v_stride) {
        const double covered = std::min(high, v + 1.0) - std::max<double>(low, v);
        if (covered > 0) cover(at, static_cast<Fixed>(std::min(covered * share, 1.0) * kOnePixel));
      }
    }
  }

  // Blends with a coverage of `part` / kOnePixel.
  void cover(QRgb* at, Fixed part) const {
    const unsigned a = (m_alpha * static_cast<unsigned>(part) + kOnePixel / 2) / kOnePixel, b = 255 - a;
    // Two channels at a time: x / 255 as (x + 128 + (x + 128) / 256) / 256, exact for these products.
    const auto scale = [](unsigned pair) { return ((pair + 0x800080U + (((pair + 0x800080U) >> 8) & 0xFF00FFU)) >> 8) & 0xFF00FFU; };
    const unsigned under = *at;
    const unsigned red_blue = scale((m_color & 0xFF00FFU) * a + (under & 0xFF00FFU) * b);
    const unsigned green = scale(((m_color >> 8) & 0xFFU) * a + ((under >> 8) & 0xFFU) * b);
    *at = 0xFF000000U | red_blue | ((green & 0xFFU) << 8);
  }

  const QRect m_clip;
  const int m_height;
  int m_left = 0, m_right = -1;
  std::vector<QRgb> m_pixels;
  unsigned m_alpha = 255;
  QRgb m_color = 0;
};

// Neighbouring columns share their join: each draws its own half. Columns further apart are joined by a straight line.
void drawLine(Strip& out, const PixelCurve& curve, std::size_t from, std::size_t to) {
  constexpr auto kLineFixed = static_cast<Fixed>(kLine * kOnePixel);
  const PixelCurve::Place* places = curve.places.data();
  const std::size_t count = curve.places.size();
  for (std::size_t i = from; i < to; ++i) {
    const PixelCurve::Place& place = places[i];
    const bool before = i > 0 && !place.gap_before, after = i + 1 < count && !places[i + 1].gap_before;
    const bool near_before = before && place.pixel - places[i - 1].pixel == 1, near_after = after && places[i + 1].pixel - place.pixel == 1;
    const bool one_between = before && place.pixel - places[i - 1].pixel == 2 && !(place.one && places[i - 1].one);
    if (one_between)
      out.column(place.pixel - 1, places[i - 1].last_y, place.first_y, kLineFixed);
    else if (before && !near_before)
      out.segment({places[i - 1].x, places[i - 1].last}, {place.x, place.first});
    Fixed low = place.low, high = place.high;
    const auto reach = [&](Fixed y) { low = std::max(low, y), high = std::min(high, y); };
    if (near_before) reach((places[i - 1].last_y + place.first_y) / 2);
    if (near_after) reach((place.last_y + places[i + 1].first_y) / 2);
    if (!place.one || near_before || near_after) {
      out.column(place.pixel, low, high, kLineFixed);
    } else if (!before && !after) {  // a point that no line reaches must be visible
      for (int dx = -1; dx <= 1; ++dx) out.column(place.pixel + dx, low + 3 * kOnePixel / 2, high - 3 * kOnePixel / 2);
    }
  }
}

void drawArea(Strip& out, const PixelCurve& curve, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    const PixelCurve::Place& place = curve.places[i];
    if (i > 0 && !place.gap_before) {
      const PixelCurve::Place& before = curve.places[i - 1];
      const int distance = place.pixel - before.pixel;
      for (int x = std::max(before.pixel + 1, out.left()); x < std::min(place.pixel, out.right() + 1); ++x) {
        const double share = static_cast<double>(x - before.pixel) / distance;
        out.column(x, before.low + static_cast<Fixed>((place.low - before.low) * share),
                   before.high + static_cast<Fixed>((place.high - before.high) * share));
      }
    }
    out.column(place.pixel, place.low, place.high);
  }
}

// Strips with left edges in [begin, end).
void drawStrips(QImage& image, const QRect& area, const std::vector<PixelCurve>& curves, int begin, int end) {
  Strip strip(area);
  std::vector<std::size_t> next(curves.size());  // first place not left of the strip
  for (int left = begin; left < end; left += kStrip) {
    strip.load(image, left);
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const auto& places = curves[i].places;
      while (next[i] < places.size() && places[next[i]].pixel < strip.left()) ++next[i];
      std::size_t beyond = next[i];
      while (beyond < places.size() && places[beyond].pixel <= strip.right()) ++beyond;
      // One extra place on either side: joins and dots extend into the strip from there.
      const std::size_t from = next[i] > 0 ? next[i] - 1 : 0, to = std::min(beyond + 1, places.size());
      if (from >= to) continue;
      strip.setColor(curves[i].color);
      if (curves[i].band)
        drawArea(strip, curves[i], from, to);
      else
        drawLine(strip, curves[i], from, to);
    }
    strip.store(image);
  }
}

// Runs work(0, count), or its two halves in parallel.
template <class Work>
void halves(std::size_t count, bool shared, const Work& work) {
  if (!shared || count < 2) return work(std::size_t{0}, count);
  const std::jthread second([&] { work(count / 2, count); });
  work(std::size_t{0}, count / 2);
}

}  // namespace

void fillColumns(std::span<RasterCurve> curves, const XMap& map) {
  std::size_t bins = 0;
  for (const RasterCurve& curve : curves) bins += curve.bins.size();
  halves(curves.size(), bins > kWorthASecondCore, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) curves[i].columns = toColumns(curves[i].bins, map, curves[i].gaps);
  });
}

void drawCurves(QImage& image, const QRect& clip, std::span<const RasterCurve> curves, const YMap& map) {
  const QRect area = clip.intersected(image.rect());
  if (area.isEmpty()) return;
  std::size_t columns = 0;
  for (const RasterCurve& curve : curves) columns += curve.columns.columns.size();
  std::vector<PixelCurve> all(curves.size());
  const bool shared = columns > kWorthASecondCore;
  halves(all.size(), shared, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) all[i] = toPixels(curves[i], map);
  });
  image.bits();  // detaches here: the halves below write to different columns of one buffer
  const auto strips = static_cast<std::size_t>((area.width() + kStrip - 1) / kStrip);
  halves(strips, shared, [&](std::size_t from, std::size_t to) {
    drawStrips(image, area, all, area.left() + static_cast<int>(from) * kStrip, area.left() + static_cast<int>(to) * kStrip);
  });
}

void paintColumns(QPainter& painter, const PixelColumns& columns, const YMap& map, const QPen& line) {
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
  painter.setPen(QPen(line.brush(), line.widthF(), line.style(), Qt::FlatCap, Qt::RoundJoin));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(path);
  // A point that no line reaches would be invisible.
  const auto alone = [&](std::size_t i) {
    return (i == 0 || columns.columns[i].gap_before) && (i + 1 == columns.columns.size() || columns.columns[i + 1].gap_before);
  };
  painter.setPen(Qt::NoPen);
  painter.setBrush(line.brush());
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
