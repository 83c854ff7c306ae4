// SPDX-License-Identifier: GPL-3.0-or-later
// RankHeatMap: the work of each rank in each step compared with its peers; arrows move through the cells.
//
// Threading:  GUI thread.
// Ownership:  shares its cells.
// Units:      as HeatMap.
// Cost:       as HeatMap.
#pragma once

#include <memory>

#include "widgets/ranking/heat_map.h"

namespace runglass {

class RankHeatMap : public HeatMap {
  Q_OBJECT

 public:
  explicit RankHeatMap(QWidget* parent = nullptr);
  void setCells(std::shared_ptr<const HeatCells> cells);  // may be null
  void setSelected(std::optional<std::int32_t> rank, std::optional<std::int64_t> step);

 signals:
  void cellChosen(std::int32_t rank, std::int64_t step);
  void cellActivated(std::int32_t rank, std::int64_t step);

 protected:
  const HeatCells* cells() const override { return m_cells.get(); }
  QString title() const override;
  Scale scaleWords() const override;
  QString rowName(std::size_t row) const override;
  QString columnName(std::size_t column) const override;
  QString tip(const HeatCell& cell) const override;
  void chosen(const HeatCell& cell) override;
  void paintSelection(QPainter& painter) const override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  std::shared_ptr<const HeatCells> m_cells;
  std::optional<std::int32_t> m_rank;
  std::optional<std::int64_t> m_step;
};

}  // namespace runglass
