// SPDX-License-Identifier: GPL-3.0-or-later
// Bars and busy strips straight into the scanlines of a QImage.
//
// Threading:  any thread that owns the image.
// Ownership:  draws into the caller's image.
// Units:      device pixels; time through XMap.
// Errors:     none; everything is clipped to `area`.
// Cost:       O(bars on screen + pixels touched).
#pragma once

#include <QImage>
#include <QRect>
#include <vector>

#include "widgets/charts/geometry.h"
#include "widgets/core/theme.h"
#include "widgets/timeline/timeline_data.h"
#include "widgets/timeline/wait_question.h"

namespace runglass {

// A bar that is narrower is not split into waiting and transfer.
inline constexpr int kSplitWidth = 6;

QColor categoryColor(const Theme& theme, SpanCategory category);

// Where a bar is wide enough for its name.
struct BarLabel {
  QRect rect;
  std::uint32_t name = 0;
  QColor ink;
};

// One for a whole picture: it keeps what all its rows share.
class TimelineRaster {
 public:
  TimelineRaster(QImage& image, const XMap& map, const Theme& theme);
  void setClip(const QRect& area) { m_area = area.intersected(m_image.rect()); }
  // A lane's bars `height` pixels high at `top`. Bars of several spans are the fainter the less they were busy, but never invisible.
  // `shades` of the picture's names; `waits`: parts of spans that were waiting, hatched where they are wide enough; `labels` may be null.
  void bars(const std::vector<SpanBar>& bars, const std::vector<std::uint8_t>& shades, const WaitParts* waits, int top, int height,
            TimeNs now, std::vector<BarLabel>* labels);
  // Compute above communication above copies and host work, each as strong as it was busy.
  void strip(const BusyStrip& strip, int top, int height);
  // Hatches the communication of a strip while its rank waited; rows of a few pixels have no room for it.
  void stripWaits(const Intervals& waiting, int top, int height);

 private:
  static constexpr int kShades = 5, kParts = 3;
  struct Columns {
    std::int32_t first = 0, last = -1;  // of a strip, under one pixel
  };
  void fill(int x0, int x1, int y0, int y1, QRgb color);
  void hatch(int x0, int x1, int y0, int y1, const QColor& color);
  void placeColumns(const BusyStrip& strip);

  QImage& m_image;
  QRect m_area;
  XMap m_map;
  QColor m_ground, m_text;
  std::array<std::array<QColor, kShades>, kSpanCategoryCount> m_colors;
  std::array<std::array<QRgb, 256>, kSpanClassCount> m_busy;  // of each class, by how busy it was
  std::vector<Columns> m_columns;                             // of the strips of one picture, by pixel from m_map.left on
  TimeNs m_columns_t0 = 0;
  DurNs m_columns_pixel = 0;
  std::size_t m_columns_count = 0;
};

}  // namespace runglass
