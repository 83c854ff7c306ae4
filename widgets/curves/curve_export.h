// SPDX-License-Identifier: GPL-3.0-or-later
// Export of a card: the picture as PNG or SVG, the points themselves as CSV.
//
// Threading:  writePicture() on the GUI thread; writeCsv() on a query worker.
// Ownership:  writes `path` atomically: a failed export leaves an existing file unchanged.
// Units:      CSV: step, time_ns; values as the shortest text that reads back bit-equal (NaN and infinities as NaN, Inf, -Inf).
// Errors:     PERMISSION_DENIED with the path and the system's reason; the Reader's.
// Cost:       CSV: O(points in the window), one curve in memory at a time. SVG above kVectorPrimitives becomes an image of 300 dpi.
#pragma once

#include <QString>

#include "widgets/curves/card_data.h"

namespace runglass {

class PlotWidget;

// By the path's suffix: ".svg", else PNG.
Status writePicture(const PlotWidget& plot, const QString& path);
// Every point of the query's curves in [x0, x1); returns the number of rows written.
Result<std::int64_t> writeCsv(Reader& reader, const CardQuestion& question, const QString& path, std::stop_token stop);

}  // namespace runglass
