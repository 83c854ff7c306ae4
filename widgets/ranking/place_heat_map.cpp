// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: m_image shows m_cells at the size of cellArea() unless m_dirty.
#include "widgets/ranking/place_heat_map.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/core/units.h"
#include "widgets/ranking/heat_color.h"

namespace runglass {
namespace {

constexpr int kTop = 48, kBottom = 24, kRight = 3 * kGrid;
constexpr int kLegendWidth = 90, kLegendHeight = 10;
constexpr int kCellHeight = 40, kCellWidth = 88;  // few places do not become fields as large as a hand
constexpr int kTextFrom = 40;                     // cells as wide as this say their number
constexpr int kLongestName = 140;

}  // namespace

PlaceHeatMap::PlaceHeatMap(QWidget* parent) : QWidget(parent) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(2 * kLegendWidth + kLongestName, kTop + kBottom + 60);
}

void PlaceHeatMap::setCells(std::shared_ptr<const PlaceCells> cells) {
  m_cells = std::move(cells);
  m_dirty = true;
  update();
}

void PlaceHeatMap::setSelected(std::optional<std::int32_t> rank) {
  if (m_rank == rank) return;
  m_rank = rank;
  update();
}

int PlaceHeatMap::leftMargin() const {
  int wide = 0;
  const QFontMetrics metrics(tableFont());
  // Names of one kind are about equally long: the first and the last speak for all.
  if (!empty()) wide = std::max(metrics.horizontalAdvance(m_cells->rows.front()), metrics.horizontalAdvance(m_cells->rows.back()));
  return std::min(wide, kLongestName) + 3 * kGrid;
}

QRect PlaceHeatMap::cellArea() const {
  const int left = leftMargin();
  const int room_x = std::max(1, width() - left - kRight), room_y = std::max(1, height() - kTop - kBottom);
  if (empty()) return {left, kTop, room_x, room_y};
  return {left, kTop, static_cast<int>(std::min<qsizetype>(room_x, m_cells->columns.size() * kCellWidth)),
          static_cast<int>(std::min<qsizetype>(room_y, m_cells->rows.size() * kCellHeight))};
}

QRect PlaceHeatMap::cellRect(std::size_t row, std::size_t column) const {
  const QRect area = cellArea();
  const auto edge = [](std::size_t at, qsizetype count, int pixels) {
    const auto n = static_cast<std::size_t>(count);
    return static_cast<int>((at * static_cast<std::size_t>(pixels) + n - 1) / n);
  };
  const int x0 = edge(column, m_cells->columns.size(), area.width()), x1 = edge(column + 1, m_cells->columns.size(), area.width());
  const int y0 = edge(row, m_cells->rows.size(), area.height()), y1 = edge(row + 1, m_cells->rows.size(), area.height());
  return {area.left() + x0, area.top() + y0, std::max(1, x1 - x0), std::max(1, y1 - y0)};
}

std::optional<HeatCell> PlaceHeatMap::cellAt(const QPoint& point) const {
  const QRect area = cellArea();
  if (empty() || !area.contains(point)) return std::nullopt;
  const CellRange rows = cellsUnder(point.y() - area.top(), area.height(), m_cells->heat.rows.size()),
                  columns = cellsUnder(point.x() - area.left(), area.width(), m_cells->heat.steps.size());
  const auto worst = worstCell(m_cells->heat, rows, columns);
  return worst ? worst : HeatCell{rows.first, columns.first, std::numeric_limits<float>::quiet_NaN()};
}

QString PlaceHeatMap::valueText(float value) const {
  if (std::isnan(value)) return tr("not told");
  return m_cells->shares ? formatPercent(value, 0) : formatSignedPercent(value);
}

void PlaceHeatMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), currentTheme().ground);
  if (empty()) return;
  const QRect area = cellArea();
  const double ratio = devicePixelRatioF();
  const QSize size = area.size() * ratio;
  if (m_dirty || m_image.size() != size) {
    if (m_image.size() != size) m_image = QImage(size, QImage::Format_RGB32);
    paintHeat(m_image, m_cells->heat, currentTheme());
    m_image.setDevicePixelRatio(ratio);
    m_dirty = false;
  }
  painter.drawImage(area.topLeft(), m_image);
  painter.setPen(QPen(currentTheme().line, kHairline));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(area.adjusted(-1, -1, 0, 0));
  painter.setFont(tableFont());
  paintLegend(painter);
  paintAxes(painter);
  paintNumbers(painter);
  paintSelection(painter);
}

void PlaceHeatMap::paintLegend(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const QFontMetrics metrics(painter.font());
  const int left = cellArea().left();
  painter.setPen(theme.text);
  painter.drawText(QRect(left, kGrid, width() - left, 16), Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(m_cells->title, Qt::ElideRight, width() - left));
  painter.setPen(theme.muted);
  const int y = kGrid + 20;
  int x = left;
  const auto word = [&](const QString& text) {
    const QString fits = metrics.elidedText(text, Qt::ElideRight, width() - x);
    painter.drawText(QRect(x, y - 3, metrics.horizontalAdvance(fits) + 1, 16), Qt::AlignVCenter, fits);
    x += metrics.horizontalAdvance(fits) + 2 * kGrid;
  };
  const double scale = m_cells->heat.scale, low = m_cells->shares ? 0 : -scale;
  word(m_cells->shares ? formatPercent(0, 0) : formatSignedPercent(low, 0));
  for (int i = 0; i < kLegendWidth; ++i) {
    const double value = low + (scale - low) * i / (kLegendWidth - 1);
    painter.fillRect(x + i, y, 1, kLegendHeight, heatColor(theme, heatShare(value, scale)));
  }
  painter.drawRect(QRect(x - 1, y - 1, kLegendWidth + 1, kLegendHeight + 1));
  x += kLegendWidth + 2 * kGrid;
  word(m_cells->shares ? formatPercent(scale, 0) : heatEndText(m_cells->heat));
  word(m_cells->unit);
}

void PlaceHeatMap::paintAxes(QPainter& painter) const {
  const QRect area = cellArea();
  painter.setPen(currentTheme().muted);
  const QFontMetrics metrics(painter.font());
  const auto rows = static_cast<std::size_t>(m_cells->rows.size()), columns = static_cast<std::size_t>(m_cells->columns.size());
  const std::size_t down = rows * 16 / static_cast<std::size_t>(std::max(1, area.height())) + 1;
  for (std::size_t row = 0; row < rows; row += down) {
    const QRect cell = cellRect(row, 0);
    const int middle = down == 1 ? cell.center().y() : cell.top() + 6;
    painter.drawText(QRect(0, middle - 8, area.left() - 2 * kGrid, 16), Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(m_cells->rows[static_cast<qsizetype>(row)], Qt::ElideLeft, area.left() - 2 * kGrid));
  }
  const int label = metrics.horizontalAdvance(m_cells->columns.back()) + 2 * kGrid;
  const std::size_t across = columns * static_cast<std::size_t>(label) / static_cast<std::size_t>(std::max(1, area.width())) + 1;
  for (std::size_t column = 0; column < columns; column += across) {
    const QRect cell = cellRect(0, column);
    const int x = across == 1 ? cell.center().x() - label / 2 : cell.left();
    painter.drawText(QRect(x, area.bottom() + 4, label, kBottom - 4), (across == 1 ? Qt::AlignHCenter : Qt::AlignLeft) | Qt::AlignVCenter,
                     m_cells->columns[static_cast<qsizetype>(column)]);
  }
}

void PlaceHeatMap::paintNumbers(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const QRect first = cellRect(0, 0);
  if (first.width() < kTextFrom || first.height() < kTablePx + kGrid) return;
  for (std::size_t row = 0; row < m_cells->heat.rows.size(); ++row)
    for (std::size_t column = 0; column < m_cells->heat.steps.size(); ++column) {
      const float value = m_cells->heat.rows[row].ratio[column];
      if (std::isnan(value)) continue;
      if (painter.fontMetrics().horizontalAdvance(valueText(value)) + 2 > first.width()) continue;
      const QColor color = heatColor(theme, heatShare(value, m_cells->heat.scale));
      painter.setPen(contrastRatio(theme.text, color) < contrastRatio(theme.ground, color) ? theme.ground : theme.text);
      painter.drawText(cellRect(row, column), Qt::AlignCenter, valueText(value));
    }
}

void PlaceHeatMap::paintSelection(QPainter& painter) const {
  if (!m_rank) return;
  const auto found = std::ranges::find(m_cells->rank, *m_rank);
  if (found == m_cells->rank.end()) return;
  const auto at = static_cast<std::size_t>(found - m_cells->rank.begin()), columns = static_cast<std::size_t>(m_cells->columns.size());
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(currentTheme().accent, kSelectionLine));
  painter.drawRect(cellRect(at / columns, at % columns).adjusted(0, 0, -1, -1));
}

void PlaceHeatMap::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  m_dirty = true;
  update();
}

void PlaceHeatMap::mousePressEvent(QMouseEvent* event) {
  const auto cell = cellAt(event->pos());
  if (cell && rankAt(*cell) >= 0) emit rankChosen(rankAt(*cell));
}

bool PlaceHeatMap::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto cell = cellAt(help->pos());
  if (!cell) {
    QToolTip::hideText();
    return true;
  }
  QString text = tr("%1, %2: %3")
                     .arg(m_cells->rows[static_cast<qsizetype>(cell->row)], m_cells->columns[static_cast<qsizetype>(cell->step)],
                          valueText(cell->ratio));
  if (rankAt(*cell) >= 0) text += tr(" (rank %1)").arg(rankAt(*cell));
  QToolTip::showText(help->globalPos(), text, this);
  return true;
}

}  // namespace runglass
