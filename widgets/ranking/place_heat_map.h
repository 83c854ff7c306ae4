// SPDX-License-Identifier: GPL-3.0-or-later
// PlaceHeatMap: the ranks where they stand, in colour: pipeline stages over replicas, or hosts over GPUs. A click chooses a rank.
//
// Threading:  GUI thread; placeScale() anywhere.
// Ownership:  shares its cells.
// Units:      by what is scored: ratios to the peers, minus 1, or shares 0..1.
// Errors:     a place without a score is hatched, never 0.
// Cost:       a picture is O(pixels + cells) and kept until data, size or theme change.
#pragma once

#include <QImage>
#include <QWidget>
#include <memory>

#include "widgets/ranking/rank_heat_map.h"

namespace runglass {

struct PlaceCells {
  QString title, unit;             // "DP across, PP down"; what the scale says
  QStringList rows, columns;       // names
  HeatCells heat;                  // its rows and steps are indices; the worst of the ranks of a place
  std::vector<std::int32_t> rank;  // by row, then column: that worst one; -1: nobody
  bool shares = false;             // values are shares, not ratios
  bool empty() const { return rows.isEmpty() || columns.isEmpty(); }
};

class PlaceHeatMap : public QWidget {
  Q_OBJECT

 public:
  explicit PlaceHeatMap(QWidget* parent = nullptr);
  void setCells(std::shared_ptr<const PlaceCells> cells);  // may be null
  void setSelected(std::optional<std::int32_t> rank);
  QSize sizeHint() const override { return {520, 500}; }
  QRect cellArea() const;
  QRect cellRect(std::size_t row, std::size_t column) const;

 signals:
  void rankChosen(std::int32_t rank);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  bool empty() const { return !m_cells || m_cells->empty(); }
  std::optional<HeatCell> cellAt(const QPoint& point) const;
  std::int32_t rankAt(const HeatCell& cell) const {
    return m_cells->rank[cell.row * static_cast<std::size_t>(m_cells->columns.size()) + cell.step];
  }
  QString valueText(float value) const;
  int leftMargin() const;
  void paintLegend(QPainter& painter) const;
  void paintAxes(QPainter& painter) const;
  void paintNumbers(QPainter& painter) const;
  void paintSelection(QPainter& painter) const;

  std::shared_ptr<const PlaceCells> m_cells;
  std::optional<std::int32_t> m_rank;
  QImage m_image;
  bool m_dirty = true;
};

}  // namespace runglass
