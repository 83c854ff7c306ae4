// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: m_image shows m_cells at the size of cellArea() unless m_dirty.
#include "widgets/ranking/rank_heat_map.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/core/units.h"
#include "widgets/ranking/heat_color.h"

namespace runglass {
namespace {

constexpr int kTop = 48, kLeft = 52, kBottom = 22, kRight = 3 * kGrid;
constexpr int kLegendWidth = 90, kLegendHeight = 10;
constexpr int kHatch = 6;    // pixels between the lines of absent cells
constexpr int kGapFrom = 6;  // cells at least as high and wide as this are kept apart by a line of ground
constexpr int kLabelEvery = 40;
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

RankHeatMap::RankHeatMap(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(kLeft + kRight + 2 * kLegendWidth, kTop + kBottom + 60);
}

void RankHeatMap::setCells(std::shared_ptr<const HeatCells> cells) {
  m_cells = std::move(cells);
  m_dirty = true;
  update();
}

void RankHeatMap::setSelected(std::optional<std::int32_t> rank, std::optional<std::int64_t> step) {
  if (m_rank == rank && m_step == step) return;
  m_rank = rank, m_step = step;
  update();
}

// Few ranks do not become bands as high as a hand.
QRect RankHeatMap::cellArea() const {
  const int room = std::max(1, height() - kTop - kBottom);
  const int wanted = empty() ? room : static_cast<int>(std::min<std::size_t>(m_cells->rows.size(), 10'000)) * 24;
  return {kLeft, kTop, std::max(1, width() - kLeft - kRight), std::min(room, wanted)};
}

QRect RankHeatMap::cellRect(std::size_t row, std::size_t step) const {
  const QRect area = cellArea();
  const auto edge = [](std::size_t at, std::size_t count, int pixels) {
    return static_cast<int>((at * static_cast<std::size_t>(pixels) + count - 1) / count);
  };
  const int x0 = edge(step, m_cells->steps.size(), area.width()), x1 = edge(step + 1, m_cells->steps.size(), area.width());
  const int y0 = edge(row, m_cells->rows.size(), area.height()), y1 = edge(row + 1, m_cells->rows.size(), area.height());
  return {area.left() + x0, area.top() + y0, std::max(1, x1 - x0), std::max(1, y1 - y0)};
}

QPoint RankHeatMap::pointOf(std::size_t row, std::size_t step) const { return cellRect(row, step).center(); }

std::optional<HeatCell> RankHeatMap::cellAt(const QPoint& point) const {
  const QRect area = cellArea();
  if (empty() || !area.contains(point)) return std::nullopt;
  const CellRange rows = cellsUnder(point.y() - area.top(), area.height(), m_cells->rows.size()),
                  steps = cellsUnder(point.x() - area.left(), area.width(), m_cells->steps.size());
  const auto worst = worstCell(*m_cells, rows, steps);
  return worst ? worst : HeatCell{rows.first, steps.first, std::numeric_limits<float>::quiet_NaN()};
}

void RankHeatMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), currentTheme().ground);
  if (empty()) return;
  const QRect area = cellArea();
  const double ratio = devicePixelRatioF();
  const QSize size = area.size() * ratio;
  if (m_dirty || m_image.size() != size) {
    if (m_image.size() != size) m_image = QImage(size, QImage::Format_RGB32);
    paintHeat(m_image, *m_cells, currentTheme());
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
  paintSelection(painter);
}

// Title, then the scale with what its middle and ends mean.
void RankHeatMap::paintLegend(QPainter& painter) const {
  const Theme& theme = currentTheme();
  painter.setPen(theme.text);
  const QRect area = cellArea();
  const bool several =
      m_cells->rows.size() > static_cast<std::size_t>(area.height()) || m_cells->steps.size() > static_cast<std::size_t>(area.width());
  const QFontMetrics metrics(painter.font());
  const QString title = tr("rank × step, against the peers' median") + (several ? tr("; a pixel shows its worst cell") : QString());
  painter.drawText(QRect(kLeft, kGrid, width() - kLeft, 16), Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(title, Qt::ElideRight, width() - kLeft));
  painter.setPen(theme.muted);
  const int y = kGrid + 20;
  int x = kLeft;
  const auto word = [&](const QString& text) {
    painter.drawText(QRect(x, y - 3, metrics.horizontalAdvance(text) + 1, 16), Qt::AlignVCenter, text);
    x += metrics.horizontalAdvance(text) + 2 * kGrid;
  };
  word(formatSignedPercent(-m_cells->scale, 0));
  for (int i = 0; i < kLegendWidth; ++i) {
    const double ratio = (2.0 * i / (kLegendWidth - 1) - 1) * m_cells->scale;
    painter.fillRect(x + i, y, 1, kLegendHeight, heatColor(theme, heatShare(ratio, m_cells->scale)));
  }
  painter.drawRect(QRect(x - 1, y - 1, kLegendWidth + 1, kLegendHeight + 1));
  painter.drawLine(x + kLegendWidth / 2, y - 3, x + kLegendWidth / 2, y + kLegendHeight + 2);
  x += kLegendWidth + 2 * kGrid;
  word(heatEndText(*m_cells));
  // The longest words that there is room for.
  for (const QString& text : {tr("plain: ± 2 %, hatched: not told"), tr("plain: ± 2 %")}) {
    if (x + metrics.horizontalAdvance(text) > width()) continue;
    word(text);
    break;
  }
}

void RankHeatMap::paintAxes(QPainter& painter) const {
  const QRect area = cellArea();
  painter.setPen(currentTheme().muted);
  const std::size_t rows = m_cells->rows.size(), steps = m_cells->steps.size();
  const std::size_t down = roundDistance(rows, std::max(1, area.height() / 18));
  for (std::size_t row = 0; row < rows; row += down) {
    const QRect cell = cellRect(row, 0);
    const int middle = down == 1 ? cell.center().y() : cell.top() + 6;
    painter.drawText(QRect(0, middle - 8, kLeft - kGrid, 16), Qt::AlignRight | Qt::AlignVCenter, QString::number(m_cells->rows[row].rank));
  }
  const int label = QFontMetrics(painter.font()).horizontalAdvance(formatCount(m_cells->steps.back())) + kLabelEvery;
  const std::size_t across = roundDistance(steps, std::max(1, area.width() / label));
  for (std::size_t step = 0; step < steps; step += across) {
    const QRect cell = cellRect(0, step);
    const QString text = (step == 0 ? tr("step ") : QString()) + formatCount(m_cells->steps[step]);
    const int wide = QFontMetrics(painter.font()).horizontalAdvance(text) + 1;
    if (cell.left() + wide > width()) break;
    painter.drawLine(cell.left(), area.bottom() + 1, cell.left(), area.bottom() + 4);
    painter.drawText(QRect(cell.left(), area.bottom() + 4, wide, kBottom - 4), Qt::AlignLeft | Qt::AlignVCenter, text);
  }
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

void RankHeatMap::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  m_dirty = true;
  update();
}

void RankHeatMap::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (const auto cell = cellAt(event->pos())) emit cellChosen(m_cells->rows[cell->row].rank, m_cells->steps[cell->step]);
}

void RankHeatMap::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const auto cell = cellAt(event->pos())) emit cellActivated(m_cells->rows[cell->row].rank, m_cells->steps[cell->step]);
}

// Arrows walk through the cells, Enter goes to the one that is chosen.
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

bool RankHeatMap::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto cell = cellAt(help->pos());
  if (!cell) {
    QToolTip::hideText();
    return true;
  }
  const QString place = tr("rank %1, step %2: ").arg(m_cells->rows[cell->row].rank).arg(formatCount(m_cells->steps[cell->step]));
  QToolTip::showText(
      help->globalPos(),
      place + (std::isnan(cell->ratio) ? tr("not compared") : tr("%1 to its peers' median").arg(formatSignedPercent(cell->ratio))), this);
  return true;
}

}  // namespace runglass
