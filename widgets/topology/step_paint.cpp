// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of StepChart.
#include <QPaintEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <set>

#include "widgets/charts/raster.h"
#include "widgets/core/language.h"
#include "widgets/core/units.h"
#include "widgets/topology/step_chart.h"

namespace runglass {
namespace {

constexpr int kPathLine = 3, kTextFrom = 20, kMarkFrom = 5;

QColor colorOf(StepOp op) {
  const Theme& theme = currentTheme();
  switch (op) {
    // As in every breakdown of a step: computation in one hue, backward the more saturated.
    case StepOp::kForward:
      return mix(theme.compute, theme.ground, 0.35);
    case StepOp::kBackward:
      return theme.compute;
    case StepOp::kBackwardWeight:
      return mix(theme.compute, theme.ground, 0.6);
    case StepOp::kGc:
      return theme.gc;
    case StepOp::kDataLoad:
      return theme.data_load;
    case StepOp::kOptimizer:
      return theme.host;
    default:
      return theme.communication;
  }
}

// Chunks of interleaved schedules differ in shade.
QColor colorOf(const StepGraph& graph, std::uint32_t node) {
  return mix(colorOf(graph.op[node]), currentTheme().ground, 0.14 * std::min(3, std::max(0, graph.chunk[node])));
}

}  // namespace

void StepChart::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  const Theme& theme = currentTheme();
  painter.fillRect(event->rect(), theme.ground);
  if (m_rows.empty()) return paintFocusRing(painter, *this, viewport()->rect());
  painter.setFont(tableFont());
  painter.setClipRect(QRect(kLeft, kTop, viewport()->width() - kLeft, viewport()->height() - kTop));
  for (std::size_t row = 0; row < m_rows.size(); ++row) paintRow(painter, row);
  paintPath(painter, m_data->path, theme.text, kPathLine);
  paintDeps(painter);
  if (m_selected) {
    paintPath(painter, m_way, theme.accent, kSelectionLine);
    painter.setPen(QPen(theme.accent, kPathLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(nodeRect(*m_selected).adjusted(-1, -1, 1, 1));
  }
  painter.setClipping(false);
  paintAxis(painter);
  paintFocusRing(painter, *this, viewport()->rect());
}

void StepChart::paintRow(QPainter& painter, std::size_t row) const {
  const int top = rowTop(row);
  if (top + m_row < kTop || top > viewport()->height()) return;
  const Theme& theme = currentTheme();
  const StepGraph& graph = m_data->graph;
  painter.setPen(QPen(theme.line, kHairline));
  painter.drawLine(kLeft, top + m_row - 1, viewport()->width(), top + m_row - 1);
  const int strip = std::max(5, m_row / 5);
  for (const Bubble& bubble : m_data->bubbles) {
    if (graph.workers[bubble.worker].pp != m_rows[row].pp) continue;
    const int left = x(bubble.t0), right = x(bubble.t1);
    if (right > left) paintHatch(painter, QRect(left, top + 2, right - left, m_row - strip - 6), theme.muted);
  }
  for (const auto* lane : {&m_rows[row].other, &m_rows[row].passes})
    for (const std::uint32_t node : *lane) {
      const QRect rect = rectOf(node, row);
      if (rect.right() >= kLeft && rect.left() <= viewport()->width()) paintNode(painter, node, rect);
    }
}

void StepChart::paintNode(QPainter& painter, std::uint32_t node, const QRect& rect) const {
  const Theme& theme = currentTheme();
  const StepGraph& graph = m_data->graph;
  const bool other = m_selected && graph.microbatch[*m_selected] >= 0 && graph.microbatch[node] >= 0 &&
                     graph.microbatch[node] != graph.microbatch[*m_selected];
  const QColor fill = other ? mix(colorOf(graph, node), theme.ground, 0.55) : colorOf(graph, node);
  if (isCommunication(graph.op[node]) && graph.work[node] < graph.dur[node]) {
    // Time spent waiting for peers is not the operation's own.
    const int from = std::clamp(x(graph.start[node] + graph.dur[node] - graph.work[node]), rect.left(), rect.right());
    paintHatch(painter, QRect(rect.topLeft(), QPoint(from, rect.bottom())), fill);
    painter.fillRect(QRect(QPoint(from, rect.top()), rect.bottomRight()), fill);
  } else {
    painter.fillRect(rect.width() > 2 ? rect.adjusted(0, 0, -1, 0) : rect, fill);
  }
  const QString label = nodeLabel(graph, node);
  if (label.isEmpty() || rect.width() < kTextFrom || painter.fontMetrics().horizontalAdvance(label) + 2 > rect.width()) return;
  painter.setPen(contrastRatio(theme.text, fill) >= contrastRatio(theme.ground, fill) ? theme.text : theme.ground);
  painter.drawText(rect.intersected(QRect(kLeft, 0, viewport()->width() - kLeft, viewport()->height())), Qt::AlignCenter, label);
}

// Dependencies of the operations of the selected micro-batch, within this replica.
void StepChart::paintDeps(QPainter& painter) const {
  if (!m_selected) return;
  const StepGraph& graph = m_data->graph;
  const std::int64_t batch = graph.microbatch[*m_selected];
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  for (const std::uint32_t node : m_data->nodes) {
    if (node != *m_selected && (batch < 0 || graph.microbatch[node] != batch)) continue;
    const QRect to = nodeRect(node);
    for (const std::uint32_t dep : graph.depsOf(node)) {
      if (batch >= 0 && graph.microbatch[dep] != batch && node != *m_selected) continue;
      const QRect from = nodeRect(dep);
      if (from.isNull()) continue;
      const QPoint a(from.right(), from.center().y()), b(to.left(), to.center().y());
      painter.setPen(QPen(node == *m_selected ? currentTheme().accent : currentTheme().muted, kHairline));
      QPainterPath line(a);
      const int bend = std::max(8, std::abs(b.x() - a.x()) / 2);
      line.cubicTo(a + QPoint(bend, 0), b - QPoint(bend, 0), b);
      painter.drawPath(line);
    }
  }
  painter.restore();
}

// The path's pieces are underlined in their rows and joined where it changes rows. Pieces in other replicas are listed, not drawn.
void StepChart::paintPath(QPainter& painter, const CriticalPath& path, const QColor& color, int width) const {
  painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap));
  std::optional<QPoint> before;
  for (const PathPiece& piece : path.pieces) {
    const auto row = rowOf(piece.node);
    if (!row) {
      before.reset();
      continue;
    }
    const QRect rect = rectOf(piece.node, *row);
    const int y = rect.bottom() + (isCommunication(m_data->graph.op[piece.node]) ? 1 : 2);
    const int left = x(piece.t0), right = std::max(left + 1, x(piece.t1));
    if (before) painter.drawLine(*before, QPoint(left, y));
    if (piece.time != PathTime::kRan) {
      QPen dotted(color, std::max(1, width - 1), Qt::DotLine);
      painter.save();
      painter.setPen(dotted);
      painter.drawLine(left, y, right, y);
      painter.restore();
    } else {
      painter.drawLine(left, y, right, y);
    }
    before = QPoint(right, y);
  }
}

void StepChart::paintAxis(QPainter& painter) const {
  const Theme& theme = currentTheme();
  painter.fillRect(QRect(0, 0, kLeft, viewport()->height()), theme.ground);
  painter.setPen(theme.muted);
  for (std::size_t row = 0; row < m_rows.size(); ++row)
    if (rowTop(row) + m_row > kTop)
      painter.drawText(QRect(kGrid, rowTop(row), kLeft - 2 * kGrid, m_row), Qt::AlignLeft | Qt::AlignVCenter,
                       tr("stage %1").arg(m_rows[row].pp));
  painter.fillRect(QRect(0, 0, viewport()->width(), kTop), theme.ground);
  const StepGraph::Step* step = m_data->step();
  const int ticks = std::max(2, (viewport()->width() - kLeft) / 140);
  const double rough = static_cast<double>(m_shown.t1 - m_shown.t0) / ticks;
  const double power = std::pow(10, std::floor(std::log10(std::max(1.0, rough))));
  const double size = rough / power < 1.5 ? power : rough / power < 3.5 ? 2 * power : rough / power < 7.5 ? 5 * power : 10 * power;
  const auto first = static_cast<std::int64_t>(std::ceil(static_cast<double>(m_shown.t0 - step->t0) / size));
  for (std::int64_t i = first; static_cast<double>(i) * size <= static_cast<double>(m_shown.t1 - step->t0); ++i) {
    const auto since = static_cast<DurNs>(static_cast<double>(i) * size);
    const int at = x(step->t0 + since);
    painter.setPen(QPen(theme.line, kHairline));
    painter.drawLine(at, kTop - kMarkFrom, at, kTop);
    painter.setPen(theme.muted);
    painter.drawText(QRect(at + 3, 0, 120, kTop), Qt::AlignLeft | Qt::AlignVCenter,
                     since == 0 ? QStringLiteral("0") : formatDuration(since));
  }
}

QString StepChart::legend(const StepGraph& graph, const std::vector<std::uint32_t>& nodes) {
  std::set<StepOp> seen;
  for (const std::uint32_t node : nodes) seen.insert(isCommunication(graph.op[node]) ? StepOp::kForwardSend : graph.op[node]);
  QStringList parts;
  for (const StepOp op : seen) {
    const QString name = op == StepOp::kForward          ? tr("F forward")
                         : op == StepOp::kBackward       ? tr("B backward")
                         : op == StepOp::kBackwardWeight ? tr("W weight gradients")
                         : op == StepOp::kForwardSend    ? tr("communication (hatched: waiting for peers)")
                                                         : termText(stepOpName(op)).toHtmlEscaped();
    parts << QStringLiteral("<span style='color:%1'>■</span> %2").arg(colorOf(op).name(), name);
  }
  parts << tr("hatched: no computation") << tr("<b>thick line</b>: the critical path");
  return parts.join(QStringLiteral("&nbsp;&nbsp; "));
}

QStringList StepChart::wordsOf(std::uint32_t node) const {
  const StepGraph& graph = m_data->graph;
  QStringList lines{
      nodeText(graph, node),
      tr("%1, begins %2 into the step").arg(formatDuration(graph.dur[node]), formatDuration(graph.start[node] - m_data->step()->t0))};
  if (graph.work[node] < graph.dur[node])
    lines << tr("of it %1 waiting for its peers").arg(formatDuration(graph.dur[node] - graph.work[node]));
  if (const auto by = m_data->holds.of(node)) {
    lines << tr("delayed by %1").arg(nodeText(graph, by->node));
    if (by->why != HoldUp::kMember && by->gap > 0) lines << tr("and began %1 after it").arg(formatDuration(by->gap));
  }
  if (m_on_path[node]) lines << tr("on the critical path");
  return lines;
}

QString StepChart::tipOf(std::uint32_t node) const {
  return QStringLiteral("<p style='white-space:pre'>%1</p>").arg(wordsOf(node).join(QLatin1Char('\n')).toHtmlEscaped());
}

AccessibleTable StepChart::accessibleTable() const {
  AccessibleTable table{.summary = {}, .columns = {tr("operation"), tr("state")}};
  for (const Row& row : m_rows)
    for (const auto* nodes : {&row.passes, &row.other})
      for (const std::uint32_t node : *nodes) {
        const QStringList words = wordsOf(node);
        table.rows.push_back({{words.first(), words.mid(1).join(QStringLiteral("; "))}, nodeRect(node)});
      }
  return table;
}

}  // namespace runglass
