// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants:
//  1. m_image shows m_data in [m_x0, m_x1) at the widget's size unless m_dirty.
//  2. Gutters have fixed widths: a longer label never moves the curves.
//  3. Only change() changes the window by hand, and it tells windowChanged().
#include "widgets/charts/plot_widget.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "widgets/charts/raster.h"

namespace runglass {
namespace {

constexpr int kGutter = 64, kRight = 12, kTitle = 18, kAxis = 20, kLane = 18, kBetween = 6;
constexpr int kFewPoints = 3000;  // below this, antialiased paths are cheap
constexpr int kRawAlpha = 70;     // of the raw curve under a smoothed one
constexpr int kDragPixels = 4;
constexpr double kZoomStep = 1.25, kPanShare = 0.12, kFast = 3;
constexpr std::int64_t kNarrowest = 4;

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
  m_image = QImage(size(), QImage::Format_RGB32);
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
  std::optional<ValueRange> range;
  int outliers = 0;
  for (const PlotCurve& curve : panel.curves) {
    if (!curve.bins || curve.faint) continue;
    const auto own = valueRange(*curve.bins, m_x0, m_x1, panel.log, panel.robust, &outliers);
    if (own && range)
      range = ValueRange{std::min(own->lo, range->lo), std::max(own->hi, range->hi)};
    else if (own)
      range = own;
  }
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
  for (const AxisTick& tick : ticks) {
    const int line = static_cast<int>(std::lround(tick.pixel));
    painter.setPen(theme.line);
    painter.drawLine(place.plot.left(), line, place.plot.right(), line);
    painter.setPen(theme.muted);
    painter.drawText(QRect(place.plot.left() - kGutter, line - 8, kGutter - 6, 16), Qt::AlignRight | Qt::AlignVCenter, tick.label);
  }
  painter.setPen(theme.line);
  for (const AxisTick& tick : xTicks(x, m_data->axis, m_data->style))
    painter.drawLine(QPointF(tick.pixel, place.plot.top()), QPointF(tick.pixel, place.plot.bottom()));
  painter.save();
  painter.setClipRect(place.plot);
  for (const PlotCurve& curve : panel.curves)
    if (curve.bins) drawCurve(drawing, panel, curve, place.plot, y, static_cast<int>(panel.curves.size()));
  painter.restore();
  drawTitle(painter, panel, place, scale.suffix, outliers);
}

void PlotWidget::drawCurve(Drawing& drawing, const PlotPanel& panel, const PlotCurve& curve, const QRect& plot, const YMap& y,
                           int curves) const {
  const XMap x = xMap(plot);
  const auto visible = [&](std::span<const Bin> bins) {
    const auto first = std::lower_bound(bins.begin(), bins.end(), m_x0, [](const Bin& bin, std::int64_t at) { return bin.x1 <= at; });
    const auto last = std::lower_bound(first, bins.end(), m_x1, [](const Bin& bin, std::int64_t at) { return bin.x0 < at; });
    // One more on either side, so that lines leave the plot instead of ending at its edge.
    return std::span<const Bin>(first == bins.begin() ? first : first - 1, last == bins.end() ? last : last + 1);
  };
  const auto line = [&](const PixelColumns& columns, QColor color) {
    const bool few = static_cast<int>(columns.columns.size()) * curves <= kFewPoints;
    if (drawing.image == nullptr || few)
      paintColumns(drawing.painter, columns, y, color, curve.faint ? 1.0 : 1.4);
    else
      drawColumns(*drawing.image, plot, columns, y, color);
  };
  QColor color = curve.faint ? currentTheme().muted : curve.color;
  const PixelColumns raw = toColumns(visible(*curve.bins), x, curve.gaps);
  if (curve.band && drawing.image != nullptr) {
    color.setAlpha(60);
    drawBand(*drawing.image, plot, raw, y, color);
    return;
  }
  if (panel.smoothing > 0 && !curve.faint && !curve.band) {
    QColor pale = color;
    pale.setAlpha(kRawAlpha);
    line(raw, pale);
    const auto smooth = smoothed(*curve.bins, panel.smoothing);
    line(toColumns(visible(smooth), x, curve.gaps), color);
  } else {
    if (curve.faint) color.setAlpha(140);
    line(raw, color);
  }
  drawing.painter.setPen(curve.color);
  for (const int pixel : raw.nan_pixels)
    drawing.painter.drawText(QRect(pixel - 4, plot.bottom() - 12, 9, 12), Qt::AlignCenter, QStringLiteral("×"));
  for (const int pixel : raw.inf_pixels)
    drawing.painter.drawText(QRect(pixel - 4, plot.top(), 9, 12), Qt::AlignCenter, QStringLiteral("∞"));
}

void PlotWidget::drawTitle(QPainter& painter, const PlotPanel& panel, const PanelLayout& place, const QString& unit, int outliers) const {
  const Theme& theme = currentTheme();
  int left = place.title.left();
  const auto put = [&](const QString& text, const QColor& color) {
    painter.setPen(color);
    const QString shown = painter.fontMetrics().elidedText(text, Qt::ElideMiddle, std::max(0, place.title.right() - left));
    painter.drawText(QRect(left, place.title.top(), place.title.right() - left, kTitle - 2), Qt::AlignLeft | Qt::AlignVCenter, shown);
    left += painter.fontMetrics().horizontalAdvance(shown) + 10;
  };
  put(unit.isEmpty() ? panel.title : panel.title + QStringLiteral("  [") + unit + QLatin1Char(']'), theme.text);
  if (panel.log) put(tr("log"), theme.muted);
  if (outliers > 0) put(tr("%1 outside").arg(outliers), theme.warning);
  int shown = 0;
  for (const PlotCurve& curve : panel.curves) {
    if (curve.faint || curve.name.isEmpty()) continue;
    if (left > place.title.right() - 80 || shown == 12) {
      put(tr("+%1 more").arg(static_cast<int>(panel.curves.size()) - shown), theme.muted);
      break;
    }
    painter.fillRect(QRect(left, place.title.center().y() - 1, 10, 3), curve.color);
    left += 14;
    put(curve.name, theme.muted);
    ++shown;
  }
}

void PlotWidget::drawAxis(QPainter& painter, const QRect& area) const {
  const Theme& theme = currentTheme();
  const int top = area.bottom() + 1 + (m_data->lane ? kLane : 0);
  painter.setPen(theme.muted);
  int free_from = area.left() - kGutter / 2;
  for (const AxisTick& tick : xTicks(xMap(area), m_data->axis, m_data->style)) {
    const int half = painter.fontMetrics().horizontalAdvance(tick.label) / 2 + 4;
    const int at = static_cast<int>(tick.pixel);
    if (at - half < free_from || at + half > area.right() + kRight) continue;
    painter.drawText(QRect(at - half, top + 2, 2 * half, kAxis - 4), Qt::AlignCenter, tick.label);
    free_from = at + half;
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

std::optional<double> PlotWidget::valueAt(const PlotCurve& curve, std::int64_t x) const {
  if (!curve.bins) return std::nullopt;
  const auto& bins = *curve.bins;
  auto at = std::upper_bound(bins.begin(), bins.end(), x, [](std::int64_t value, const Bin& bin) { return value < bin.x0; });
  // The newest value at or before the cursor, not further than a twentieth of the window.
  while (at != bins.begin()) {
    --at;
    if (x - at->x1 > (m_x1 - m_x0) / 20) return std::nullopt;
    if (at->count > 0) return at->last;
  }
  return std::nullopt;
}

QString PlotWidget::cursorTable() const {
  QString table;
  if (!m_data || !m_cursor) return table;
  for (const PlotPanel& panel : m_data->panels)
    for (const PlotCurve& curve : panel.curves)
      if (const auto value = valueAt(curve, *m_cursor); value && !curve.faint)
        table += panel.title + QLatin1Char('\t') + curve.name + QLatin1Char('\t') + fullNumber(*value) + QLatin1Char('\t') +
                 QString::fromStdString(panel.unit) + QLatin1Char('\n');
  return table;
}

void PlotWidget::paintEvent(QPaintEvent*) {
  if (m_dirty || m_image.size() != size()) render();
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setFont(tableFont());
  painter.drawImage(rect(), m_image);
  if (m_stale) {
    QColor veil = theme.surface;
    veil.setAlpha(110);
    painter.fillRect(rect(), veil);
  }
  const QRect area = plotArea();
  if (!m_data || m_x1 <= m_x0) return;
  if (m_drag == Drag::kSelect || m_drag == Drag::kBox) {
    QColor fill = theme.accent;
    fill.setAlpha(50);
    painter.fillRect(QRectF(std::min(m_press.x(), m_here.x()), area.top(), std::abs(m_press.x() - m_here.x()), area.height()), fill);
    const XMap x = xMap(area);
    const std::int64_t extent = std::abs(x.fromPixel(m_here.x()) - x.fromPixel(m_press.x()));
    painter.setPen(theme.text);
    painter.drawText(QPointF(std::min(m_press.x(), m_here.x()) + 4, area.top() + 30),
                     m_data->axis == XAxis::kTime ? formatDuration(extent) : tr("%1 steps").arg(formatCount(extent)));
  }
  if (!m_cursor || *m_cursor < m_x0 || *m_cursor >= m_x1) return;
  const double at = xMap(area).toPixel(*m_cursor);
  painter.setPen(theme.muted);
  painter.drawLine(QPointF(at, area.top() + kTitle), QPointF(at, area.bottom()));
  const auto places = layoutPanels(area);
  for (std::size_t i = 0; i < places.size(); ++i) {
    int top = places[i].plot.top() + 2;
    int lines = 0;
    for (const PlotCurve& curve : m_data->panels[i].curves) {
      const auto value = curve.faint ? std::nullopt : valueAt(curve, *m_cursor);
      if (!value || curve.band || top + 14 > places[i].plot.bottom() || ++lines > 16) continue;
      const QString text = curve.name + QStringLiteral("  ") + formatValue(*value, m_data->panels[i].unit);
      const int wide = painter.fontMetrics().horizontalAdvance(text) + 8;
      const double left = at + wide + 8 > area.right() ? at - wide - 6 : at + 6;
      painter.fillRect(QRectF(left, top, wide, 14), theme.raised);
      painter.setPen(curve.color);
      painter.drawText(QRectF(left + 4, top, wide, 14), Qt::AlignLeft | Qt::AlignVCenter, text);
      top += 14;
    }
  }
  const QString where = m_data->axis == XAxis::kStep ? tr("step %1").arg(formatCount(*m_cursor)) : formatTime(*m_cursor, m_data->style);
  const int wide = painter.fontMetrics().horizontalAdvance(where) + 8;
  const QRectF box(std::clamp(at - wide / 2.0, static_cast<double>(area.left()), static_cast<double>(area.right() - wide)),
                   height() - kAxis + 2.0, wide, kAxis - 4.0);
  painter.fillRect(box, theme.raised);
  painter.setPen(theme.text);
  painter.drawText(box, Qt::AlignCenter, where);
}

void PlotWidget::change(std::int64_t x0, std::int64_t x1, bool gesture) {
  if (x1 - x0 < kNarrowest || (x0 == m_x0 && x1 == m_x1)) return;
  setWindow(x0, x1);
  emit windowChanged(x0, x1, gesture);
}

void PlotWidget::zoom(double factor, double at_pixel) {
  const QRect area = plotArea();
  const std::int64_t at = xMap(area).fromPixel(std::clamp(at_pixel, static_cast<double>(area.left()), area.right() + 1.0));
  const auto left = static_cast<double>(at - m_x0) * factor, right = static_cast<double>(m_x1 - at) * factor;
  if (left + right > 4e18) return;
  change(at - static_cast<std::int64_t>(left), at + std::max<std::int64_t>(1, static_cast<std::int64_t>(right)), true);
}

void PlotWidget::pan(double share) {
  const auto by = static_cast<std::int64_t>(share * static_cast<double>(m_x1 - m_x0));
  change(m_x0 + by, m_x1 + by, true);
}

void PlotWidget::wheelEvent(QWheelEvent* event) {
  const double notches = event->angleDelta().y() != 0 ? event->angleDelta().y() / 120.0 : event->angleDelta().x() / 120.0;
  if (event->modifiers() & Qt::ControlModifier)
    zoom(std::pow(kZoomStep, -notches), event->position().x());
  else if (event->modifiers() & Qt::ShiftModifier)
    pan(-notches * kPanShare);
  else
    return event->ignore();
  event->accept();
}

void PlotWidget::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  m_press = m_here = event->position();
  m_press_x0 = m_x0;
  m_press_x1 = m_x1;
  if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && (event->modifiers() & Qt::ShiftModifier)))
    m_drag = Drag::kPan;
  else if (event->button() == Qt::LeftButton)
    m_drag = event->modifiers() & Qt::AltModifier ? Drag::kBox : Drag::kPress;
}

void PlotWidget::mouseMoveEvent(QMouseEvent* event) {
  m_here = event->position();
  const QRect area = plotArea();
  if (m_drag == Drag::kPress && std::abs(m_here.x() - m_press.x()) >= kDragPixels) m_drag = Drag::kSelect;
  if (m_drag == Drag::kPan) {
    const auto by = static_cast<std::int64_t>((m_press.x() - m_here.x()) / area.width() * static_cast<double>(m_press_x1 - m_press_x0));
    change(m_press_x0 + by, m_press_x1 + by, true);
  }
  const bool inside = m_data && m_x1 > m_x0 && m_here.x() >= area.left() && m_here.x() <= area.right();
  m_cursor = inside ? std::optional(xMap(area).fromPixel(m_here.x())) : std::nullopt;
  emit cursorMoved(m_cursor);
  update();
}

void PlotWidget::mouseReleaseEvent(QMouseEvent* event) {
  const Drag drag = std::exchange(m_drag, Drag::kNone);
  m_here = event->position();
  update();
  if (!m_data || m_x1 <= m_x0) return;
  const XMap x = xMap(plotArea());
  const std::int64_t a = x.fromPixel(std::min(m_press.x(), m_here.x())), b = x.fromPixel(std::max(m_press.x(), m_here.x()));
  if (drag == Drag::kPress) emit clicked(x.fromPixel(m_here.x()));
  if (drag == Drag::kSelect) emit rangeSelected(a, b);
  if (drag == Drag::kBox) change(a, b, false);
  emit gestureEnded();
}

void PlotWidget::mouseDoubleClickEvent(QMouseEvent*) { emit showAll(); }

void PlotWidget::keyPressEvent(QKeyEvent* event) {
  const double faster = event->modifiers() & Qt::ShiftModifier ? kFast : 1;
  const double middle = m_cursor ? xMap(plotArea()).toPixel(*m_cursor) : plotArea().center().x();
  switch (event->key()) {
    case Qt::Key_W:
      zoom(std::pow(1 / kZoomStep, faster), middle);
      break;
    case Qt::Key_S:
      zoom(std::pow(kZoomStep, faster), middle);
      break;
    case Qt::Key_A:
    case Qt::Key_Left:
      pan(-kPanShare * faster);
      break;
    case Qt::Key_D:
    case Qt::Key_Right:
      pan(kPanShare * faster);
      break;
    case Qt::Key_0:
      if (!(event->modifiers() & Qt::ControlModifier)) return QWidget::keyPressEvent(event);
      emit showAll();
      break;
    case Qt::Key_Home:
      emit showAll();
      break;
    case Qt::Key_End:
      emit followEnd();
      break;
    default:
      return QWidget::keyPressEvent(event);
  }
  emit gestureEnded();
}

void PlotWidget::leaveEvent(QEvent*) {
  m_cursor.reset();
  emit cursorMoved(std::nullopt);
  update();
}

void PlotWidget::resizeEvent(QResizeEvent*) { m_dirty = true; }

void PlotWidget::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) m_dirty = true, update();
  QWidget::changeEvent(event);
}

bool PlotWidget::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && m_data && m_x1 > m_x0) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QRect area = plotArea();
    QStringList words;
    for (const PlotMark& mark : m_data->marks)
      if (std::abs(xMap(area).toPixel(mark.x) - help->pos().x()) < 6 && help->pos().y() > area.bottom() - 4 && words.size() < 8)
        words << mark.text.toHtmlEscaped();
    if (words.isEmpty())
      QToolTip::hideText();
    else
      QToolTip::showText(help->globalPos(), words.join(QStringLiteral("<br>")), this);
    return true;
  }
  return QWidget::event(event);
}

}  // namespace runglass
