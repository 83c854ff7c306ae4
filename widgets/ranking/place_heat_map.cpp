// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/place_heat_map.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr QSize kLargestCell(88, 40);

}  // namespace

PlaceHeatMap::PlaceHeatMap(QWidget* parent) : HeatMap(kLargestCell, parent) {}

void PlaceHeatMap::setCells(std::shared_ptr<const PlaceCells> cells) {
  m_cells = std::move(cells);
  cellsChanged();
}

void PlaceHeatMap::setSelected(std::optional<std::int32_t> rank) {
  if (m_rank == rank) return;
  m_rank = rank;
  update();
}

HeatMap::Scale PlaceHeatMap::scaleWords() const {
  const double scale = m_cells->heat.scale;
  if (m_cells->shares) return {formatPercent(0, 0), formatPercent(scale, 0), 0, {m_cells->unit}};
  return {formatSignedPercent(-scale, 0), heatEndText(m_cells->heat), -scale, {m_cells->unit}};
}

QString PlaceHeatMap::cellText(float ratio) const {
  if (std::isnan(ratio)) return tr("not recorded");
  return m_cells->shares ? formatPercent(ratio, 0) : formatSignedPercent(ratio);
}

QString PlaceHeatMap::tip(const HeatCell& cell) const {
  const QString row = rowName(cell.row), column = columnName(cell.step), value = cellText(cell.ratio);
  return rankAt(cell) >= 0 ? tr("%1, %2: %3 (rank %4)").arg(row, column, value, QString::number(rankAt(cell)))
                           : tr("%1, %2: %3").arg(row, column, value);
}

void PlaceHeatMap::chosen(const HeatCell& cell) {
  if (rankAt(cell) >= 0) emit rankChosen(rankAt(cell));
}

void PlaceHeatMap::paintSelection(QPainter& painter) const {
  if (!m_rank) return;
  const auto found = std::ranges::find(m_cells->rank, *m_rank);
  if (found == m_cells->rank.end()) return;
  const auto at = static_cast<std::size_t>(found - m_cells->rank.begin()), columns = static_cast<std::size_t>(m_cells->columns.size());
  painter.setPen(QPen(currentTheme().accent, kSelectionLine));
  painter.drawRect(cellRect(at / columns, at % columns).adjusted(0, 0, -1, -1));
}

}  // namespace runglass
