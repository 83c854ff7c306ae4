// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants:
//  1. m_image shows m_data in [m_x0, m_x1) at the widget's size unless m_dirty.
//  2. Gutters have fixed widths: a longer label never moves the curves.
//  3. Only change() changes the window by hand, and it tells windowChanged().
#include "widgets/charts/plot_widget.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <climits>
#include <cmath>

#include "widgets/charts/raster.h"

namespace runglass {
namespace {

constexpr int kGutter = 64, kRight = 12, kTitle = 18, kAxis = 20, kLane = 18, kBetween = 6;
constexpr int kRawAlpha = 72;  // of the raw curve under a smoothed one: 28 %
constexpr int kFaintAlpha = 140;
constexpr int kBandAlpha = 60;
constexpr int kLegendName = 180;
constexpr double kGridInk = 0.7;  // of the line colour: the grid stays behind the curves
constexpr double kVectorLine = 1.4;
constexpr int kCursorLine = 14;  // one line of the crosshair's values
constexpr int kCursorAll = 8;    // with more curves only the one nearest to the mouse is named
constexpr int kMarkApart = 26;   // between words at a row of NaN marks

}  // namespace

struct PlotWidget::Drawing {
  QPainter& painter;
  QImage* image;  // null: vectors
};

PlotWidget::PlotWidget(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(160, 80);
  setAttribute(Qt::WA_OpaquePaintEvent);
}

void PlotWidget::setData(std::shared_ptr<const PlotData> data) {
  m_data = std::move(data);
  m_stale = false;
  m_dirty = true;
  update();
}

void PlotWidget::setWindow(std::int64_t x0, std::int64_t x1) {
  if (x1 <= x0 || (x0 == m_x0 && x1 == m_x1)) return;
  m_x0 = x0;
  m_x1 = x1;
  m_dirty = true;
  update();
}

void PlotWidget::setCursor(std::optional<std::int64_t> x) {
  if (x == m_cursor) return;
  m_cursor = x;
  update();
}

void PlotWidget::setStale(bool stale) {
  if (stale == m_stale) return;
  m_stale = stale;
  update();
}

QRect PlotWidget::plotArea() const {
  const int lane = m_data && m_data->lane ? kLane : 0;
  return {kGutter, 0, std::max(1, width() - kGutter - kRight), std::max(1, height() - kAxis - lane)};
}

std::vector<PlotWidget::PanelLayout> PlotWidget::layoutPanels(const QRect& area) const {
  std::vector<PanelLayout> places;
  double shares = 0;
  for (const PlotPanel& panel : m_data->panels) shares += panel.share;
  const int count = static_cast<int>(m_data->panels.size());
  const int free = area.height() - count * kTitle - (count - 1) * kBetween;
  int top = area.top();
  for (const PlotPanel& panel : m_data->panels) {
    const int height = std::max(8, static_cast<int>(free * panel.share / shares));
    places.push_back({{area.left(), top, area.width(), kTitle}, {area.left(), top + kTitle, area.width(), height}});
    top += kTitle + height + kBetween;
  }
  return places;
}

void PlotWidget::render() {
  if (m_image.size() != size()) m_image = QImage(size(), QImage::Format_RGB32);
  m_image.fill(currentTheme().surface);
  m_dirty = false;
  if (!m_data || m_x1 <= m_x0) return;
  QPainter painter(&m_image);
  painter.setFont(tableFont());
  Drawing drawing{painter, &m_image};
  draw(drawing, plotArea());
}

void PlotWidget::paintVector(QPainter& painter, const QRect& target) const {
  if (!m_data || m_x1 <= m_x0) return;
  painter.fillRect(target, currentTheme().surface);
  painter.setFont(tableFont());
  Drawing drawing{painter, nullptr};
  const int lane = m_data->lane ? kLane : 0;
  draw(drawing, {target.left() + kGutter, target.top(), target.width() - kGutter - kRight, target.height() - kAxis - lane});
}

void PlotWidget::draw(Drawing& drawing, const QRect& area) const {
  const auto places = layoutPanels(area);
  for (std::size_t i = 0; i < places.size(); ++i) drawPanel(drawing, m_data->panels[i], places[i]);
  if (m_data->lane) drawMarks(drawing.painter, {area.left(), area.bottom() + 1, area.width(), kLane}, area);
  drawAxis(drawing.painter, area);
}

void PlotWidget::drawPanel(Drawing& drawing, const PlotPanel& panel, const PanelLayout& place) const {
  const Theme& theme = currentTheme();
  QPainter& painter = drawing.painter;
  const XMap x = xMap(place.plot);
  painter.fillRect(place.plot, theme.ground);
  for (const PlotBand& band : m_data->bands) {
    const double left = std::max(x.toPixel(band.x0), static_cast<double>(place.plot.left())),
                 right = std::min(x.toPixel(band.x1), place.plot.right() + 1.0);
    if (right > left) painter.fillRect(QRectF(left, place.plot.top(), right - left, place.plot.height()), band.color);
  }
  int outliers = 0;
  const std::optional<ValueRange> range = rangeOf(panel, &outliers);
  UnitScale scale;
  if (!range) {
    painter.setPen(theme.muted);
    painter.drawText(place.plot, Qt::AlignCenter, panel.empty.isEmpty() ? tr("no data in this window") : panel.empty);
    drawTitle(painter, panel, place, {}, 0);
    return;
  }
  const ValueRange shown = padded(*range, panel.log);
  const YMap y{shown.lo, shown.hi, static_cast<double>(place.plot.top()), place.plot.height() - 1.0, panel.log};
  const auto ticks = yTicks(y, panel.unit, &scale);
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
  drawCurves(drawing, panel, place.plot, y);
  painter.restore();
  drawTitle(painter, panel, place, scale.suffix, outliers);
}

std::optional<ValueRange> PlotWidget::rangeOf(const PlotPanel& panel, int* outliers) const {
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

std::span<const Bin> PlotWidget::visible(const std::vector<Bin>& bins) const {
  const auto first = std::lower_bound(bins.begin(), bins.end(), m_x0, [](const Bin& bin, std::int64_t at) { return bin.x1 <= at; });
  const auto last = std::lower_bound(first, bins.end(), m_x1, [](const Bin& bin, std::int64_t at) { return bin.x0 < at; });
  // One more on either side, so that lines leave the plot instead of ending at its edge.
  return {first == bins.begin() ? first : first - 1, last == bins.end() ? last : last + 1};
}

void PlotWidget::drawCurves(Drawing& drawing, const PlotPanel& panel, const QRect& plot, const YMap& y) const {
  const XMap x = xMap(plot);
  // All raw curves lie under all smoothed ones, so that none hides another's trend.
  std::vector<RasterCurve> under, over;
  for (const PlotCurve& curve : panel.curves) {
    if (!curve.bins) continue;
    QColor color = curve.faint ? currentTheme().muted : curve.color;
    color.setAlpha(curve.band ? kBandAlpha : curve.faint ? kFaintAlpha : curve.smooth ? kRawAlpha : 255);
    const bool above = !curve.band && !curve.faint && !curve.smooth;
    (above ? over : under).push_back({visible(*curve.bins), color, curve.band, curve.gaps});
    if (curve.smooth && !curve.faint && !curve.band) over.push_back({visible(*curve.smooth), curve.color, false, curve.gaps});
  }
  under.insert(under.end(), std::make_move_iterator(over.begin()), std::make_move_iterator(over.end()));
  fillColumns(under, x);
  for (const RasterCurve& curve : under)
    if (!curve.band) drawNotNumbers(drawing.painter, curve.columns, plot, QColor(curve.color.rgb()));
  if (drawing.image != nullptr) return runglass::drawCurves(*drawing.image, plot, under, y);
  for (const RasterCurve& curve : under) {
    if (curve.band)
      paintBand(drawing.painter, curve.columns, y, curve.color);
    else
      paintColumns(drawing.painter, curve.columns, y, curve.color, curve.color.alpha() == kFaintAlpha ? 1.0 : kVectorLine);
  }
}

void PlotWidget::drawNotNumbers(QPainter& painter, const PixelColumns& columns, const QRect& plot, const QColor& color) const {
  // A tick for every pixel that holds one, at the edge; a word where there is room.
  const auto row = [&](const std::vector<int>& pixels, int top, int word_top, const QString& word) {
    int free_from = plot.left() - kMarkApart;
    for (const int pixel : pixels) {
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

int PlotWidget::primitives() const {
  if (!m_data || m_x1 <= m_x0) return 0;
  const XMap x = xMap(plotArea());
  std::size_t count = 0;
  for (const PlotPanel& panel : m_data->panels)
    for (const PlotCurve& curve : panel.curves)
      for (const SharedBins& bins : {curve.bins, curve.smooth})
        if (bins) count += toColumns(visible(*bins), x, curve.gaps).columns.size();
  return static_cast<int>(std::min<std::size_t>(count, INT_MAX));
}

void PlotWidget::setTitleReserve(int pixels) {
  if (pixels == m_title_reserve) return;
  m_title_reserve = pixels;
  m_dirty = true;
  update();
}

void PlotWidget::drawTitle(QPainter& painter, const PlotPanel& panel, const PanelLayout& place, const QString& unit, int outliers) const {
  const Theme& theme = currentTheme();
  const int right = place.title.right() - m_title_reserve;
  int left = place.title.left();
  const auto put = [&](const QString& text, const QColor& color, int at_most) {
    painter.setPen(color);
    const QString shown = painter.fontMetrics().elidedText(text, Qt::ElideMiddle, std::max(0, std::min(at_most, right - left)));
    painter.drawText(QRect(left, place.title.top(), right - left, kTitle - 2), Qt::AlignLeft | Qt::AlignVCenter, shown);
    left += painter.fontMetrics().horizontalAdvance(shown) + 10;
  };
  put(unit.isEmpty() ? panel.title : panel.title + QStringLiteral("  [") + unit + QLatin1Char(']'), theme.text, (right - left) * 2 / 3);
  if (panel.log) put(tr("log"), theme.muted, right);
  if (outliers > 0) put(tr("%1 outside").arg(outliers), theme.warning, right);
  const auto listed = [](const PlotCurve& curve) { return !curve.faint && !curve.name.isEmpty(); };
  const auto total = std::count_if(panel.curves.begin(), panel.curves.end(), listed);
  std::ptrdiff_t shown = 0;
  for (const PlotCurve& curve : panel.curves) {
    if (!listed(curve)) continue;
    const int wide = 14 + std::min(kLegendName, painter.fontMetrics().horizontalAdvance(curve.name));
    const int more = shown + 1 < total ? painter.fontMetrics().horizontalAdvance(tr("+%1 more").arg(total)) + 10 : 0;
    if (left + wide + more > right) {
      put(tr("+%1 more").arg(total - shown), theme.muted, right);
      break;
    }
    painter.fillRect(QRect(left, place.title.center().y() - 1, 10, 3), curve.color);
    left += 14;
    put(curve.name, theme.muted, kLegendName);
    ++shown;
  }
}

void PlotWidget::drawAxis(QPainter& painter, const QRect& area) const {
  const Theme& theme = currentTheme();
  const int top = area.bottom() + 1 + (m_data->lane ? kLane : 0);
  painter.setPen(theme.muted);
  int free_from = area.left() - 2;  // right of the axis' name
  for (const AxisTick& tick : xTicks(xMap(area), m_data->axis, m_data->style)) {
    const int wide = painter.fontMetrics().horizontalAdvance(tick.label) + 8;
    const int left = std::max(static_cast<int>(tick.pixel) - wide / 2, area.left() - 2);
    if (left < free_from || left + wide > area.right() + kRight) continue;
    painter.drawText(QRect(left, top + 2, wide, kAxis - 4), Qt::AlignCenter, tick.label);
    free_from = left + wide;
  }
  const QString unit = m_data->axis == XAxis::kStep ? tr("step") : zoneName(m_data->style);
  painter.drawText(QRect(0, top + 2, kGutter - 6, kAxis - 4), Qt::AlignRight | Qt::AlignVCenter, unit);
}

void PlotWidget::drawMarks(QPainter& painter, const QRect& lane, const QRect& plot) const {
  const XMap x = xMap(plot);
  painter.setPen(currentTheme().muted);
  painter.drawText(QRect(0, lane.top(), kGutter - 6, lane.height()), Qt::AlignRight | Qt::AlignVCenter, tr("events"));
  int last = -100;
  for (const PlotMark& mark : m_data->marks) {
    if (mark.x < m_x0 || mark.x >= m_x1) continue;
    const int at = static_cast<int>(x.toPixel(mark.x));
    QColor line = mark.color;
    line.setAlpha(90);
    painter.setPen(line);
    painter.drawLine(at, plot.top(), at, plot.bottom());
    if (at - last < 8) continue;  // marks of one place share a glyph; the tooltip names all
    painter.setPen(mark.color);
    painter.drawText(QRect(at - 8, lane.top(), 16, lane.height()), Qt::AlignCenter, mark.glyph);
    last = at;
  }
}

const Bin* PlotWidget::binAt(const std::vector<Bin>& bins, std::int64_t x) const {
  auto at = std::upper_bound(bins.begin(), bins.end(), x, [](std::int64_t value, const Bin& bin) { return value < bin.x0; });
  // The newest at or before the cursor, not further than a twentieth of the window.
  while (at != bins.begin()) {
    --at;
    if (x - at->x1 > (m_x1 - m_x0) / 20) return nullptr;
    if (at->count > 0 || at->nan_count > 0) return &*at;
  }
  return nullptr;
}

std::vector<CursorValue> PlotWidget::cursorValues() const {
  std::vector<CursorValue> values;
  if (!m_data || !m_cursor) return values;
  for (const PlotPanel& panel : m_data->panels)
    for (const PlotCurve& curve : panel.curves) {
      const Bin* bin = curve.bins && !curve.faint ? binAt(*curve.bins, *m_cursor) : nullptr;
      if (bin == nullptr) continue;
      CursorValue value{&panel, &curve, *bin, std::nullopt};
      if (bin->count == 0) value.bin.last = std::nan("");
      if (curve.smooth)
        if (const Bin* smooth = binAt(*curve.smooth, *m_cursor); smooth != nullptr && smooth->count > 0) value.smooth = smooth->last;
      values.push_back(value);
    }
  return values;
}

QString PlotWidget::cursorTable() const {
  QString table;
  for (const CursorValue& value : cursorValues())
    table += value.panel->title + QLatin1Char('\t') + value.curve->name + QLatin1Char('\t') + fullNumber(value.bin.last) +
             QLatin1Char('\t') + QString::fromStdString(value.panel->unit) + QLatin1Char('\n');
  return table;
}

void PlotWidget::paintEvent(QPaintEvent*) {
  if (m_dirty || m_image.size() != size()) render();
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setFont(tableFont());
  painter.drawImage(QPointF(0, 0), m_image);
  if (m_stale) {
    QColor veil = theme.surface;
    veil.setAlpha(110);
    painter.fillRect(rect(), veil);
  }
  if (!m_data || m_x1 <= m_x0) return;
  const QRect area = plotArea();
  if (m_drag == Drag::kSelect || m_drag == Drag::kBox) paintDrag(painter, area);
  if (m_cursor && *m_cursor >= m_x0 && *m_cursor < m_x1) paintCursor(painter, area);
}

void PlotWidget::paintDrag(QPainter& painter, const QRect& area) const {
  QColor fill = currentTheme().accent;
  fill.setAlpha(50);
  const double left = std::clamp<double>(std::min(m_press.x(), m_here.x()), area.left(), area.right()),
               right = std::clamp<double>(std::max(m_press.x(), m_here.x()), area.left(), area.right() + 1.0);
  painter.fillRect(QRectF(left, area.top(), right - left, area.height()), fill);
  const XMap x = xMap(area);
  const std::int64_t extent = x.fromPixel(right) - x.fromPixel(left);
  painter.setPen(currentTheme().text);
  painter.drawText(QPointF(left + 4, area.top() + 30),
                   m_data->axis == XAxis::kTime ? formatDuration(extent) : tr("%1 steps").arg(formatCount(extent)));
}

void PlotWidget::paintCursor(QPainter& painter, const QRect& area) const {
  const Theme& theme = currentTheme();
  const double at = xMap(area).toPixel(*m_cursor);
  painter.setPen(theme.muted);
  painter.drawLine(QPointF(at, area.top() + kTitle), QPointF(at, area.bottom()));
  const auto places = layoutPanels(area);
  const std::vector<CursorValue> values = cursorValues();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const PlotPanel& panel = m_data->panels[i];
    std::vector<const CursorValue*> named;
    for (const CursorValue& value : values)
      if (value.panel == &panel && !value.curve->band) named.push_back(&value);
    if (named.size() > kCursorAll) {
      const std::optional<ValueRange> range = rangeOf(panel, nullptr);
      if (!range || !underMouse()) continue;
      const ValueRange shown = padded(*range, panel.log);
      const YMap y{shown.lo, shown.hi, static_cast<double>(places[i].plot.top()), places[i].plot.height() - 1.0, panel.log};
      const auto away = [&](const CursorValue* value) {
        const double pixel = y.toPixel(value->smooth.value_or(value->bin.last));
        return std::isfinite(pixel) ? std::abs(pixel - m_here.y()) : HUGE_VAL;
      };
      named = {*std::ranges::min_element(named, {}, away)};
    }
    int top = places[i].plot.top() + 2;
    for (const CursorValue* value : named) {
      if (top + kCursorLine > places[i].plot.bottom()) break;
      const QString text = value->curve->name + QStringLiteral("  ") + formatValue(value->bin.last, panel.unit);
      const int wide = painter.fontMetrics().horizontalAdvance(text) + 8;
      const bool right_side = at + wide + 8 <= area.right() || at - area.left() < area.right() - at;
      const double left = right_side ? at + 6 : at - wide - 6;
      painter.fillRect(QRectF(left, top, wide, kCursorLine), theme.raised);
      painter.setPen(value->curve->color);
      painter.drawText(QRectF(left + 4, top, wide, kCursorLine), Qt::AlignLeft | Qt::AlignVCenter, text);
      top += kCursorLine;
    }
  }
  const QString where = m_data->axis == XAxis::kStep ? tr("step %1").arg(formatCount(*m_cursor)) : formatTime(*m_cursor, m_data->style);
  const int wide = painter.fontMetrics().horizontalAdvance(where) + 8;
  const QRectF box(std::clamp(at - wide / 2.0, static_cast<double>(area.left()), std::max<double>(area.left(), area.right() - wide)),
                   height() - kAxis + 2.0, wide, kAxis - 4.0);
  painter.fillRect(box, theme.raised);
  painter.setPen(theme.text);
  painter.drawText(box, Qt::AlignCenter, where);
}

void PlotWidget::resizeEvent(QResizeEvent*) { m_dirty = true; }

void PlotWidget::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) m_dirty = true, update();
  QWidget::changeEvent(event);
}

}  // namespace runglass
