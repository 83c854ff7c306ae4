// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/rank_heat_map.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr QSize kLargestCell(1'000, 24);

}  // namespace

RankHeatMap::RankHeatMap(QWidget* parent) : HeatMap(kLargestCell, parent) { setFocusPolicy(Qt::StrongFocus); }

void RankHeatMap::setCells(std::shared_ptr<const HeatCells> cells) {
  m_cells = std::move(cells);
  cellsChanged();
}

void RankHeatMap::setSelected(std::optional<std::int32_t> rank, std::optional<std::int64_t> step) {
  if (m_rank == rank && m_step == step) return;
  m_rank = rank, m_step = step;
  update();
}

QString RankHeatMap::title() const { return tr("rank × step, against the peers' median"); }

HeatMap::Scale RankHeatMap::scaleWords() const {
  return {
      formatSignedPercent(-m_cells->scale, 0), heatEndText(*m_cells), -m_cells->scale, {tr("plain: ± 2 %"), tr("hatched: not recorded")}};
}

QString RankHeatMap::rowName(std::size_t row) const { return QString::number(m_cells->rows[row].rank); }

QString RankHeatMap::columnName(std::size_t column) const {
  const QString step = formatCount(m_cells->steps[column]);
  return column == 0 ? tr("step %1").arg(step) : step;
}

void RankHeatMap::paintSelection(QPainter& painter) const {
  if (!m_rank) return;
  const auto row = std::ranges::find(m_cells->rows, *m_rank, &HeatCells::Row::rank);
  if (row == m_cells->rows.end()) return;
  const QRect area = cellArea();
  const auto index = static_cast<std::size_t>(row - m_cells->rows.begin());
  const QRect band = cellRect(index, 0);
  painter.setPen(QPen(currentTheme().accent, kHairline));
  painter.drawRect(QRect(area.left() - 1, band.top() - 1, area.width() + 1, band.height() + 1));
  const auto step = m_step ? std::ranges::find(m_cells->steps, *m_step) : m_cells->steps.end();
  if (step == m_cells->steps.end()) return;
  painter.setPen(QPen(currentTheme().accent, kSelectionLine));
  painter.drawRect(cellRect(index, static_cast<std::size_t>(step - m_cells->steps.begin())).adjusted(-1, -1, 1, 1));
}

void RankHeatMap::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const auto cell = cellAt(event->pos())) emit cellActivated(m_cells->rows[cell->row].rank, m_cells->steps[cell->step]);
}

// Arrows move through the cells, Enter opens the selected one.
void RankHeatMap::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  const int across = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0, down = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
  const bool enter = key == Qt::Key_Return || key == Qt::Key_Enter;
  if (empty() || (across == 0 && down == 0 && !enter)) return QWidget::keyPressEvent(event);
  const auto moved = [](const auto& list, auto at, int by) {
    const std::ptrdiff_t from = at == list.end() ? 0 : at - list.begin();
    return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(from + by, 0, static_cast<std::ptrdiff_t>(list.size()) - 1));
  };
  const auto row = std::ranges::find(m_cells->rows, m_rank.value_or(-1), &HeatCells::Row::rank);
  const auto step = m_step ? std::ranges::find(m_cells->steps, *m_step) : m_cells->steps.end();
  const std::int32_t rank = m_cells->rows[moved(m_cells->rows, row, down)].rank;
  const std::int64_t at = m_cells->steps[moved(m_cells->steps, step, across)];
  if (enter)
    emit cellActivated(rank, at);
  else
    emit cellChosen(rank, at);
}

void RankHeatMap::chosen(const HeatCell& cell) {
  setFocus(Qt::MouseFocusReason);
  emit cellChosen(m_cells->rows[cell.row].rank, m_cells->steps[cell.step]);
}

QString RankHeatMap::tip(const HeatCell& cell) const {
  const QString rank = QString::number(m_cells->rows[cell.row].rank), step = formatCount(m_cells->steps[cell.step]);
  return std::isnan(cell.ratio)
             ? tr("rank %1, step %2: not compared").arg(rank, step)
             : tr("rank %1, step %2: %3 compared with the median of its peers").arg(rank, step, formatSignedPercent(cell.ratio));
}

}  // namespace runglass
