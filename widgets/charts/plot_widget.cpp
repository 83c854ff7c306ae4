// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants:
// 1. m_image shows [m_image_x0, m_image_x1); it matches m_data and the newest window unless m_dirty or m_rendering.
// 2. At most one picture is being rendered on a worker; only the newest, by number, is accepted.
// 3. Only change() changes the window on user input, and it emits windowChanged().
#include "widgets/charts/plot_widget.h"

#include <QCoreApplication>
#include <QEvent>
#include <QPainter>
#include <QPointer>
#include <QThreadPool>
#include <algorithm>
#include <cmath>

#include "widgets/charts/playhead_line.h"

namespace runglass {
namespace {

constexpr int kAxis = PlotPicture::kAxis, kTitle = PlotPicture::kTitle;
constexpr int kCursorLine = 14;         // one line of the crosshair's values
constexpr int kCursorAll = 8;           // with more curves only the one nearest to the mouse is labelled
constexpr std::size_t kLarge = 12'000;  // bins: a picture that takes several milliseconds

}  // namespace

PlotWidget::PlotWidget(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Curves"));
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

void PlotWidget::setPlayhead(std::optional<std::int64_t> x) {
  if (x == m_playhead) return;
  m_playhead = x;
  update();
}

void PlotWidget::setStale(bool stale) {
  if (stale == m_stale) return;
  m_stale = stale;
  update();
}

QRect PlotWidget::plotArea() const { return PlotPicture(m_data, m_x0, m_x1, size(), m_title_reserve, Theme{}).plotArea(); }

PlotPicture PlotWidget::picture() const { return {m_data, m_x0, m_x1, size(), m_title_reserve, currentTheme()}; }

void PlotWidget::paintVector(QPainter& painter, const QRect& target) const { picture().paintVector(painter, target); }

int PlotWidget::primitives() const { return picture().primitives(); }

// Small pictures are rendered at once. A large one is rendered on a worker, and the last one is moved until it is ready: the window never
// blocks.
void PlotWidget::render() {
  const PlotPicture wanted = picture();
  const double ratio = devicePixelRatioF();
  const bool fits = m_image.size() == size() * ratio;
  if (!fits || wanted.binCount() < kLarge) {
    ++m_render;  // invalidates a picture in progress
    m_image = wanted.render(ratio);
    m_image_x0 = m_x0, m_image_x1 = m_x1;
    m_dirty = m_rendering = false;
    return;
  }
  if (m_rendering) return;  // the next one starts when this one is done
  m_rendering = true;
  m_dirty = false;
  const std::uint64_t number = ++m_render;
  QThreadPool::globalInstance()->start(
      [this, alive = QPointer<PlotWidget>(this), app = QPointer<QCoreApplication>(qApp), wanted, ratio, number] {
        QImage image = wanted.render(ratio);
        if (!app) return;
        QMetaObject::invokeMethod(
            qApp,
            [this, alive, image = std::move(image), wanted, number] {
              if (alive && number == m_render) takeImage(image, wanted.x0(), wanted.x1());
            },
            Qt::QueuedConnection);
      });
}

void PlotWidget::takeImage(const QImage& image, std::int64_t x0, std::int64_t x1) {
  m_rendering = false;
  m_image = image;
  m_image_x0 = x0, m_image_x1 = x1;
  update();
}

void PlotWidget::setTitleReserve(int pixels) {
  if (pixels == m_title_reserve) return;
  m_title_reserve = pixels;
  m_dirty = true;
  update();
}

const Bin* PlotWidget::binAt(const std::vector<Bin>& bins, std::int64_t x) const {
  auto at = std::upper_bound(bins.begin(), bins.end(), x, [](std::int64_t value, const Bin& bin) { return value < bin.x0; });
  // The newest bin at or before the cursor, at most a twentieth of the window away.
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

AccessibleTable PlotWidget::accessibleTable() const {
  AccessibleTable table{.summary = {}, .columns = {tr("panel"), tr("curve"), tr("newest"), tr("lowest"), tr("highest")}};
  if (!m_data) return table;
  QStringList notes;
  for (const PlotPanel& panel : m_data->panels) {
    if (panel.curves.empty() && !panel.empty.isEmpty()) notes << panel.title + QStringLiteral(": ") + panel.empty;
    for (const PanelMark& mark : panel.marks)
      if (mark.x >= m_x0 && mark.x < m_x1) notes << mark.text;
    for (const PlotCurve& curve : panel.curves) {
      if (!curve.bins) continue;
      std::optional<Bin> shown;
      for (const Bin& bin : *curve.bins) {
        if (bin.count == 0 || bin.x1 <= m_x0 || bin.x0 >= m_x1) continue;
        if (!shown) shown = bin;
        shown->last = bin.last, shown->min = std::min(shown->min, bin.min), shown->max = std::max(shown->max, bin.max);
      }
      if (shown)
        table.rows.push_back({{panel.title, curve.name, formatValue(shown->last, panel.unit), formatValue(shown->min, panel.unit),
                               formatValue(shown->max, panel.unit)}});
    }
  }
  table.summary = notes.join(QStringLiteral("; "));
  return table;
}

void PlotWidget::paintEvent(QPaintEvent*) {
  if (m_dirty || m_image.size() != size() * devicePixelRatioF()) render();
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setFont(tableFont());
  if (m_image_x0 == m_x0 && m_image_x1 == m_x1)
    painter.drawImage(QPointF(0, 0), m_image);
  else
    picture().paintMoved(painter, m_image, m_image_x0, m_image_x1);
  if (m_stale) {
    QColor veil = theme.surface;
    veil.setAlpha(110);
    painter.fillRect(rect(), veil);
  }
  paintFocusRing(painter, *this, rect());
  if (!m_data || m_x1 <= m_x0) return;
  const QRect area = plotArea();
  if (m_playhead) paintPlayhead(painter, xMap(area), *m_playhead, area.top(), height() - kAxis);
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
  const PlotPicture drawn = picture();
  const auto places = drawn.layoutPanels(area);
  const std::vector<CursorValue> values = cursorValues();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const PlotPanel& panel = m_data->panels[i];
    std::vector<const CursorValue*> named;
    for (const CursorValue& value : values)
      if (value.panel == &panel && !value.curve->band) named.push_back(&value);
    if (named.size() > kCursorAll) {
      const std::optional<YMap> y = drawn.yMap(panel, places[i].plot);
      if (!y || !underMouse()) continue;
      const auto away = [&](const CursorValue* value) {
        const double pixel = y->toPixel(value->smooth.value_or(value->bin.last));
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
      painter.setPen(value->curve->ink.in(theme));
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
