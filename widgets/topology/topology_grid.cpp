// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: m_cells, m_holes and heads belong to m_data; m_peers and m_lit to m_chosen.
#include "widgets/topology/topology_grid.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/charts/raster.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kMinTile = 8, kMaxBlock = 148, kMinTick = 5, kMaxTick = 28;
constexpr int kTitleHeight = 22, kStripTitle = 132;
constexpr std::size_t kShortStrip = 16;  // ranks of a node drawn next to its name

}  // namespace

QColor peerColor(const Theme& theme, PeerKind kind) {
  switch (kind) {
    case PeerKind::kTp:
      return theme.group_tp;
    case PeerKind::kPp:
      return theme.group_pp;
    case PeerKind::kDp:
      return theme.group_dp;
    case PeerKind::kEp:
      return theme.group_ep;
    case PeerKind::kCp:
      break;
  }
  return theme.muted;
}

QColor deviationColor(const Theme& theme, const TopologyMetric& metric, double deviation, double spread) {
  const bool worse = metric.more_is_worse ? deviation > 0 : deviation < 0;
  const double share = spread > 0 ? std::min(1.0, std::abs(deviation) / spread) : 0;
  // A healthy rank must be visible, too.
  return mix(theme.line, worse ? theme.heat_worse : theme.heat_better, share);
}

TopologyGrid::TopologyGrid(QWidget* parent) : QAbstractScrollArea(parent) {
  setAccessibleName(tr("Ranks by pipeline stage and replica"));
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  horizontalScrollBar()->setSingleStep(24);
  verticalScrollBar()->setSingleStep(24);
}

void TopologyGrid::setData(std::shared_ptr<const TopologyData> data) {
  m_data = std::move(data);
  if (m_hovered && *m_hovered >= m_data->ranks.size()) m_hovered.reset();
  m_lattice = foldLattice(*m_data, m_fold);
  layOut();
  choosePeers();
}

void TopologyGrid::setSelected(std::optional<std::int32_t> rank) {
  m_selected = rank;
  choosePeers();
}

void TopologyGrid::setFold(Fold fold) {
  m_fold = fold;
  if (!m_data) return;
  m_lattice = foldLattice(*m_data, fold);
  layOut();
  choosePeers();
}

void TopologyGrid::setRacks(bool on) {
  m_racks = on;
  viewport()->update();
}

void TopologyGrid::setLinks(std::shared_ptr<const RankLinks> links) {
  m_links = std::move(links);
  viewport()->update();
}

void TopologyGrid::scrollTo(std::int32_t rank) {
  if (!m_data) return;
  const auto found = std::ranges::lower_bound(m_data->ranks, rank, {}, [](const TopologyRank& r) { return r.place.rank; });
  if (found != m_data->ranks.end() && found->place.rank == rank) reveal(static_cast<std::uint32_t>(found - m_data->ranks.begin()));
}

void TopologyGrid::choosePeers() {
  m_chosen.reset();
  m_peers.clear();
  m_lit.clear();
  viewport()->update();
  if (!m_data || !m_selected) return;
  const auto found = std::ranges::lower_bound(m_data->ranks, *m_selected, {}, [](const TopologyRank& rank) { return rank.place.rank; });
  if (found == m_data->ranks.end() || found->place.rank != *m_selected) return;
  m_chosen = static_cast<std::uint32_t>(found - m_data->ranks.begin());
  m_peers = peersOf(*m_data, *m_chosen);
  if (m_peers.empty()) return;  // groups unknown: no rank can be dimmed
  m_lit.assign(m_data->ranks.size(), false);
  m_lit[*m_chosen] = true;
  for (const PeerGroup& group : m_peers)
    for (const std::uint32_t i : group.ranks) m_lit[i] = true;
  // A cell is as bright as its brightest rank.
  for (std::uint32_t i = 0; i < m_lattice.shown.size(); ++i)
    if (m_lit[i]) m_lit[m_lattice.shown[i]] = true;
}

int TopologyGrid::stripsHeight(const QSize& room) {
  if (m_lattice.strips.empty()) return 0;
  layOutStrips(room, 0, true);
  return m_content.height();
}

void TopologyGrid::layOut() {
  m_cells.assign(m_data ? m_data->ranks.size() : 0, QRect());
  m_holes.clear(), m_columns.clear(), m_rows.clear(), m_titles.clear();
  m_content = {};
  const QSize room = viewport()->size();
  if (m_data) {
    const int strips = stripsHeight(room);
    m_content = {};
    if (!m_lattice.cells.empty()) layOutLattice(room, strips);
    layOutStrips(room, m_content.height() > 0 ? m_content.height() + kGrid : 0, false);
  }
  horizontalScrollBar()->setRange(0, std::max(0, m_content.width() - room.width()));
  horizontalScrollBar()->setPageStep(room.width());
  verticalScrollBar()->setRange(0, std::max(0, m_content.height() - room.height()));
  verticalScrollBar()->setPageStep(room.height());
  viewport()->update();
}

void TopologyGrid::layOutLattice(const QSize& room, int strips_height) {
  const Lattice& l = m_lattice;
  const int columns = static_cast<int>(l.dp.size()), rows = static_cast<int>(l.pp.size()), blocks = static_cast<int>(l.blocks.size()),
            ticks = static_cast<int>(l.tp.size());
  const int pitch = std::clamp((room.width() - kLeft) / columns, std::max(kMinTile, blocks * 7) + 2, blocks * kMaxBlock + kGrid);
  const int gap = pitch >= 28 ? kGrid : 2;
  const int block = (pitch - gap) / blocks, tile_width = block * blocks;
  const int height = std::max(room.height() - strips_height - kTop, room.height() / 2);
  const int tick = std::clamp((height / rows - kGrid) / ticks, kMinTick, ticks == 1 ? 2 * kMaxTick : kMaxTick);
  const int tile_height = tick * ticks, down = std::max(tile_height + kGrid, 16);
  m_tile = QRect(kLeft, kTop, tile_width - 1, tile_height - 1), m_pitch = QSize(pitch, down);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      for (int b = 0; b < blocks; ++b)
        for (int t = 0; t < ticks; ++t) {
          const QRect rect(kLeft + column * pitch + b * block, kTop + row * down + t * tick, block - 1, tick - 1);
          const std::uint32_t index = l.cells[l.at(static_cast<std::size_t>(row), static_cast<std::size_t>(column),
                                                   static_cast<std::size_t>(b), static_cast<std::size_t>(t))];
          if (index == kNoRank)
            m_holes.push_back(rect);
          else
            m_cells[index] = rect;
        }
  for (std::uint32_t i = 0; i < l.shown.size(); ++i) m_cells[i] = m_cells[l.shown[i]];
  const bool wide = pitch >= 40;
  for (int column = 0; column < columns && l.dp.front() >= 0; ++column) {
    const QString number = QString::number(l.dp[static_cast<std::size_t>(column)]);
    m_columns.push_back({kLeft + column * pitch, tile_width, wide ? tr("dp %1").arg(number) : number});
  }
  for (int row = 0; row < rows && l.pp.front() >= 0; ++row)
    m_rows.push_back({kTop + row * down, tile_height, tr("stage %1").arg(l.pp[static_cast<std::size_t>(row)])});
  m_content = {kLeft + columns * pitch, kTop + rows * down};
}

// Nodes of a few ranks are placed side by side, with their names next to them; longer strips wrap below their titles.
void TopologyGrid::layOutStrips(const QSize& room, int top, bool measure) {
  const auto& strips = m_lattice.strips;
  std::size_t total = 0, longest = 0;
  for (const auto& strip : strips) total += strip.ranks.size(), longest = std::max(longest, strip.ranks.size());
  const bool beside = strips.size() > 1 && longest > 0 && longest <= kShortStrip && m_lattice.cells.empty();
  QSize cell = total <= 128 ? QSize(88, 28) : total <= 512 ? QSize(40, 20) : QSize(16, 14);
  if (beside && total <= 128) cell.setWidth(std::clamp((room.width() - kStripTitle) / static_cast<int>(longest), 40, 88));
  const int strip_width = kStripTitle + static_cast<int>(longest) * cell.width() + 4 * kGrid;
  const int side_by_side = beside ? std::max(1, room.width() / strip_width) : 1;
  int per_row = beside ? static_cast<int>(longest) : std::max(1, (room.width() - 2 * kGrid) / cell.width());
  if (!beside && per_row > 8) per_row -= per_row % 8;  // nodes of eight start in the same columns
  int y = top, width = m_content.width();
  for (std::size_t s = 0; s < strips.size(); ++s) {
    const int x = beside ? static_cast<int>(s) % side_by_side * strip_width + kStripTitle : kGrid;
    if (beside && s > 0 && static_cast<int>(s) % side_by_side == 0) y += cell.height() + kGrid;
    if (!measure)
      m_titles.push_back(beside ? Title{QRect(x - kStripTitle, y, kStripTitle - kGrid, cell.height()), strips[s].title}
                                : Title{QRect(kGrid, y, room.width() - kGrid, kTitleHeight),
                                        tr("%1: %2 ranks").arg(strips[s].title, QString::number(strips[s].ranks.size()))});
    const int first = beside ? y : y + kTitleHeight;
    for (std::size_t i = 0; i < strips[s].ranks.size(); ++i) {
      const int at = static_cast<int>(i);
      const QRect rect(x + at % per_row * cell.width(), first + at / per_row * cell.height(), cell.width() - 2, cell.height() - 2);
      if (!measure) m_cells[strips[s].ranks[i]] = rect;
      width = std::max(width, rect.right() + 1);
    }
    if (!beside) y = first + (static_cast<int>(strips[s].ranks.size()) + per_row - 1) / per_row * cell.height() + kGrid;
  }
  if (beside) y += cell.height() + kGrid;
  m_content = {width, strips.empty() ? m_content.height() : y};
}

QPoint TopologyGrid::offset() const { return {-horizontalScrollBar()->value(), -verticalScrollBar()->value()}; }

std::optional<std::uint32_t> TopologyGrid::rankAt(const QPoint& point) const {
  // The headers cover content scrolled below them.
  if (!m_rows.empty() && point.x() < kLeft) return std::nullopt;
  const QPoint inside = point - offset();
  for (std::uint32_t i = 0; i < m_cells.size(); ++i)
    if (m_cells[i].adjusted(0, 0, 1, 1).contains(inside)) return shownFor(i);
  return std::nullopt;
}

QRect TopologyGrid::rankRect(std::int32_t rank) const {
  for (std::uint32_t i = 0; i < m_cells.size(); ++i)
    if (m_data->ranks[i].place.rank == rank) return m_cells[i].translated(offset());
  return {};
}

bool TopologyGrid::isDimmed(std::int32_t rank) const {
  for (std::uint32_t i = 0; i < m_lit.size(); ++i)
    if (m_data->ranks[i].place.rank == rank) return !m_lit[i];
  return false;
}

void TopologyGrid::resizeEvent(QResizeEvent*) { layOut(); }

bool TopologyGrid::event(QEvent* event) {
  if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) viewport()->update();  // its ring
  return QAbstractScrollArea::event(event);
}

void TopologyGrid::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) viewport()->update();
  QAbstractScrollArea::changeEvent(event);
}

bool TopologyGrid::viewportEvent(QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseButtonPress: {
      setFocus(Qt::MouseFocusReason);
      const auto rank = rankAt(static_cast<QMouseEvent*>(event)->pos());
      if (rank) emit rankChosen(m_data->ranks[*rank].place.rank);
      return true;
    }
    case QEvent::MouseButtonDblClick: {
      const auto rank = rankAt(static_cast<QMouseEvent*>(event)->pos());
      if (rank) emit rankOpened(m_data->ranks[*rank].place.rank);
      return true;
    }
    case QEvent::ContextMenu: {
      const auto* menu = static_cast<QContextMenuEvent*>(event);
      if (const auto rank = rankAt(menu->pos())) emit menuWanted(m_data->ranks[*rank].place.rank, menu->globalPos());
      return true;
    }
    case QEvent::MouseMove: {
      const auto rank = rankAt(static_cast<QMouseEvent*>(event)->pos());
      if (rank != m_hovered) m_hovered = rank, viewport()->update();
      return true;
    }
    case QEvent::Leave:
      m_hovered.reset();
      viewport()->update();
      break;
    case QEvent::ToolTip: {
      const auto* help = static_cast<QHelpEvent*>(event);
      const QString tip = tipAt(help->pos());
      if (tip.isEmpty())
        QToolTip::hideText();
      else
        QToolTip::showText(help->globalPos(), QStringLiteral("<p style='white-space:pre'>%1</p>").arg(tip.toHtmlEscaped()), viewport());
      return true;
    }
    default:
      break;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

// Opened by keyboard: for the selected rank.
void TopologyGrid::contextMenuEvent(QContextMenuEvent* event) {
  if (event->reason() != QContextMenuEvent::Keyboard || !m_chosen) return;
  const std::uint32_t shown = shownFor(*m_chosen);
  reveal(shown);
  emit menuWanted(m_data->ranks[*m_chosen].place.rank, viewport()->mapToGlobal(m_cells[shown].translated(offset()).center()));
}

void TopologyGrid::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape:
      return emit cleared();
    case Qt::Key_Left:
      return walk(-1, 0);
    case Qt::Key_Right:
      return walk(1, 0);
    case Qt::Key_Up:
      return walk(0, -1);
    case Qt::Key_Down:
      return walk(0, 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (m_chosen) return emit rankOpened(m_data->ranks[*m_chosen].place.rank);
      break;
    default:
      break;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

// Moves to the nearest rank in that direction, straight ahead before sideways.
void TopologyGrid::walk(int dx, int dy) {
  if (!m_data || m_cells.empty()) return;
  if (!m_chosen) return emit rankChosen(m_data->ranks.front().place.rank);
  const QPoint from = m_cells[*m_chosen].center();
  std::optional<std::uint32_t> best;
  int least = INT32_MAX;
  for (std::uint32_t i = 0; i < m_cells.size(); ++i) {
    const QPoint by = m_cells[i].center() - from;
    const int ahead = by.x() * dx + by.y() * dy, aside = std::abs(by.x() * dy) + std::abs(by.y() * dx);
    if (ahead <= 0 || aside > ahead) continue;
    if (const int cost = ahead + 4 * aside; cost < least) least = cost, best = i;
  }
  if (!best) return;
  const std::uint32_t chosen = shownFor(*best);
  reveal(chosen);
  emit rankChosen(m_data->ranks[chosen].place.rank);
}

void TopologyGrid::reveal(std::uint32_t index) {
  const QRect to = m_cells[index].translated(offset());
  if (to.right() > viewport()->width()) horizontalScrollBar()->setValue(horizontalScrollBar()->value() + to.right() - viewport()->width());
  if (to.left() < kLeft) horizontalScrollBar()->setValue(horizontalScrollBar()->value() + to.left() - kLeft);
  if (to.bottom() > viewport()->height()) verticalScrollBar()->setValue(verticalScrollBar()->value() + to.bottom() - viewport()->height());
  if (to.top() < kTop) verticalScrollBar()->setValue(verticalScrollBar()->value() + to.top() - kTop);
}

}  // namespace runglass
