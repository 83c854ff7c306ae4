// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: m_image shows cells() at the size of cellArea() unless m_dirty.
#include "widgets/ranking/heat_map.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

namespace runglass {

HeatMap::HeatMap(QSize largest_cell, QWidget* parent) : QWidget(parent), m_largest_cell(largest_cell) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(2 * HeatFrame::kLegendWidth + HeatFrame::kLongestName, HeatFrame::kTop + HeatFrame::kBottom + 60);
}

void HeatMap::cellsChanged() {
  setAccessibleName(title());
  m_dirty = true;
  update();
}

HeatWords HeatMap::words() const {
  HeatWords words{.title = title(),
                  .row = [this](std::size_t row) { return rowName(row); },
                  .column = [this](std::size_t column) { return columnName(column); }};
  const Scale scale = scaleWords();
  words.low = scale.low, words.high = scale.high, words.from = scale.from, words.notes = scale.notes;
  if (!cellText(0).isEmpty()) words.cell = [this](float ratio) { return cellText(ratio); };
  return words;
}

QRect HeatMap::cellArea() const {
  static const HeatCells nothing;
  const HeatWords words{.row = [this](std::size_t row) { return rowName(row); }};
  return HeatFrame(empty() ? nothing : *cells(), words, rect(), m_largest_cell).cellArea();
}

QRect HeatMap::cellRect(std::size_t row, std::size_t column) const {
  const HeatWords words{.row = [this](std::size_t at) { return rowName(at); }};
  return HeatFrame(*cells(), words, rect(), m_largest_cell).cellRect(row, column);
}

std::optional<HeatCell> HeatMap::cellAt(const QPoint& point) const {
  const QRect area = cellArea();
  if (empty() || !area.contains(point)) return std::nullopt;
  const CellRange rows = cellsUnder(point.y() - area.top(), area.height(), cells()->rows.size()),
                  columns = cellsUnder(point.x() - area.left(), area.width(), cells()->steps.size());
  const auto worst = worstCell(*cells(), rows, columns);
  return worst ? worst : HeatCell{rows.first, columns.first, std::numeric_limits<float>::quiet_NaN()};
}

void HeatMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), currentTheme().ground);
  if (empty()) return paintFocusRing(painter, *this, rect());
  const HeatWords around = words();
  const HeatFrame frame(*cells(), around, rect(), m_largest_cell);
  const double ratio = devicePixelRatioF();
  const QSize size = frame.cellArea().size() * ratio;
  if (m_dirty || m_image.size() != size) {
    if (m_image.size() != size) m_image = QImage(size, QImage::Format_RGB32);
    paintHeat(m_image, *cells(), currentTheme());
    m_image.setDevicePixelRatio(ratio);
    m_dirty = false;
  }
  painter.drawImage(frame.cellArea().topLeft(), m_image);
  frame.paint(painter, currentTheme());
  paintSelection(painter);
  paintFocusRing(painter, *this, rect());
}

void HeatMap::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  m_dirty = true;
  update();
}

void HeatMap::mousePressEvent(QMouseEvent* event) {
  if (const auto cell = cellAt(event->pos())) chosen(*cell);
}

AccessibleTable HeatMap::accessibleTable() const {
  AccessibleTable table{.summary = title(), .columns = {tr("row"), tr("furthest from its peers")}};
  if (empty()) return table;
  const std::size_t across = cells()->steps.size();
  for (std::size_t row = 0; row < cells()->rows.size(); ++row) {
    const auto worst = worstCell(*cells(), {row, row + 1}, {0, across});
    table.rows.push_back({{rowName(row), worst ? tip(*worst) : tr("not compared")}, cellRect(row, 0).united(cellRect(row, across - 1))});
  }
  return table;
}

bool HeatMap::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const auto cell = cellAt(help->pos()))
    QToolTip::showText(help->globalPos(), tip(*cell), this);
  else
    QToolTip::hideText();
  return true;
}

}  // namespace runglass
