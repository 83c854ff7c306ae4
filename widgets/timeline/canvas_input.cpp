// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keys of the timeline.
//
// Invariant: m_drag is kNone unless a button that pressed here is still down.
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

#include "widgets/charts/time_window.h"
#include "widgets/core/language.h"
#include "widgets/timeline/timeline_canvas.h"
#include "widgets/timeline/wait_words.h"

namespace runglass {
namespace {

constexpr int kNear = 3;
constexpr DurNs kNarrowest = 10;

}  // namespace

void TimelineCanvas::change(TimeNs t0, TimeNs t1, bool gesture) {
  if (t1 - t0 < kNarrowest || (t0 == m_t0 && t1 == m_t1)) return;
  setWindow(t0, t1);
  emit windowChanged(t0, t1, gesture);
}

void TimelineCanvas::zoom(double factor, double at_pixel) {
  if (m_t1 <= m_t0) return;
  const XMap time = map();
  const TimeNs at = time.fromPixel(std::clamp(at_pixel, time.left, time.left + time.width));
  if (const auto next = TimeWindow{m_t0, m_t1}.zoomed(factor, at, kNarrowest)) change(next->x0, next->x1, true);
}

void TimelineCanvas::pan(double share) {
  const TimeWindow next = TimeWindow{m_t0, m_t1}.panned(share);
  change(next.x0, next.x1, true);
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
  const WindowMove move = wheelMove(*event, event->angleDelta().y() == 0);
  if (move.zoom) zoom(*move.zoom, event->position().x());
  if (move.pan) pan(*move.pan);
  if (!move.zoom && !move.pan) m_scroll->setValue(m_scroll->value() - static_cast<int>(wheelNotches(*event) * 3 * RowList::kStripHeight));
  event->accept();
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  m_press = m_here = event->position();
  m_press_t0 = m_t0, m_press_t1 = m_t1, m_press_scroll = m_scroll->value();
  const bool in_time = m_press.x() >= kGutter;
  if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && (event->modifiers() & Qt::ShiftModifier)))
    m_drag = Drag::kPan;
  else if (event->button() == Qt::LeftButton)
    m_drag = in_time && m_press.y() < kMinimap ? Drag::kMinimap : Drag::kPress;
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  m_here = event->position();
  m_cursor = m_here;
  if (m_drag == Drag::kPress && m_press.x() >= kGutter && std::abs(m_here.x() - m_press.x()) >= kDragPixels) m_drag = Drag::kArea;
  if (m_drag == Drag::kPan) {
    const TimeWindow next = TimeWindow{m_press_t0, m_press_t1}.dragged(m_press.x() - m_here.x(), timeWidth());
    m_scroll->setValue(m_press_scroll + static_cast<int>(m_press.y() - m_here.y()));
    change(next.x0, next.x1, true);
  }
  if (m_drag == Drag::kMinimap && m_extent) {
    const XMap whole{m_extent->t0, m_extent->t1, static_cast<double>(kGutter), static_cast<double>(timeWidth())};
    const TimeNs middle = whole.fromPixel(m_here.x());
    change(middle - (m_t1 - m_t0) / 2, middle + (m_t1 - m_t0) / 2, true);
  }
  update();
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const Drag drag = std::exchange(m_drag, Drag::kNone);
  m_here = event->position();
  update();
  if (m_t1 <= m_t0) return;
  const XMap time = map();
  if (drag == Drag::kArea) {
    const TimeNs a = time.fromPixel(std::min(m_press.x(), m_here.x())), b = time.fromPixel(std::max(m_press.x(), m_here.x()));
    if (event->modifiers() & Qt::AltModifier) {
      change(a, b, false);
    } else {
      setArea(TimeRange{a, b});
      emit areaChosen(a, b);
    }
  } else if (const Flag* flag = drag == Drag::kPress ? flagAt(m_here) : nullptr; flag != nullptr) {
    emit markChosen(m_marks.notes[flag->note], m_here.toPoint() + QPoint(0, kRuler));
  } else if (drag == Drag::kPress && m_here.x() >= kGutter && m_here.y() < kMinimap + kRuler) {
    emit momentClicked(time.fromPixel(m_here.x()));
  } else if (drag == Drag::kPress) {
    const TimelineRow* row = rowAt(static_cast<int>(m_here.y()));
    if (m_here.x() < kGutter) {
      if (row != nullptr && (row->kind == RowKind::kTrack || m_here.x() < kGrid + 12))
        toggle(*row);
      else if (row != nullptr && row->kind == RowKind::kRank)
        emit rankChosen(row->rank);
    } else if (const auto bar = barAt(m_here)) {
      emit barChosen(*bar);
    } else if (row != nullptr && row->question.strip) {
      emit rankChosen(row->rank);
    } else {
      setArea(std::nullopt);
      emit nothingChosen();
    }
  }
  emit gestureEnded();
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  const TimelineRow* row = rowAt(static_cast<int>(event->position().y()));
  if (event->position().x() < kGutter) {
    if (row != nullptr && row->kind == RowKind::kRank) toggle(*row);
    return;
  }
  if (const auto bar = barAt(event->position())) {
    const TimeNs end = std::min(bar->bar.t1, std::max(m_now, bar->bar.t0 + 1));
    const DurNs margin = std::max<DurNs>((end - bar->bar.t0) / 4, kNarrowest);
    change(bar->bar.t0 - margin, end + margin, false);
  } else {
    emit showAll();
  }
}

void TimelineCanvas::toggle(const TimelineRow& row) {
  if (row.kind == RowKind::kRank) emit rankToggled(row.rank);
  if (row.kind == RowKind::kTrack) emit trackToggled(row.question.tracks.front().value);
}

// Opened by keyboard: for the selected span, else for the rank of the first row that has one.
void TimelineCanvas::contextMenuEvent(QContextMenuEvent* event) {
  if (event->reason() == QContextMenuEvent::Keyboard) {
    const auto place = m_selected ? rectOf(m_selected->track, m_selected->bar.t0, m_selected->bar.t1, m_selected->bar.id) : std::nullopt;
    if (place) return emit menuWanted(*m_selected, mapToGlobal((*place & timeArea()).center()));
    for (const TimelineRow& row : m_rows->rows())
      if (row.rank >= 0 && screenY(row) >= kHeader && screenY(row) < height())
        return emit menuWanted({.track = {}, .rank = row.rank, .bar = {}, .name = {}},
                               mapToGlobal(QPoint(kGutter / 2, screenY(row) + row.height / 2)));
    return;
  }
  if (const auto bar = barAt(event->pos())) return emit menuWanted(*bar, event->globalPos());
  const TimelineRow* row = rowAt(event->pos().y());
  if (row != nullptr && row->rank >= 0) emit menuWanted({.track = {}, .rank = row->rank, .bar = {}, .name = {}}, event->globalPos());
}

std::optional<PointedBar> TimelineCanvas::barAt(QPointF at) const {
  const TimelineRow* row = rowAt(static_cast<int>(at.y()));
  if (row == nullptr || row->kind == RowKind::kMetric || row->question.strip || at.x() < kGutter || m_t1 <= m_t0) return std::nullopt;
  const RowPicture* made = pictureOf(*row);
  const auto lane = static_cast<std::size_t>((static_cast<int>(at.y()) - screenY(*row)) / RowList::kLaneHeight);
  if (made == nullptr || lane >= made->lanes.size()) return std::nullopt;
  const XMap time = map();
  const auto& bars = made->lanes[lane].bars;
  const TimeNs here = time.fromPixel(at.x()), near = time.fromPixel(at.x() + kNear) - here;
  // The bar under the pointer, else the nearest within a few pixels.
  const SpanBar* best = nullptr;
  DurNs best_away = near + 1;
  for (auto bar = std::ranges::lower_bound(bars, here - near, {}, [](const SpanBar& b) { return b.t1; });
       bar != bars.end() && bar->t0 <= here + near; ++bar) {
    const DurNs away = here < bar->t0 ? bar->t0 - here : here >= bar->t1 ? here - bar->t1 + 1 : 0;
    if (away < best_away) best = &*bar, best_away = away;
  }
  if (best == nullptr) return std::nullopt;
  return PointedBar{made->lanes[lane].track, row->rank, *best,
                    best->name < m_picture->names.size() ? m_picture->names[best->name] : QString()};
}

QString TimelineCanvas::tipAt(QPointF at) const {
  if (at.x() < kGutter) {
    const TimelineRow* row = rowAt(static_cast<int>(at.y()));
    if (row != nullptr && !row->tip.isEmpty()) return row->tip;
    return row == nullptr ? QString() : row->title + (row->detail.isEmpty() ? QString() : QStringLiteral("\n") + row->detail);
  }
  if (const Flag* flag = flagAt(at)) return flagTip(*flag, m_marks.notes, m_style);
  const int bands = kMinimap + kRuler;
  if (at.y() >= kMinimap && at.y() < bands) {
    QStringList words;
    for (const FindingSpan& finding : m_marks.findings | std::views::reverse)
      if (const TimeNs here = map().fromPixel(at.x()); here >= finding.range.t0 && here < finding.range.t1) words << finding.text;
    if (!words.empty()) return tooltipText(words);
  }
  if (at.y() >= bands && at.y() < kHeader && m_picture) {
    const TimeNs here = map().fromPixel(at.x());
    for (const StepBand& band : m_picture->steps)
      if (here >= band.t0 && here < band.t1)
        return (band.slow ? tr("step %1: %2, slow") : tr("step %1: %2")).arg(formatCount(band.step), formatDuration(band.t1 - band.t0));
  }
  const auto bar = barAt(at);
  if (!bar) return {};
  const QString category = termText(spanCategoryName(bar->bar.category));
  if (bar->bar.count > 1) {
    float busy = 0;
    for (const float share : bar->bar.busy) busy += share;
    return tr("%1 spans in %2, busy %3, mostly %4")
        .arg(formatCount(bar->bar.count), formatDuration(bar->bar.t1 - bar->bar.t0), formatPercent(std::min(busy, 1.0F), 0), category);
  }
  const bool open = bar->bar.t1 == std::numeric_limits<TimeNs>::max();
  const QString length = open ? tr("still open") : formatDuration(bar->bar.t1 - bar->bar.t0);
  QString tip = (bar->name.isEmpty() ? category : bar->name) + QStringLiteral("\n") + category + QStringLiteral(", ") + length;
  if (m_waits)
    if (const auto part = m_waits->of_span.find(bar->bar.id); part != m_waits->of_span.end())
      tip += QLatin1Char('\n') + waitSentence(part->second);
  return tip;
}

// The next or previous bar of the selected one's lane.
void TimelineCanvas::stepSelection(int by) {
  if (!m_selected || !m_picture) return;
  for (const RowPicture& row : m_picture->rows) {
    for (const auto& lane : row.lanes) {
      if (lane.track != m_selected->track) continue;
      const auto at =
          std::ranges::find_if(lane.bars, [&](const SpanBar& bar) { return bar.t0 == m_selected->bar.t0 && bar.id == m_selected->bar.id; });
      if (at == lane.bars.end()) continue;
      const auto next = at - lane.bars.begin() + by;
      if (next < 0 || next >= static_cast<std::ptrdiff_t>(lane.bars.size())) return;
      const SpanBar& bar = lane.bars[static_cast<std::size_t>(next)];
      PointedBar pointed{lane.track, m_selected->rank, bar, bar.name < m_picture->names.size() ? m_picture->names[bar.name] : QString()};
      if (bar.t0 < m_t0 || bar.t0 >= m_t1) {
        const DurNs span = m_t1 - m_t0;
        change(bar.t0 - span / 2, bar.t0 - span / 2 + span, false);
      }
      emit barChosen(pointed);
      return;
    }
  }
}

void TimelineCanvas::fitSelection() {
  const auto area = m_area       ? m_area
                    : m_selected ? std::optional(TimeRange{m_selected->bar.t0, std::min(m_selected->bar.t1, m_now)})
                                 : std::nullopt;
  if (!area) return;
  const DurNs margin = std::max<DurNs>((area->t1 - area->t0) / 10, kNarrowest);
  change(area->t0 - margin, area->t1 + margin, false);
}

// On the selected span if the pointer is on it or outside; else under the pointer.
void TimelineCanvas::mark() {
  if (m_t1 <= m_t0) return;
  const bool pointing = m_cursor && m_cursor->x() >= kGutter && m_cursor->x() < kGutter + timeWidth();
  const auto pointed = pointing ? barAt(*m_cursor) : std::nullopt;
  const bool on_span = m_selected && (!pointing || (pointed && pointed->bar.id == m_selected->bar.id));
  const TimeNs time = on_span ? m_selected->bar.t0 : pointing ? map().fromPixel(m_cursor->x()) : m_t0 + (m_t1 - m_t0) / 2;
  emit markWanted(time, QPoint(static_cast<int>(map().toPixel(std::clamp(time, m_t0, m_t1))), kHeader));
}

// Keys that the timeline handles before any shortcut.
bool TimelineCanvas::takesKey(const QKeyEvent& event) const {
  const auto held = event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier);
  if (held == Qt::ControlModifier) return event.key() == Qt::Key_Home;
  if (held != Qt::NoModifier) return false;
  switch (event.key()) {
    case Qt::Key_W:
    case Qt::Key_S:
    case Qt::Key_A:
    case Qt::Key_D:
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
    case Qt::Key_F:
    case Qt::Key_M:
    case Qt::Key_N:
    case Qt::Key_P:
    case Qt::Key_G:
    case Qt::Key_Z:
    case Qt::Key_BracketLeft:
    case Qt::Key_BracketRight:
      return true;
    default:
      return false;
  }
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  const bool shift = event->modifiers() & Qt::ShiftModifier;
  const double middle = m_cursor && m_cursor->x() >= kGutter ? m_cursor->x() : kGutter + timeWidth() / 2.0;
  const bool plain = (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier;
  if (event->key() == Qt::Key_Home && event->modifiers() == Qt::ControlModifier) return emit showAll();
  if (!plain) return QWidget::keyPressEvent(event);
  const WindowMove move = keyMove(*event);
  if (move.zoom) return zoom(*move.zoom, middle);
  if (move.pan) return pan(*move.pan);
  switch (event->key()) {
    case Qt::Key_Up:
      return m_scroll->setValue(m_scroll->value() - RowList::kStripHeight);
    case Qt::Key_Down:
      return m_scroll->setValue(m_scroll->value() + RowList::kStripHeight);
    case Qt::Key_End:
      return emit followEnd();
    case Qt::Key_Home:
      if (m_extent) change(m_extent->t0, m_extent->t0 + (m_t1 - m_t0), false);
      return;
    case Qt::Key_Comma:
      return stepSelection(-1);
    case Qt::Key_Period:
      return stepSelection(1);
    case Qt::Key_F:
      return fitSelection();
    case Qt::Key_G:
      return emit goToWanted();
    case Qt::Key_Z:
      if (shift && m_area) change(m_area->t0, m_area->t1, false);
      return;
    case Qt::Key_BracketLeft:
      return emit flowWanted(-1);
    case Qt::Key_BracketRight:
      return emit flowWanted(1);
    case Qt::Key_M:
      return mark();
    case Qt::Key_N:
      return emit anomalyWanted(shift ? -1 : 1);
    case Qt::Key_P:
      if (const TimelineRow* row = m_cursor ? rowAt(static_cast<int>(m_cursor->y())) : nullptr; row != nullptr && row->rank >= 0)
        emit pinToggled(row->rank);
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (const TimelineRow* row = m_cursor ? rowAt(static_cast<int>(m_cursor->y())) : nullptr; row != nullptr) toggle(*row);
      return;
    case Qt::Key_Minus:
      return emit densityWanted(1);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return emit densityWanted(-1);
    case Qt::Key_Escape:
      setArea(std::nullopt);
      return emit nothingChosen();
    default:
      return QWidget::keyPressEvent(event);
  }
}

void TimelineCanvas::leaveEvent(QEvent*) {
  m_cursor.reset();
  update();
}

bool TimelineCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && takesKey(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const QString tip = tipAt(help->pos());
    if (tip.isEmpty())
      QToolTip::hideText();
    else
      QToolTip::showText(help->globalPos(), QStringLiteral("<p style='white-space:pre'>%1</p>").arg(tip.toHtmlEscaped()), this);
    return true;
  }
  return QWidget::event(event);
}

}  // namespace runglass
