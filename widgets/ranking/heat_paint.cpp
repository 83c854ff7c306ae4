// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/heat_paint.h"

#include <QFontMetrics>
#include <QObject>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/charts/raster.h"
#include "widgets/core/units.h"
#include "widgets/ranking/heat_color.h"
#include "widgets/ranking/ranking_data.h"

namespace runglass {
namespace {

constexpr int kLegendHeight = 10;
constexpr int kShortestName = 32;
constexpr int kHatch = 6;       // pixels between the lines of absent cells
constexpr int kGapFrom = 6;     // minimum width and height of cells that are separated by a line of background
constexpr int kTextFrom = 40;   // minimum width of cells that show their number
constexpr int kNameApart = 13;  // pixels between names
constexpr int kRowText = 18, kMinNote = 60;
constexpr double kMinScale = 0.05;

// A round distance of about count / labels.
std::size_t roundDistance(std::size_t count, int labels) {
  const double wanted = static_cast<double>(count) / std::max(1, labels);
  for (double power = 1;; power *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if (digit * power >= wanted) return static_cast<std::size_t>(digit * power);
}

// The pixel where cell `at` of `count` starts.
int edgeOf(std::size_t at, std::size_t count, int pixels) {
  return static_cast<int>((at * static_cast<std::size_t>(pixels) + count - 1) / count);
}

}  // namespace

double heatScale(const HeatCells& cells) {
  std::vector<float> sizes;
  for (const auto& row : cells.rows)
    for (const float ratio : row.ratio)
      if (!std::isnan(ratio)) sizes.push_back(std::fabs(ratio));
  if (sizes.empty()) return kMinScale;
  const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() * 99 / 100);
  std::nth_element(sizes.begin(), at, sizes.end());
  for (const double round : {0.05, 0.1, 0.2, 0.5, 1.0})
    if (*at <= round) return round;
  return 2.0;
}

bool exceedsScale(const HeatCells& cells) {
  return std::ranges::any_of(cells.rows, [&](const HeatCells::Row& row) {
    return std::ranges::any_of(row.ratio, [&](float ratio) { return ratio > cells.scale; });
  });
}

QString heatEndText(const HeatCells& cells) {
  return (cells.beyond ? QStringLiteral("≥ ") : QString()) + formatSignedPercent(cells.scale, 0);
}

CellRange cellsUnder(int pixel, int pixels, std::size_t count) {
  if (pixels <= 0 || count == 0) return {};
  const auto p = static_cast<std::size_t>(std::clamp(pixel, 0, pixels - 1)), n = static_cast<std::size_t>(pixels);
  const std::size_t first = p * count / n;
  return {first, count > n ? std::max(first + 1, (p + 1) * count / n) : first + 1};
}

std::optional<HeatCell> worstCell(const HeatCells& cells, CellRange rows, CellRange steps) {
  std::optional<HeatCell> worst;
  for (std::size_t row = rows.first; row < rows.last; ++row)
    for (std::size_t step = steps.first; step < steps.last; ++step) {
      const float ratio = cells.rows[row].ratio[step];
      if (!std::isnan(ratio) && (!worst || ratio > worst->ratio)) worst = HeatCell{row, step, ratio};
    }
  return worst;
}

void paintHeat(QImage& image, const HeatCells& cells, const Theme& theme) {
  const int width = image.width(), height = image.height();
  // Better below the middle, worse above it.
  std::array<QRgb, 513> ramp{};
  for (int i = 0; i < static_cast<int>(ramp.size()); ++i)
    ramp[static_cast<std::size_t>(i)] = heatColor(theme, heatShare((i - 256) / 256.0 * cells.scale, cells.scale)).rgb();
  const QRgb ground = theme.ground.rgb(), line = theme.line.rgb();
  const bool gap_x = width >= static_cast<int>(cells.steps.size()) * kGapFrom,
             gap_y = height >= static_cast<int>(cells.rows.size()) * kGapFrom;
  std::vector<CellRange> columns;
  for (int x = 0; x < width; ++x) columns.push_back(cellsUnder(x, width, cells.steps.size()));
  for (int y = 0; y < height; ++y) {
    auto* pixels = reinterpret_cast<QRgb*>(image.scanLine(y));
    const CellRange rows = cellsUnder(y, height, cells.rows.size());
    const bool above = y > 0 && gap_y && cellsUnder(y - 1, height, cells.rows.size()).first != rows.first;
    for (int x = 0; x < width; ++x) {
      const CellRange steps = columns[static_cast<std::size_t>(x)];
      if (above || (gap_x && x > 0 && columns[static_cast<std::size_t>(x) - 1].first != steps.first)) {
        pixels[x] = ground;
        continue;
      }
      const auto worst = worstCell(cells, rows, steps);
      if (!worst)
        pixels[x] = (x + y) % kHatch == 0 ? line : ground;
      else
        pixels[x] = ramp[static_cast<std::size_t>(256 + std::lround(256 * std::clamp(worst->ratio / cells.scale, -1.0, 1.0)))];
    }
  }
}

int paintHeatVector(QPainter& painter, const QRect& area, const HeatCells& cells, const Theme& theme) {
  painter.fillRect(area, theme.ground);
  if (cells.empty() || area.isEmpty()) return 0;
  // One row and column per cell, or per pixel where cells share pixels.
  const auto down = std::min(cells.rows.size(), static_cast<std::size_t>(area.height())),
             across = std::min(cells.steps.size(), static_cast<std::size_t>(area.width()));
  const int gap_x = area.width() >= static_cast<int>(across) * kGapFrom ? 1 : 0,
            gap_y = area.height() >= static_cast<int>(down) * kGapFrom ? 1 : 0;
  constexpr int kAbsentShade = kHeatShades + 1;
  const auto shadeOf = [&](CellRange rows, std::size_t column) {
    const auto worst = worstCell(cells, rows, cellsUnder(static_cast<int>(column), static_cast<int>(across), cells.steps.size()));
    return worst ? static_cast<int>(std::lround(kHeatShades * heatShare(worst->ratio, cells.scale))) : kAbsentShade;
  };
  int shapes = 0;
  for (std::size_t row = 0; row < down; ++row) {
    const CellRange rows = cellsUnder(static_cast<int>(row), static_cast<int>(down), cells.rows.size());
    const int top = area.top() + edgeOf(row, down, area.height()), bottom = area.top() + edgeOf(row + 1, down, area.height());
    for (std::size_t from = 0; from < across;) {
      const int shade = shadeOf(rows, from);
      std::size_t to = from + 1;
      // Cells with a gap between them are separate.
      while (to < across && (gap_x == 0 || shade == kAbsentShade) && shadeOf(rows, to) == shade) ++to;
      const int left = area.left() + edgeOf(from, across, area.width()), right = area.left() + edgeOf(to, across, area.width());
      const QRect box(left, top, std::max(1, right - left - gap_x), std::max(1, bottom - top - gap_y));
      from = to;
      if (shade == 0) continue;
      ++shapes;
      if (shade == kAbsentShade)
        paintHatch(painter, box, theme.line);
      else
        painter.fillRect(shade < 0 ? box.adjusted(0, box.height() / 2, 0, 0) : box,
                         heatColor(theme, static_cast<double>(shade) / kHeatShades));
    }
  }
  return shapes;
}

HeatFrame::HeatFrame(const HeatCells& cells, const HeatWords& words, const QRect& room, const QSize& largest_cell, int left)
    : m_cells(cells), m_words(words), m_room(room) {
  if (left == 0) {
    int wide = kShortestName;
    const QFontMetrics metrics(tableFont());
    // Names of one kind have about equal lengths: measuring the first and the last is enough.
    if (!cells.empty())
      for (const std::size_t row : {std::size_t{0}, cells.rows.size() - 1})
        wide = std::max(wide, metrics.horizontalAdvance(words.row(row)));
    left = std::min(wide, kLongestName) + 3 * kGrid;
  }
  const int room_x = std::max(1, room.width() - left - kRight), room_y = std::max(1, room.height() - kTop - kBottom);
  m_area = {room.left() + left, room.top() + kTop, room_x, room_y};
  if (cells.empty()) return;
  const auto wanted = [](std::size_t count, int size) { return static_cast<int>(std::min<std::size_t>(count, 10'000)) * size; };
  m_area.setSize({std::min(room_x, wanted(cells.steps.size(), largest_cell.width())),
                  std::min(room_y, wanted(cells.rows.size(), largest_cell.height()))});
}

QRect HeatFrame::cellRect(std::size_t row, std::size_t column) const {
  const std::size_t rows = m_cells.rows.size(), columns = m_cells.steps.size();
  const int x0 = edgeOf(column, columns, m_area.width()), x1 = edgeOf(column + 1, columns, m_area.width());
  const int y0 = edgeOf(row, rows, m_area.height()), y1 = edgeOf(row + 1, rows, m_area.height());
  return {m_area.left() + x0, m_area.top() + y0, std::max(1, x1 - x0), std::max(1, y1 - y0)};
}

void HeatFrame::paint(QPainter& painter, const Theme& theme) const {
  painter.setPen(QPen(theme.line, kHairline));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(m_area.adjusted(-1, -1, 0, 0));
  painter.setFont(tableFont());
  paintLegend(painter, theme);
  paintAxes(painter, theme);
  paintNumbers(painter, theme);
  painter.setBrush(Qt::NoBrush);
}

// Title, then the scale with the meaning of its ends and its middle.
void HeatFrame::paintLegend(QPainter& painter, const Theme& theme) const {
  const QRect& area = m_area;
  const QFontMetrics metrics(painter.font());
  const int left = area.left(), end = m_room.right() + 1;
  const bool several =
      m_cells.rows.size() > static_cast<std::size_t>(area.height()) || m_cells.steps.size() > static_cast<std::size_t>(area.width());
  const QString words = several ? RankingText::tr("%1; a pixel shows its worst cell").arg(m_words.title) : m_words.title;
  painter.setPen(theme.text);
  painter.drawText(QRect(left, m_room.top() + kGrid, end - left, 16), Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(words, Qt::ElideRight, end - left));
  painter.setPen(theme.muted);
  const int y = m_room.top() + kGrid + 20;
  int x = left;
  const auto word = [&](const QString& text) {
    const QString fits = metrics.elidedText(text, Qt::ElideRight, end - x);
    painter.drawText(QRect(x, y - 3, metrics.horizontalAdvance(fits) + 1, 16), Qt::AlignVCenter, fits);
    x += metrics.horizontalAdvance(fits) + 2 * kGrid;
  };
  const double full = m_cells.scale;
  word(m_words.low);
  for (int i = 0; i < kLegendWidth; ++i) {
    const double value = m_words.from + (full - m_words.from) * i / (kLegendWidth - 1);
    painter.fillRect(x + i, y, 1, kLegendHeight, heatColor(theme, heatShare(value, full)));
  }
  painter.drawRect(QRect(x - 1, y - 1, kLegendWidth + 1, kLegendHeight + 1));
  if (m_words.from < 0) {
    const int middle = x + static_cast<int>(kLegendWidth * -m_words.from / (full - m_words.from));
    painter.drawLine(middle, y - 3, middle, y + kLegendHeight + 2);
  }
  x += kLegendWidth + 2 * kGrid;
  word(m_words.high);
  // A note with room for only a few letters is left out.
  for (const QString& note : m_words.notes)
    if (x + std::min(kMinNote, metrics.horizontalAdvance(note)) <= end) word(note);
}

void HeatFrame::paintAxes(QPainter& painter, const Theme& theme) const {
  const QRect& area = m_area;
  painter.setPen(theme.muted);
  const QFontMetrics metrics(painter.font());
  const std::size_t rows = m_cells.rows.size(), columns = m_cells.steps.size();
  const std::size_t down = roundDistance(rows, std::max(1, area.height() / kRowText));
  std::vector<int> taken;
  const auto name = [&](std::size_t row, const QColor& ink, bool always) {
    const QRect cell = cellRect(row, 0);
    const int middle = down == 1 || always ? cell.center().y() : cell.top() + 6;
    if (std::ranges::any_of(taken, [&](int other) { return std::abs(other - middle) < kNameApart; })) return;
    if (!m_words.named.empty()) taken.push_back(middle);
    painter.setPen(ink);
    painter.drawText(QRect(m_room.left(), middle - 8, area.left() - m_room.left() - 2 * kGrid, 16), Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(m_words.row(row), Qt::ElideLeft, area.left() - m_room.left() - 2 * kGrid));
  };
  for (const std::size_t row : m_words.named)
    if (row < rows) name(row, theme.text, true);
  for (std::size_t row = 0; row < rows; row += down) name(row, theme.muted, false);
  painter.setPen(theme.muted);
  const int label =
      std::max(metrics.horizontalAdvance(m_words.column(columns - 1)), metrics.horizontalAdvance(m_words.column(0))) + 3 * kGrid;
  const std::size_t across = roundDistance(columns, std::max(1, area.width() / label));
  for (std::size_t column = 0; column < columns; column += across) {
    const QRect cell = cellRect(0, column);
    const QString text = m_words.column(column);
    const int wide = metrics.horizontalAdvance(text) + 1;
    const int x = across == 1 ? cell.center().x() - wide / 2 : cell.left();
    if (x + wide > m_room.right() + 1) break;
    if (across > 1) painter.drawLine(cell.left(), area.bottom() + 1, cell.left(), area.bottom() + 4);
    painter.drawText(QRect(x, area.bottom() + 4, wide, kBottom - 4), Qt::AlignLeft | Qt::AlignVCenter, text);
  }
}

void HeatFrame::paintNumbers(QPainter& painter, const Theme& theme) const {
  const QRect first = cellRect(0, 0);
  if (first.width() < kTextFrom || first.height() < kTablePx + kGrid || !m_words.cell) return;
  for (std::size_t row = 0; row < m_cells.rows.size(); ++row)
    for (std::size_t column = 0; column < m_cells.steps.size(); ++column) {
      const float value = m_cells.rows[row].ratio[column];
      if (std::isnan(value)) continue;
      const QString text = m_words.cell(value);
      if (painter.fontMetrics().horizontalAdvance(text) + 2 > first.width()) continue;
      const QColor color = heatColor(theme, heatShare(value, m_cells.scale));
      painter.setPen(contrastRatio(theme.text, color) < contrastRatio(theme.ground, color) ? theme.ground : theme.text);
      painter.drawText(cellRect(row, column), Qt::AlignCenter, text);
    }
}

}  // namespace runglass
