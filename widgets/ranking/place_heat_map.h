// SPDX-License-Identifier: GPL-3.0-or-later
// PlaceHeatMap: the ranks in colour at their places: pipeline stages over replicas, or hosts over GPUs. A click selects a rank.
//
// Threading:  GUI thread.
// Ownership:  shares its cells.
// Units:      depends on the score: ratios to the peers, minus 1, or shares 0..1.
// Errors:     a place without a score is hatched, never 0.
// Cost:       as HeatMap.
#pragma once

#include <QStringList>
#include <memory>

#include "widgets/ranking/heat_map.h"

namespace runglass {

struct PlaceCells {
  QString title, unit;             // "DP across, PP down"; the label of the scale
  QStringList rows, columns;       // names
  HeatCells heat;                  // its rows and steps are indices; a place shows the worst of its ranks
  std::vector<std::int32_t> rank;  // by row, then column: that worst rank; -1: none
  bool shares = false;             // values are shares, not ratios
  bool empty() const { return rows.isEmpty() || columns.isEmpty(); }
};

class PlaceHeatMap : public HeatMap {
  Q_OBJECT

 public:
  explicit PlaceHeatMap(QWidget* parent = nullptr);
  void setCells(std::shared_ptr<const PlaceCells> cells);  // may be null
  void setSelected(std::optional<std::int32_t> rank);

 signals:
  void rankChosen(std::int32_t rank);

 protected:
  const HeatCells* cells() const override { return m_cells ? &m_cells->heat : nullptr; }
  QString title() const override { return m_cells->title; }
  Scale scaleWords() const override;
  QString rowName(std::size_t row) const override { return m_cells->rows[static_cast<qsizetype>(row)]; }
  QString columnName(std::size_t column) const override { return m_cells->columns[static_cast<qsizetype>(column)]; }
  QString cellText(float ratio) const override;
  QString tip(const HeatCell& cell) const override;
  void chosen(const HeatCell& cell) override;
  void paintSelection(QPainter& painter) const override;

 private:
  std::int32_t rankAt(const HeatCell& cell) const {
    return m_cells->rank[cell.row * static_cast<std::size_t>(m_cells->columns.size()) + cell.step];
  }

  std::shared_ptr<const PlaceCells> m_cells;
  std::optional<std::int32_t> m_rank;
};

}  // namespace runglass
