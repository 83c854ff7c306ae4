// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/gpu_grid.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/charts/raster.h"
#include "widgets/core/language.h"
#include "widgets/devices/gpu_data.h"
#include "widgets/devices/gpu_words.h"

namespace runglass {
namespace {

constexpr int kLarge = 24, kSmall = 12, kLargeUpTo = 256;
constexpr std::array kSizes = {kLarge, kSmall, 8, 6};
constexpr int kBandGap = 14, kLeft = 2 * kGrid, kTop = kGrid, kMinBadge = 5;

}  // namespace

GpuGrid::GpuGrid(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("GPUs by host"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

void GpuGrid::setData(std::shared_ptr<const GpuData> data) {
  m_data = std::move(data);
  updateGeometry();
  update();
}

void GpuGrid::setRoom(int height) {
  if (height == m_room) return;
  m_room = height;
  updateGeometry();
  update();
}

void GpuGrid::setDevice(DeviceId device) {
  m_device = device;
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
  const auto geometry = [&](int cell) {
    return Geometry{cell, std::max(1, (width - 2 * kLeft) / cell), static_cast<int>(rows), static_cast<int>(rows) * cell + kBandGap};
  };
  const int usual = cells <= kLargeUpTo ? kLarge : kSmall;
  for (const int cell : kSizes)
    if (cell <= usual && heightOf(geometry(cell)) <= m_room) return geometry(cell);
  return geometry(usual);
}

int GpuGrid::heightOf(const Geometry& g) const {
  return kTop + (static_cast<int>(m_data->hosts.size()) + g.per_band - 1) / g.per_band * g.band_height;
}

int GpuGrid::neededHeight(int width) const {
  if (!m_data || m_data->hosts.empty()) return 60;
  return heightOf(geometryFor(width));
}

QRect GpuGrid::rectOf(NodeId node, DeviceId device) const {
  if (!m_data) return {};
  const Geometry g = geometryFor(width());
  for (std::size_t host = 0; host < m_data->hosts.size(); ++host)
    for (std::size_t cell = 0; cell < m_data->hosts[host].cells.size(); ++cell)
      if (m_data->hosts[host].node == node && m_data->hosts[host].cells[cell].device == device) return cellRect(g, host, cell);
  return {};
}

QRect GpuGrid::cellRect(const Geometry& g, std::size_t host, std::size_t cell) const {
  const int column = static_cast<int>(host) % g.per_band, band = static_cast<int>(host) / g.per_band;
  return {kLeft + column * g.cell, kTop + band * g.band_height + static_cast<int>(cell) * g.cell, g.cell - 1, g.cell - 1};
}

void GpuGrid::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), currentTheme().ground);
  if (!m_data) return paintFocusRing(painter, *this, rect());
  const Geometry g = geometryFor(width());
  for (std::size_t host = 0; host < m_data->hosts.size(); ++host) {
    const HostColumn& column = m_data->hosts[host];
    for (std::size_t cell = 0; cell < column.cells.size(); ++cell) paintCell(painter, cellRect(g, host, cell), column.cells[cell]);
  }
  // Outlines extend into the gaps between cells: draw all cells first, and findings after the selected host.
  for (std::size_t host = 0; host < m_data->hosts.size(); ++host) {
    if (m_data->hosts[host].node != m_data->chosen) continue;
    painter.setPen(QPen(currentTheme().accent, kSelectionLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(cellRect(g, host, 0).united(cellRect(g, host, m_data->hosts[host].cells.size() - 1)).adjusted(-1, -1, 1, 1));
    painter.setPen(QPen(currentTheme().text, kSelectionLine));
    for (std::size_t cell = 0; cell < m_data->hosts[host].cells.size(); ++cell)
      if (m_device && m_data->hosts[host].cells[cell].device == m_device) painter.drawRect(cellRect(g, host, cell));
  }
  for (std::size_t host = 0; host < m_data->hosts.size(); ++host)
    for (std::size_t cell = 0; cell < m_data->hosts[host].cells.size(); ++cell) {
      const GpuCell& one = m_data->hosts[host].cells[cell];
      if (one.finding && (!m_filter || m_filter(one))) paintFinding(painter, cellRect(g, host, cell), *one.finding);
    }
  paintFocusRing(painter, *this, rect());
}

void GpuGrid::paintCell(QPainter& painter, const QRect& rect, const GpuCell& cell) const {
  const Theme& theme = currentTheme();
  painter.fillRect(rect, theme.raised);
  if (m_filter && !m_filter(cell)) return;
  if (cell.state == CellState::kAbsent || !cell.value) {
    paintHatch(painter, rect, theme.line);
    if (cell.state != CellState::kLost) return;
  }
  if (cell.value) painter.fillRect(rect, mix(theme.line, cell.shade > 0 ? theme.heat_worse : theme.heat_better, std::abs(cell.shade)));
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
  paintBadges(painter, rect, cell);
}

// In the corners, each with a shape, so that colour is not the only distinction.
void GpuGrid::paintBadges(QPainter& painter, const QRect& rect, const GpuCell& cell) {
  const Theme& theme = currentTheme();
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

// A ring of background colour separates the outline from a shade of the same hue. The badge is in the centre, as the corners are taken.
void GpuGrid::paintFinding(QPainter& painter, const QRect& rect, const FindingMark& mark) const {
  const Theme& theme = currentTheme();
  painter.setBrush(Qt::NoBrush);
  painter.setPen(theme.ground);
  painter.drawRect(rect.adjusted(1, 1, -2, -2));
  painter.setPen(QPen(severityColor(theme, mark.severity), kSelectionLine));
  painter.drawRect(rect);
  const int badge = rect.width() / 2;
  if (badge < kMinBadge) return;
  const QRect place(rect.center() - QPoint((badge - 1) / 2, (badge - 1) / 2), QSize(badge, badge));
  if (rect.width() >= kLarge - 1) painter.fillRect(place.adjusted(-1, -1, 1, 1), theme.ground);  // a small cell has no room for more
  painter.drawPixmap(place, severityMark(mark.severity, badge, devicePixelRatioF()));
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

// Opened by keyboard: at the GPU with the keyboard focus.
void GpuGrid::contextMenuEvent(QContextMenuEvent* event) {
  const bool keyboard = event->reason() == QContextMenuEvent::Keyboard;
  const GpuCell* cell = keyboard ? current() : cellAt(event->pos());
  if (cell == nullptr) return;
  emit menuWanted(cell->node, cell->device, keyboard ? mapToGlobal(rectOf(cell->node, cell->device).center()) : event->globalPos());
}

void GpuGrid::mouseDoubleClickEvent(QMouseEvent* event) {
  if (cellAt(event->pos()) != nullptr) emit cellOpened();
}

const GpuCell* GpuGrid::current() const {
  if (!m_data) return nullptr;
  const GpuCell* first = nullptr;
  for (const HostColumn& host : m_data->hosts)
    for (const GpuCell& cell : host.cells) {
      if (m_device && cell.device == m_device) return &cell;
      if (first == nullptr && host.node == m_data->chosen) first = &cell;
    }
  return first;
}

void GpuGrid::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return walk(-1, 0);
    case Qt::Key_Right:
      return walk(1, 0);
    case Qt::Key_Up:
      return walk(0, -1);
    case Qt::Key_Down:
      return walk(0, 1);
    default:
      return QWidget::keyPressEvent(event);
  }
}

// Moves along the hosts, and within a host along its GPUs.
void GpuGrid::walk(int hosts, int cells) {
  const GpuCell* const from = current();
  if (from == nullptr) return;
  const auto moved = [](const auto& list, std::ptrdiff_t to) -> const auto& {
    return list[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(to, 0, static_cast<std::ptrdiff_t>(list.size()) - 1))];
  };
  const auto host = std::ranges::find(m_data->hosts, from->node, &HostColumn::node);
  const HostColumn& next = moved(m_data->hosts, host - m_data->hosts.begin() + hosts);
  if (next.cells.empty()) return;
  const GpuCell& cell = moved(next.cells, from - host->cells.data() + cells);
  emit cellChosen(cell.node, cell.device);
}

QStringList GpuGrid::wordsOf(const GpuCell& cell) const {
  QStringList lines{cell.rank.isEmpty() ? cell.name : tr("%1, rank %2").arg(cell.name, cell.rank)};
  const QString title = DeviceText::tr(kGridMetrics[m_data->metric].title);
  if (!cell.value)
    lines << tr("%1: no data").arg(title);
  else if (cell.deviation && comparesPeers(kGridMetrics[m_data->metric]))
    lines << QStringLiteral("%1: %2, %3").arg(title, formatValue(*cell.value, m_data->unit), deviationText(cell));
  else
    lines << QStringLiteral("%1: %2").arg(title, formatValue(*cell.value, m_data->unit));
  if (cell.finding) {
    lines << severityGlyph(cell.finding->severity) + QStringLiteral(" ") + findingText(*cell.finding);
    if (cell.finding->count > 1) lines << tr("%n more open finding(s)", "", static_cast<int>(cell.finding->count) - 1);
  }
  lines << (!cell.age                  ? tr("never reported")
            : *cell.age < kNsPerSecond ? tr("reporting")
                                       : tr("last report %1 ago").arg(formatAge(*cell.age)));
  if (cell.xid) lines << tr("■ Xid in the last hour");
  if (cell.throttled) lines << tr("◣ clocks throttled by heat or hardware");
  if (cell.remap_pending) lines << tr("● row remap pending: needs a reset");
  if (cell.link_error) lines << tr("◆ NVLink errors since the driver was loaded");
  if (cell.mig)
    lines << (cell.instances.isEmpty() ? tr("▭ MIG is on: divided into instances") : tr("▭ MIG instances: %1").arg(cell.instances));
  if (!cell.tenants.isEmpty()) lines << tr("used by %1").arg(cell.tenants);
  if (cell.capped) lines << tr("at its power cap");
  return lines;
}

AccessibleTable GpuGrid::accessibleTable() const {
  AccessibleTable table{.summary = m_data ? m_data->sentence : QString(), .columns = {tr("GPU"), tr("rank"), tr("state")}};
  if (!m_data) return table;
  const Geometry g = geometryFor(width());
  for (std::size_t host = 0; host < m_data->hosts.size(); ++host)
    for (std::size_t cell = 0; cell < m_data->hosts[host].cells.size(); ++cell) {
      const GpuCell& one = m_data->hosts[host].cells[cell];
      if (m_filter && !m_filter(one)) continue;
      table.rows.push_back({{one.name, one.rank, wordsOf(one).mid(1).join(QStringLiteral("; "))}, cellRect(g, host, cell)});
    }
  return table;
}

bool GpuGrid::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const GpuCell* cell = cellAt(help->pos());
  if (cell == nullptr) {
    QToolTip::hideText();
    return true;
  }
  QToolTip::showText(help->globalPos(),
                     wordsOf(*cell).join(QLatin1Char('\n')).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")), this);
  return true;
}

}  // namespace runglass
