// SPDX-License-Identifier: GPL-3.0-or-later
// RankHeatMap: rank x step in colour around the peers' median: worse red, better blue, the ground where a rank is as its peers are.
//
// Threading:  GUI thread; the free functions anywhere.
// Ownership:  shares its cells.
// Units:      ratios to the peers' median, minus 1; device pixels in paintHeat().
// Errors:     a cell without data is hatched, never 0.
// Cost:       a picture is O(pixels + cells) and kept until data, size, selection or theme change.
#pragma once

#include <QImage>
#include <QWidget>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/core/theme.h"

namespace runglass {

struct HeatCells {
  struct Row {
    std::int32_t rank = 0;
    std::vector<float> ratio;  // by step; NaN: not compared
  };
  std::vector<Row> rows;  // by rank
  std::vector<std::int64_t> steps;
  double scale = 0.05;  // the ratio that is shown in full colour
  bool beyond = false;  // something is worse than that
};

// A round ratio which all but the most extreme 1 % of the cells stay within; at least 5 %.
double heatScale(const HeatCells& cells);
bool exceedsScale(const HeatCells& cells);
// The scale's upper end: "+5 %", or "≥ +5 %" where something is further off.
QString heatEndText(const HeatCells& cells);

// Which of `count` cells lie under pixel `pixel` of `pixels`: [first, last), at least one.
struct CellRange {
  std::size_t first = 0, last = 0;
};
CellRange cellsUnder(int pixel, int pixels, std::size_t count);
// The worst cell of a block; none where nothing in it was compared.
struct HeatCell {
  std::size_t row = 0, step = 0;
  float ratio = 0;
};
std::optional<HeatCell> worstCell(const HeatCells& cells, CellRange rows, CellRange steps);
// All of `cells` over all of `image` (RGB32): several cells under one pixel show the worst.
void paintHeat(QImage& image, const HeatCells& cells, const Theme& theme);

class RankHeatMap : public QWidget {
  Q_OBJECT

 public:
  explicit RankHeatMap(QWidget* parent = nullptr);
  // May be null.
  void setCells(std::shared_ptr<const HeatCells> cells);
  void setSelected(std::optional<std::int32_t> rank, std::optional<std::int64_t> step);
  QSize sizeHint() const override { return {520, 500}; }
  QRect cellArea() const;
  // Centre of a cell, in widget coordinates; where several share a pixel, that pixel.
  QPoint pointOf(std::size_t row, std::size_t step) const;

 signals:
  void cellChosen(std::int32_t rank, std::int64_t step);
  void cellActivated(std::int32_t rank, std::int64_t step);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  bool empty() const { return !m_cells || m_cells->rows.empty() || m_cells->steps.empty(); }
  // The cell under a point: of several the worst, or the first where none was compared.
  std::optional<HeatCell> cellAt(const QPoint& point) const;
  QRect cellRect(std::size_t row, std::size_t step) const;
  void paintLegend(QPainter& painter) const;
  void paintAxes(QPainter& painter) const;
  void paintSelection(QPainter& painter) const;

  std::shared_ptr<const HeatCells> m_cells;
  std::optional<std::int32_t> m_rank;
  std::optional<std::int64_t> m_step;
  QImage m_image;
  bool m_dirty = true;
};

}  // namespace runglass
