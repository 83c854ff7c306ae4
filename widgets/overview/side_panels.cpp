// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/side_panels.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <ranges>

#include "widgets/core/finding_face.h"
#include "widgets/core/language.h"
#include "widgets/overview/panel_sizes.h"

namespace runglass {
namespace {

constexpr int kTileHeight = 16 * kGrid, kMinTile = 30 * kGrid;
constexpr int kFindingsShown = 5, kFindingLines = 2;

void paintHead(QPainter& painter, const QRect& rect, const QString& text) {
  const Theme& theme = currentTheme();
  painter.setFont(textFont());
  painter.setPen(theme.text);
  painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, text);
  painter.setPen(theme.line);
  painter.drawLine(rect.bottomLeft(), rect.bottomRight());
}

}  // namespace

TileRow::TileRow(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Numbers of the run"));
  setFixedHeight(kTileHeight);
}

void TileRow::setTiles(std::vector<OverviewTile> tiles) {
  m_tiles = std::move(tiles);
  takeRows();
  update();
}

AccessibleTable TileRow::accessibleTable() const {
  AccessibleTable table{.summary = {}, .columns = {tr("tile"), tr("value"), tr("comparison")}};
  for (int i = 0; i < static_cast<int>(m_tiles.size()); ++i) {
    const OverviewTile& tile = m_tiles[static_cast<std::size_t>(i)];
    table.rows.push_back({{tile.title, tile.value, tile.note}, boxOf(i)});
  }
  return table;
}

int TileRow::columns() const {
  const int count = std::max(1, static_cast<int>(m_tiles.size()));
  return width() / count >= kMinTile ? count : (count + 1) / 2;
}

QRect TileRow::boxOf(int tile) const {
  const int across = columns(), at = tile % across, left = at * (width() + kGrid) / across;
  return {left, tile / across * kTileHeight, (at + 1) * (width() + kGrid) / across - kGrid - left, kTileHeight - kGrid};
}

void TileRow::takeRows() { setFixedHeight(columns() < static_cast<int>(m_tiles.size()) ? 2 * kTileHeight : kTileHeight); }

void TileRow::resizeEvent(QResizeEvent*) { takeRows(); }

void TileRow::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  for (int i = 0; i < static_cast<int>(m_tiles.size()); ++i) {
    const OverviewTile& tile = m_tiles[static_cast<std::size_t>(i)];
    const QRect box = boxOf(i);
    painter.fillRect(box, theme.surface);
    if (tile.severity >= Severity::kWarning)
      painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), severityColor(theme, tile.severity));
    const QRect inner = box.adjusted(kPanelPad, kGrid, -kPanelPad, -kGrid);
    painter.setFont(tableFont());
    painter.setPen(theme.muted);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignTop, tile.title);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignBottom, painter.fontMetrics().elidedText(tile.note, Qt::ElideRight, inner.width()));
    QFont value = headlineFont();
    for (int px = kHeadlinePx - 2; px >= kTitlePx; --px) {
      value.setPixelSize(px);
      if (QFontMetrics(value).horizontalAdvance(tile.value) <= inner.width()) break;
    }
    painter.setFont(value);
    painter.setPen(theme.text);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(tile.value, Qt::ElideRight, inner.width()));
  }
}

bool TileRow::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || m_tiles.empty()) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  for (int i = 0; i < static_cast<int>(m_tiles.size()); ++i)
    if (const OverviewTile& tile = m_tiles[static_cast<std::size_t>(i)]; boxOf(i).contains(help->pos()))
      QToolTip::showText(help->globalPos(),
                         QStringLiteral("%1: %2 (%3)\n%4")
                             .arg(tile.title, tile.value, tile.note, tile.why)
                             .toHtmlEscaped()
                             .replace(u'\n', QStringLiteral("<br>")),
                         this);
  return true;
}

SidePanels::SidePanels(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Findings and slow nodes"));
  setMinimumWidth(260);
}

bool SidePanels::setData(std::shared_ptr<const OverviewData> data, TimeNs now, TimeStyle style) {
  m_data = std::move(data);
  m_now = now, m_style = style;
  m_facts.clear();
  const auto& attempts = m_data->summary.attempts;
  for (const Finding& finding : m_data->findings | std::views::take(kFindingsShown)) {
    const auto attempt = std::ranges::find(attempts, finding.attempt, &Attempt::id);
    m_facts.push_back(factsOf(finding, attempt != attempts.end() ? &*attempt : nullptr, m_now));
  }
  update();
  return !m_data->findings.empty() || !m_data->slow_nodes.empty();
}

AccessibleTable SidePanels::accessibleTable() const {
  AccessibleTable table{.summary = {}, .columns = {tr("what"), tr("value")}};
  if (!m_data) return table;
  for (std::size_t i = 0; i < std::min(m_finding_places.size(), m_data->findings.size()); ++i) {
    const Finding& finding = m_data->findings[i];
    const FindingFacts& facts = m_facts[i];
    table.rows.push_back(
        {{severityLabel(finding.severity),
          QStringLiteral("%1; %2; %3").arg(findingText(finding), findingTimeText(finding, facts, m_now, m_style), findingCostText(facts))},
         m_finding_places[i]});
  }
  for (const NodeSlowness& node : m_data->slow_nodes)
    table.rows.push_back({{node.name, tr("own work %1 compared with the stage median, waits %2")
                                          .arg(formatSignedPercent(node.pace.slower), formatPercent(node.pace.wait_ratio, 0))}});
  return table;
}

const Finding* SidePanels::chosenFinding() const {
  if (!m_data || m_chosen_finding == 0) return nullptr;
  const auto found = std::ranges::find(m_data->findings, m_chosen_finding, &Finding::id);
  return found == m_data->findings.end() ? nullptr : &*found;
}

void SidePanels::mousePressEvent(QMouseEvent* event) {
  for (std::size_t i = 0; m_data && i < std::min(m_finding_places.size(), m_data->findings.size()); ++i) {
    if (!m_finding_places[i].contains(event->position().toPoint())) continue;
    m_chosen_finding = m_data->findings[i].id;
    update();
    emit findingChosen(m_data->findings[i]);
    return;
  }
}

void SidePanels::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), currentTheme().surface);
  if (!m_data) return;
  const int top = paintFindings(painter, kGrid);
  paintNodes(painter, top + kPanelPad);
}

int SidePanels::paintFindings(QPainter& painter, int top) const {
  const Theme& theme = currentTheme();
  paintHead(painter, {kPanelPad, top, width() - 2 * kPanelPad, kPanelHead}, tr("Findings"));
  top += kPanelHead + kGrid;
  painter.setFont(tableFont());
  if (m_data->findings.empty()) {
    painter.setPen(theme.muted);
    painter.drawText(QRect(kPanelPad, top, width() - 2 * kPanelPad, kRowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("None stored for this run."));
    return top + kRowHeight;
  }
  m_finding_places.clear();
  // The nodes below keep their place: of many findings the most urgent ones are shown.
  const int nodes = kPanelPad + kPanelHead + kGrid + std::max(2, static_cast<int>(m_data->slow_nodes.size())) * kRowHeight;
  for (std::size_t i = 0; i < m_facts.size(); ++i) {
    const Finding& finding = m_data->findings[i];
    const FindingFacts& facts = m_facts[i];
    const int height = findingFaceHeight(facts, kFindingLines);
    if (i > 0 && top + height + kRowHeight + nodes > this->height()) break;
    paintFindingFace(painter, {kPanelPad, top, width() - 2 * kPanelPad, height},
                     {.finding = finding, .facts = facts, .now = m_now, .style = m_style});
    m_finding_places.emplace_back(0, top, width(), height);
    if (finding.id == m_chosen_finding) painter.fillRect(QRect(0, top, kSelectionLine, height), theme.accent);
    top += height;
  }
  if (const std::size_t more = m_data->findings.size() - m_finding_places.size(); more > 0) {
    painter.setFont(tableFont());
    painter.setPen(theme.muted);
    painter.drawText(QRect(kPanelPad, top, width() - 2 * kPanelPad, kRowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("%n more in Findings", nullptr, static_cast<int>(more)));
    top += kRowHeight;
  }
  return top;
}

void SidePanels::paintNodes(QPainter& painter, int top) const {
  const Theme& theme = currentTheme();
  paintHead(painter, {kPanelPad, top, width() - 2 * kPanelPad, kPanelHead}, tr("Own work vs the stage median"));
  top += kPanelHead + kGrid;
  painter.setFont(tableFont());
  if (m_data->slow_nodes.empty()) {
    painter.setPen(theme.muted);
    painter.drawText(
        QRect(kPanelPad, top, width() - 2 * kPanelPad, 2 * kRowHeight), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
        m_data->complete ? tr("Nothing to compare: two nodes with step durations and waiting times are needed.") : tr("being read …"));
    return;
  }
  constexpr int kName = 90, kWork = 52, kWait = 72;
  const int bar_width = std::max(20, width() - 2 * kPanelPad - kName - kWork - kWait);
  double most = 0.01;
  for (const NodeSlowness& node : m_data->slow_nodes) most = std::max(most, node.pace.slower);
  for (const NodeSlowness& node : m_data->slow_nodes) {
    painter.setPen(theme.text);
    painter.drawText(QRect(kPanelPad, top, kName, kRowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(node.name, Qt::ElideMiddle, kName - 6));
    const int length = static_cast<int>(bar_width * std::max(0.0, node.pace.slower) / most);
    painter.fillRect(QRect(kPanelPad + kName, top + 5, std::max(1, length), kRowHeight - 10),
                     node.pace.slow ? theme.heat_worse : theme.muted);
    painter.setPen(theme.text);
    painter.drawText(QRect(width() - kPanelPad - kWait - kWork, top, kWork, kRowHeight), Qt::AlignRight | Qt::AlignVCenter,
                     formatSignedPercent(node.pace.slower));
    painter.setPen(theme.muted);
    painter.drawText(QRect(width() - kPanelPad - kWait, top, kWait, kRowHeight), Qt::AlignRight | Qt::AlignVCenter,
                     tr("waits %1").arg(formatPercent(node.pace.wait_ratio, 0)));
    top += kRowHeight;
  }
}

}  // namespace runglass
