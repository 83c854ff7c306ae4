// SPDX-License-Identifier: GPL-3.0-or-later
// Raster: draws curves directly into the scanlines of a QImage, and the same geometry through QPainter for SVG and PDF.
//
// Threading:  any thread that owns the image.
// Ownership:  draws into the caller's image or painter.
// Units:      device pixels.
// Errors:     none; everything is clipped to `clip`.
// Cost:       O(bins + pixels touched), shared with a second core where that pays; see bench gui/raster_64x1600.
#pragma once

#include <QColor>
#include <QImage>
#include <QPainter>
#include <QRect>
#include <span>

#include "widgets/charts/geometry.h"

namespace runglass {

struct RasterCurve {
  std::span<const Bin> bins;  // the visible part of a curve, and one bin more on either side
  QColor color;               // with its alpha
  bool band = false;          // filled between min and max of every column instead of a line
  bool gaps = false;
  PixelColumns columns = {};  // set by fillColumns()
};
// Sets the result of toColumns() in each curve.
void fillColumns(std::span<RasterCurve> curves, const XMap& map);
// Draws in order, later curves over earlier ones. `image` must be Format_RGB32 or ARGB32_Premultiplied with an opaque background.
void drawCurves(QImage& image, const QRect& clip, std::span<const RasterCurve> curves, const YMap& map);
// The same as an antialiased path, for vector output.
void paintColumns(QPainter& painter, const PixelColumns& columns, const YMap& map, const QPen& line);
void paintBand(QPainter& painter, const PixelColumns& columns, const YMap& map, const QColor& color);
// Absent data: diagonal lines.
void paintHatch(QPainter& painter, const QRect& rect, const QColor& color);

}  // namespace runglass
