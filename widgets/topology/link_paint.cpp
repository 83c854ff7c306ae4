// SPDX-License-Identifier: GPL-3.0-or-later
// Drawn over the ranks of TopologyGrid: links of the selected rank, borders between racks.
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <map>
#include <unordered_map>

#include "widgets/core/units.h"
#include "widgets/topology/topology_grid.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxDrawn = 256;  // edges of a kind
constexpr int kLabelFrom = 28;          // minimum length of a link with a label

}  // namespace

void TopologyGrid::paintLinks(QPainter& painter) const {
  if (!m_links || !m_chosen || m_data->ranks[*m_chosen].place.rank != m_links->rank) return;
  const Theme& theme = currentTheme();
  std::unordered_map<std::int32_t, std::uint32_t> index;
  for (std::uint32_t i = 0; i < m_data->ranks.size(); ++i) index[m_data->ranks[i].place.rank] = i;
  std::map<PeerKind, std::size_t> drawn;
  struct Label {
    QPoint at;
    QString text;
    QColor color;
  };
  std::vector<Label> labels;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (const LinkEdge& edge : m_links->edges) {
    const auto first_rank = index.find(edge.from), second_rank = index.find(edge.to);
    if (first_rank == index.end() || second_rank == index.end() || ++drawn[edge.kind] > kMaxDrawn) continue;
    const QRect &from = m_cells[first_rank->second], &to = m_cells[second_rank->second];
    if (from == to || !from.isValid() || !to.isValid()) continue;
    QPen pen(peerColor(theme, edge.kind), kSelectionLine);
    if (!edge.bytes_per_s) pen.setStyle(Qt::DotLine);  // connected, not measured
    painter.setPen(pen);
    // The return edge of a ring is curved, so that it does not overlap the others. Links of different kinds run in parallel, below the
    // numbers of the cells.
    const int below = std::max(0, from.height() / 2 - 6);
    const QPoint aside((static_cast<int>(edge.kind) - 2) * std::min(10, from.width() / 6),
                       (static_cast<int>(edge.kind) - 2) * std::min(3, from.height() / 6) + below);
    const QPoint a = from.center() + aside, b = to.center() + aside;
    const QPoint middle = (a + b) / 2;
    const QPoint by = b - a;
    const bool back = edge.from > edge.to && drawn[edge.kind] > 1;
    const QPoint bow = back ? QPoint(by.y() == 0 ? 0 : 14, by.x() == 0 ? 0 : 14) : QPoint();
    QPainterPath path(a);
    path.quadTo(middle + 2 * bow, b);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    const bool first = drawn[edge.kind] == 1;
    if (edge.bytes_per_s && (edge.own || first) && by.manhattanLength() >= kLabelFrom)
      labels.push_back({middle + bow, formatByteRate(*edge.bytes_per_s), peerColor(theme, edge.kind)});
  }
  painter.restore();
  const QFontMetrics metrics = painter.fontMetrics();
  for (const Label& label : labels) {
    QRect box(0, 0, metrics.horizontalAdvance(label.text) + 2 * kGrid, metrics.height());
    box.moveCenter(label.at);
    painter.fillRect(box, theme.ground);
    painter.setPen(QPen(label.color, kHairline));
    painter.drawRect(box.adjusted(0, 0, -1, -1));
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignCenter, label.text);
  }
}

// Between tiles whose ranks are in different racks.
void TopologyGrid::paintRacks(QPainter& painter) const {
  if (!m_racks || m_lattice.cells.empty()) return;
  const std::size_t columns = m_lattice.dp.size(), rows = m_lattice.pp.size();
  const std::size_t in_tile = m_lattice.blocks.size() * m_lattice.tp.size();
  const auto rankOf = [&](std::size_t row, std::size_t column) -> const TopologyRank* {
    const std::size_t first = m_lattice.at(row, column, 0, 0);
    for (std::size_t i = first; i < first + in_tile; ++i)
      if (m_lattice.cells[i] != kNoRank) return &m_data->ranks[m_lattice.cells[i]];
    return nullptr;
  };
  const auto differ = [](const TopologyRank* a, const TopologyRank* b) {
    return a != nullptr && b != nullptr && !a->rack.isEmpty() && !b->rack.isEmpty() && a->rack != b->rack;
  };
  painter.setPen(QPen(currentTheme().text, kSelectionLine));
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) {
      const TopologyRank* here = rankOf(row, column);
      const int left = m_tile.left() + static_cast<int>(column) * m_pitch.width(),
                top = m_tile.top() + static_cast<int>(row) * m_pitch.height();
      const int gap_x = (m_pitch.width() - m_tile.width()) / 2, gap_y = (m_pitch.height() - m_tile.height()) / 2;
      if (column + 1 < columns && differ(here, rankOf(row, column + 1)))
        painter.drawLine(left + m_tile.width() + gap_x, top - gap_y, left + m_tile.width() + gap_x, top + m_tile.height() + gap_y);
      if (row + 1 < rows && differ(here, rankOf(row + 1, column)))
        painter.drawLine(left - gap_x, top + m_tile.height() + gap_y, left + m_tile.width() + gap_x, top + m_tile.height() + gap_y);
    }
}

}  // namespace runglass
