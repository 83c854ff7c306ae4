// SPDX-License-Identifier: GPL-3.0-or-later
// Rows x columns in colour around the peers' median, with axes and the scale: cells into an image or as vectors, the rest by QPainter.
//
// Threading:  any thread that owns the image or the painter.
// Ownership:  a HeatFrame borrows the cells and the words.
// Units:      ratios to the peers' median, minus 1; device pixels, or units of the painter.
// Errors:     a cell without data is hatched, never 0.
// Cost:       paintHeat() O(pixels + cells); paintHeatVector() one rectangle per run of equal cells in a row.
#pragma once

#include <QImage>
#include <QPainter>
#include <QRect>
#include <QStringList>
#include <cstdint>
#include <functional>
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
  double scale = 0.05;  // the ratio shown in full colour
  bool beyond = false;  // some cell is worse than that
  bool empty() const { return rows.empty() || steps.empty(); }
};

// A round ratio that all but the most extreme 1 % of the cells stay within; at least 5 %.
double heatScale(const HeatCells& cells);
bool exceedsScale(const HeatCells& cells);
// The scale's upper end: "+5 %", or "≥ +5 %" if some cell exceeds it.
QString heatEndText(const HeatCells& cells);

// The cells, of `count`, under pixel `pixel` of `pixels`: [first, last), at least one.
struct CellRange {
  std::size_t first = 0, last = 0;
};
CellRange cellsUnder(int pixel, int pixels, std::size_t count);
// The worst cell of a block; absent if none in it was compared.
struct HeatCell {
  std::size_t row = 0, step = 0;
  float ratio = 0;
};
std::optional<HeatCell> worstCell(const HeatCells& cells, CellRange rows, CellRange steps);
// All of `cells` over all of `image` (RGB32): several cells under one pixel show the worst.
void paintHeat(QImage& image, const HeatCells& cells, const Theme& theme);

// All of `cells` over `area`, quantized to kHeatShades levels either way: equal neighbours are one rectangle. A better cell is filled by
// half, so that it is distinguishable from a worse one in print without colour. Returns the number of rectangles.
inline constexpr int kHeatShades = 8;
int paintHeatVector(QPainter& painter, const QRect& area, const HeatCells& cells, const Theme& theme);

// The text around the cells.
struct HeatWords {
  QString title, low, high;  // of the scale's ends
  double from = 0;           // the ratio at its lower end
  QStringList notes;
  std::function<QString(std::size_t)> row, column;
  std::function<QString(float)> cell;   // text in a cell that is large enough; null: none
  std::vector<std::size_t> named = {};  // rows whose names are always shown, in the colour `text`
};

// The positions of cells in a given space, and the painting around and on them.
class HeatFrame {
 public:
  static constexpr int kTop = 48, kBottom = 24, kRight = 3 * kGrid, kLongestName = 140, kLegendWidth = 90;
  // `largest_cell` limits the cell size. `left`: where the cells start; 0: right of the row names.
  HeatFrame(const HeatCells& cells, const HeatWords& words, const QRect& room, const QSize& largest_cell, int left = 0);
  const QRect& cellArea() const { return m_area; }
  // At least a pixel; if several cells share a pixel, that pixel.
  QRect cellRect(std::size_t row, std::size_t column) const;
  // Outline, title, scale, axes and numbers, in tableFont().
  void paint(QPainter& painter, const Theme& theme) const;

 private:
  void paintLegend(QPainter& painter, const Theme& theme) const;
  void paintAxes(QPainter& painter, const Theme& theme) const;
  void paintNumbers(QPainter& painter, const Theme& theme) const;

  const HeatCells& m_cells;
  const HeatWords& m_words;
  QRect m_room, m_area;
};

}  // namespace runglass
