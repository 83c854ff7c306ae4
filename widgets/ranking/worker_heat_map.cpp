// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/worker_heat_map.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kTop = 48, kLeft = 52, kBottom = 24, kRight = 3 * kGrid;
constexpr int kLegendWidth = 90, kLegendHeight = 10;
constexpr int kCellHeight = 48, kCellWidth = 96;  // few workers do not become fields as large as a hand
constexpr int kGapFrom = 6;
constexpr int kTextFrom = 40;  // cells as wide as this say their number
constexpr double kQuiet = 0.02;

QColor colorOf(double s, double scale) {
  const double share = std::clamp((s - 1 - kQuiet) / (scale - 1 - kQuiet), 0.0, 1.0);
  return mix(currentTheme().ground, currentTheme().heat_worse, share);
}

}  // namespace

WorkerHeatMap::WorkerHeatMap(QWidget* parent) : QWidget(parent) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(kLeft + kRight + 2 * kLegendWidth, kTop + kBottom + 60);
}

void WorkerHeatMap::setCells(std::shared_ptr<const WorkerCells> cells) {
  m_cells = std::move(cells);
  update();
}

void WorkerHeatMap::setTicked(std::set<std::uint32_t> workers) {
  m_ticked = std::move(workers);
  update();
}

double WorkerHeatMap::scale() const {
  const double worst = empty() ? 1 : *std::ranges::max_element(m_cells->s);
  for (const double round : {1.1, 1.2, 1.5, 2.0, 3.0})
    if (worst <= round) return round;
  return 5;
}

QRect WorkerHeatMap::cellArea() const {
  const int room_x = std::max(1, width() - kLeft - kRight), room_y = std::max(1, height() - kTop - kBottom);
  if (empty()) return {kLeft, kTop, room_x, room_y};
  const auto wanted = [](std::size_t count, int size) { return static_cast<int>(std::min<std::size_t>(count, 10'000)) * size; };
  return {kLeft, kTop, std::min(room_x, wanted(m_cells->replicas.size(), kCellWidth)),
          std::min(room_y, wanted(m_cells->stages.size(), kCellHeight))};
}

QRect WorkerHeatMap::cellRect(std::uint32_t worker) const {
  const QRect area = cellArea();
  const auto stages = static_cast<std::int64_t>(m_cells->stages.size()), replicas = static_cast<std::int64_t>(m_cells->replicas.size());
  const std::int64_t column = worker / stages, row = worker % stages;
  const auto edge = [](std::int64_t at, std::int64_t count, int pixels) { return static_cast<int>(at * pixels / count); };
  const int x0 = edge(column, replicas, area.width()), x1 = edge(column + 1, replicas, area.width());
  const int y0 = edge(row, stages, area.height()), y1 = edge(row + 1, stages, area.height());
  return {area.left() + x0, area.top() + y0, std::max(1, x1 - x0), std::max(1, y1 - y0)};
}

std::optional<std::uint32_t> WorkerHeatMap::workerAt(const QPoint& point) const {
  const QRect area = cellArea();
  if (empty() || !area.contains(point)) return std::nullopt;
  const auto stages = static_cast<std::int64_t>(m_cells->stages.size()), replicas = static_cast<std::int64_t>(m_cells->replicas.size());
  // The last cell that begins at or before the point, as cellRect() rounds.
  const auto index = [](std::int64_t at, std::int64_t count, int pixels) { return ((at + 1) * count - 1) / pixels; };
  const std::int64_t column = std::clamp<std::int64_t>(index(point.x() - area.left(), replicas, area.width()), 0, replicas - 1);
  const std::int64_t row = std::clamp<std::int64_t>(index(point.y() - area.top(), stages, area.height()), 0, stages - 1);
  return static_cast<std::uint32_t>(column * stages + row);
}

void WorkerHeatMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = currentTheme();
  painter.fillRect(rect(), theme.ground);
  if (empty()) return;
  painter.setFont(tableFont());
  const QRect area = cellArea();
  const double full = scale();
  // Several cells under one pixel show the worst: the mild ones first.
  std::vector<std::uint32_t> order(m_cells->s.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const bool dense =
      m_cells->replicas.size() > static_cast<std::size_t>(area.width()) || m_cells->stages.size() > static_cast<std::size_t>(area.height());
  if (dense) std::ranges::sort(order, {}, [&](std::uint32_t i) { return m_cells->s[i]; });
  for (const std::uint32_t worker : order) {
    QRect cell = cellRect(worker);
    if (cell.width() >= kGapFrom && cell.height() >= kGapFrom) cell.adjust(0, 0, -1, -1);
    const QColor color = colorOf(m_cells->s[worker], full);
    painter.fillRect(cell, color);
    if (cell.width() >= kTextFrom && cell.height() >= kTablePx + kGrid) {
      const bool dark_ink = contrastRatio(theme.text, color) < contrastRatio(theme.ground, color);
      painter.setPen(dark_ink ? theme.ground : theme.text);
      painter.drawText(cell, Qt::AlignCenter, QString::number(m_cells->s[worker], 'f', 2));
    }
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.line, kHairline));
  painter.drawRect(area.adjusted(-1, -1, 0, 0));
  painter.setPen(QPen(theme.accent, kSelectionLine));
  for (const std::uint32_t worker : m_ticked)
    if (worker < m_cells->s.size()) painter.drawRect(cellRect(worker).adjusted(1, 1, -2, -2));
  paintLegend(painter);
  paintAxes(painter);
}

void WorkerHeatMap::paintLegend(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const QFontMetrics metrics(painter.font());
  painter.setPen(theme.text);
  painter.drawText(QRect(kLeft, kGrid, width() - kLeft, 16), Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(tr("S of each worker: the run with this worker as recorded, all others as usual"), Qt::ElideRight,
                                      width() - kLeft));
  painter.setPen(theme.muted);
  const int y = kGrid + 20;
  int x = kLeft;
  const auto word = [&](const QString& text) {
    painter.drawText(QRect(x, y - 3, metrics.horizontalAdvance(text) + 1, 16), Qt::AlignVCenter, text);
    x += metrics.horizontalAdvance(text) + 2 * kGrid;
  };
  word(QStringLiteral("1.00"));
  for (int i = 0; i < kLegendWidth; ++i)
    painter.fillRect(x + i, y, 1, kLegendHeight, colorOf(1 + (scale() - 1) * i / (kLegendWidth - 1), scale()));
  painter.drawRect(QRect(x - 1, y - 1, kLegendWidth + 1, kLegendHeight + 1));
  x += kLegendWidth + 2 * kGrid;
  word(QString::number(scale(), 'f', 2));
  word(tr("click: fix"));
}

void WorkerHeatMap::paintAxes(QPainter& painter) const {
  const QRect area = cellArea();
  painter.setPen(currentTheme().muted);
  const QFontMetrics metrics(painter.font());
  const auto stages = static_cast<std::uint32_t>(m_cells->stages.size()), replicas = static_cast<std::uint32_t>(m_cells->replicas.size());
  const std::uint32_t down = std::max(1u, stages * 16 / static_cast<std::uint32_t>(std::max(1, area.height())) + 1);
  for (std::uint32_t row = 0; row < stages; row += down) {
    const QRect cell = cellRect(row);
    painter.drawText(QRect(0, cell.center().y() - 8, kLeft - kGrid, 16), Qt::AlignRight | Qt::AlignVCenter,
                     tr("PP %1").arg(m_cells->stages[row]));
  }
  const int label = metrics.horizontalAdvance(tr("DP %1").arg(m_cells->replicas.back())) + 2 * kGrid;
  const auto across =
      std::max(1u, replicas * static_cast<std::uint32_t>(label) / static_cast<std::uint32_t>(std::max(1, area.width())) + 1);
  for (std::uint32_t column = 0; column < replicas; column += across) {
    const QRect cell = cellRect(column * stages);
    const QString text = tr("DP %1").arg(m_cells->replicas[column]);
    const int x = across == 1 ? cell.center().x() - label / 2 : cell.left();
    painter.drawText(QRect(x, area.bottom() + 4, label, kBottom - 4), (across == 1 ? Qt::AlignHCenter : Qt::AlignLeft) | Qt::AlignVCenter,
                     text);
  }
}

void WorkerHeatMap::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) update();
}

void WorkerHeatMap::mousePressEvent(QMouseEvent* event) {
  if (const auto worker = workerAt(event->pos())) emit workerChosen(*worker);
}

bool WorkerHeatMap::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto worker = workerAt(help->pos());
  if (!worker) {
    QToolTip::hideText();
    return true;
  }
  const std::size_t stages = m_cells->stages.size();
  QToolTip::showText(help->globalPos(),
                     tr("dp %1, pp %2 (rank %3): S %4")
                         .arg(m_cells->replicas[*worker / stages])
                         .arg(m_cells->stages[*worker % stages])
                         .arg(m_cells->rank[*worker])
                         .arg(m_cells->s[*worker], 0, 'f', 3),
                     this);
  return true;
}

}  // namespace runglass
