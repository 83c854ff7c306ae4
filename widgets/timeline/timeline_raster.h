// SPDX-License-Identifier: GPL-3.0-or-later
// Bars and busy strips drawn directly into the scanlines of a QImage, and the same as rectangles through QPainter for SVG and PDF.
//
// Threading:  any thread that owns the image or the painter.
// Ownership:  draws into the caller's image or painter.
// Units:      device pixels, or units of the painter; time through XMap.
// Errors:     none; everything is clipped to `area`.
// Cost:       O(bars on screen + pixels touched); as vectors one rectangle per bar, and one per run of equal columns of a strip.
#pragma once

#include <QImage>
#include <QPainter>
#include <QRect>
#include <vector>

#include "widgets/charts/geometry.h"
#include "widgets/core/theme.h"
#include "widgets/timeline/timeline_data.h"
#include "widgets/timeline/wait_question.h"

namespace runglass {

// A narrower bar is not split into waiting and transfer.
inline constexpr int kSplitWidth = 6;
inline constexpr int kVectorShades = 8;
// The vector shade of a busy share 0..255; 0 stays 0.
constexpr std::uint8_t vectorShade(std::uint8_t busy) {
  return static_cast<std::uint8_t>((busy * kVectorShades + 254) / 255 * 255 / kVectorShades);
}

QColor categoryColor(const Theme& theme, SpanCategory category);

// The place of a bar wide enough for its name.
struct BarLabel {
  QRect rect;
  std::uint32_t name = 0;
  QColor ink;
};

// The names, or their first letters and "…", in the painter's font; labels whose top is above `from` are left out.
void paintBarLabels(QPainter& painter, const std::vector<BarLabel>& labels, const std::vector<QString>& names, int from);
// The steps along `lane`: slow ones outlined, numbers and durations where there is room.
void paintStepBands(QPainter& painter, const std::vector<StepBand>& steps, const XMap& map, const QRect& lane, const Theme& theme);
// Ticks and times along `lane`.
void paintTimeRuler(QPainter& painter, const XMap& map, TimeStyle style, const QRect& lane, const Theme& theme);

// One per picture: it caches data that all rows share.
class TimelineRaster {
 public:
  TimelineRaster(QImage& image, const XMap& map, const Theme& theme);
  // Vectors in `area`; a strip's busy share is quantized to kVectorShades levels, so that equal neighbours are one rectangle.
  TimelineRaster(QPainter& painter, const QRect& area, const XMap& map, const Theme& theme);
  void setClip(const QRect& area) { m_area = area.intersected(m_bounds); }
  // A lane's bars, `height` pixels high at `top`. Bars of several spans fade with a lower busy share, but are never invisible. `shades` of
  // the picture's names; `waits`: the waiting parts of spans, hatched if they are wide enough; `labels` may be null.
  void bars(const std::vector<SpanBar>& bars, const std::vector<std::uint8_t>& shades, const WaitParts* waits, int top, int height,
            TimeNs now, std::vector<BarLabel>* labels);
  // Compute above communication above copies and host work, each with an intensity by its busy share.
  void strip(const BusyStrip& strip, int top, int height);
  // Hatches the communication of a strip while its rank waited; rows of a few pixels have no room for it.
  void stripWaits(const Intervals& waiting, int top, int height);

 private:
  static constexpr int kShades = 5, kParts = 3;
  TimelineRaster(QImage* image, QPainter* painter, const QRect& bounds, const XMap& map, const Theme& theme);
  void paintHatch(const QRect& rect, const QColor& color);
  struct Columns {
    std::int32_t first = 0, last = -1;  // of a strip, under one pixel
  };
  void fill(int x0, int x1, int y0, int y1, QRgb color);
  void hatch(int x0, int x1, int y0, int y1, const QColor& color);
  void placeColumns(const BusyStrip& strip);

  QImage* m_image;      // exactly one is set
  QPainter* m_painter;  // borrowed
  QRect m_bounds, m_area;
  XMap m_map;
  QColor m_ground, m_text;
  std::array<std::array<QColor, kShades>, kSpanCategoryCount> m_colors;
  std::array<std::array<QRgb, 256>, kSpanClassCount> m_busy;  // of each class, by busy share
  std::vector<Columns> m_columns;                             // of the strips of one picture, by pixel from m_map.left
  TimeNs m_columns_t0 = 0;
  DurNs m_columns_pixel = 0;
  std::size_t m_columns_count = 0;
};

}  // namespace runglass
