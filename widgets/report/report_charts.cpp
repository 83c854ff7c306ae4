// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report/report_charts.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QHorizontalStackedBarSeries>
#include <QLegend>
#include <QStackedBarSeries>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "widgets/core/units.h"
#include "widgets/report/page_text.h"
#include "widgets/report/report_pdf.h"

namespace runglass {
namespace {

constexpr double kWidth = 640, kBar = 22, kAxis = 72, kUpright = 180;
constexpr std::size_t kMaxLabels = 62;
constexpr double kThick = 0.6;

QColor colorOf(const Theme& theme, std::size_t part) { return part == 0 ? theme.compute : theme.series[part % theme.series.size()]; }

QAbstractBarSeries* seriesOf(const report::BarChart& chart, const UnitScale& scale, const Theme& theme) {
  QAbstractBarSeries* series = chart.over_time ? static_cast<QAbstractBarSeries*>(new QStackedBarSeries) : new QHorizontalStackedBarSeries;
  series->setBarWidth(kThick);
  for (std::size_t p = 0; p < chart.parts.size(); ++p) {
    auto* set = new QBarSet(paperText(chart.parts[p].name));
    for (std::size_t i = 0; i < std::min(chart.labels.size(), kMaxLabels); ++i) {
      // Rows are listed from the top; QtCharts counts from the bottom.
      const std::size_t at = chart.over_time ? i : std::min(chart.labels.size(), kMaxLabels) - 1 - i;
      const auto value = at < chart.parts[p].values.size() ? chart.parts[p].values[at] : std::nullopt;
      set->append(value && std::isfinite(*value) ? *value * scale.factor : 0);
    }
    set->setColor(colorOf(theme, p));
    set->setPen(Qt::NoPen);
    series->append(set);
  }
  return series;
}

void styleAxis(QAbstractAxis* axis, const Theme& theme) {
  axis->setLabelsFont(pageFont(PageFont::kTable));
  axis->setTitleFont(pageFont(PageFont::kTable));
  axis->setLabelsBrush(theme.text);
  axis->setTitleBrush(theme.muted);
  axis->setLinePen(QPen(theme.line, 1));
  axis->setGridLinePen(QPen(theme.line, 0.5));
}

void paintChart(QPainter& painter, const report::BarChart& chart, QSizeF size, const Theme& theme) {
  double most = 0;
  for (std::size_t i = 0; i < chart.labels.size(); ++i) {
    double sum = 0;
    for (const auto& part : chart.parts)
      if (i < part.values.size() && part.values[i] && std::isfinite(*part.values[i])) sum += *part.values[i];
    most = std::max(most, sum);
  }
  const UnitScale scale = unitScale(chart.unit, 0, most);
  QGraphicsScene scene;
  auto* view = new QChart;
  view->setAnimationOptions(QChart::NoAnimation);
  view->setBackgroundVisible(false);
  view->setMargins({0, 0, 8, 0});
  view->layout()->setContentsMargins(0, 0, 0, 0);
  QAbstractBarSeries* series = seriesOf(chart, scale, theme);
  view->addSeries(series);
  QStringList labels;
  for (const std::string& label : chart.labels)
    if (labels.size() < static_cast<qsizetype>(kMaxLabels))
      labels << QFontMetricsF(pageFont(PageFont::kTable)).elidedText(paperText(label), Qt::ElideRight, 200);
  // QtCharts requires distinct categories.
  for (qsizetype i = 0; i < labels.size(); ++i)
    while (labels.indexOf(labels[i]) != i) labels[i] += QChar(0x200A);
  if (!chart.over_time) std::ranges::reverse(labels);
  auto* names = new QBarCategoryAxis;
  names->append(labels);
  names->setGridLineVisible(false);
  auto* values = new QValueAxis;
  values->setRange(0, most > 0 ? most * scale.factor : 1);
  values->setTickCount(5);
  values->applyNiceNumbers();
  values->setMin(0);
  values->setLabelFormat(values->max() >= 20 ? QStringLiteral("%.0f") : QStringLiteral("%.4g"));
  if (!scale.suffix.empty()) values->setTitleText(suffixOf(scale));
  styleAxis(names, theme), styleAxis(values, theme);
  view->addAxis(names, chart.over_time ? Qt::AlignBottom : Qt::AlignLeft);
  view->addAxis(values, chart.over_time ? Qt::AlignLeft : Qt::AlignBottom);
  series->attachAxis(names), series->attachAxis(values);
  view->legend()->setVisible(chart.parts.size() > 1);
  view->legend()->setLabelColor(theme.text);
  view->resize(size);
  scene.addItem(view);
  scene.setSceneRect(QRectF({0, 0}, size));
  scene.render(&painter, QRectF({0, 0}, size), QRectF({0, 0}, size));
}

}  // namespace

DrawnChart drawChart(const report::BarChart& chart) {
  const auto rows = static_cast<double>(std::min(chart.labels.size(), kMaxLabels));
  const QSizeF size(kWidth, chart.over_time ? kUpright : kAxis + kBar * rows);
  DrawnChart drawn;
  drawn.size = size;
  QPainter painter(&drawn.picture);
  paintChart(painter, chart, size, theme(ThemeName::kLight));
  painter.end();
  const auto svg = [&](ThemeName name) { return svgOf(size, {}, [&](QPainter& on) { paintChart(on, chart, size, theme(name)); }); };
  drawn.light = svg(ThemeName::kLight), drawn.dark = svg(ThemeName::kDark);
  return drawn;
}

std::vector<DrawnChart> drawCharts(const report::ReportDocument& document) {
  std::vector<DrawnChart> out;
  for (const report::BarChart* chart : report::chartsOf(document)) out.push_back(drawChart(*chart));
  return out;
}

}  // namespace runglass
