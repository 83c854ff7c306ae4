// SPDX-License-Identifier: GPL-3.0-or-later
// Raster: curves straight into the scanlines of a QImage, and the same geometry through QPainter for SVG and PDF.
//
// Threading:  any thread that owns the image.
// Ownership:  draws into the caller's image or painter.
// Units:      device pixels.
// Errors:     none; everything is clipped to `clip`.
// Cost:       O(pixels touched); 64 curves of 1,600 columns about 1 ms.
#pragma once

#include <QColor>
#include <QImage>
#include <QPainter>
#include <QRect>

#include "widgets/charts/geometry.h"

namespace runglass {

// `image` must be Format_RGB32 or ARGB32_Premultiplied with an opaque background.
void drawColumns(QImage& image, const QRect& clip, const PixelColumns& columns, const YMap& map, const QColor& color);
// Filled between min and max of every column.
void drawBand(QImage& image, const QRect& clip, const PixelColumns& columns, const YMap& map, const QColor& color);
// The same as an antialiased path, for vectors.
void paintColumns(QPainter& painter, const PixelColumns& columns, const YMap& map, const QColor& color, double width);
void paintBand(QPainter& painter, const PixelColumns& columns, const YMap& map, const QColor& color);
// Absent data: diagonal lines.
void paintHatch(QPainter& painter, const QRect& rect, const QColor& color);

}  // namespace runglass
