// SPDX-License-Identifier: GPL-3.0-or-later
// HeatScale: the meaning of the lattice's colours and textures.
#include <QPainter>
#include <algorithm>

#include "widgets/charts/raster.h"
#include "widgets/topology/topology_grid.h"
#include "widgets/topology/topology_side.h"

namespace runglass {
namespace {

constexpr int kBarWidth = 160, kBarHeight = 12;
constexpr std::size_t kStagesInWords = 4;

}  // namespace

// The legend of a hang: the same fills and textures as in the grid.
void HeatScale::paintStates(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const QFontMetrics metrics = painter.fontMetrics();
  int x = 0;
  const auto entry = [&](const QColor& fill, const QColor& hatch, Qt::BrushStyle brush, bool cross, const QString& text) {
    const QRect box(x, height() / 2 - kBarHeight / 2, kBarHeight, kBarHeight);
    painter.fillRect(box, fill);
    if (brush != Qt::NoBrush) painter.fillRect(box, QBrush(hatch, brush));
    if (brush == Qt::NoBrush && hatch.isValid() && !cross) paintHatch(painter, box, hatch);
    if (cross) {
      painter.setPen(QPen(hatch, kSelectionLine));
      painter.drawLine(box.topLeft(), box.bottomRight());
      painter.drawLine(box.topRight(), box.bottomLeft());
    }
    x += kBarHeight + kGrid;
    painter.setPen(theme.muted);
    painter.drawText(QRect(x, 0, width() - x, height()), Qt::AlignLeft | Qt::AlignVCenter, text);
    x += metrics.horizontalAdvance(text) + 3 * kGrid;
  };
  entry(mix(theme.ground, theme.error, 0.35), theme.error, Qt::NoBrush, true, tr("has not entered"));
  entry(theme.ground, theme.error, Qt::Dense6Pattern, true, tr("silent"));
  entry(theme.raised, theme.communication, Qt::NoBrush, false, tr("waits at the root"));
  entry(theme.raised, mix(theme.communication, theme.ground, 0.55), Qt::NoBrush, false, tr("waits behind that"));
  entry(mix(theme.ground, theme.compute, 0.45), QColor(), Qt::NoBrush, false, tr("computes"));
  entry(theme.raised, theme.muted, Qt::NoBrush, false, tr("no data"));
}

HeatScale::HeatScale(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Scale of the colours"));
  setFont(tableFont());
  setMinimumHeight(kRowHeight);
}

void HeatScale::setData(std::shared_ptr<const TopologyData> data) {
  m_data = std::move(data);
  updateGeometry();
  update();
}

QString HeatScale::words() const {
  if (!m_data || m_data->stages.empty()) return {};
  if (m_data->metric.value == TopologyValue::kWhatIf) return tr("to a step in which all were equal (1)");
  const auto& stages = m_data->stages;
  if (stages.size() == 1) return tr("to the median %1").arg(valueText(m_data->metric, stages.front().median));
  if (stages.size() <= kStagesInWords) {
    QStringList parts;
    for (const StageMedian& stage : stages) parts << stageText(stage.pp) + QLatin1Char(' ') + valueText(m_data->metric, stage.median);
    return tr("to the median of the same stage: %1").arg(parts.join(QStringLiteral(", ")));
  }
  const auto [low, high] = std::ranges::minmax_element(stages, {}, &StageMedian::median);
  return tr("to the median of the same stage: %1 to %2")
      .arg(valueText(m_data->metric, low->median), valueText(m_data->metric, high->median));
}

QSize HeatScale::sizeHint() const { return {600, kRowHeight}; }

void HeatScale::paintEvent(QPaintEvent*) {
  if (!m_data) return;
  QPainter painter(this);
  painter.setFont(tableFont());
  const Theme& theme = currentTheme();
  const QFontMetrics metrics = painter.fontMetrics();
  const int middle = height() / 2;
  int x = 0;
  const auto write = [&](const QString& text, const QColor& color) {
    painter.setPen(color);
    painter.drawText(QRect(x, 0, width() - x, height()), Qt::AlignLeft | Qt::AlignVCenter, text);
    x += metrics.horizontalAdvance(text) + kGrid;
  };
  const auto swatch = [&](const QColor& hatch, bool cross, const QString& text) {
    const QRect box(x, middle - kBarHeight / 2, kBarHeight, kBarHeight);
    painter.fillRect(box, theme.raised);
    if (!cross) paintHatch(painter, box, hatch);
    if (cross) {
      painter.setPen(QPen(hatch, kSelectionLine));
      painter.drawLine(box.topLeft(), box.bottomRight());
      painter.drawLine(box.topRight(), box.bottomLeft());
    }
    x += kBarHeight + kGrid;
    write(text, theme.muted);
    x += 2 * kGrid;
  };
  if (m_data->hang_mode) return paintStates(painter);
  if (!m_data->stages.empty()) {
    const double spread = m_data->spread;
    write(deviationText(m_data->metric, -spread), theme.text);
    const int steps = kBarWidth / 4;
    for (int i = 0; i < steps; ++i)
      painter.fillRect(QRect(x + i * 4, middle - kBarHeight / 2, 4, kBarHeight),
                       deviationColor(theme, m_data->metric, spread * (2.0 * i / (steps - 1) - 1), spread));
    x += kBarWidth + kGrid;
    write(deviationText(m_data->metric, spread), theme.text);
    x += 2 * kGrid;
  }
  const auto& ranks = m_data->ranks;
  if (std::ranges::any_of(ranks, [](const TopologyRank& rank) { return !rank.value; })) swatch(theme.muted, false, tr("no value"));
  if (m_data->hang) {
    swatch(theme.communication, false, tr("waits"));
    swatch(theme.error, true, tr("not seen there"));
  }
  // Last: if there is no room for the medians here, they are still in the side panel.
  const QString medians = words();
  if (medians.isEmpty()) return;
  write(metrics.elidedText(medians, Qt::ElideRight, width() - x), theme.muted);
}

}  // namespace runglass
