// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/widgets/offscreen.h"
#include "widgets/charts/geometry.h"
#include "widgets/charts/raster.h"

namespace runglass {
namespace {

void drawOne(QImage& image, const QRect& clip, PixelColumns columns, const YMap& map, const QColor& color, bool band = false) {
  const RasterCurve curve{{}, color, band, false, std::move(columns)};
  drawCurves(image, clip, {&curve, 1}, map);
}

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

Bin point(std::int64_t x, double value) {
  const bool nan = std::isnan(value);
  return {x, x + 1, value, value, value, value, value, nan ? 0 : 1, nan ? 1 : 0};
}

std::vector<Bin> points(const std::vector<double>& values) {
  std::vector<Bin> bins;
  for (std::size_t i = 0; i < values.size(); ++i) bins.push_back(point(static_cast<std::int64_t>(i), values[i]));
  return bins;
}

// `bins` as a Reader returns them: equal widths over [x0, x1), edges rounded up so that a point is to the right of its edge.
std::vector<Bin> reduced(const std::vector<Bin>& all, std::int64_t x0, std::int64_t x1, std::int64_t count) {
  std::vector<Bin> bins;
  auto at = all.begin();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto edge = [&](std::int64_t k) { return x0 + (k * (x1 - x0) + count - 1) / count; };
    Bin bin{edge(i), edge(i + 1)};
    for (; at != all.end() && at->x0 < bin.x1; ++at) {
      if (bin.count == 0) bin.first = bin.min = bin.max = at->first;
      bin.last = at->last;
      bin.min = std::min(bin.min, at->min);
      bin.max = std::max(bin.max, at->max);
      bin.sum += at->sum;
      ++bin.count;
    }
    bins.push_back(bin);
  }
  return bins;
}

QImage picture(const std::vector<Bin>& bins, const XMap& x, const YMap& y) {
  QImage image(static_cast<int>(x.width), static_cast<int>(y.height), QImage::Format_RGB32);
  image.fill(Qt::black);
  drawOne(image, image.rect(), toColumns(bins, x, false), y, QColor(255, 255, 255));
  return image;
}

TEST(XMap, KeepsNanosecondsAtEpochSize) {
  const std::int64_t epoch = 1'795'211'434'000'000'123;
  const XMap map{epoch, epoch + 1000, 0, 1000};
  for (std::int64_t ns : {0, 1, 2, 499, 999}) {
    EXPECT_DOUBLE_EQ(map.toPixel(epoch + ns), static_cast<double>(ns));
    EXPECT_EQ(map.fromPixel(static_cast<double>(ns)), epoch + ns);
  }
}

// Runs of older stores may begin and end anywhere: the ticks over such a range were unlimited before.
TEST(XMap, AnAxisOverAllOfTimeHasFewTicksAndNoOverflow) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min(), kMax = std::numeric_limits<std::int64_t>::max();
  const std::int64_t far = std::int64_t{1} << 62;
  for (const auto& [x0, x1] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {kMin, kMax}, {-far, far}, {kMin, 0}, {0, kMax}, {kMax - 1, kMax}, {kMin, kMin + 1}, {-far, kMax}}) {
    const XMap map{.x0 = x0, .x1 = x1, .left = 0, .width = 1'000};
    for (const XAxis axis : {XAxis::kTime, XAxis::kStep}) {
      EXPECT_LE(xTicks(map, axis, TimeStyle::kUtc).size(), 100U) << x0 << " " << x1;
      EXPECT_LE(xTicks(map, axis, TimeStyle::kRelative).size(), 100U) << x0 << " " << x1;
      EXPECT_LE(xTicks({.x0 = x0, .x1 = x1, .left = 0, .width = 1e9}, axis, TimeStyle::kUtc).size(), 1'000U);
    }
    EXPECT_DOUBLE_EQ(map.toPixel(x0), 0);
    EXPECT_DOUBLE_EQ(map.toPixel(x1), 1'000);
    EXPECT_EQ(map.fromPixel(-1e30), kMin);
    EXPECT_EQ(map.fromPixel(1e30), kMax);
  }
}

TEST(Columns, DrawTheSamePixelsFromBinsAsFromEveryPoint) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 1);
  for (const std::int64_t n : {1'000, 64'000, 200'000}) {
    std::vector<double> values;
    double level = 0;
    for (std::int64_t i = 0; i < n; ++i) values.push_back(level += noise(random) * 0.1);
    values[static_cast<std::size_t>(n / 3)] += 40;  // one point that sampling would lose
    const std::vector<Bin> all = points(values);
    constexpr int kWidth = 400;
    for (const auto& [x0, x1] : {std::pair{std::int64_t{0}, n}, std::pair{n / 4, n / 4 + n / 2}}) {
      const XMap x{x0, x1, 0, kWidth};
      const auto range = padded(*valueRange(all, x0, x1, false, false, nullptr), false);
      const YMap y{range.lo, range.hi, 0, 200, false};
      std::vector<Bin> inside;
      std::ranges::copy_if(all, std::back_inserter(inside), [&](const Bin& b) { return b.x0 >= x0 && b.x0 < x1; });
      if ((x1 - x0) % kWidth != 0) continue;
      for (const std::int64_t per_pixel : {1, 2}) {
        if ((x1 - x0) / kWidth < 2 * per_pixel) continue;
        const std::vector<Bin> few = reduced(inside, x0, x1, kWidth * per_pixel);
        EXPECT_EQ(picture(inside, x, y), picture(few, x, y)) << n << " points, " << per_pixel << " bins a pixel";
      }
    }
  }
}

TEST(Columns, NeverLoseASinglePeakAmongAMillionPoints) {
  std::vector<double> values(1'000'000, 1.0);
  values[777'777] = 100;
  const auto all = points(values);
  const auto columns = toColumns(reduced(all, 0, 1'000'000, 3'000), {0, 1'000'000, 0, 1500}, false);
  const auto peak = std::ranges::max_element(columns.columns, {}, &PixelColumn::max);
  EXPECT_EQ(peak->max, 100);
  EXPECT_EQ(peak->pixel, 777'777 * 1500 / 1'000'000);
}

TEST(Columns, ShowNanAndBothInfinitiesAndBreakTheLineAtNan) {
  const auto columns = toColumns(points({1, kNaN, 2, kInf, 3, -kInf}), {0, 6, 0, 600}, false);
  EXPECT_EQ(columns.nan_pixels, (std::vector<int>{100}));
  EXPECT_EQ(columns.above_pixels, (std::vector<int>{300}));
  EXPECT_EQ(columns.below_pixels, (std::vector<int>{500}));
  ASSERT_EQ(columns.columns.size(), 3u) << "only finite points have a place on the axis";
  EXPECT_FALSE(columns.columns[0].gap_before);
  EXPECT_TRUE(columns.columns[1].gap_before);
  EXPECT_TRUE(columns.columns[2].gap_before);
}

TEST(Columns, KeepTheFinitePartOfABinThatHoldsAnInfinity) {
  Bin bin{0, 10, 2, 3, 1, kInf, kInf, 5, 0};
  const auto columns = toColumns({&bin, 1}, {0, 10, 0, 2}, false);
  ASSERT_EQ(columns.columns.size(), 1u);
  EXPECT_EQ(columns.columns[0].min, 1);
  EXPECT_EQ(columns.columns[0].max, 3);
  EXPECT_EQ(columns.above_pixels.size(), 1u);
}

TEST(Columns, LeaveAHoleWhereALiveMetricWasSilentButJoinSparseSteps) {
  std::vector<Bin> bins;
  for (std::int64_t i = 0; i < 100; ++i)
    if (i < 40 || i > 60) bins.push_back(point(i * 10, 1));
  const XMap map{0, 1000, 0, 500};
  const auto gaps = [](const PixelColumns& c) { return std::ranges::count_if(c.columns, &PixelColumn::gap_before); };
  EXPECT_EQ(gaps(toColumns(bins, map, true)), 1);
  EXPECT_EQ(gaps(toColumns(bins, map, false)), 0);
}

// Blocks without samples, at high zoom.
TEST(Columns, ShowABinOfManyPixelsAsItsReachInEachOfThem) {
  const std::vector<Bin> bins = {
      {0, 1'000, 5, 6, 2, 9, 60, 64, 0}, {1'000, 1'900, 7, 7, 7, 7, 7, 1, 0}, {1'900, 2'000, 4, 4, 4, 4, 64, 16, 0}};
  const auto columns = toColumns(bins, {0, 2'000, 0, 200}, true).columns;
  ASSERT_EQ(columns.size(), 100u + 1 + 10) << "a single sample stays a point";
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(columns[static_cast<std::size_t>(i)].pixel, i);
    EXPECT_EQ(columns[static_cast<std::size_t>(i)].min, 2);
    EXPECT_EQ(columns[static_cast<std::size_t>(i)].max, 9);
  }
  EXPECT_EQ(columns[100].pixel, 145);
  EXPECT_EQ(columns[101].pixel, 190);
  // Data outside the plot costs nothing.
  EXPECT_LE(toColumns(bins, {500, 600, 0, 200}, true).columns.size(), 206u);
}

// TensorBoard, tf_line_chart_data_loader / line_chart data_series: the reference loop over single points.
std::vector<double> referenceEma(const std::vector<double>& values, double weight) {
  std::vector<double> out;
  double last = 0, n = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      out.push_back(value);
      continue;
    }
    last = last * weight + (1 - weight) * value;
    ++n;
    out.push_back(last / (1 - std::pow(weight, n)));
  }
  return out;
}

TEST(Smoothing, EqualsTensorBoardsDebiasedAverage) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(2, 1);
  std::vector<double> values;
  for (int i = 0; i < 5'000; ++i) values.push_back(noise(random));
  values[100] = kNaN;
  values[200] = kInf;
  for (const double weight : {0.1, 0.6, 0.9, 0.999}) {
    const auto expected = referenceEma(values, weight);
    const auto bins = points(values);
    const auto smooth = smoothed(bins, weight);
    ASSERT_EQ(smooth.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]))
        EXPECT_EQ(smooth[i].count, 0);
      else
        ASSERT_NEAR(smooth[i].last, expected[i], 1e-9) << "point " << i << ", weight " << weight;
    }
  }
}

TEST(Smoothing, StartsAtTheFirstValueAndFollowsAConstant) {
  const auto smooth = smoothed(points({5, 5, 5, 5}), 0.999);
  for (const Bin& bin : smooth) EXPECT_NEAR(bin.last, 5, 1e-9);
}

TEST(Smoothing, AWideBinCountsAsManyPoints) {
  std::vector<double> values(1000, 1.0);
  std::fill(values.begin() + 500, values.end(), 3.0);
  const auto expected = referenceEma(values, 0.99);
  const auto all = points(values);
  const auto smooth = smoothed(reduced(all, 0, 1000, 100), 0.99);
  EXPECT_NEAR(smooth.back().last, expected.back(), 1e-6);
}

QStringList labels(const std::vector<AxisTick>& ticks) {
  QStringList words;
  for (const AxisTick& tick : ticks) words << tick.label;
  return words;
}

TEST(Ticks, OfTimeAreRoundInTheClockThatIsShown) {
  const std::int64_t base = 1'795'211'400LL * kNsPerSecond;  // 2026-11-20 21:50:00 UTC
  const auto at = [&](std::int64_t from, std::int64_t length) {
    return labels(xTicks({base + from, base + from + length, 0, 550}, XAxis::kTime, TimeStyle::kUtc, 110));
  };
  EXPECT_EQ(at(0, 600 * kNsPerSecond), (QStringList{"21:50", "21:52", "21:54", "21:56", "21:58"}));
  EXPECT_EQ(at(0, 50 * kNsPerSecond), (QStringList{"21:50:00", "21:50:10", "21:50:20", "21:50:30", "21:50:40"}));
  EXPECT_EQ(at(5, 100 * kNsPerMs), (QStringList{"21:50:00.020", "21:50:00.040", "21:50:00.060", "21:50:00.080", "21:50:00.100"}));
  EXPECT_EQ(at(0, 500),
            (QStringList{"21:50:00.000000000", "21:50:00.000000100", "21:50:00.000000200", "21:50:00.000000300", "21:50:00.000000400"}));
}

TEST(Ticks, OfStepsAreWholeSteps) {
  EXPECT_EQ(labels(xTicks({0, 5, 0, 1100}, XAxis::kStep, TimeStyle::kUtc)), (QStringList{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(labels(xTicks({100, 1100, 0, 550}, XAxis::kStep, TimeStyle::kUtc)),
            (QStringList{formatCount(200), formatCount(400), formatCount(600), formatCount(800), formatCount(1000)}));
}

TEST(Ticks, StayBoundedForAnyWindow) {
  for (const auto& [x0, x1] : {std::pair<std::int64_t, std::int64_t>{INT64_MIN / 2, INT64_MAX / 2}, {INT64_MAX - 10, INT64_MAX}, {-5, 5}})
    for (const XAxis axis : {XAxis::kTime, XAxis::kStep})
      EXPECT_LT(xTicks({x0, x1, 0, 1000}, axis, TimeStyle::kUtc).size(), 60u) << x0 << " .. " << x1;
  UnitScale scale;
  for (const auto& [lo, hi] : {std::pair{-1e308, 1e308}, {0.0, 5e-324}, {1e15, 1e15 + 1}, {-3.0, -2.0}})
    EXPECT_LE(yTicks({lo, hi, 0, 300, false}, "", &scale).size(), 100u) << lo << " .. " << hi;
}

TEST(Ticks, OfValuesShareUnitAndDecimals) {
  UnitScale scale;
  const auto ticks = yTicks({0, 2.6e6, 0, 100, false}, "ns", &scale);
  EXPECT_EQ(scale.suffix, "ms");
  EXPECT_EQ(labels(ticks), (QStringList{"0", "1", "2"}));
  EXPECT_EQ(labels(yTicks({0.9, 1150, 0, 300, true}, "", &scale)), (QStringList{"1", "10", "100", formatNumber(1000)}));
}

TEST(Ticks, OfVeryLargeAndVerySmallNumbersStayShort) {
  UnitScale scale;
  EXPECT_EQ(labels(yTicks({0, 5.2e-6, 0, 100, false}, "", &scale)), (QStringList{"0", "2", "4"}));
  EXPECT_EQ(scale.suffix, "×10⁻⁶");
  EXPECT_EQ(labels(yTicks({0, 4.3e9, 0, 100, false}, "", &scale)), (QStringList{"0", "2", "4"}));
  EXPECT_EQ(scale.suffix, "×10⁹");
  EXPECT_EQ(labels(yTicks({0.9e6, 1.1e9, 0, 300, true}, "", &scale)), (QStringList{"10⁶", "10⁷", "10⁸", "10⁹"}));
  for (const double magnitude : {1e-300, 1e-12, 1e-4, 0.02, 1.0, 123.0, 99'999.0, 1e7, 1e20, 1e300})
    for (const QString& label : labels(yTicks({magnitude / 2, magnitude, 0, 300, false}, "", &scale)))
      EXPECT_LE(label.size(), 9) << label.toStdString() << " of " << magnitude;
}

TEST(ValueRange, LeavesOutliersOutOnlyWhenAskedAndCountsThem) {
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back(i % 10);
  values[50] = 1e6;
  values[60] = kNaN;
  const auto bins = points(values);
  int outside = 0;
  const auto all = valueRange(bins, 0, 200, false, false, &outside);
  EXPECT_EQ(all->hi, 1e6);
  EXPECT_EQ(outside, 0);
  const auto bulk = valueRange(bins, 0, 200, false, true, &outside);
  EXPECT_LT(bulk->hi, 100);
  EXPECT_EQ(outside, 1);
  EXPECT_FALSE(valueRange(bins, 60, 61, false, false, nullptr).has_value()) << "a NaN alone has no range";
}

TEST(ValueRange, WhatEveryTenthPointDoesIsNoOutlier) {
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back((i < 160 ? 30 : 50) + 0.01 * (i % 10));
  int outside = 0;
  const auto range = valueRange(points(values), 0, 200, false, true, &outside);
  ASSERT_TRUE(range.has_value());
  EXPECT_GT(range->hi, 50) << "the newest points are what the run does now";
  EXPECT_EQ(outside, 0);
}

TEST(ValueRange, OfALogAxisIsPositive) {
  const auto range = valueRange(points({-1, 0, 0.5, 8}), 0, 4, true, false, nullptr);
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->lo, 0.5);
  EXPECT_EQ(range->hi, 8);
}

TEST(ValueRange, OfAConstantStillHasHeight) {
  for (const double value : {0.0, 5.0, -3.0}) {
    const auto range = padded({value, value}, false);
    EXPECT_LT(range.lo, value);
    EXPECT_GT(range.hi, value);
  }
}

TEST(Raster, StaysInsideItsClipForAbsurdValues) {
  QImage image(100, 60, QImage::Format_RGB32);
  image.fill(Qt::black);
  const QRect clip(20, 10, 50, 30);
  const auto bins = points({1e300, -1e300, 1, 1e-300, -5, 1e308, 2});
  drawOne(image, clip, toColumns(bins, {0, 7, 0, 100}, false), {-1, 1, 10, 30, false}, Qt::white);
  drawOne(image, clip, toColumns(bins, {0, 7, 0, 100}, false), {-1, 1, 10, 30, false}, QColor(255, 255, 255, 90), true);
  int inside = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const bool lit = image.pixel(x, y) != qRgb(0, 0, 0);
      if (clip.contains(x, y))
        inside += lit;
      else
        ASSERT_FALSE(lit) << x << ", " << y;
    }
  EXPECT_GT(inside, 0);
}

TEST(Raster, ShowsAPointThatNoLineReaches) {
  QImage image(60, 40, QImage::Format_RGB32);
  image.fill(Qt::black);
  drawOne(image, image.rect(), toColumns(points({kNaN, 0.5, kNaN}), {0, 3, 0, 60}, false), {0, 1, 0, 40, false}, Qt::white);
  EXPECT_EQ(image.pixel(20, 20), qRgb(255, 255, 255));
}

TEST(Raster, BlendsHalfCoveredPixelsByHalf) {
  QImage image(40, 40, QImage::Format_RGB32);
  image.fill(Qt::black);
  // A flat line whose middle is between two pixel rows: both get the same share, together the line's width.
  drawOne(image, image.rect(), toColumns(points({0.5, 0.5}), {0, 2, 0, 40}, false), {0, 1, 0, 40, false}, Qt::white);
  EXPECT_EQ(qRed(image.pixel(10, 19)), qRed(image.pixel(10, 20)));
  EXPECT_NEAR(qRed(image.pixel(10, 19)), 0.7 * 255, 2);
  EXPECT_EQ(qRed(image.pixel(10, 17)), 0);
}

}  // namespace
}  // namespace runglass
