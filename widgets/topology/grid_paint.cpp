// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of TopologyGrid: ranks, outlines, headers; and the text of tooltips.
#include <QPaintEvent>
#include <QPainter>
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "widgets/charts/raster.h"
#include "widgets/core/units.h"
#include "widgets/topology/topology_data.h"
#include "widgets/topology/topology_grid.h"

namespace runglass {
namespace {

constexpr int kTextWidth = 22, kTextHeight = 13, kValueWidth = 84;  // minimum sizes of a tick that shows its rank, and also its value
constexpr double kDim = 0.75, kFurther = 0.55;

// In a hang: computing ranks solid, waiting ranks plain under a hatch, missing ranks in the error colour.
QColor stateFill(const Theme& theme, const TopologyRank& rank) {
  switch (rank.wait) {
    case WaitState::kComputing:
      return mix(theme.ground, theme.compute, 0.45);
    case WaitState::kNotSeen:
      return mix(theme.ground, theme.error, 0.35);
    case WaitState::kSilent:
      return theme.ground;
    default:
      return theme.raised;
  }
}

}  // namespace

void TopologyGrid::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  const Theme& theme = currentTheme();
  painter.fillRect(event->rect(), theme.ground);
  if (!m_data) return paintFocusRing(painter, *this, viewport()->rect());
  painter.setFont(tableFont());
  painter.translate(offset());
  const QRect exposed = event->rect().translated(-offset());
  painter.setPen(QPen(theme.line, kHairline, Qt::DotLine));
  painter.setBrush(Qt::NoBrush);
  for (const QRect& hole : m_holes)
    if (hole.intersects(exposed)) painter.drawRect(hole.adjusted(0, 0, -1, -1));
  for (std::uint32_t i = 0; i < m_cells.size(); ++i)
    if (shownFor(i) == i && m_cells[i].intersects(exposed)) paintRank(painter, i, m_cells[i]);
  painter.setPen(theme.muted);
  for (const Title& title : m_titles)
    painter.drawText(title.rect, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(title.text, Qt::ElideRight, title.rect.width()));
  paintRacks(painter);
  paintBehind(painter);
  paintGroups(painter);
  paintLinks(painter);
  paintNode(painter);
  painter.resetTransform();
  paintHeads(painter);
  paintFocusRing(painter, *this, viewport()->rect());
}

void TopologyGrid::paintRank(QPainter& painter, std::uint32_t index, const QRect& rect) const {
  const Theme& theme = currentTheme();
  const TopologyRank& rank = m_data->ranks[index];
  const bool dim = !m_lit.empty() && !m_lit[index];
  const auto faded = [&](const QColor& color) { return dim ? mix(color, theme.ground, kDim) : color; };
  QColor fill = theme.raised;
  if (m_data->hang_mode)
    fill = stateFill(theme, rank);
  else if (rank.value)
    fill = rank.deviation ? deviationColor(theme, m_data->metric, *rank.deviation, m_data->spread) : theme.line;
  painter.fillRect(rect, faded(fill));
  const bool unknown = m_data->hang_mode ? rank.wait == WaitState::kNone : !rank.value && rank.wait != WaitState::kWaiting;
  if (unknown) paintHatch(painter, rect, faded(theme.muted));
  if (rank.wait == WaitState::kWaiting)
    paintHatch(painter, rect,
               faded(m_data->hang_mode && !rank.at_root ? mix(theme.communication, theme.ground, kFurther) : theme.communication));
  if (rank.wait == WaitState::kSilent) painter.fillRect(rect, QBrush(faded(theme.error), Qt::Dense6Pattern));
  if (rank.wait == WaitState::kNotSeen || rank.wait == WaitState::kSilent) {
    painter.setPen(QPen(faded(theme.error), kSelectionLine));
    painter.drawLine(rect.topLeft(), rect.bottomRight());
    painter.drawLine(rect.topRight(), rect.bottomLeft());
    painter.drawRect(rect.adjusted(0, 0, -1, -1));
  }
  if (rect.width() < kTextWidth || rect.height() < kTextHeight) return;
  const QString number = QString::number(rank.place.rank);
  const QFontMetrics metrics = painter.fontMetrics();
  // Either all ranks of the picture show their number or none: a part of them would look special.
  if (metrics.horizontalAdvance(QString::number(m_data->ranks.back().place.rank)) + kGrid > rect.width()) return;
  const int needed = metrics.horizontalAdvance(number) + kGrid;
  // Text keeps its contrast on every fill: the better of text and background colour.
  const QColor ink = contrastRatio(theme.text, fill) >= contrastRatio(theme.ground, fill) ? theme.text : theme.ground;
  const QRect inner = rect.adjusted(kGrid, 0, -kGrid, 0);
  const bool value = !m_data->hang_mode && rank.value && rect.width() >= kValueWidth;
  if (m_data->hang_mode && rect.width() >= kValueWidth) return paintState(painter, rank, inner, faded(fill), faded(ink));
  if (!rank.value || rank.wait != WaitState::kNone)  // hatches and crosses must not cross the digits
    painter.fillRect(QRect(value ? inner.left() - 2 : rect.center().x() - needed / 2, rect.top() + 1, needed, rect.height() - 2),
                     faded(fill));
  painter.setPen(faded(ink));
  painter.drawText(value ? inner : rect, (value ? Qt::AlignLeft : Qt::AlignHCenter) | Qt::AlignVCenter, number);
  if (value)
    painter.drawText(inner, Qt::AlignRight | Qt::AlignVCenter,
                     m_data->metric.value == TopologyValue::kProgress ? formatCount(static_cast<std::int64_t>(*rank.value))
                                                                      : formatValue(*rank.value, m_data->metric.unit));
}

// Number on the left, lag or place of waiting on the right, on a background of its own.
void TopologyGrid::paintState(QPainter& painter, const TopologyRank& rank, const QRect& inner, const QColor& fill,
                              const QColor& ink) const {
  const QFontMetrics metrics = painter.fontMetrics();
  QString right = rank.behind;
  if (right.isEmpty() && rank.progress && rank.progress->seq) right = QStringLiteral("#%1").arg(*rank.progress->seq);
  const QString number = QString::number(rank.place.rank);
  right = metrics.elidedText(right, Qt::ElideRight, inner.width() - metrics.horizontalAdvance(number) - 2 * kGrid);
  for (const auto& [text, flags] : {std::pair(number, Qt::AlignLeft), std::pair(right, Qt::AlignRight)}) {
    if (text.isEmpty()) continue;
    const int width = metrics.horizontalAdvance(text) + kGrid;
    const int x = flags == Qt::AlignLeft ? inner.left() - 2 : inner.right() + 3 - width;
    painter.fillRect(QRect(x, inner.top() + 1, width, inner.height() - 2), fill);
    painter.setPen(ink);
    painter.drawText(inner, flags | Qt::AlignVCenter, text);
  }
}

// If ticks are too small for text, a tile still shows how far its ranks are behind.
void TopologyGrid::paintBehind(QPainter& painter) const {
  if (!m_data->hang_mode) return;
  const QFontMetrics metrics = painter.fontMetrics();
  for (std::uint32_t i = 0; i < m_cells.size(); ++i) {
    const TopologyRank& rank = m_data->ranks[i];
    if (!rank.behind.startsWith(QChar(0x2212)) || (m_cells[i].width() >= kTextWidth && m_cells[i].height() >= kTextHeight)) continue;
    const QSize size(metrics.horizontalAdvance(rank.behind) + kGrid, kTextHeight);
    QRect box(QPoint(), size);
    box.moveCenter(m_cells[i].center());
    painter.fillRect(box, currentTheme().ground);
    painter.setPen(currentTheme().error);
    painter.drawText(box, Qt::AlignCenter, rank.behind);
  }
}

// Peers in the hue of their kind; neighbours share one outline, so that small ticks keep their colour.
void TopologyGrid::paintGroups(QPainter& painter) const {
  if (!m_chosen) return;
  painter.setBrush(Qt::NoBrush);
  struct Outline {
    QRect rect;
    int level;
  };
  std::vector<int> levels(m_cells.size(), 0);  // number of outlines around a rank so far: the next one goes inside
  for (const PeerGroup& group : m_peers) {
    std::vector<Outline> merged;
    std::map<std::tuple<int, int, int>, std::size_t> below;  // by left, right and bottom: the cell directly below joins it
    std::set<std::uint32_t> outlined;
    for (const std::uint32_t member : group.ranks) {
      const std::uint32_t i = shownFor(member);
      if (!outlined.insert(i).second) continue;
      const QRect& rect = m_cells[i];
      const auto above = below.find({rect.left(), rect.right(), rect.top() - 2});
      const int level = i == shownFor(*m_chosen) ? 0 : levels[i]++;
      const std::size_t at = above == below.end() ? merged.size() : above->second;
      if (above == below.end())
        merged.push_back({rect, level});
      else
        merged[at] = {merged[at].rect.united(rect), std::max(merged[at].level, level)}, below.erase(above);
      below[{rect.left(), rect.right(), rect.bottom()}] = at;
    }
    painter.setPen(QPen(peerColor(currentTheme(), group.kind), kSelectionLine, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    for (const auto& [rect, level] : merged) {
      const int inset = std::min(level * kSelectionLine, std::min(rect.width(), rect.height()) / 3) - 1;
      painter.drawRect(rect.adjusted(inset, inset, -inset, -inset));
    }
  }
  painter.setPen(QPen(currentTheme().text, kSelectionLine, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
  painter.drawRect(m_cells[*m_chosen].adjusted(-1, -1, 1, 1));
}

// All ranks of the node under the pointer.
void TopologyGrid::paintNode(QPainter& painter) const {
  if (!m_hovered) return;
  const TopologyRank& hovered = m_data->ranks[*m_hovered];
  std::vector<QRect> merged;
  for (std::uint32_t i = 0; i < m_cells.size(); ++i) {
    if (i != *m_hovered && (!hovered.place.node || m_data->ranks[i].place.node != hovered.place.node)) continue;
    if (!merged.empty() && merged.back().left() == m_cells[i].left() && m_cells[i].top() - merged.back().bottom() == 2)
      merged.back() = merged.back().united(m_cells[i]);
    else
      merged.push_back(m_cells[i]);
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(currentTheme().text, kHairline));
  for (const QRect& rect : merged) painter.drawRect(rect.adjusted(-1, -1, 0, 0));
}

void TopologyGrid::paintHeads(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const QPoint by = offset();
  const QFontMetrics metrics = painter.fontMetrics();
  painter.setPen(theme.muted);
  if (!m_rows.empty()) {
    painter.fillRect(QRect(0, 0, kLeft - kGrid, std::min(viewport()->height(), m_rows.back().at + m_rows.back().size + by.y())),
                     theme.ground);
    for (const Head& row : m_rows)
      painter.drawText(QRect(kGrid, row.at + by.y(), kLeft - 2 * kGrid, std::max(row.size, 14)), Qt::AlignLeft | Qt::AlignVCenter,
                       row.text);
  }
  if (m_columns.empty()) return;
  painter.fillRect(QRect(0, 0, viewport()->width(), kTop - kGrid), theme.ground);
  // As many numbers as fit.
  const int widest = metrics.horizontalAdvance(m_columns.back().text) + 2 * kGrid;
  const int pitch = m_columns.size() > 1 ? m_columns[1].at - m_columns[0].at : m_columns[0].size;
  std::size_t stride = 1;
  for (const std::size_t step : {2U, 4U, 8U, 16U, 32U, 64U, 128U})
    if (static_cast<int>(stride) * pitch < widest) stride = step;
  for (std::size_t i = 0; i < m_columns.size(); i += stride) {
    const Head& column = m_columns[i];
    const int width = std::max(column.size, metrics.horizontalAdvance(column.text));
    painter.drawText(QRect(column.at + by.x() + (column.size - width) / 2, 0, width, kTop - kGrid), Qt::AlignCenter, column.text);
  }
  painter.fillRect(QRect(0, 0, kLeft - kGrid, kTop - kGrid), theme.ground);
  if (!m_columns.front().text.startsWith(QStringLiteral("dp")))
    painter.drawText(QRect(kGrid, 0, kLeft - 3 * kGrid, kTop - kGrid), Qt::AlignRight | Qt::AlignVCenter, tr("dp"));
}

QString TopologyGrid::tipAt(const QPoint& point) const {
  const auto index = rankAt(point);
  return index ? wordsOf(*index).join(QLatin1Char('\n')) : QString();
}

AccessibleTable TopologyGrid::accessibleTable() const {
  AccessibleTable table{.summary = {}, .columns = {tr("rank"), tr("state")}};
  for (std::uint32_t i = 0; m_data && i < m_data->ranks.size(); ++i) {
    const QStringList words = wordsOf(i);
    table.rows.push_back({{words.first(), words.mid(1).join(QStringLiteral("; "))}, rankRect(m_data->ranks[i].place.rank)});
  }
  return table;
}

QStringList TopologyGrid::wordsOf(std::uint32_t index) const {
  const TopologyRank& rank = m_data->ranks[index];
  QStringList lines{tr("rank %1").arg(rank.place.rank)};
  if (const auto folded = std::ranges::count(m_lattice.shown, index); folded > 1)
    lines << tr("the worst of %1 ranks in this cell").arg(folded);
  const QString place = coordinateText(rank.place);
  lines << (place == kAbsentText ? tr("no coordinates") : place);
  lines << (rank.node.isEmpty() ? tr("node not known") : rank.node + (rank.gpu.isEmpty() ? QString() : QStringLiteral(", ") + rank.gpu));
  const QString title = TopologyText::tr(m_data->metric.title);
  if (!rank.value)
    lines << tr("%1: none, %2").arg(title, TopologyText::tr(m_data->metric.missing));
  else
    lines << tr("%1: %2").arg(title, valueText(m_data->metric, *rank.value));
  if (m_data->metric.value == TopologyValue::kFindings)
    lines << rank.findings;
  else if (rank.deviation && m_data->metric.value == TopologyValue::kWhatIf)
    lines << tr("%1 compared with a step in which all ranks are equal").arg(deviationText(m_data->metric, *rank.deviation));
  else if (rank.deviation)
    lines << tr("%1 compared with the median of %2").arg(deviationText(m_data->metric, *rank.deviation), stageText(rank.place.pp));
  else if (rank.value)
    lines << tr("no peers in its stage to compare with");
  if (rank.wait == WaitState::kWaiting) lines << tr("waits in %1").arg(screenText(rank.progress->op, 60));
  if (rank.wait == WaitState::kNotSeen) lines << tr("✕ not seen in the collective that the others wait in");
  if (rank.wait == WaitState::kSilent) lines << tr("✕ silent: others wait for it");
  if (!rank.behind.isEmpty())
    lines << (rank.behind.startsWith(QChar(0x2212)) ? tr("%1 in the sequence of its peers").arg(rank.behind) : rank.behind);
  return lines;
}

}  // namespace runglass
