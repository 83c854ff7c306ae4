// SPDX-License-Identifier: GPL-3.0-or-later
// Plot geometry as pure functions: value <-> pixel maps, ticks, bins to pixel columns, smoothing. Independent of any widget.
//
// Threading:  pure.
// Units:      x: int64 (ns or steps); pixels: double, y grows downwards.
// Errors:     none: an empty range or no data gives empty results.
// Cost:       columns: O(bins + pixels).
#pragma once

#include <QString>
#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "model/samples.h"
#include "widgets/core/units.h"

namespace runglass {

// x in [x0, x1) onto pixels [left, left + width). Differences are computed in integers, so that nanoseconds survive at epoch magnitude, and
// in wide ones, so that no difference overflows; multiplication precedes division, so that pixel edges at whole steps are exact.
struct XMap {
  std::int64_t x0 = 0, x1 = 1;
  double left = 0, width = 1;
  double toPixel(std::int64_t x) const { return left + apart(x0, x) * width / apart(x0, x1); }
  std::int64_t fromPixel(double pixel) const {
    constexpr Wide kLow = std::numeric_limits<std::int64_t>::min(), kHigh = std::numeric_limits<std::int64_t>::max();
    // NaN, as from a zero width, maps to the left edge.
    const double far = (pixel - left) * apart(x0, x1) / width, bound = far < 2e19 ? std::max(far, -2e19) : far >= 2e19 ? 2e19 : 0;
    return static_cast<std::int64_t>(std::clamp<Wide>(x0 + static_cast<Wide>(bound), kLow, kHigh));
  }
  static double apart(std::int64_t from, std::int64_t to) {
    const auto a = static_cast<std::uint64_t>(from), b = static_cast<std::uint64_t>(to);
    return to >= from ? static_cast<double>(b - a) : -static_cast<double>(a - b);
  }

 private:
  __extension__ using Wide = __int128;
};

// Values onto pixels: `hi` at `top`. Log maps need lo > 0.
struct YMap {
  double lo = 0, hi = 1;
  double top = 0, height = 1;
  bool log = false;
  double toPixel(double value) const;
  double fromPixel(double pixel) const;
};

struct AxisTick {
  double pixel = 0;
  QString label;
};
enum class XAxis : std::uint8_t { kTime, kStep };

// Ticks about `spacing` pixels apart at nice distances (1, 2, 5 x 10^k; for times also 15 and 30 s/min and whole hours and days).
std::vector<AxisTick> xTicks(const XMap& map, XAxis axis, TimeStyle style, double spacing = 110);
// Labels share one scale (unit, decimals); it is returned so that the unit is printed once.
std::vector<AxisTick> yTicks(const YMap& map, std::string_view unit, UnitScale* scale, double spacing = 32);

// What a pixel column of a curve shows: M4 (Jugel et al., "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014):
// first, last, min and max of the column draw the same line as all points would.
struct PixelColumn {
  int pixel = 0;
  double x = 0;  // position of its points: exact for a column of one point, else its middle
  double first = 0, last = 0, min = 0, max = 0;
  bool gap_before = false;  // do not join with the column before
  bool one = true;          // one value, so that joins run from point to point
};
struct PixelColumns {
  std::vector<PixelColumn> columns;                         // by pixel, each pixel at most once
  std::vector<int> nan_pixels, above_pixels, below_pixels;  // pixels with NaN, +Inf, -Inf
};
// `gaps`: leave a hole where data is missing for 5 times the usual distance (live metrics); scalars over steps are joined across missing
// steps. A NaN always breaks the line.
PixelColumns toColumns(std::span<const Bin> bins, const XMap& map, bool gaps);

// Debiased exponential moving average as TensorBoard draws it (tf_line_chart_data_loader: last = last * w + (1 - w) * y, divided by
// 1 - w^n), on bins: a bin of c points counts as c points of its mean, exact for c = 1. Returns a bin per input bin.
std::vector<Bin> smoothed(std::span<const Bin> bins, double weight);

struct ValueRange {
  double lo = 0, hi = 0;
};
// Finite extent of the bins that overlap [x0, x1); positive values only for log axes. With `robust`, bins beyond 5 interquartile ranges are
// excluded and counted in `*outliers`.
std::optional<ValueRange> valueRange(std::span<const Bin> bins, std::int64_t x0, std::int64_t x1, bool log, bool robust, int* outliers);
// Adds a margin above and below, and gives a constant a range.
ValueRange padded(ValueRange range, bool log);

}  // namespace runglass
