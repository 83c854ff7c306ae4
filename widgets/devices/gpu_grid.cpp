// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/gpu_grid.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "widgets/charts/raster.h"

namespace runglass {
namespace {

constexpr int kLarge = 24, kSmall = 12, kLargeUpTo = 256, kBandGap = 14, kLeft = 2 * kGrid, kTop = kGrid;

}  // namespace

GpuGrid::GpuGrid(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

void GpuGrid::setData(std::shared_ptr<const GpuData> data, const GridMetric& metric) {
  m_data = std::move(data);
  m_metric = metric;
  updateGeometry();
  update();
}

void GpuGrid::setFilter(std::function<bool(const GpuCell&)> filter) {
  m_filter = std::move(filter);
  update();
}

GpuGrid::Geometry GpuGrid::geometryFor(int width) const {
  std::size_t cells = 0, rows = 1;
  for (const HostColumn& host : m_data->hosts) {
    cells += host.cells.size();
    rows = std::max(rows, host.cells.size());
  }
  const int cell = cells <= kLargeUpTo ? kLarge : kSmall;
  return {cell, std::max(1, (width - 2 * kLeft) / cell), static_cast<int>(rows), static_cast<int>(rows) * cell + kBandGap};
}

int GpuGrid::neededHeight(int width) const {
  if (!m_data || m_data->hosts.empty()) return 60;
  const Geometry g = geometryFor(width);
  const int bands = (static_cast<int>(m_data->hosts.size()) + g.per_band - 1) / g.per_band;
  return kTop + bands * g.band_height;
}

QRect GpuGrid::cellRect(const Geometry& g, std::size_t host, std::size_t cell) const {
  const int column = static_cast<int>(host) % g.per_band, band = static_cast<int>(host) / g.per_band;
  return {kLeft + column * g.cell, kTop + band * g.band_height + static_cast<int>(cell) * g.cell, g.cell - 1, g.cell - 1};
}

void GpuGrid::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), currentTheme().ground);
  if (!m_data) return;
  const Geometry g = geometryFor(width());
  for (std::size_t host = 0; host < m_data->hosts.size(); ++host) {
    const HostColumn& column = m_data->hosts[host];
    for (std::size_t cell = 0; cell < column.cells.size(); ++cell) paintCell(painter, cellRect(g, host, cell), column.cells[cell]);
    if (column.node != m_data->chosen) continue;
    painter.setPen(QPen(currentTheme().accent, kSelectionLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(cellRect(g, host, 0).united(cellRect(g, host, column.cells.size() - 1)).adjusted(-1, -1, 1, 1));
  }
}

void GpuGrid::paintCell(QPainter& painter, const QRect& rect, const GpuCell& cell) const {
  const Theme& theme = currentTheme();
  painter.fillRect(rect, theme.raised);
  if (m_filter && !m_filter(cell)) return;
  if (cell.state == CellState::kAbsent || !cell.value) {
    paintHatch(painter, rect, theme.line);
    if (cell.state != CellState::kLost) return;
  }
  const bool worse = m_metric.more_is_worse ? cell.deviation > 0 : cell.deviation < 0;
  const double share = std::min(1.0, std::abs(cell.deviation) / m_data->spread);
  // A healthy cell is visible, too: neutral with a touch of its value's colour.
  if (cell.value)
    painter.fillRect(rect, mix(theme.line, worse ? theme.heat_worse : theme.heat_better, std::abs(cell.deviation) < 0.02 ? 0 : share));
  if (cell.state == CellState::kStale) paintHatch(painter, rect, theme.muted);
  if (cell.state == CellState::kLost) {
    painter.setPen(QPen(theme.error, 1.5));
    painter.drawLine(rect.topLeft(), rect.bottomRight());
    painter.drawLine(rect.topRight(), rect.bottomLeft());
  }
  if (cell.state == CellState::kStale && cell.age && rect.width() >= kLarge - 1) {
    painter.setFont(tableFont());
    painter.fillRect(rect.adjusted(2, 5, -2, -5), theme.ground);
    painter.setPen(theme.text);
    painter.drawText(rect, Qt::AlignCenter, QString::number(std::min<DurNs>(999, *cell.age / kNsPerSecond)));
  }
  // Corner badges; with a shape each, so that colour is not all.
  const int badge = std::max(3, rect.width() / 3);
  painter.setPen(Qt::NoPen);
  if (cell.xid) {
    painter.setBrush(theme.critical);
    painter.drawRect(QRect(rect.right() - badge + 1, rect.top(), badge, badge));
  }
  if (cell.throttled) {
    painter.setBrush(theme.warning);
    painter.drawPolygon(QPolygon({rect.bottomLeft(), rect.bottomLeft() + QPoint(badge, 0), rect.bottomLeft() - QPoint(0, badge)}));
  }
  if (cell.link_error) {
    painter.setBrush(theme.memcpy);
    painter.drawPolygon(QPolygon({rect.topLeft() + QPoint(badge / 2, 0), rect.topLeft() + QPoint(badge, badge / 2),
                                  rect.topLeft() + QPoint(badge / 2, badge), rect.topLeft() + QPoint(0, badge / 2)}));
  }
  if (cell.mig) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(theme.text);
    painter.drawRect(QRect(rect.center().x() - badge / 2, rect.bottom() - badge + 1, badge - 1, badge - 1));
    painter.setPen(Qt::NoPen);
  }
  if (cell.remap_pending) {
    painter.setBrush(theme.group_ep);
    painter.drawEllipse(QRect(rect.right() - badge + 1, rect.bottom() - badge + 1, badge, badge));
  }
}

const GpuCell* GpuGrid::cellAt(const QPoint& point) const {
  if (!m_data) return nullptr;
  const Geometry g = geometryFor(width());
  for (std::size_t host = 0; host < m_data->hosts.size(); ++host)
    for (std::size_t cell = 0; cell < m_data->hosts[host].cells.size(); ++cell)
      if (cellRect(g, host, cell).adjusted(0, 0, 1, 1).contains(point)) return &m_data->hosts[host].cells[cell];
  return nullptr;
}

void GpuGrid::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (const GpuCell* cell = cellAt(event->pos())) emit cellChosen(cell->node, cell->device);
}

// Left and right walk along the hosts.
void GpuGrid::keyPressEvent(QKeyEvent* event) {
  const int by = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  if (by == 0 || !m_data || m_data->hosts.empty()) return QWidget::keyPressEvent(event);
  const auto at =
      std::find_if(m_data->hosts.begin(), m_data->hosts.end(), [&](const HostColumn& host) { return host.node == m_data->chosen; });
  const auto index = std::clamp<std::ptrdiff_t>((at == m_data->hosts.end() ? 0 : at - m_data->hosts.begin()) + by, 0,
                                                static_cast<std::ptrdiff_t>(m_data->hosts.size()) - 1);
  emit cellChosen(m_data->hosts[static_cast<std::size_t>(index)].node, {});
}

bool GpuGrid::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const GpuCell* cell = cellAt(help->pos());
  if (cell == nullptr) {
    QToolTip::hideText();
    return true;
  }
  QStringList lines{cell->name + (cell->rank.isEmpty() ? QString() : tr(", rank ") + cell->rank)};
  if (cell->value)
    lines << QString::fromUtf8(m_metric.title) + QStringLiteral(": ") + formatValue(*cell->value, m_data->unit) + QStringLiteral(", ") +
                 formatSignedPercent(cell->deviation) + tr(" to the median");
  else
    lines << tr("says nothing of %1").arg(QString::fromUtf8(m_metric.title));
  lines << (!cell->age ? tr("never heard") : *cell->age < kNsPerSecond ? tr("heard now") : tr("heard %1 ago").arg(formatAge(*cell->age)));
  if (cell->xid) lines << tr("■ Xid in the last hour");
  if (cell->throttled) lines << tr("◣ clocks held down by heat or hardware");
  if (cell->remap_pending) lines << tr("● row remap pending: needs a reset");
  if (cell->link_error) lines << tr("◆ NVLink errors since the driver was loaded");
  if (cell->mig) lines << tr("▭ MIG is on: divided into instances");
  if (cell->capped) lines << tr("at its power cap");
  QToolTip::showText(help->globalPos(), lines.join(QLatin1Char('\n')).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")),
                     this);
  return true;
}

}  // namespace runglass
