// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/side_panels.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QChartView>
#include <QEvent>
#include <QGraphicsLayout>
#include <QHorizontalBarSeries>
#include <QLegend>
#include <QPainter>
#include <QValueAxis>
#include <algorithm>

namespace runglass {
namespace {

constexpr int kTileHeight = 62, kPad = 2 * kGrid, kHead = 24, kChartHeight = 220;
constexpr int kFindingsShown = 5;

void paintHead(QPainter& painter, const QRect& rect, const QString& text) {
  const Theme& theme = currentTheme();
  painter.setFont(textFont());
  painter.setPen(theme.text);
  painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, text);
  painter.setPen(theme.line);
  painter.drawLine(rect.bottomLeft(), rect.bottomRight());
}

}  // namespace

TileRow::TileRow(QWidget* parent) : QWidget(parent) { setFixedHeight(kTileHeight); }

void TileRow::setTiles(std::vector<OverviewTile> tiles) {
  m_tiles = std::move(tiles);
  QStringList words;
  for (const OverviewTile& tile : m_tiles)
    words << tile.title + QStringLiteral(": ") + tile.value + QStringLiteral(" (") + tile.note + QLatin1Char(')');
  setAccessibleDescription(words.join(QStringLiteral("; ")));
  update();
}

void TileRow::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  const int count = static_cast<int>(m_tiles.size());
  for (int i = 0; i < count; ++i) {
    const OverviewTile& tile = m_tiles[static_cast<std::size_t>(i)];
    const QRect box(i * width() / count + (i > 0 ? kGrid : 0), 0, width() / count - kGrid, height() - kGrid);
    painter.fillRect(box, theme.surface);
    if (tile.severity >= Severity::kWarning)
      painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), severityColor(theme, tile.severity));
    const QRect inner = box.adjusted(kPad, kGrid, -kPad, -kGrid);
    painter.setFont(tableFont());
    painter.setPen(theme.muted);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignTop, tile.title);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignBottom, painter.fontMetrics().elidedText(tile.note, Qt::ElideRight, inner.width()));
    QFont value = headlineFont();
    value.setPixelSize(kHeadlinePx - 3);
    painter.setFont(value);
    painter.setPen(theme.text);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(tile.value, Qt::ElideRight, inner.width()));
  }
}

SidePanels::SidePanels(QWidget* parent) : QWidget(parent), m_chart(new QChart), m_chart_view(new QChartView(m_chart, this)) {
  setMinimumWidth(260);
  m_chart->setMargins({0, 0, 0, 0});
  m_chart->layout()->setContentsMargins(0, 0, 0, 0);
  m_chart->setBackgroundRoundness(0);
  m_chart->setAnimationOptions(QChart::NoAnimation);
  m_chart->legend()->setAlignment(Qt::AlignBottom);
  m_chart_view->setFrameShape(QFrame::NoFrame);
  m_chart_view->setFocusPolicy(Qt::NoFocus);
  m_chart_view->hide();
}

void SidePanels::setData(std::shared_ptr<const OverviewData> data) {
  m_data = std::move(data);
  fillChart();
  placeChart();
  update();
}

void SidePanels::fillChart() {
  const Theme& theme = currentTheme();
  m_chart->removeAllSeries();
  for (QAbstractAxis* axis : m_chart->axes()) {
    m_chart->removeAxis(axis);
    delete axis;
  }
  m_chart_view->setVisible(m_data && !m_data->parts.empty());
  if (!m_data || m_data->parts.empty()) return;
  double most = 0;
  for (const StepPart& part : m_data->parts) most = std::max({most, part.recent_ns, part.before_ns});
  const UnitScale scale = unitScale("ns", 0, most);
  auto* recent = new QBarSet(tr("newest %1 steps").arg(kRecentSteps));
  auto* before = new QBarSet(tr("before"));
  QStringList names;
  for (auto part = m_data->parts.rbegin(); part != m_data->parts.rend(); ++part) {
    // The change is printed beside the name: a bar's length alone is hard to read.
    const QString delta =
        part->before_ns > 0 ? QStringLiteral("  ") + formatSignedPercent(part->recent_ns / part->before_ns - 1) : QString();
    names << part->part + delta;
    *recent << part->recent_ns * scale.factor;
    *before << part->before_ns * scale.factor;
  }
  recent->setColor(theme.compute);
  before->setColor(theme.line);
  auto* series = new QHorizontalBarSeries;
  series->append(before);
  series->append(recent);
  m_chart->addSeries(series);
  auto* categories = new QBarCategoryAxis;
  categories->append(names);
  auto* values = new QValueAxis;
  values->setRange(0, most * scale.factor * 1.05);
  values->setLabelFormat(QStringLiteral("%.3g ") + scale.suffix);
  values->setTickCount(4);
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
  m_chart->setBackgroundBrush(theme.surface);
  m_chart->setPlotAreaBackgroundVisible(false);
  m_chart->legend()->setLabelColor(theme.muted);
  m_chart->legend()->setFont(tableFont());
}

void SidePanels::placeChart() { m_chart_view->setGeometry(0, height() - kChartHeight, width(), kChartHeight); }
void SidePanels::resizeEvent(QResizeEvent*) { placeChart(); }

void SidePanels::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) fillChart();
  QWidget::changeEvent(event);
}

void SidePanels::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), currentTheme().surface);
  if (!m_data) return;
  int top = paintFindings(painter, kGrid);
  top = paintNodes(painter, top + kPad);
  const QRect head(kPad, height() - kChartHeight - kHead, width() - 2 * kPad, kHead);
  paintHead(painter, head, tr("Step, by part (median over ranks)"));
  if (!m_data->parts.empty()) return;
  painter.setFont(tableFont());
  painter.setPen(currentTheme().muted);
  painter.drawText(QRect(kPad, head.bottom() + kGrid, width() - 2 * kPad, kChartHeight - kPad),
                   Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                   tr("No step parts: they come from the client (import runglass in the trainer)."));
}

int SidePanels::paintFindings(QPainter& painter, int top) const {
  const Theme& theme = currentTheme();
  paintHead(painter, {kPad, top, width() - 2 * kPad, kHead}, tr("Findings"));
  top += kHead + kGrid;
  painter.setFont(tableFont());
  if (m_data->findings.empty()) {
    painter.setPen(theme.muted);
    painter.drawText(QRect(kPad, top, width() - 2 * kPad, kRowHeight), Qt::AlignLeft | Qt::AlignVCenter, tr("None stored for this run."));
    return top + kRowHeight;
  }
  int shown = 0;
  for (const Finding& finding : m_data->findings) {
    if (++shown > kFindingsShown) break;
    painter.setPen(severityColor(theme, finding.severity));
    painter.drawText(QRect(kPad, top, 16, kRowHeight), Qt::AlignLeft | Qt::AlignVCenter, severityGlyph(finding.severity));
    painter.setPen(theme.text);
    painter.drawText(QRect(kPad + 18, top, width() - 2 * kPad - 18, kRowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(screenText(finding.summary, 200), Qt::ElideRight, width() - 2 * kPad - 18));
    top += kRowHeight;
  }
  return top;
}

int SidePanels::paintNodes(QPainter& painter, int top) const {
  const Theme& theme = currentTheme();
  paintHead(painter, {kPad, top, width() - 2 * kPad, kHead}, tr("Nodes that waited least"));
  top += kHead + kGrid;
  painter.setFont(tableFont());
  if (m_data->slow_nodes.empty()) {
    painter.setPen(theme.muted);
    painter.drawText(QRect(kPad, top, width() - 2 * kPad, 2 * kRowHeight), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                     tr("Nothing to compare: two nodes with step durations and waiting times are needed."));
    return top + 2 * kRowHeight;
  }
  constexpr int kName = 90, kNumber = 120;
  const int bar_width = std::max(20, width() - 2 * kPad - kName - kNumber);
  double most = 0.01;
  for (const NodeSlowness& node : m_data->slow_nodes) most = std::max(most, node.busy_over_median);
  for (const NodeSlowness& node : m_data->slow_nodes) {
    painter.setPen(theme.text);
    painter.drawText(QRect(kPad, top, kName, kRowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(node.name, Qt::ElideMiddle, kName - 6));
    const int length = static_cast<int>(bar_width * std::max(0.0, node.busy_over_median) / most);
    painter.fillRect(QRect(kPad + kName, top + 5, std::max(1, length), kRowHeight - 10),
                     node.busy_over_median >= 0.05 ? theme.heat_worse : theme.muted);
    painter.setPen(theme.muted);
    painter.drawText(QRect(width() - kPad - kNumber, top, kNumber, kRowHeight), Qt::AlignRight | Qt::AlignVCenter,
                     tr("%1 work, waits %2").arg(formatSignedPercent(node.busy_over_median), formatPercent(node.wait_ratio, 0)));
    top += kRowHeight;
  }
  return top;
}

}  // namespace runglass
