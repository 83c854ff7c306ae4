// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/breakdown_view.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QChartView>
#include <QEvent>
#include <QGraphicsLayout>
#include <QHorizontalStackedBarSeries>
#include <QLegend>
#include <QPainter>
#include <QValueAxis>
#include <algorithm>

#include "widgets/core/language.h"
#include "widgets/core/run_words.h"
#include "widgets/overview/panel_sizes.h"

namespace runglass {
namespace {

constexpr int kHeight = 136, kListWidth = 300, kMinChart = 220, kName = 106;

}  // namespace

QColor partColor(const Theme& theme, const QString& part) {
  if (part == QLatin1String("forward")) return mix(theme.compute, theme.ground, 0.35);
  if (part == QLatin1String("backward") || part == QLatin1String("compute")) return theme.compute;
  if (part == QLatin1String("optimizer")) return mix(theme.compute, theme.ground, 0.6);
  if (part == QLatin1String("communication")) return theme.communication;
  if (part == QLatin1String("waiting for peers")) return mix(theme.communication, theme.ground, 0.5);
  if (part == QLatin1String("data")) return theme.data_load;
  if (part == QLatin1String("checkpoint")) return theme.checkpoint;
  if (part == QLatin1String("not in a part")) return theme.line;
  return theme.host;
}

BreakdownView::BreakdownView(QWidget* parent) : QWidget(parent), m_chart(new QChart), m_view(new QChartView(m_chart, this)) {
  setAccessibleName(tr("Step, by part"));
  m_chart->setMargins({0, 0, 0, 0});
  m_chart->layout()->setContentsMargins(0, 0, 0, 0);
  m_chart->setBackgroundRoundness(0);
  m_chart->setAnimationOptions(QChart::NoAnimation);
  m_chart->legend()->hide();
  m_view->setFrameShape(QFrame::NoFrame);
  m_view->setFocusPolicy(Qt::NoFocus);
  m_view->viewport()->setFocusPolicy(Qt::NoFocus);
  setFixedHeight(kHeight);
  hide();
}

void BreakdownView::setData(const StepBreakdown& data) {
  m_data = data;
  setVisible(!data.parts.empty());
  fillChart();
  update();
}

void BreakdownView::fillChart() {
  const Theme& theme = currentTheme();
  m_chart->removeAllSeries();
  for (QAbstractAxis* axis : m_chart->axes()) {
    m_chart->removeAxis(axis);
    delete axis;
  }
  m_chart->setBackgroundBrush(theme.surface);
  if (m_data.parts.empty()) return;
  double recent = 0, before = 0;
  for (const PartMeans& part : m_data.parts) recent += part.recent_ns, before += part.before_ns;
  const double most = std::max(recent, before);
  const UnitScale scale = unitScale("ns", 0, most);
  auto* series = new QHorizontalStackedBarSeries;
  series->setBarWidth(0.7);
  for (const PartMeans& part : m_data.parts) {
    const QString name = screenText(part.part, 40);
    auto* set = new QBarSet(phraseText(part.part, 40));
    if (before > 0) *set << part.before_ns * scale.factor;
    *set << part.recent_ns * scale.factor;
    set->setColor(partColor(theme, name));
    set->setPen(QPen(theme.surface, kHairline));
    series->append(set);
  }
  m_chart->addSeries(series);
  auto* categories = new QBarCategoryAxis;
  if (before > 0) categories->append(tr("before"));
  categories->append(tr("newest %1 steps").arg(kRecentSteps));
  categories->setGridLineVisible(false);
  auto* values = new QValueAxis;
  values->setRange(0, most * scale.factor);
  values->applyNiceNumbers();
  values->setLabelFormat(QStringLiteral("%.4g ") + suffixOf(scale));
  for (QAbstractAxis* axis : {static_cast<QAbstractAxis*>(categories), static_cast<QAbstractAxis*>(values)}) {
    axis->setLabelsColor(theme.muted);
    axis->setLabelsFont(tableFont());
    axis->setGridLineColor(theme.line);
    axis->setLinePenColor(theme.line);
  }
  m_chart->addAxis(categories, Qt::AlignLeft);
  m_chart->addAxis(values, Qt::AlignBottom);
  series->attachAxis(categories);
  series->attachAxis(values);
  m_chart->setPlotAreaBackgroundVisible(false);
  setAccessibleDescription(tr("Step by part: %1 parts").arg(m_data.parts.size()));
}

// Without room for both, the numbers take precedence over the bars.
void BreakdownView::placeChart() {
  m_view->setVisible(width() >= kListWidth + kMinChart);
  m_view->setGeometry(0, kPanelHead, std::max(80, width() - kListWidth), height() - kPanelHead);
}

void BreakdownView::resizeEvent(QResizeEvent*) { placeChart(); }

void BreakdownView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) fillChart();
  QWidget::changeEvent(event);
}

void BreakdownView::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.surface);
  painter.setFont(textFont());
  painter.setPen(theme.text);
  painter.drawText(QRect(kPanelPad, 0, width() - 2 * kPanelPad, kPanelHead), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("Step, by part: mean over ranks"));
  painter.setFont(tableFont());
  const bool alone = !m_view->isVisible();  // then below the header, not next to it
  const int left = alone ? kPanelPad : width() - kListWidth + kPanelPad, right = width() - kPanelPad;
  int top = alone ? kPanelHead : kGrid;
  const auto fit = static_cast<std::size_t>(std::max(1, (height() - top) / kPanelLine));
  for (std::size_t i = 0; i < m_data.parts.size(); ++i) {
    const PartMeans& part = m_data.parts[i];
    if (i + 1 == fit && fit < m_data.parts.size()) {
      painter.setPen(theme.muted);
      painter.drawText(QRect(left + kSwatch + 6, top, width() - left, kPanelLine), Qt::AlignLeft | Qt::AlignVCenter,
                       tr("and %1 more").arg(m_data.parts.size() - i));
      break;
    }
    const QString name = screenText(part.part, 40);
    painter.fillRect(QRect(left, top + 3, kSwatch, kSwatch), partColor(theme, name));
    painter.setPen(theme.text);
    painter.drawText(QRect(left + kSwatch + 6, top, kName, kPanelLine), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(phraseText(part.part, 40), Qt::ElideRight, kName));
    painter.drawText(QRect(left + kName, top, 74, kPanelLine), Qt::AlignRight | Qt::AlignVCenter,
                     formatDuration(static_cast<DurNs>(part.recent_ns)));
    if (part.before_ns > 0) {
      painter.setPen(theme.muted);
      painter.drawText(QRect(right - 110, top, 110, kPanelLine), Qt::AlignRight | Qt::AlignVCenter,
                       formatSignedPercent(part.recent_ns / part.before_ns - 1));
    }
    top += kPanelLine;
  }
}

AccessibleTable BreakdownView::accessibleTable() const {
  AccessibleTable table{.summary = {}, .columns = {tr("part"), tr("mean over ranks"), tr("change")}};
  for (const PartMeans& part : m_data.parts)
    table.rows.push_back({{phraseText(part.part, 40), formatDuration(static_cast<DurNs>(part.recent_ns)),
                           part.before_ns > 0 ? formatSignedPercent(part.recent_ns / part.before_ns - 1) : QString()}});
  return table;
}

}  // namespace runglass
