// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: m_image shows cells() at the size of cellArea() unless m_dirty.
#include "widgets/ranking/heat_map.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/core/units.h"
#include "widgets/ranking/heat_color.h"

namespace runglass {
namespace {

constexpr int kTop = 48, kBottom = 24, kRight = 3 * kGrid;
constexpr int kLegendWidth = 90, kLegendHeight = 10;
constexpr int kHatch = 6;      // pixels between the lines of absent cells
constexpr int kGapFrom = 6;    // cells at least as high and wide as this are kept apart by a line of ground
constexpr int kTextFrom = 40;  // cells as wide as this say their number
constexpr int kLongestName = 140, kShortestName = 32;
constexpr int kRowText = 18, kLeastNote = 60;
constexpr double kLeastScale = 0.05;

// A round distance of about count / labels.
std::size_t roundDistance(std::size_t count, int labels) {
  const double wanted = static_cast<double>(count) / std::max(1, labels);
  for (double power = 1;; power *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if (digit * power >= wanted) return static_cast<std::size_t>(digit * power);
}

}  // namespace

double heatScale(const HeatCells& cells) {
  std::vector<float> sizes;
  for (const auto& row : cells.rows)
    for (const float ratio : row.ratio)
      if (!std::isnan(ratio)) sizes.push_back(std::fabs(ratio));
  if (sizes.empty()) return kLeastScale;
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
  // Better below, worse above the middle.
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

HeatMap::HeatMap(QSize largest_cell, QWidget* parent) : QWidget(parent), m_largest_cell(largest_cell) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(2 * kLegendWidth + kLongestName, kTop + kBottom + 60);
}

void HeatMap::cellsChanged() {
  m_dirty = true;
  update();
}

int HeatMap::leftMargin() const {
  int wide = kShortestName;
  const QFontMetrics metrics(tableFont());
  // Names of one kind are about equally long: the first and the last speak for all.
  if (!empty())
    for (const std::size_t row : {std::size_t{0}, cells()->rows.size() - 1}) wide = std::max(wide, metrics.horizontalAdvance(rowName(row)));
  return std::min(wide, kLongestName) + 3 * kGrid;
}

QRect HeatMap::cellArea() const {
  const int left = leftMargin();
  const int room_x = std::max(1, width() - left - kRight), room_y = std::max(1, height() - kTop - kBottom);
  if (empty()) return {left, kTop, room_x, room_y};
  const auto wanted = [](std::size_t count, int size) { return static_cast<int>(std::min<std::size_t>(count, 10'000)) * size; };
  return {left, kTop, std::min(room_x, wanted(cells()->steps.size(), m_largest_cell.width())),
          std::min(room_y, wanted(cells()->rows.size(), m_largest_cell.height()))};
}

QRect HeatMap::cellRect(std::size_t row, std::size_t column) const {
  const QRect area = cellArea();
  const auto edge = [](std::size_t at, std::size_t count, int pixels) {
    return static_cast<int>((at * static_cast<std::size_t>(pixels) + count - 1) / count);
  };
  const std::size_t rows = cells()->rows.size(), columns = cells()->steps.size();
  const int x0 = edge(column, columns, area.width()), x1 = edge(column + 1, columns, area.width());
  const int y0 = edge(row, rows, area.height()), y1 = edge(row + 1, rows, area.height());
  return {area.left() + x0, area.top() + y0, std::max(1, x1 - x0), std::max(1, y1 - y0)};
}

std::optional<HeatCell> HeatMap::cellAt(const QPoint& point) const {
  const QRect area = cellArea();
  if (empty() || !area.contains(point)) return std::nullopt;
  const CellRange rows = cellsUnder(point.y() - area.top(), area.height(), cells()->rows.size()),
                  columns = cellsUnder(point.x() - area.left(), area.width(), cells()->steps.size());
  const auto worst = worstCell(*cells(), rows, columns);
  return worst ? worst : HeatCell{rows.first, columns.first, std::numeric_limits<float>::quiet_NaN()};
}

void HeatMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), currentTheme().ground);
  if (empty()) return;
  const QRect area = cellArea();
  const double ratio = devicePixelRatioF();
  const QSize size = area.size() * ratio;
  if (m_dirty || m_image.size() != size) {
    if (m_image.size() != size) m_image = QImage(size, QImage::Format_RGB32);
    paintHeat(m_image, *cells(), currentTheme());
    m_image.setDevicePixelRatio(ratio);
    m_dirty = false;
  }
  painter.drawImage(area.topLeft(), m_image);
  painter.setPen(QPen(currentTheme().line, kHairline));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(area.adjusted(-1, -1, 0, 0));
  painter.setFont(tableFont());
  paintLegend(painter);
  paintAxes(painter);
  paintNumbers(painter);
  painter.setBrush(Qt::NoBrush);
  paintSelection(painter);
}

// Title, then the scale with what its ends and its middle mean.
void HeatMap::paintLegend(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const QRect area = cellArea();
  const QFontMetrics metrics(painter.font());
  const int left = area.left();
  const bool several =
      cells()->rows.size() > static_cast<std::size_t>(area.height()) || cells()->steps.size() > static_cast<std::size_t>(area.width());
  const QString words = title() + (several ? tr("; a pixel shows its worst cell") : QString());
  painter.setPen(theme.text);
  painter.drawText(QRect(left, kGrid, width() - left, 16), Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(words, Qt::ElideRight, width() - left));
  painter.setPen(theme.muted);
  const int y = kGrid + 20;
  int x = left;
  const auto word = [&](const QString& text) {
    const QString fits = metrics.elidedText(text, Qt::ElideRight, width() - x);
    painter.drawText(QRect(x, y - 3, metrics.horizontalAdvance(fits) + 1, 16), Qt::AlignVCenter, fits);
    x += metrics.horizontalAdvance(fits) + 2 * kGrid;
  };
  const Scale scale = scaleWords();
  const double full = cells()->scale;
  word(scale.low);
  for (int i = 0; i < kLegendWidth; ++i) {
    const double value = scale.from + (full - scale.from) * i / (kLegendWidth - 1);
    painter.fillRect(x + i, y, 1, kLegendHeight, heatColor(theme, heatShare(value, full)));
  }
  painter.drawRect(QRect(x - 1, y - 1, kLegendWidth + 1, kLegendHeight + 1));
  if (scale.from < 0) {
    const int middle = x + static_cast<int>(kLegendWidth * -scale.from / (full - scale.from));
    painter.drawLine(middle, y - 3, middle, y + kLegendHeight + 2);
  }
  x += kLegendWidth + 2 * kGrid;
  word(scale.high);
  // What has room for a few letters only is left out.
  for (const QString& note : scale.notes)
    if (x + std::min(kLeastNote, metrics.horizontalAdvance(note)) <= width()) word(note);
}

void HeatMap::paintAxes(QPainter& painter) const {
  const QRect area = cellArea();
  painter.setPen(currentTheme().muted);
  const QFontMetrics metrics(painter.font());
  const std::size_t rows = cells()->rows.size(), columns = cells()->steps.size();
  const std::size_t down = roundDistance(rows, std::max(1, area.height() / kRowText));
  for (std::size_t row = 0; row < rows; row += down) {
    const QRect cell = cellRect(row, 0);
    const int middle = down == 1 ? cell.center().y() : cell.top() + 6;
    painter.drawText(QRect(0, middle - 8, area.left() - 2 * kGrid, 16), Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(rowName(row), Qt::ElideLeft, area.left() - 2 * kGrid));
  }
  const int label = std::max(metrics.horizontalAdvance(columnName(columns - 1)), metrics.horizontalAdvance(columnName(0))) + 3 * kGrid;
  const std::size_t across = roundDistance(columns, std::max(1, area.width() / label));
  for (std::size_t column = 0; column < columns; column += across) {
    const QRect cell = cellRect(0, column);
    const QString text = columnName(column);
    const int wide = metrics.horizontalAdvance(text) + 1;
    const int x = across == 1 ? cell.center().x() - wide / 2 : cell.left();
    if (x + wide > width()) break;
    if (across > 1) painter.drawLine(cell.left(), area.bottom() + 1, cell.left(), area.bottom() + 4);
    painter.drawText(QRect(x, area.bottom() + 4, wide, kBottom - 4), Qt::AlignLeft | Qt::AlignVCenter, text);
  }
}

void HeatMap::paintNumbers(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const QRect first = cellRect(0, 0);
  if (first.width() < kTextFrom || first.height() < kTablePx + kGrid || cellText(0).isEmpty()) return;
  for (std::size_t row = 0; row < cells()->rows.size(); ++row)
    for (std::size_t column = 0; column < cells()->steps.size(); ++column) {
      const float value = cells()->rows[row].ratio[column];
      if (std::isnan(value)) continue;
      const QString text = cellText(value);
      if (painter.fontMetrics().horizontalAdvance(text) + 2 > first.width()) continue;
      const QColor color = heatColor(theme, heatShare(value, cells()->scale));
      painter.setPen(contrastRatio(theme.text, color) < contrastRatio(theme.ground, color) ? theme.ground : theme.text);
      painter.drawText(cellRect(row, column), Qt::AlignCenter, text);
    }
}

void HeatMap::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) cellsChanged();
}

void HeatMap::mousePressEvent(QMouseEvent* event) {
  if (const auto cell = cellAt(event->pos())) chosen(*cell);
}

bool HeatMap::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const auto cell = cellAt(help->pos()))
    QToolTip::showText(help->globalPos(), tip(*cell), this);
  else
    QToolTip::hideText();
  return true;
}

}  // namespace runglass
