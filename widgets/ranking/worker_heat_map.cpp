// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: m_heat holds S - 1 of m_cells.
#include "widgets/ranking/worker_heat_map.h"
#include "widgets/core/units.h"

#include <QPainter>
#include <algorithm>

namespace runglass {
namespace {

constexpr QSize kLargestCell(96, 48);

}  // namespace

WorkerHeatMap::WorkerHeatMap(QWidget* parent) : HeatMap(kLargestCell, parent) {}

void WorkerHeatMap::setCells(std::shared_ptr<const WorkerCells> cells) {
  m_cells = std::move(cells);
  m_heat = {};
  if (m_cells && !m_cells->s.empty()) {
    const std::size_t stages = m_cells->stages.size();
    m_heat.steps.assign(m_cells->replicas.begin(), m_cells->replicas.end());
    for (std::size_t stage = 0; stage < stages; ++stage) {
      HeatCells::Row row{.rank = m_cells->stages[stage], .ratio = {}};
      for (std::size_t worker = stage; worker < m_cells->s.size(); worker += stages)
        row.ratio.push_back(static_cast<float>(m_cells->s[worker] - 1));
      m_heat.rows.push_back(std::move(row));
    }
    const double worst = *std::ranges::max_element(m_cells->s) - 1;
    m_heat.scale = 4;
    for (const double round : {2.0, 1.0, 0.5, 0.2, 0.1})
      if (worst <= round) m_heat.scale = round;
  }
  cellsChanged();
}

void WorkerHeatMap::setTicked(std::set<std::uint32_t> workers) {
  m_ticked = std::move(workers);
  update();
}

QString WorkerHeatMap::title() const { return tr("S of each worker: the run with this worker as recorded, all others as usual"); }

HeatMap::Scale WorkerHeatMap::scaleWords() const { return {formatRatio(1, 2), formatRatio(scale(), 2), 0, {tr("click: fix")}}; }

QString WorkerHeatMap::rowName(std::size_t row) const { return tr("PP %1").arg(m_cells->stages[row]); }

QString WorkerHeatMap::columnName(std::size_t column) const { return tr("DP %1").arg(m_cells->replicas[column]); }

QString WorkerHeatMap::cellText(float ratio) const { return formatRatio(1 + ratio, 2); }

QString WorkerHeatMap::tip(const HeatCell& cell) const {
  const std::size_t worker = cell.step * m_cells->stages.size() + cell.row;
  return tr("dp %1, pp %2 (rank %3): S %4")
      .arg(m_cells->replicas[cell.step])
      .arg(m_cells->stages[cell.row])
      .arg(m_cells->rank[worker])
      .arg(formatRatio(m_cells->s[worker]));
}

void WorkerHeatMap::chosen(const HeatCell& cell) {
  emit workerChosen(static_cast<std::uint32_t>(cell.step * m_cells->stages.size() + cell.row));
}

void WorkerHeatMap::paintSelection(QPainter& painter) const {
  painter.setPen(QPen(currentTheme().accent, kSelectionLine));
  const std::size_t stages = m_cells->stages.size();
  for (const std::uint32_t worker : m_ticked)
    if (worker < m_cells->s.size()) painter.drawRect(cellRect(worker % stages, worker / stages).adjusted(1, 1, -2, -2));
}

}  // namespace runglass
