// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: m_rows, m_on_path and m_way belong to m_data; m_selected is one of its nodes.
#include "widgets/topology/step_chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/charts/time_window.h"

namespace runglass {

StepChart::StepChart(QWidget* parent) : QAbstractScrollArea(parent) {
  setAccessibleName(tr("Operations of the step"));
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setMouseTracking(true);
}

void StepChart::setData(std::shared_ptr<const StepData> data) {
  const bool same = m_data && data && m_data->shown == data->shown && m_data->replica == data->replica && m_data->attempt == data->attempt;
  m_data = std::move(data);
  m_rows.clear(), m_on_path.clear();
  if (!same) m_selected.reset(), m_way = {};
  const StepGraph::Step* step = m_data ? m_data->step() : nullptr;
  if (step == nullptr || m_data->nodes.empty()) {
    m_selected.reset();
    return layOut();
  }
  const StepGraph& graph = m_data->graph;
  for (const std::uint32_t node : m_data->nodes) {
    const std::int32_t pp = graph.workers[graph.worker[node]].pp;
    if (m_rows.empty() || m_rows.back().pp != pp) m_rows.push_back({.pp = pp, .passes = {}, .other = {}});
    (isCommunication(graph.op[node]) ? m_rows.back().other : m_rows.back().passes).push_back(node);
  }
  m_on_path.assign(graph.size(), false);
  for (const PathPiece& piece : m_data->path.pieces) m_on_path[piece.node] = true;
  if (!same) m_shown = {step->t0, std::max(step->t1, step->t0 + 1)};
  if (m_selected) setSelected(m_selected);
  layOut();
}

void StepChart::setSelected(std::optional<std::uint32_t> node) {
  const StepGraph::Step* step = m_data ? m_data->step() : nullptr;
  m_selected = step != nullptr && node && *node < m_data->graph.size() ? node : std::nullopt;
  m_way = m_selected ? pathTo(m_data->graph, *step, m_data->holds, *m_selected) : CriticalPath{};
  viewport()->update();
}

void StepChart::layOut() {
  const int rows = std::max(1, static_cast<int>(m_rows.size()));
  // The lists get the height that a short pipeline does not need.
  setMaximumHeight(kTop + rows * kMaxRow);
  m_row = std::clamp((viewport()->height() - kTop) / rows, kMinRow, kMaxRow);
  verticalScrollBar()->setRange(0, std::max(0, kTop + rows * m_row - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(m_row);
  viewport()->update();
}

int StepChart::x(TimeNs time) const {
  const double share = static_cast<double>(time - m_shown.t0) / static_cast<double>(m_shown.t1 - m_shown.t0);
  return kLeft + static_cast<int>(std::clamp(share, -4.0, 5.0) * (viewport()->width() - kLeft - kGrid));
}

TimeNs StepChart::timeAt(int at) const {
  const double share = static_cast<double>(at - kLeft) / std::max(1, viewport()->width() - kLeft - kGrid);
  return m_shown.t0 + static_cast<DurNs>(share * static_cast<double>(m_shown.t1 - m_shown.t0));
}

int StepChart::rowTop(std::size_t row) const { return kTop + static_cast<int>(row) * m_row - verticalScrollBar()->value(); }

std::optional<std::size_t> StepChart::rowOf(std::uint32_t node) const {
  const StepWorker& worker = m_data->graph.workers[m_data->graph.worker[node]];
  if (worker.dp != m_data->replica) return std::nullopt;
  const auto found = std::ranges::lower_bound(m_rows, worker.pp, {}, &Row::pp);
  return found != m_rows.end() && found->pp == worker.pp ? std::optional(static_cast<std::size_t>(found - m_rows.begin())) : std::nullopt;
}

// Passes fill the upper part of a row, communication the strip below.
QRect StepChart::rectOf(std::uint32_t node, std::size_t row) const {
  const StepGraph& graph = m_data->graph;
  const int left = x(graph.start[node]), right = std::max(left + 1, x(graph.start[node] + graph.dur[node]));
  const int strip = std::max(5, m_row / 5), top = rowTop(row);
  return isCommunication(graph.op[node]) ? QRect(left, top + m_row - strip - 2, right - left, strip)
                                         : QRect(left, top + 2, right - left, m_row - strip - 6);
}

QRect StepChart::nodeRect(std::uint32_t node) const {
  if (!m_data || node >= m_data->graph.size()) return {};
  const auto row = rowOf(node);
  return row ? rectOf(node, *row) : QRect();
}

std::optional<std::uint32_t> StepChart::nodeAt(const QPoint& point) const {
  if (m_rows.empty() || point.x() < kLeft || point.y() < kTop) return std::nullopt;
  const int inside = point.y() - kTop + verticalScrollBar()->value();
  const auto row = static_cast<std::size_t>(inside / m_row);
  if (row >= m_rows.size()) return std::nullopt;
  const int strip = std::max(5, m_row / 5);
  const auto& nodes = inside % m_row >= m_row - strip - 3 ? m_rows[row].other : m_rows[row].passes;
  const StepGraph& graph = m_data->graph;
  const TimeNs time = timeAt(point.x());
  // By start; operations of one lane may overlap: the one that started last is on top.
  auto at = std::ranges::upper_bound(nodes, time, {}, [&](std::uint32_t n) { return graph.start[n]; });
  for (int back = 0; back < 8 && at != nodes.begin(); ++back) {
    --at;
    if (rectOf(*at, row).adjusted(-1, -3, 1, 3).contains(point)) return *at;
  }
  return std::nullopt;
}

void StepChart::resizeEvent(QResizeEvent*) { layOut(); }

bool StepChart::event(QEvent* event) {
  if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) viewport()->update();  // its ring
  return QAbstractScrollArea::event(event);
}

void StepChart::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) viewport()->update();
  QAbstractScrollArea::changeEvent(event);
}

// Zooms around the pointer; Shift+wheel scrolls, for pipelines of many stages.
void StepChart::wheelEvent(QWheelEvent* event) {
  const StepGraph::Step* step = m_data ? m_data->step() : nullptr;
  if (step == nullptr || event->modifiers().testFlag(Qt::ShiftModifier)) return QAbstractScrollArea::wheelEvent(event);
  const TimeNs about = timeAt(static_cast<int>(event->position().x()));
  if (const auto next = TimeWindow{m_shown.t0, m_shown.t1}.zoomed(zoomOf(wheelNotches(*event)), about, kNsPerUs))
    m_shown = {std::clamp(next->x0, step->t0, step->t1), std::clamp(next->x1, step->t0, step->t1)};
  viewport()->update();
  event->accept();
}

bool StepChart::viewportEvent(QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseButtonPress:
      setFocus(Qt::MouseFocusReason);
      m_drag = static_cast<QMouseEvent*>(event)->pos(), m_dragged = false;
      return true;
    case QEvent::MouseMove: {
      const QPoint at = static_cast<QMouseEvent*>(event)->pos();
      const StepGraph::Step* step = m_data ? m_data->step() : nullptr;
      if (!m_drag || step == nullptr || (!m_dragged && (at - *m_drag).manhattanLength() < kDragPixels)) return true;
      m_dragged = true;
      DurNs by = timeAt(m_drag->x()) - timeAt(at.x());
      by = std::clamp(by, step->t0 - m_shown.t0, step->t1 - m_shown.t1);
      m_shown = {m_shown.t0 + by, m_shown.t1 + by};
      m_drag = at;
      viewport()->update();
      return true;
    }
    case QEvent::MouseButtonRelease: {
      const bool click = m_drag && !m_dragged;
      m_drag.reset();
      if (!click) return true;
      if (const auto node = nodeAt(static_cast<QMouseEvent*>(event)->pos()))
        emit nodeChosen(*node);
      else
        emit cleared();
      return true;
    }
    case QEvent::MouseButtonDblClick:
      if (const auto node = nodeAt(static_cast<QMouseEvent*>(event)->pos())) emit nodeOpened(*node);
      return true;
    case QEvent::ToolTip: {
      const auto* help = static_cast<QHelpEvent*>(event);
      if (const auto node = nodeAt(help->pos()))
        QToolTip::showText(help->globalPos(), tipOf(*node), viewport());
      else
        QToolTip::hideText();
      return true;
    }
    default:
      break;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

// Moves along the lane of the selected operation.
void StepChart::walk(int by) {
  if (m_rows.empty()) return;
  const auto row = m_selected ? rowOf(*m_selected) : std::nullopt;
  if (!row) {
    if (!m_rows.front().passes.empty()) emit nodeChosen(m_rows.front().passes.front());
    return;
  }
  const auto& lane = isCommunication(m_data->graph.op[*m_selected]) ? m_rows[*row].other : m_rows[*row].passes;
  const auto at = std::ranges::find(lane, *m_selected) - lane.begin() + by;
  if (at >= 0 && at < std::ssize(lane)) emit nodeChosen(lane[static_cast<std::size_t>(at)]);
}

void StepChart::keyPressEvent(QKeyEvent* event) {
  const StepGraph::Step* step = m_data ? m_data->step() : nullptr;
  switch (event->key()) {
    case Qt::Key_Escape:
      return emit cleared();
    case Qt::Key_Left:
      return walk(-1);
    case Qt::Key_Right:
      return walk(1);
    case Qt::Key_0:
      if (step != nullptr) m_shown = {step->t0, std::max(step->t1, step->t0 + 1)};
      return viewport()->update();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (m_selected) emit nodeOpened(*m_selected);
      return;
    default:
      QAbstractScrollArea::keyPressEvent(event);
  }
}

}  // namespace runglass
