// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/geometry.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace runglass {
namespace {

constexpr double kAir = 0.06;
constexpr double kGapFactor = 5;
constexpr int kWide = 4;      // pixels
constexpr double kReach = 5;  // distance of an outlier, in interquartile ranges
constexpr std::size_t kEnoughForQuartiles = 20;
constexpr double kMaxOutliers = 0.05;  // share of the bins
constexpr std::size_t kMaxTicks = 1'000;
constexpr double kMaxStep = 5e18;

// Smallest of 1, 2, 5 x 10^k that is not below `at_least`.
double niceStep(double at_least) {
  if (!(at_least > 0) || !std::isfinite(at_least)) return 1;
  const double power = std::pow(10, std::floor(std::log10(at_least)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (power * factor >= at_least * (1 - 1e-9)) return power * factor;
  return power * 10;
}

std::int64_t timeStep(double at_least) {
  if (at_least <= kNsPerSecond) return std::max<std::int64_t>(1, static_cast<std::int64_t>(niceStep(at_least)));
  static constexpr std::array<std::int64_t, 19> kSeconds = {1,   2,    5,    10,   15,    30,    60,    120,   300,   600,
                                                            900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800};
  for (const std::int64_t seconds : kSeconds)
    if (static_cast<double>(seconds) * kNsPerSecond >= at_least) return seconds * kNsPerSecond;
  constexpr double kDay = 86400.0 * kNsPerSecond, kMaxDays = 100'000;  // longest span in days that int64 ns can hold
  return static_cast<std::int64_t>(std::min(kMaxDays, niceStep(at_least / kDay))) * 86400 * kNsPerSecond;
}

std::int64_t floorTo(std::int64_t x, std::int64_t step) {
  const std::int64_t rest = x % step, less = rest < 0 ? rest + step : rest;
  return x < INT64_MIN + less ? x + (step - less) : x - less;
}

QString timeLabel(TimeNs time, std::int64_t step, TimeStyle style) {
  if (style == TimeStyle::kRelative) return formatDuration(time);
  if (step >= 86400 * kNsPerSecond) return formatTime(time, style).left(10);
  QString label = formatTimeOfDay(time, style);
  if (step >= 60 * kNsPerSecond) return label.left(5);
  if (step < kNsPerSecond) {
    const int digits = step >= kNsPerMs ? 3 : step >= kNsPerUs ? 6 : 9;
    const std::int64_t fraction = time - floorTo(time, kNsPerSecond);
    label += QLatin1Char('.') + QString::number(fraction).rightJustified(9, QLatin1Char('0')).left(digits);
  }
  return label;
}

QString powerOfTen(int power) {
  static const QString kDigits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
  QString text = power < 0 ? QStringLiteral("10⁻") : QStringLiteral("10");
  for (const QChar digit : QString::number(std::abs(power))) text += kDigits[digit.digitValue()];
  return text;
}

// Numbers without a unit that would not fit next to the axis are scaled by a power of a thousand: 5.2 [x 10^-6].
UnitScale powerScale(double lo, double hi) {
  const double magnitude = std::max(std::abs(lo), std::abs(hi));
  if (!(magnitude > 0) || !std::isfinite(magnitude) || (magnitude >= 5e-3 && magnitude < 1e6)) return {};
  const int power = static_cast<int>(std::floor(std::log10(magnitude) / 3)) * 3;
  return {std::pow(10, -power), 0, (QStringLiteral("×") + powerOfTen(power)).toStdString()};
}

// factor x 10^power; 1, 2 and 5 need one significant digit.
QString logLabel(double factor, int power, std::string_view unit) {
  const double value = factor * std::pow(10, power);
  if (unit.empty() && (power >= 6 || power < -3))
    return factor == 1 ? powerOfTen(power) : QString::number(factor) + QStringLiteral("×") + powerOfTen(power);
  if (unit.empty()) return formatNumber(value, 1);
  const UnitScale scale = unitScale(unit, value, value, value);
  return formatScaled(value, scale) + QChar(kThinSpace) + suffixOf(scale);
}

}  // namespace

double YMap::toPixel(double value) const {
  if (log) {
    if (!(value > 0)) return top + height;
    return top + height * (1 - (std::log10(value) - std::log10(lo)) / (std::log10(hi) - std::log10(lo)));
  }
  return top + height * (1 - (value - lo) / (hi - lo));
}

double YMap::fromPixel(double pixel) const {
  const double share = 1 - (pixel - top) / height;
  if (log) return std::pow(10, std::log10(lo) + share * (std::log10(hi) - std::log10(lo)));
  return lo + share * (hi - lo);
}

std::vector<AxisTick> xTicks(const XMap& map, XAxis axis, TimeStyle style, double spacing) {
  std::vector<AxisTick> ticks;
  if (map.x1 <= map.x0 || map.width <= 0) return ticks;
  const double wanted = XMap::apart(map.x0, map.x1) * spacing / map.width;
  const std::int64_t step =
      axis == XAxis::kTime ? timeStep(wanted) : std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(niceStep(wanted), kMaxStep)));
  for (std::int64_t x = floorTo(map.x0, step); x < map.x1 && ticks.size() < kMaxTicks; x += step) {
    if (x >= map.x0) ticks.push_back({map.toPixel(x), axis == XAxis::kTime ? timeLabel(x, step, style) : formatCount(x)});
    if (x > INT64_MAX - step) break;
  }
  return ticks;
}

std::vector<AxisTick> yTicks(const YMap& map, std::string_view unit, UnitScale* scale, double spacing) {
  std::vector<AxisTick> ticks;
  if (!(map.hi > map.lo) || map.height <= 0) return ticks;
  if (map.log) {
    *scale = {};
    const int from = static_cast<int>(std::floor(std::log10(map.lo))), to = static_cast<int>(std::ceil(std::log10(map.hi)));
    const int every = std::max(1, static_cast<int>(std::ceil((to - from) * spacing / map.height)));
    for (int power = from; power <= to; power += every)
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double value = factor * std::pow(10, power);
        if (value < map.lo || value > map.hi || (factor > 1 && (to - from) > 2)) continue;
        ticks.push_back({map.toPixel(value), logLabel(factor, power, unit)});
      }
    return ticks;
  }
  const double count = std::max(2.0, map.height / spacing);
  // The step is nice in the unit that is shown: 500 ms, not 524 ms.
  const UnitScale rough = unit.empty() ? powerScale(map.lo, map.hi) : unitScale(unit, map.lo, map.hi);
  const double step = niceStep((map.hi - map.lo) / count * rough.factor) / rough.factor;
  *scale = unitScale(unit, map.lo, map.hi, step);
  if (unit.empty()) *scale = {rough.factor, unitScale({}, 0, 0, step * rough.factor).decimals, rough.suffix};
  for (double value = std::ceil(map.lo / step) * step; value <= map.hi + step * 1e-9 && ticks.size() < 100; value += step)
    ticks.push_back({map.toPixel(value), formatScaled(std::abs(value) < step * 1e-9 ? 0 : value, *scale)});
  return ticks;
}

namespace {

// Median distance between bins with data: the reference for gaps.
std::int64_t usualDistance(std::span<const Bin> bins) {
  std::vector<std::int64_t> distances;
  const Bin* before = nullptr;
  for (const Bin& bin : bins) {
    if (bin.count == 0) continue;
    if (before != nullptr) distances.push_back(bin.x0 - before->x0);
    before = &bin;
  }
  if (distances.empty()) return 0;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

// std::floor() is a call where the processor's rounding may not be used.
int floorOf(double x) {
  const double bounded = std::clamp(x, -1e9, 1e9);
  const int whole = static_cast<int>(bounded);
  return bounded < whole ? whole - 1 : whole;
}

void addPixel(std::vector<int>& pixels, int pixel) {
  if (pixels.empty() || pixels.back() != pixel) pixels.push_back(pixel);
}

// Infinities have their own marks; the column shows the finite values of the same bin. Absent: there were none.
std::optional<PixelColumn> finiteColumn(const Bin& bin) {
  const auto finite = [](double value, double otherwise) { return std::isfinite(value) ? value : otherwise; };
  const double some = finite(bin.first, finite(bin.last, finite(bin.min, finite(bin.max, std::nan("")))));
  if (!std::isfinite(some)) return std::nullopt;
  PixelColumn column;
  column.first = finite(bin.first, some);
  column.last = finite(bin.last, some);
  column.min = finite(bin.min, std::min(column.first, column.last));
  column.max = finite(bin.max, std::max(column.first, column.last));
  column.one = column.min == column.max;
  return column;
}

// A bin that spans many pixels does not record where its samples are: every pixel shows the bin's full range.
void addWide(std::vector<PixelColumn>& columns, const PixelColumn& column, int from, int to, bool gap) {
  for (int pixel = from; pixel <= to; ++pixel) {
    if (!columns.empty() && columns.back().pixel >= pixel) continue;
    PixelColumn& one = columns.emplace_back(column);
    one.pixel = pixel;
    one.x = pixel + 0.5;
    one.one = false;
    one.gap_before = gap && pixel == from;
  }
}

}  // namespace

PixelColumns toColumns(std::span<const Bin> bins, const XMap& map, bool gaps) {
  PixelColumns out;
  if (map.x1 <= map.x0) return out;
  out.columns.reserve(std::min(bins.size(), static_cast<std::size_t>(std::max(map.width, 0.0)) + 2));
  const double widest = kGapFactor * static_cast<double>(gaps ? usualDistance(bins) : 0);
  const Bin* before = nullptr;
  bool broken = false;
  for (const Bin& bin : bins) {
    if (bin.count == 0 && bin.nan_count == 0) continue;
    const double x = map.toPixel(bin.x0 + (bin.x1 - bin.x0) / 2);
    const int pixel = floorOf(x);
    const bool plain = bin.nan_count == 0 && bin.min > -HUGE_VAL && bin.max < HUGE_VAL;
    if (plain && !broken && !out.columns.empty() && out.columns.back().pixel == pixel) {  // by far the most common case
      PixelColumn& same = out.columns.back();
      same.x = pixel + 0.5;
      same.last = bin.last;
      same.min = std::min(same.min, bin.min);
      same.max = std::max(same.max, bin.max);
      same.one = false;
      before = &bin;
      continue;
    }
    if (bin.nan_count > 0) addPixel(out.nan_pixels, pixel), broken = broken || bin.count == 0;
    if (bin.count == 0) continue;
    if (bin.max == HUGE_VAL) addPixel(out.above_pixels, pixel);
    if (bin.min == -HUGE_VAL) addPixel(out.below_pixels, pixel);
    std::optional<PixelColumn> column = finiteColumn(bin);
    if (!column) {
      broken = true;
      continue;
    }
    const bool gap = broken || (before != nullptr && widest > 0 && static_cast<double>(bin.x0 - before->x0) > widest);
    before = &bin;
    broken = false;
    if (bin.count > 1) {
      const int from = floorOf(std::max(map.toPixel(bin.x0), map.left - 1)),
                to = floorOf(std::min(map.toPixel(bin.x1 - 1), map.left + map.width + 1));
      if (to - from >= kWide) {
        addWide(out.columns, *column, from, to, gap);
        continue;
      }
    }
    if (!out.columns.empty() && out.columns.back().pixel == pixel) {
      PixelColumn& same = out.columns.back();
      same.x = pixel + 0.5;
      same.last = column->last;
      same.min = std::min(same.min, column->min);
      same.max = std::max(same.max, column->max);
      same.one = false;
      continue;
    }
    column->pixel = pixel;
    column->x = column->one ? x : pixel + 0.5;
    column->gap_before = gap;
    out.columns.push_back(*column);
  }
  return out;
}

std::vector<Bin> smoothed(std::span<const Bin> bins, double weight) {
  std::vector<Bin> out(bins.begin(), bins.end());
  double last = 0, unseen = 1, keep = 0;  // unseen: weight^points, the share not yet filled by the first value
  std::int64_t keep_for = -1;             // neighbours mostly have equal counts, and pow() dominates the cost
  for (Bin& bin : out) {
    if (bin.count == 0) continue;
    const double mean = bin.sum / static_cast<double>(bin.count);
    if (!std::isfinite(mean)) {
      bin.count = 0;
      continue;
    }
    if (bin.count != keep_for) keep = std::pow(weight, static_cast<double>(bin.count)), keep_for = bin.count;
    last = last * keep + (1 - keep) * mean;
    unseen *= keep;
    const double value = unseen < 1 ? last / (1 - unseen) : mean;
    bin.first = bin.last = bin.min = bin.max = value;
    bin.sum = value * static_cast<double>(bin.count);
    bin.nan_count = 0;
  }
  return out;
}

std::optional<ValueRange> valueRange(std::span<const Bin> bins, std::int64_t x0, std::int64_t x1, bool log, bool robust, int* outliers) {
  const auto fits = [log](double value) { return std::isfinite(value) && (!log || value > 0); };
  const auto from = std::lower_bound(bins.begin(), bins.end(), x0, [](const Bin& bin, std::int64_t x) { return bin.x1 <= x; });
  const auto to = std::lower_bound(from, bins.end(), x1, [](const Bin& bin, std::int64_t x) { return bin.x0 < x; });
  const std::span<const Bin> shown(from, to);
  ValueRange range{HUGE_VAL, -HUGE_VAL};
  for (const Bin& bin : shown) {
    if (bin.count == 0) continue;
    if (bin.min > -HUGE_VAL && bin.max < HUGE_VAL && (!log || bin.min > 0)) {
      range.lo = std::min(range.lo, bin.min);
      range.hi = std::max(range.hi, bin.max);
      continue;
    }
    for (const double value : {bin.min, bin.max, bin.first, bin.last}) {  // one is finite where an infinity hides the others
      if (!fits(value)) continue;
      range.lo = std::min(range.lo, value);
      range.hi = std::max(range.hi, value);
    }
  }
  if (range.lo > range.hi) return std::nullopt;
  if (!robust || shown.size() < kEnoughForQuartiles) return range;
  std::vector<double> lows, highs;
  for (const Bin& bin : shown) {
    if (bin.count == 0) continue;
    if (fits(bin.min)) lows.push_back(bin.min);
    if (fits(bin.max)) highs.push_back(bin.max);
  }
  if (lows.size() < kEnoughForQuartiles || highs.size() < kEnoughForQuartiles) return range;
  const auto quantile = [](std::vector<double>& values, double share) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  const double q1 = quantile(lows, 0.25), q3 = quantile(highs, 0.75), reach = kReach * (q3 - q1);
  if (!(reach > 0)) return range;
  const ValueRange near{std::max(range.lo, q1 - reach), std::min(range.hi, q3 + reach)};
  const auto outside = std::count_if(lows.begin(), lows.end(), [&](double v) { return v < near.lo; }) +
                       std::count_if(highs.begin(), highs.end(), [&](double v) { return v > near.hi; });
  // This many are not outliers: after a change of the batch size they are the run's new level.
  if (static_cast<double>(outside) > kMaxOutliers * static_cast<double>(highs.size())) return range;
  if (outliers != nullptr) *outliers += static_cast<int>(outside);
  return near;
}

ValueRange padded(ValueRange range, bool log) {
  if (log) {
    if (range.hi <= range.lo) return {range.lo / 2, range.lo * 2};
    const double air = std::pow(range.hi / range.lo, kAir);
    return {range.lo / air, range.hi * air};
  }
  if (range.hi <= range.lo) {
    const double half = range.lo == 0 ? 1 : std::abs(range.lo) * 0.05;
    return {range.lo - half, range.hi + half};
  }
  const double air = (range.hi - range.lo) * kAir;
  return {range.lo - air, range.hi + air};
}

}  // namespace runglass
