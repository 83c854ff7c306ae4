// SPDX-License-Identifier: GPL-3.0-or-later
// WorkerHeatMap: DP across, PP down: by how much each worker slows the run down. A click ticks a worker.
//
// Threading:  GUI thread.
// Ownership:  shares its values.
// Units:      S_w, 1 = no slowdown; full colour at scale().
// Cost:       as HeatMap.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "widgets/ranking/heat_map.h"

namespace runglass {

struct WorkerCells {
  std::vector<std::int32_t> replicas, stages;  // their dp and pp numbers
  std::vector<double> s;                       // by replica, then stage: S_w
  std::vector<std::int32_t> rank;              // likewise
};

class WorkerHeatMap : public HeatMap {
  Q_OBJECT

 public:
  explicit WorkerHeatMap(QWidget* parent = nullptr);
  void setCells(std::shared_ptr<const WorkerCells> cells);
  void setTicked(std::set<std::uint32_t> workers);  // replica * stages + stage
  QSize sizeHint() const override { return {640, 360}; }
  // The slowdown shown in full colour: the first of 1.1, 1.2, 1.5, 2, 3, 5 that the worst stays within, as printed on the scale.
  double scale() const { return 1 + m_heat.scale; }

 signals:
  void workerChosen(std::uint32_t worker);

 protected:
  const HeatCells* cells() const override { return &m_heat; }
  QString title() const override;
  Scale scaleWords() const override;
  QString rowName(std::size_t row) const override;
  QString columnName(std::size_t column) const override;
  QString cellText(float ratio) const override;
  QString tip(const HeatCell& cell) const override;
  void chosen(const HeatCell& cell) override;
  void paintSelection(QPainter& painter) const override;

 private:
  std::shared_ptr<const WorkerCells> m_cells;
  HeatCells m_heat;  // stages over replicas
  std::set<std::uint32_t> m_ticked;
};

}  // namespace runglass
