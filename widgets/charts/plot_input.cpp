// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keys of the plot widget.
//
// Invariant: m_drag is kNone unless a button that pressed here is still down.
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/charts/plot_widget.h"
#include "widgets/charts/time_window.h"

namespace runglass {
namespace {

constexpr int kMarkReach = 6;             // distance of the mouse from a mark, in pixels
constexpr double kCurveReach = 6;         // and from a curve
constexpr qsizetype kMaxWords = 8;        // lines of a tooltip
constexpr std::int64_t kVisitWidths = 3;  // zoomed out further than this from a visited mark, the next visit zooms in again
constexpr double kMarkWindow = 0.1;       // of the window, shown around a mark reached by key
constexpr std::int64_t kNarrowest = 4;

double distance(QPointF at, QPointF from, QPointF to) {
  const QPointF along = to - from;
  const double length = QPointF::dotProduct(along, along);
  const double share = length > 0 ? std::clamp(QPointF::dotProduct(at - from, along) / length, 0.0, 1.0) : 0;
  const QPointF away = at - (from + share * along);
  return std::hypot(away.x(), away.y());
}

struct NearLine {
  double away = HUGE_VAL;    // of the line from the mouse, in pixels
  const Bin* bin = nullptr;  // whose place on the axis is next to the mouse
};

// The line through the bins near `at`. A bin without a number breaks it.
NearLine nearLine(const std::vector<Bin>& bins, const XMap& x, const YMap& y, QPointF at) {
  auto bin = std::ranges::upper_bound(bins, x.fromPixel(at.x() - kCurveReach), {}, &Bin::x0);
  if (bin != bins.begin()) --bin;
  auto end = std::ranges::upper_bound(bin, bins.end(), x.fromPixel(at.x() + kCurveReach), {}, &Bin::x0);
  if (end != bins.end()) ++end;
  NearLine near;
  double least = HUGE_VAL;
  std::optional<QPointF> before;
  for (; bin != end; ++bin) {
    const auto point = [&](double value) { return QPointF(x.toPixel(bin->x0), y.toPixel(value)); };
    if (bin->count == 0 || !std::isfinite(point(bin->min).y()) || !std::isfinite(point(bin->max).y())) {
      before.reset();
      continue;
    }
    near.away =
        std::min({near.away, distance(at, point(bin->min), point(bin->max)), before ? distance(at, *before, point(bin->first)) : HUGE_VAL});
    if (const double away = std::abs(at.x() - point(bin->min).x()); away < least) least = away, near.bin = &*bin;
    before = point(bin->last);
  }
  return near;
}

}  // namespace

void PlotWidget::change(std::int64_t x0, std::int64_t x1, bool gesture) {
  if (x1 - x0 < kNarrowest || (x0 == m_x0 && x1 == m_x1)) return;
  setWindow(x0, x1);
  emit windowChanged(x0, x1, gesture);
}

void PlotWidget::zoom(double factor, double at_pixel) {
  if (m_x1 <= m_x0) return;
  const QRect area = plotArea();
  const std::int64_t at = xMap(area).fromPixel(std::clamp(at_pixel, static_cast<double>(area.left()), area.right() + 1.0));
  if (const auto next = TimeWindow{m_x0, m_x1}.zoomed(factor, at, kNarrowest)) change(next->x0, next->x1, true);
}

void PlotWidget::pan(double share) {
  const TimeWindow next = TimeWindow{m_x0, m_x1}.panned(share);
  change(next.x0, next.x1, true);
}

// Starts at the mark visited last if it is still what the window shows, else at the window's edge.
void PlotWidget::goToMark(int direction) {
  if (!m_data || m_x1 <= m_x0) return;
  std::vector<std::int64_t> places;
  for (const PlotPanel& panel : m_data->panels)
    for (const PanelMark& mark : panel.marks) places.push_back(mark.x);
  std::ranges::sort(places);
  std::optional<std::int64_t> next;
  if (direction > 0) {
    const auto found = visiting() ? std::ranges::upper_bound(places, *m_visited) : std::ranges::lower_bound(places, m_x0);
    if (found != places.end()) next = *found;
  } else {
    const auto found = std::ranges::lower_bound(places, visiting() ? *m_visited : m_x1);
    if (found != places.begin()) next = *std::prev(found);
  }
  if (!next) return;
  visit(*next);
  emit momentClicked(*next);
}

// True if a mark was visited and the window still shows it.
bool PlotWidget::visiting() const {
  return m_visited && *m_visited >= m_x0 && *m_visited < m_x1 && m_x1 - m_x0 <= kVisitWidths * m_visit_width;
}

// Moves the window to the mark. The first visit zooms in, later ones only pan.
void PlotWidget::visit(std::int64_t mark) {
  const auto width = static_cast<double>(m_x1 - m_x0) * (visiting() ? 1 : kMarkWindow);
  const std::int64_t half = std::max<std::int64_t>(kNarrowest, static_cast<std::int64_t>(width / 2));
  m_visited = mark;
  m_visit_width = 2 * half;
  change(mark - half, mark + half, false);
}

void PlotWidget::wheelEvent(QWheelEvent* event) {
  const WindowMove move = wheelMove(*event);
  if (!move.zoom && !move.pan) return event->ignore();
  if (move.zoom) zoom(*move.zoom, event->position().x());
  if (move.pan) pan(*move.pan);
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
    const TimeWindow next = TimeWindow{m_press_x0, m_press_x1}.dragged(m_press.x() - m_here.x(), area.width());
    change(next.x0, next.x1, true);
  }
  const bool inside = m_data && m_x1 > m_x0 && m_here.x() >= area.left() && m_here.x() <= area.right();
  m_cursor = inside ? std::optional(xMap(area).fromPixel(m_here.x())) : std::nullopt;
  if (m_drag == Drag::kNone) QWidget::setCursor(curveAt(m_here) ? Qt::PointingHandCursor : Qt::ArrowCursor);
  emit cursorMoved(m_cursor);
  update();
}

// Smoothed lines first: their raw values lie faint under them, often all over the panel.
std::optional<CurvePoint> PlotWidget::curveAt(QPointF at) const {
  if (!m_data || m_x1 <= m_x0) return std::nullopt;
  const QRect area = plotArea();
  const PlotPicture drawn = picture();
  const auto places = drawn.layoutPanels(area);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const PlotPanel& panel = m_data->panels[i];
    if (!places[i].plot.contains(at.toPoint()) || std::ranges::none_of(panel.curves, [](const PlotCurve& one) { return bool{one.series}; }))
      continue;
    const std::optional<YMap> y = drawn.yMap(panel, places[i].plot);
    for (const SharedBins PlotCurve::*line : {&PlotCurve::smooth, &PlotCurve::bins}) {
      std::optional<CurvePoint> nearest;
      double least = kCurveReach;
      for (const PlotCurve& curve : panel.curves) {
        if (!y || !curve.series || curve.band || !(curve.*line)) continue;
        const NearLine near = nearLine(*(curve.*line), xMap(area), *y, at);
        if (near.away < least) least = near.away, nearest = CurvePoint{curve.series, near.bin->x0};
      }
      if (nearest) return nearest;
    }
  }
  return std::nullopt;
}

void PlotWidget::mouseReleaseEvent(QMouseEvent* event) {
  const Drag drag = std::exchange(m_drag, Drag::kNone);
  m_here = event->position();
  update();
  if (!m_data || m_x1 <= m_x0) return;
  const XMap x = xMap(plotArea());
  const std::int64_t a = x.fromPixel(std::min(m_press.x(), m_here.x())), b = x.fromPixel(std::max(m_press.x(), m_here.x()));
  if (drag == Drag::kPress) {
    const std::optional<std::int64_t> mark = markAt(m_here);
    if (m_playhead && (mark || plotArea().contains(m_here.toPoint())))
      emit momentClicked(mark.value_or(x.fromPixel(m_here.x())));
    else if (mark)
      visit(*mark);
    if (const auto curve = mark ? std::nullopt : curveAt(m_here))
      emit curveClicked(curve->series, curve->x);
    else
      emit clicked(x.fromPixel(m_here.x()));
  }
  if (drag == Drag::kSelect) emit rangeSelected(a, b);
  if (drag == Drag::kBox) change(a, b, false);
  emit gestureEnded();
}

// The nearest mark in the lane under the panels or at the top of a panel.
std::optional<std::int64_t> PlotWidget::markAt(QPointF at) const {
  const QRect area = plotArea();
  const XMap x = xMap(area);
  std::optional<std::int64_t> nearest;
  double least = kMarkReach;
  const auto look = [&](std::int64_t mark) {
    const double away = std::abs(x.toPixel(mark) - at.x());
    if (away < least) least = away, nearest = mark;
  };
  if (at.y() > area.bottom() - kMarkReach)
    for (const PlotMark& mark : m_data->marks) look(mark.x);
  const auto places = picture().layoutPanels(area);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (std::abs(at.y() - places[i].plot.top() - kMarkReach) <= kMarkReach)
      for (const PanelMark& mark : m_data->panels[i].marks) look(mark.x);
  return nearest;
}

void PlotWidget::mouseDoubleClickEvent(QMouseEvent*) { emit showAll(); }

bool PlotWidget::takesKey(const QKeyEvent& event) const {
  const Qt::KeyboardModifiers held = event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier);
  switch (event.key()) {
    case Qt::Key_W:
    case Qt::Key_S:
    case Qt::Key_A:
    case Qt::Key_D:
    case Qt::Key_End:
      return held == Qt::NoModifier;
    case Qt::Key_Home:
      return held == Qt::NoModifier || held == Qt::ControlModifier;
    case Qt::Key_N:
      return held == Qt::NoModifier && m_visits_marks && m_data &&
             std::ranges::any_of(m_data->panels, [](const PlotPanel& panel) { return !panel.marks.empty(); });
    case Qt::Key_Left:
    case Qt::Key_Right:
      return held == Qt::NoModifier || (m_owns_undo && held == Qt::AltModifier);
    case Qt::Key_Backspace:
      return m_owns_undo && held == Qt::NoModifier;
    default:
      return false;
  }
}

void PlotWidget::keyPressEvent(QKeyEvent* event) {
  if (!takesKey(*event)) return QWidget::keyPressEvent(event);
  const WindowMove move = keyMove(*event);
  const double middle = m_cursor ? xMap(plotArea()).toPixel(*m_cursor) : plotArea().center().x();
  if (move.zoom) zoom(*move.zoom, middle);
  if (move.pan) pan(*move.pan);
  switch (event->key()) {
    case Qt::Key_Left:
      if (event->modifiers() & Qt::AltModifier) return emit undo();
      break;
    case Qt::Key_Right:
      if (event->modifiers() & Qt::AltModifier) return emit redo();
      break;
    case Qt::Key_Backspace:
      return emit undo();
    case Qt::Key_Home:
      emit showAll();
      break;
    case Qt::Key_End:
      emit followEnd();
      break;
    case Qt::Key_N:
      goToMark(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
      break;
    default:
      break;
  }
  emit gestureEnded();
}

void PlotWidget::leaveEvent(QEvent*) {
  m_cursor.reset();
  emit cursorMoved(std::nullopt);
  update();
}

bool PlotWidget::event(QEvent* event) {
  // The focused plot zooms at its own cursor; the main window's shortcuts for the same keys zoom at the centre.
  if (event->type() == QEvent::ShortcutOverride && takesKey(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  if (event->type() == QEvent::ToolTip && m_data && m_x1 > m_x0) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QRect area = plotArea();
    QStringList words, found = picture().markTexts(help->pos());
    for (const PlotMark& mark : m_data->marks)
      if (std::abs(xMap(area).toPixel(mark.x) - help->pos().x()) < 6 && help->pos().y() > area.bottom() - 4) found << mark.text;
    for (const QString& text : found.mid(0, kMaxWords)) words << text.toHtmlEscaped();
    if (found.size() > kMaxWords) words << tr("and %1 more; zoom in").arg(found.size() - kMaxWords);
    if (words.isEmpty())
      QToolTip::hideText();
    else
      QToolTip::showText(help->globalPos(), words.join(QStringLiteral("<br>")), this);
    return true;
  }
  return QWidget::event(event);
}

}  // namespace runglass
