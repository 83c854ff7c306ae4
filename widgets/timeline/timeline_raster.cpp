// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_raster.h"

#include <QFontMetrics>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kLabelWidth = 28, kLabelHeight = 11;
constexpr double kFaintest = 0.35, kShade = 0.12;
constexpr int kSplitHeight = 6;  // of a strip; a lower one shows the busiest class
constexpr int kHatchPitch = 5, kHatchInk = 2;
constexpr int kNumberWidth = 36, kDurationWidth = 110;  // minimum widths of a step band for its number and its duration
constexpr double kOddStep = 0.6;
constexpr double kHatchGround = 0.22, kHatchLine = 0.6;

// Edges of compute, communication and the rest.
std::array<int, 4> stripEdges(int height) { return {0, height * 4 / 9, height * 7 / 9, height}; }

}  // namespace

QColor categoryColor(const Theme& theme, SpanCategory category) {
  switch (category) {
    case SpanCategory::kCompute:
      return theme.compute;
    case SpanCategory::kComm:
      return theme.communication;
    case SpanCategory::kMemcpy:
    case SpanCategory::kMemset:
      return theme.memcpy;
    case SpanCategory::kDataload:
      return theme.data_load;
    case SpanCategory::kCheckpoint:
      return theme.checkpoint;
    case SpanCategory::kGc:
      return theme.gc;
    case SpanCategory::kSync:
      return theme.sync;
    case SpanCategory::kIdle:
      return theme.idle;
    case SpanCategory::kAnnotation:
      return mix(theme.host, theme.accent, 0.35);
    case SpanCategory::kCpuOp:
    case SpanCategory::kRuntime:
    case SpanCategory::kOther:
      break;
  }
  return theme.host;
}

void paintBarLabels(QPainter& painter, const std::vector<BarLabel>& labels, const std::vector<QString>& names, int from) {
  const QFontMetrics metrics = painter.fontMetrics();
  const int dots = metrics.horizontalAdvance(QChar(0x2026)) + 1;
  std::vector<int> wide(names.size(), -1);  // of the names, computed on demand
  for (const BarLabel& label : labels) {
    if (label.name >= wide.size() || label.rect.top() < from) continue;
    const QString& name = names[label.name];
    int& needs = wide[label.name];
    if (needs < 0) needs = metrics.horizontalAdvance(name);
    const int room = label.rect.width();
    // The first letters; fewer than would fit if all had this name's average width.
    const auto fits = needs <= room ? name.size() : name.size() * (room - dots) / needs;
    if (fits < 2) continue;
    painter.setPen(label.ink);
    painter.drawText(label.rect, Qt::AlignVCenter | Qt::TextSingleLine, fits < name.size() ? name.left(fits) + QChar(0x2026) : name);
  }
}

void paintStepBands(QPainter& painter, const std::vector<StepBand>& steps, const XMap& map, const QRect& lane, const Theme& theme) {
  painter.save();
  painter.setClipRect(lane, Qt::IntersectClip);
  for (const StepBand& band : steps) {
    if (band.t1 <= map.x0 || band.t0 >= map.x1) continue;
    const double a = map.toPixel(std::max(band.t0, map.x0)), b = map.toPixel(std::min(band.t1, map.x1));
    const QRect rect(static_cast<int>(a), lane.top(), std::max(1, static_cast<int>(b) - static_cast<int>(a)), lane.height());
    painter.fillRect(rect, band.step % 2 == 0 ? theme.raised : mix(theme.raised, theme.line, kOddStep));
    if (band.slow) {
      painter.setPen(theme.warning);
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(rect.adjusted(0, 0, -1, -1));
    }
    if (rect.width() < kNumberWidth) continue;
    QString text = formatCount(band.step);
    if (rect.width() > kDurationWidth) text += QStringLiteral("   ") + formatDuration(band.t1 - band.t0);
    painter.setPen(theme.text);
    painter.drawText(rect.adjusted(4, 0, -2, 0), Qt::AlignVCenter, text);
  }
  painter.restore();
}

void paintTimeRuler(QPainter& painter, const XMap& map, TimeStyle style, const QRect& lane, const Theme& theme) {
  const QFontMetrics metrics = painter.fontMetrics();
  painter.setPen(theme.muted);
  for (const AxisTick& tick : xTicks(map, XAxis::kTime, style)) {
    const int x = static_cast<int>(std::lround(tick.pixel));
    painter.fillRect(QRect(x, lane.bottom() - 3, 1, 4), theme.muted);
    const int wide = metrics.horizontalAdvance(tick.label) + 1;
    // A truncated time is misleading.
    if (x + 3 + wide > lane.right() + 1) continue;
    painter.drawText(QRect(x + 3, lane.top(), wide, lane.height() - 2), Qt::AlignVCenter, tick.label);
  }
}

TimelineRaster::TimelineRaster(QImage& image, const XMap& map, const Theme& theme)
    : TimelineRaster(&image, nullptr, image.rect(), map, theme) {}

TimelineRaster::TimelineRaster(QPainter& painter, const QRect& area, const XMap& map, const Theme& theme)
    : TimelineRaster(nullptr, &painter, area, map, theme) {}

TimelineRaster::TimelineRaster(QImage* image, QPainter* painter, const QRect& bounds, const XMap& map, const Theme& theme)
    : m_image(image), m_painter(painter), m_bounds(bounds), m_area(bounds), m_map(map), m_ground(theme.ground), m_text(theme.text) {
  for (int c = 0; c < kSpanCategoryCount; ++c)
    for (int s = 0; s < kShades; ++s)
      m_colors[static_cast<std::size_t>(c)][static_cast<std::size_t>(s)] =
          mix(categoryColor(theme, static_cast<SpanCategory>(c)), theme.text, kShade * s / (kShades - 1));
  const std::array<QColor, kSpanClassCount> parts = {theme.compute, theme.communication, theme.memcpy, theme.host};
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (int share = 0; share < 256; ++share)
      m_busy[p][static_cast<std::size_t>(share)] = mix(m_ground, parts[p], kFaintest + (1 - kFaintest) * share / 255.0).rgb();
}

void TimelineRaster::fill(int x0, int x1, int y0, int y1, QRgb color) {
  x0 = std::max(x0, m_area.left()), x1 = std::min(x1, m_area.right() + 1);
  y0 = std::max(y0, m_area.top()), y1 = std::min(y1, m_area.bottom() + 1);
  if (m_painter != nullptr) {
    if (x0 < x1 && y0 < y1) m_painter->fillRect(QRect(x0, y0, x1 - x0, y1 - y0), QColor(color));
    return;
  }
  for (int y = y0; y < y1 && x0 < x1; ++y) {
    auto* line = reinterpret_cast<QRgb*>(m_image->scanLine(y));
    std::fill(line + x0, line + x1, color);
  }
}

// Stripes that continue from bar to bar, dark enough that a name on them is readable.
void TimelineRaster::hatch(int x0, int x1, int y0, int y1, const QColor& color) {
  const QRgb ground = mix(m_ground, color, kHatchGround).rgb(), line = mix(m_ground, color, kHatchLine).rgb();
  x0 = std::max(x0, m_area.left()), x1 = std::min(x1, m_area.right() + 1);
  y0 = std::max(y0, m_area.top()), y1 = std::min(y1, m_area.bottom() + 1);
  if (m_painter != nullptr) {
    if (x0 < x1 && y0 < y1) paintHatch(QRect(x0, y0, x1 - x0, y1 - y0), color);
    return;
  }
  for (int y = y0; y < y1; ++y) {
    auto* pixels = reinterpret_cast<QRgb*>(m_image->scanLine(y));
    for (int x = x0; x < x1; ++x) pixels[x] = (x + y) % kHatchPitch < kHatchInk ? line : ground;
  }
}

// All its stripes are one path; they start where those of the raster do.
void TimelineRaster::paintHatch(const QRect& rect, const QColor& color) {
  m_painter->fillRect(rect, mix(m_ground, color, kHatchGround));
  QPainterPath stripes;
  const int top = rect.top(), bottom = rect.top() + rect.height(), right = rect.left() + rect.width();
  const int first = rect.left() + top - (rect.left() + top) % kHatchPitch;
  for (int sum = first; sum < right + bottom; sum += kHatchPitch) {  // x + y of a stripe
    const int from = std::max(rect.left(), sum - bottom), to = std::min(right, sum - top);
    if (to <= from) continue;
    stripes.moveTo(from, sum - from), stripes.lineTo(to, sum - to);
  }
  m_painter->save();
  m_painter->setClipRect(rect, Qt::IntersectClip);
  m_painter->strokePath(stripes, QPen(mix(m_ground, color, kHatchLine), kHatchInk * M_SQRT1_2));
  m_painter->restore();
}

void TimelineRaster::bars(const std::vector<SpanBar>& bars, const std::vector<std::uint8_t>& shades, const WaitParts* waits, int top,
                          int height, TimeNs now, std::vector<BarLabel>* labels) {
  const double left = m_map.left, right = m_map.left + m_map.width;
  const auto first = std::ranges::lower_bound(bars, m_map.x0, {}, [](const SpanBar& bar) { return bar.t1; });
  int drawn = std::numeric_limits<int>::min();
  for (auto bar = first; bar != bars.end() && bar->t0 < m_map.x1; ++bar) {
    const bool open = bar->t1 == std::numeric_limits<TimeNs>::max();
    const TimeNs end = open ? std::max(now, bar->t0) : bar->t1;
    const double a = std::clamp(m_map.toPixel(std::max(bar->t0, m_map.x0)), left, right);
    const double b = std::clamp(m_map.toPixel(std::min(end, m_map.x1)), left, right);
    const int x0 = static_cast<int>(a);
    int x1 = std::max(x0 + 1, static_cast<int>(std::lround(b)));
    const std::size_t shade = bar->name < shades.size() ? shades[bar->name] % kShades : 0;
    QColor color = m_colors[static_cast<std::size_t>(bar->category)][shade];
    if (bar->id == 0) {
      float busy = 0;
      for (const float share : bar->busy) busy += share;
      color = mix(m_ground, color, kFaintest + (1 - kFaintest) * std::clamp<double>(busy, 0, 1));
    }
    // Wide spans are separated by a pixel, so that two equal neighbours are distinguishable.
    const bool wide = x1 - x0 >= 4;
    if (wide && x0 > drawn) --x1;
    drawn = x1;
    fill(x0, wide ? x1 : std::max(x1, x0 + 1), top, top + height - 1, color.rgb());
    int waited = x0;
    if (waits != nullptr && bar->category == SpanCategory::kComm && bar->id != 0 && x1 - x0 >= kSplitWidth) {
      const auto part = waits->of_span.find(bar->id);
      if (part != waits->of_span.end() && part->second.kind == WaitPart::Kind::kWaited)
        waited = std::min(static_cast<int>(std::lround(std::clamp(m_map.toPixel(part->second.until), a, b))), x1);
    }
    if (waited > x0) hatch(x0, waited, top, top + height - 1, color);
    if (labels == nullptr || bar->name == SpanBar::kNoName || height < kLabelHeight) continue;
    // The name is on the working part, or else on the stripes.
    const bool solid = x1 - waited >= kLabelWidth;
    const int from = solid ? waited : x0, to = solid ? x1 : waited;
    if (to - from < kLabelWidth) continue;
    const bool light = !solid || contrastRatio(color, m_text) > contrastRatio(color, m_ground);
    labels->push_back({QRect(from + 3, top, to - from - 5, height - 1), bar->name, light ? m_text : m_ground});
  }
}

void TimelineRaster::placeColumns(const BusyStrip& strip) {
  if (strip.t0 == m_columns_t0 && strip.pixel == m_columns_pixel && strip.columns.size() == m_columns_count) return;
  m_columns_t0 = strip.t0, m_columns_pixel = strip.pixel, m_columns_count = strip.columns.size();
  const int left = static_cast<int>(m_map.left), width = static_cast<int>(m_map.width);
  m_columns.assign(static_cast<std::size_t>(std::max(width, 0)), {});
  for (int x = 0; x < width; ++x) {
    const TimeNs t0 = m_map.fromPixel(left + x), t1 = std::max(m_map.fromPixel(left + x + 1), t0 + 1);
    if (t1 <= strip.t0) continue;
    const auto first = std::max<std::int64_t>((t0 - strip.t0) / strip.pixel, 0);
    const auto last = std::min((t1 - 1 - strip.t0) / strip.pixel, static_cast<std::int64_t>(strip.columns.size()) - 1);
    if (first <= last) m_columns[static_cast<std::size_t>(x)] = {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)};
  }
}

void TimelineRaster::strip(const BusyStrip& strip, int top, int height) {
  if (strip.columns.empty()) return;
  placeColumns(strip);
  // A row of a few pixels shows the busiest class.
  const bool one = height < kSplitHeight;
  const auto edges = stripEdges(height);
  const int left = static_cast<int>(m_map.left);
  struct Run {
    int from = 0;
    QRgb color = 0;
    bool drawn = false;
  };
  std::array<Run, kParts> runs;  // of equal columns of each part, not drawn yet
  const auto flush = [&](std::size_t part, int to) {
    const int y0 = one ? top : top + edges[part], y1 = one ? top + height : top + edges[part + 1] - 1;
    if (runs[part].drawn) fill(runs[part].from, to, y0, y1, runs[part].color);
    runs[part].drawn = false;
  };
  const auto put = [&](std::size_t part, int x, std::size_t what, std::uint8_t busy) {
    if (m_painter != nullptr) busy = vectorShade(busy);
    const QRgb color = m_busy[what][busy];
    Run& run = runs[part];
    if (run.drawn && busy > 0 && run.color == color) return;
    flush(part, x);
    if (busy > 0) run = {x, color, true};
  };
  for (std::size_t i = 0; i < m_columns.size(); ++i) {
    std::array<std::uint8_t, kSpanClassCount> busiest{};
    for (std::int32_t c = m_columns[i].first; c <= m_columns[i].last; ++c) {
      const auto& busy = strip.columns[static_cast<std::size_t>(c)];
      for (std::size_t k = 0; k < busy.size(); ++k) busiest[k] = std::max(busiest[k], busy[k]);
    }
    const int x = left + static_cast<int>(i);
    if (one) {
      const auto k = static_cast<std::size_t>(std::ranges::max_element(busiest) - busiest.begin());
      put(0, x, k, busiest[k]);
      continue;
    }
    // Copies and the host share the lowest part.
    const std::size_t lowest = busiest[2] > 0 && busiest[2] * 2 >= busiest[3] ? 2 : 3;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, lowest}) put(std::min<std::size_t>(k, kParts - 1), x, k, busiest[k]);
  }
  for (std::size_t part = 0; part < kParts; ++part) flush(part, left + static_cast<int>(m_columns.size()));
}

void TimelineRaster::stripWaits(const Intervals& waiting, int top, int height) {
  if (height < kSplitHeight) return;
  const auto edges = stripEdges(height);
  const QColor& color = m_colors[static_cast<std::size_t>(SpanCategory::kComm)][0];
  const double left = m_map.left, right = m_map.left + m_map.width;
  for (auto wait = std::ranges::lower_bound(waiting, m_map.x0, {}, &std::pair<TimeNs, TimeNs>::second);
       wait != waiting.end() && wait->first < m_map.x1; ++wait) {
    const int x0 = static_cast<int>(std::ceil(std::clamp(m_map.toPixel(std::max(wait->first, m_map.x0)), left, right)));
    const int x1 = static_cast<int>(std::clamp(m_map.toPixel(std::min(wait->second, m_map.x1)), left, right));
    if (x1 - x0 >= kSplitWidth / 2) hatch(x0, x1, top + edges[1], top + edges[2] - 1, color);
  }
}

}  // namespace runglass
