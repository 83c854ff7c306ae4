// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: gutters have fixed widths, so that a longer label never moves the curves.
#include "widgets/charts/plot_picture.h"

#include <QObject>
#include <algorithm>
#include <climits>
#include <cmath>
#include <functional>
#include <ranges>
#include <vector>

#include "widgets/charts/raster.h"
#include "widgets/core/top_columns.h"

namespace runglass {
namespace {

constexpr int kMinPlot = 16;   // minimum readable height of a panel
constexpr int kRawAlpha = 72;  // of the raw curve under a smoothed one: 28 %
constexpr int kFaintAlpha = 140;
constexpr int kBandAlpha = 60;
constexpr int kLegendName = 180;
constexpr double kGridInk = 0.7;  // of the line colour: the grid stays behind the curves
constexpr double kVectorLine = 1.4;
constexpr int kPanelMark = 9, kPanelMarkReach = 6;  // side of a mark; hit distance of the mouse
constexpr int kLowPlot = 80;                        // lower plots get closer ticks, so that they have two
constexpr double kTickSpacing = 32, kLowSpacing = 18;
constexpr int kGlyphApart = 8;  // between marks in the event lane, and between the dashed ends of bands
constexpr int kMarkApart = 26;  // between labels in a row of NaN marks

// Places at least `kGlyphApart` pixels apart.
class ApartPlaces {
 public:
  explicit ApartPlaces(const QRect& plot) : m_left(plot.left()), m_taken(static_cast<std::size_t>(std::max(plot.width(), 0)) + 1) {}
  // Absent: too close to one that was taken before.
  std::optional<int> take(double pixel) {
    const int last = static_cast<int>(m_taken.size()) - 1, at = std::clamp(static_cast<int>(std::lround(pixel)) - m_left, 0, last);
    if (m_taken[static_cast<std::size_t>(at)]) return std::nullopt;
    for (int near = std::max(at - kGlyphApart + 1, 0); near <= std::min(at + kGlyphApart - 1, last); ++near)
      m_taken[static_cast<std::size_t>(near)] = true;
    return m_left + at;
  }

 private:
  const int m_left;
  std::vector<bool> m_taken;
};

}  // namespace

struct PlotPicture::Drawing {
  QPainter& painter;
  QImage* image;  // null: vector output
};

QRect PlotPicture::plotArea() const {
  const int lane = m_data && m_data->lane ? kLane : 0;
  return {kGutter, 0, std::max(1, m_size.width() - kGutter - kRight), std::max(1, m_size.height() - kAxis - lane)};
}

QImage PlotPicture::render(double ratio) const {
  QImage image(m_size * ratio, QImage::Format_RGB32);
  image.setDevicePixelRatio(ratio);
  image.fill(m_theme.surface);
  if (isEmpty()) return image;
  QPainter painter(&image);
  painter.setFont(tableFont());
  Drawing drawing{painter, &image};
  draw(drawing, plotArea());
  return image;
}

void PlotPicture::paintMoved(QPainter& painter, const QImage& image, std::int64_t x0, std::int64_t x1) const {
  painter.drawImage(QPointF(0, 0), image);
  if (isEmpty() || x1 <= x0) return;
  const double ratio = image.devicePixelRatio();
  const QRect area = plotArea();
  const XMap now = xMap(area), then{x0, x1, static_cast<double>(area.left()), static_cast<double>(area.width())};
  // The part of the old picture inside the new window, and its position.
  const double left = std::max<double>(area.left(), now.toPixel(x0)), right = std::min<double>(area.right() + 1.0, now.toPixel(x1));
  for (const PanelLayout& place : layoutPanels(area)) {
    painter.fillRect(place.plot, m_theme.ground);
    if (right <= left) continue;
    const double from = then.toPixel(now.fromPixel(left)), to = then.toPixel(now.fromPixel(right));
    const QRectF source(from * ratio, place.plot.top() * ratio, std::max(1.0, (to - from) * ratio), place.plot.height() * ratio);
    painter.drawImage(QRectF(left, place.plot.top(), right - left, place.plot.height()), image, source);
  }
  const int below = area.bottom() + 1;
  painter.fillRect(QRect(0, below, m_size.width(), m_size.height() - below), m_theme.surface);
  if (m_data->lane) drawMarks(painter, {area.left(), below, area.width(), kLane}, area);
  drawAxis(painter, area);
}

std::size_t PlotPicture::binCount() const {
  std::size_t count = 0;
  if (m_data)
    for (const PlotPanel& panel : m_data->panels)
      for (const PlotCurve& curve : panel.curves)
        count += (curve.bins ? curve.bins->size() : 0) + (curve.smooth ? curve.smooth->size() : 0);
  return count;
}

std::vector<PlotPicture::PanelLayout> PlotPicture::layoutPanels(const QRect& area) const {
  std::vector<PanelLayout> places;
  // Panels that do not fit are dropped, the last first: overlapping panels would be unreadable.
  const int room = std::max(1, (area.height() + kBetween) / (kTitle + kMinPlot + kBetween));
  const int count = std::min(room, static_cast<int>(m_data->panels.size()));
  const std::span<const PlotPanel> shown(m_data->panels.data(), static_cast<std::size_t>(count));
  double shares = 0;
  for (const PlotPanel& panel : shown) shares += panel.share;
  const int free = area.height() - count * kTitle - (count - 1) * kBetween;
  int top = area.top();
  for (const PlotPanel& panel : shown) {
    const int height = std::max(8, static_cast<int>(free * panel.share / shares));
    places.push_back({{area.left(), top, area.width(), kTitle}, {area.left(), top + kTitle, area.width(), height}});
    top += kTitle + height + kBetween;
  }
  return places;
}

void PlotPicture::draw(Drawing& drawing, const QRect& area) const {
  const auto places = layoutPanels(area);
  for (std::size_t i = 0; i < places.size(); ++i) drawPanel(drawing, m_data->panels[i], places[i]);
  if (const std::size_t out = m_data->panels.size() - places.size(); out > 0 && !places.empty()) {
    const QString words = QObject::tr("+%1 where there is room").arg(out);
    const int wide = drawing.painter.fontMetrics().horizontalAdvance(words) + 2 * kGrid;
    const QRect title = places.back().title;
    const QRect box(title.right() - m_title_reserve - wide, title.top(), wide, title.height());
    drawing.painter.fillRect(box, m_theme.surface);  // the legend yields
    drawing.painter.setPen(m_theme.muted);
    drawing.painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, words);
  }
  if (m_data->lane) drawMarks(drawing.painter, {area.left(), area.bottom() + 1, area.width(), kLane}, area);
  drawAxis(drawing.painter, area);
}

void PlotPicture::drawPanel(Drawing& drawing, const PlotPanel& panel, const PanelLayout& place) const {
  const Theme& theme = m_theme;
  QPainter& painter = drawing.painter;
  const XMap x = xMap(place.plot);
  painter.fillRect(place.plot, theme.ground);
  drawBands(painter, x, place.plot);
  int outliers = 0;
  const std::optional<YMap> y = yMap(panel, place.plot, &outliers);
  UnitScale scale;
  if (!y) {
    painter.setPen(theme.muted);
    painter.drawText(place.plot, Qt::AlignCenter, panel.empty.isEmpty() ? QObject::tr("no data in this window") : panel.empty);
    drawTitle(painter, panel, place, {}, 0);
    return;
  }
  const auto ticks = yTicks(*y, panel.unit, &scale, place.plot.height() < kLowPlot ? kLowSpacing : kTickSpacing);
  const QColor grid = mix(theme.ground, theme.line, kGridInk);
  for (const AxisTick& tick : ticks) {
    const int line = static_cast<int>(std::lround(tick.pixel));
    painter.setPen(grid);
    painter.drawLine(place.plot.left(), line, place.plot.right(), line);
    painter.setPen(theme.muted);
    painter.drawText(QRect(place.plot.left() - kGutter, line - 8, kGutter - 6, 16), Qt::AlignRight | Qt::AlignVCenter, tick.label);
  }
  painter.setPen(grid);
  for (const AxisTick& tick : xTicks(x, m_data->axis, m_data->style))
    painter.drawLine(QPointF(tick.pixel, place.plot.top()), QPointF(tick.pixel, place.plot.bottom()));
  painter.save();
  painter.setClipRect(place.plot);
  drawCurves(drawing, panel, place.plot, *y);
  painter.restore();
  drawPanelMarks(painter, panel, place.plot);
  drawTitle(painter, panel, place, suffixOf(scale), outliers);
}

void PlotPicture::drawBands(QPainter& painter, const XMap& x, const QRect& plot) const {
  TopColumns grounds(plot.left(), plot.right() + 1);
  for (std::size_t i = 0; i < m_data->bands.size(); ++i) {
    const PlotBand& band = m_data->bands[i];
    if (band.x1 < m_x0 || band.x0 >= m_x1) continue;
    grounds.add(x.toPixel(std::max(band.x0, m_x0)), x.toPixel(std::min(band.x1, m_x1)), i);
  }
  for (const ColumnRun& run : grounds.runs())
    painter.fillRect(QRect(run.left, plot.top(), run.right - run.left, plot.height()), m_data->bands[run.tag].ink.in(m_theme));
  ApartPlaces edges(plot);
  for (const PlotBand& band : m_data->bands | std::views::reverse) {
    if (!band.edge) continue;
    for (const std::int64_t end : {band.x0, band.x1}) {
      const auto at = end >= m_x0 && end < m_x1 ? edges.take(x.toPixel(end)) : std::nullopt;
      if (!at) continue;
      painter.setPen(QPen(band.edge->in(m_theme), kHairline, Qt::DashLine));
      painter.drawLine(*at, plot.top(), *at, plot.bottom());
    }
  }
}

std::optional<YMap> PlotPicture::yMap(const PlotPanel& panel, const QRect& plot, int* outliers) const {
  const std::optional<ValueRange> range = rangeOf(panel, outliers);
  if (!range) return std::nullopt;
  const ValueRange shown = padded(*range, panel.log);
  return YMap{shown.lo, shown.hi, static_cast<double>(plot.top()), plot.height() - 1.0, panel.log};
}

std::optional<ValueRange> PlotPicture::rangeOf(const PlotPanel& panel, int* outliers) const {
  std::optional<ValueRange> range;
  for (const PlotCurve& curve : panel.curves) {
    if (!curve.bins) continue;
    const auto own = valueRange(*curve.bins, m_x0, m_x1, panel.log, panel.robust, outliers);
    if (own && range)
      range = ValueRange{std::min(own->lo, range->lo), std::max(own->hi, range->hi)};
    else if (own)
      range = own;
  }
  return range;
}

std::span<const Bin> PlotPicture::visible(const std::vector<Bin>& bins) const {
  const auto first = std::lower_bound(bins.begin(), bins.end(), m_x0, [](const Bin& bin, std::int64_t at) { return bin.x1 <= at; });
  const auto last = std::lower_bound(first, bins.end(), m_x1, [](const Bin& bin, std::int64_t at) { return bin.x0 < at; });
  // One extra bin on either side, so that lines leave the plot instead of ending at its edge.
  return {first == bins.begin() ? first : first - 1, last == bins.end() ? last : last + 1};
}

void PlotPicture::drawCurves(Drawing& drawing, const PlotPanel& panel, const QRect& plot, const YMap& y) const {
  // Curves are rasterized in the image's own pixels: sharp at any screen density.
  const double ratio = drawing.image != nullptr ? drawing.image->devicePixelRatio() : 1;
  const QRect device(static_cast<int>(std::lround(plot.left() * ratio)), static_cast<int>(std::lround(plot.top() * ratio)),
                     static_cast<int>(std::lround(plot.width() * ratio)), static_cast<int>(std::lround(plot.height() * ratio)));
  const XMap x = xMap(device);
  // All raw curves are drawn under all smoothed ones, so that none hides another's trend.
  std::vector<RasterCurve> under, over;
  std::vector<bool> under_dashed, over_dashed;
  for (const PlotCurve& curve : panel.curves) {
    if (!curve.bins) continue;
    QColor color = curve.faint ? m_theme.muted : curve.ink.in(m_theme);
    color.setAlpha(curve.band ? kBandAlpha : curve.faint ? kFaintAlpha : curve.smooth ? kRawAlpha : 255);
    const bool above = !curve.band && !curve.faint && !curve.smooth;
    (above ? over : under).push_back({visible(*curve.bins), color, curve.band, curve.gaps});
    (above ? over_dashed : under_dashed).push_back(curve.dashed);
    if (!curve.smooth || curve.faint || curve.band) continue;
    over.push_back({visible(*curve.smooth), curve.ink.in(m_theme), false, curve.gaps});
    over_dashed.push_back(curve.dashed);
  }
  under_dashed.insert(under_dashed.end(), over_dashed.begin(), over_dashed.end());
  under.insert(under.end(), std::make_move_iterator(over.begin()), std::make_move_iterator(over.end()));
  fillColumns(under, x);
  for (const RasterCurve& curve : under)
    if (!curve.band) drawNotNumbers(drawing.painter, curve.columns, plot, ratio, QColor(curve.color.rgb()));
  if (drawing.image != nullptr)
    return runglass::drawCurves(*drawing.image, device, under, YMap{y.lo, y.hi, y.top * ratio, y.height * ratio, y.log});
  for (std::size_t i = 0; i < under.size(); ++i) {
    const RasterCurve& curve = under[i];
    const double width = curve.color.alpha() == kFaintAlpha ? 1.0 : kVectorLine;
    if (curve.band)
      paintBand(drawing.painter, curve.columns, y, curve.color);
    else
      paintColumns(drawing.painter, curve.columns, y, QPen(curve.color, width, under_dashed[i] ? Qt::DashLine : Qt::SolidLine));
  }
}

void PlotPicture::drawNotNumbers(QPainter& painter, const PixelColumns& columns, const QRect& plot, double ratio,
                                 const QColor& color) const {
  // A tick at the edge for every pixel with a hit; a label where there is room.
  const auto row = [&](const std::vector<int>& pixels, int top, int word_top, const QString& word) {
    int free_from = plot.left() - kMarkApart;
    for (const int device : pixels) {
      const int pixel = static_cast<int>(device / ratio);
      if (pixel < plot.left() || pixel > plot.right()) continue;
      painter.fillRect(QRect(pixel - 1, top, 3, 6), color);
      if (pixel < free_from) continue;
      painter.setPen(color);
      painter.drawText(QRect(std::min(pixel + 4, plot.right() - kMarkApart), word_top, kMarkApart + 4, 12),
                       Qt::AlignLeft | Qt::AlignVCenter, word);
      free_from = pixel + 2 * kMarkApart;
    }
  };
  row(columns.nan_pixels, plot.bottom() - 5, plot.bottom() - 14, QStringLiteral("NaN"));
  row(columns.below_pixels, plot.bottom() - 5, plot.bottom() - 14, QStringLiteral("−Inf"));
  row(columns.above_pixels, plot.top(), plot.top() + 1, QStringLiteral("+Inf"));
}

// A triangle points at the spike: hollow for a warning, filled for an error. A filled diamond marks non-finite values. Marks closer than a
// mark's width are drawn as one, with the worst severity; the tooltip lists all.
void PlotPicture::drawPanelMarks(QPainter& painter, const PlotPanel& panel, const QRect& plot) const {
  const XMap x = xMap(plot);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (auto mark = panel.marks.begin(); mark != panel.marks.end();) {
    const double at = x.toPixel(mark->x);
    Severity worst = mark->severity;
    double middle = at;
    for (++mark; mark != panel.marks.end() && x.toPixel(mark->x) - at < kPanelMark; ++mark)
      if (mark->severity > worst) worst = mark->severity, middle = x.toPixel(mark->x);
    if (middle < plot.left() || middle > plot.right() + 1) continue;
    const double top = plot.top() + 1, half = kPanelMark / 2.0;
    const QColor color = severityColor(m_theme, worst);
    painter.setPen(QPen(color, 1.5));
    painter.setBrush(worst > Severity::kWarning ? color : m_theme.ground);
    if (worst == Severity::kCritical)
      painter.drawPolygon(QPolygonF({{middle, top}, {middle + half, top + half}, {middle, top + kPanelMark}, {middle - half, top + half}}));
    else
      painter.drawPolygon(QPolygonF({{middle - half, top}, {middle + half, top}, {middle, top + kPanelMark}}));
  }
  painter.restore();
}

QStringList PlotPicture::markTexts(QPoint at) const {
  if (isEmpty()) return {};
  const QRect area = plotArea();
  const auto places = layoutPanels(area);
  std::vector<const PanelMark*> hit;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const QRect& plot = places[i].plot;
    if (at.y() < plot.top() - 2 || at.y() > plot.top() + kPanelMark + 4) continue;
    const XMap x = xMap(plot);
    for (const PanelMark& mark : m_data->panels[i].marks)
      if (std::abs(x.toPixel(mark.x) - at.x()) < kPanelMarkReach) hit.push_back(&mark);
  }
  std::ranges::stable_sort(hit, [](const PanelMark* a, const PanelMark* b) { return a->severity > b->severity; });
  QStringList words;
  for (const PanelMark* mark : hit) words << mark->text;
  return words;
}

int PlotPicture::primitives() const {
  if (isEmpty()) return 0;
  const XMap x = xMap(plotArea());
  std::size_t count = 0;
  for (const PlotPanel& panel : m_data->panels)
    for (const PlotCurve& curve : panel.curves)
      for (const SharedBins& bins : {curve.bins, curve.smooth})
        if (bins) count += toColumns(visible(*bins), x, curve.gaps).columns.size();
  return static_cast<int>(std::min<std::size_t>(count, INT_MAX));
}

void PlotPicture::drawTitle(QPainter& painter, const PlotPanel& panel, const PanelLayout& place, const QString& unit, int outliers) const {
  const Theme& theme = m_theme;
  const int right = place.title.right() - m_title_reserve;
  int left = place.title.left();
  const auto put = [&](const QString& text, const QColor& color, int at_most) {
    painter.setPen(color);
    const QString shown = painter.fontMetrics().elidedText(text, Qt::ElideMiddle, std::max(0, std::min(at_most, right - left)));
    painter.drawText(QRect(left, place.title.top(), right - left, kTitle - 2), Qt::AlignLeft | Qt::AlignVCenter, shown);
    left += painter.fontMetrics().horizontalAdvance(shown) + 10;
  };
  put(unit.isEmpty() ? panel.title : panel.title + QStringLiteral("  [") + unit + QLatin1Char(']'), theme.text, (right - left) * 2 / 3);
  if (panel.log) put(QObject::tr("log"), theme.muted, right);
  if (outliers > 0) put(QObject::tr("%1 off the scale").arg(outliers), severityInk(theme, Severity::kWarning), right);
  const auto listed = [](const PlotCurve& curve) { return !curve.faint && !curve.name.isEmpty(); };
  const auto total = std::count_if(panel.curves.begin(), panel.curves.end(), listed);
  std::ptrdiff_t shown = 0;
  for (const PlotCurve& curve : panel.curves) {
    if (!listed(curve)) continue;
    const int wide = 14 + std::min(kLegendName, painter.fontMetrics().horizontalAdvance(curve.name));
    const int more = shown + 1 < total ? painter.fontMetrics().horizontalAdvance(QObject::tr("+%1 more").arg(total)) + 10 : 0;
    if (left + wide + more > right) {
      put(QObject::tr("+%1 more").arg(total - shown), theme.muted, right);
      break;
    }
    const int swatch = place.title.center().y() - 1;
    const QColor ink = curve.ink.in(theme);
    QColor faint = ink;
    faint.setAlpha(kBandAlpha);
    if (curve.band)
      painter.fillRect(QRect(left, swatch - 3, 10, 9), faint);
    else
      painter.fillRect(QRect(left, swatch, curve.dashed ? 4 : 10, 3), ink);
    if (curve.dashed) painter.fillRect(QRect(left + 6, swatch, 4, 3), ink);
    left += 14;
    put(curve.name, theme.muted, kLegendName);
    ++shown;
  }
}

void PlotPicture::drawAxis(QPainter& painter, const QRect& area) const {
  const Theme& theme = m_theme;
  const int top = area.bottom() + 1 + (m_data->lane ? kLane : 0);
  painter.setPen(theme.muted);
  int free_from = area.left() - 2;  // right of the axis name
  for (const AxisTick& tick : xTicks(xMap(area), m_data->axis, m_data->style)) {
    const int wide = painter.fontMetrics().horizontalAdvance(tick.label) + 8;
    const int left = std::max(static_cast<int>(tick.pixel) - wide / 2, area.left() - 2);
    if (left < free_from || left + wide > area.right() + kRight) continue;
    painter.drawText(QRect(left, top + 2, wide, kAxis - 4), Qt::AlignCenter, tick.label);
    free_from = left + wide;
  }
  const QString unit = m_data->axis == XAxis::kStep ? QObject::tr("step") : zoneName(m_data->style);
  painter.drawText(QRect(0, top + 2, kGutter - 6, kAxis - 4), Qt::AlignRight | Qt::AlignVCenter, unit);
}

void PlotPicture::drawMarks(QPainter& painter, const QRect& lane, const QRect& plot) const {
  const XMap x = xMap(plot);
  painter.setPen(m_theme.muted);
  painter.drawText(QRect(0, lane.top(), kGutter - 6, lane.height()), Qt::AlignRight | Qt::AlignVCenter, QObject::tr("events"));
  const auto places = layoutPanels(plot);
  std::vector<std::size_t> urgent;  // the shown marks, the most severe first
  for (std::size_t i = 0; i < m_data->marks.size(); ++i)
    if (m_data->marks[i].x >= m_x0 && m_data->marks[i].x < m_x1) urgent.push_back(i);
  std::ranges::stable_sort(urgent, std::greater{}, [&](std::size_t i) { return m_data->marks[i].severity; });
  TopColumns lines(plot.left(), plot.right() + 1);
  for (const std::size_t i : urgent | std::views::reverse) lines.add(x.toPixel(m_data->marks[i].x), x.toPixel(m_data->marks[i].x), i);
  for (const ColumnRun& run : lines.runs()) {
    QColor line = m_data->marks[run.tag].ink.in(m_theme);
    line.setAlpha(90);
    painter.setPen(line);
    for (int at = run.left; at < run.right; ++at)
      for (const PanelLayout& place : places) painter.drawLine(at, place.plot.top(), at, place.plot.bottom());
  }
  // Marks at one place share the glyph of the most severe, of equals that of the first; the tooltip lists them.
  ApartPlaces glyphs(plot);
  for (const std::size_t i : urgent) {
    const PlotMark& mark = m_data->marks[i];
    const auto at = glyphs.take(x.toPixel(mark.x));
    if (!at) continue;
    painter.setPen(mark.ink.in(m_theme));
    painter.drawText(QRect(*at - kGlyphApart, lane.top(), 2 * kGlyphApart, lane.height()), Qt::AlignCenter, mark.glyph);
  }
}

void PlotPicture::paintVector(QPainter& painter, const QRect& target) const {
  if (isEmpty()) return;
  painter.fillRect(target, m_theme.surface);
  painter.setFont(tableFont());
  Drawing drawing{painter, nullptr};
  const int lane = m_data->lane ? kLane : 0;
  draw(drawing, {target.left() + kGutter, target.top(), target.width() - kGutter - kRight, target.height() - kAxis - lane});
}

}  // namespace runglass
