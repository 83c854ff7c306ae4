// SPDX-License-Identifier: GPL-3.0-or-later
// TopologyGrid: the lattice as a picture: DP across, PP down, a tile for each TP group; scrolls under fixed headers.
//
// Threading:  GUI thread.
// Ownership:  shares the TopologyData.
// Units:      device-independent pixels; tiles fit the available space, at least 10 px wide and 5 px a tick.
// Errors:     a rank without a value is hatched, a place without a rank dotted; never 0.
// Cost:       a repaint is O(ranks in the exposed part); places are computed when the data or the size changes.
#pragma once

#include <QAbstractScrollArea>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/core/accessible_picture.h"
#include "widgets/core/theme.h"
#include "widgets/topology/rank_links.h"
#include "widgets/topology/topology_data.h"

namespace runglass {

QColor peerColor(const Theme& theme, PeerKind kind);
// From the neutral background colour of a value at the median to full colour at `spread`.
QColor deviationColor(const Theme& theme, const TopologyMetric& metric, double deviation, double spread);

class TopologyGrid : public QAbstractScrollArea, public AccessiblePicture {
  Q_OBJECT

 public:
  static constexpr int kLeft = 64, kTop = 24;  // headers
  explicit TopologyGrid(QWidget* parent = nullptr);
  void setData(std::shared_ptr<const TopologyData> data);
  void setSelected(std::optional<std::int32_t> rank);
  void setFold(Fold fold);
  const Lattice& lattice() const { return m_lattice; }  // as drawn
  void setRacks(bool on);
  void setLinks(std::shared_ptr<const RankLinks> links);  // drawn while their rank is selected; null: none
  void scrollTo(std::int32_t rank);
  // The position of a rank on the viewport now; empty if it is not shown.
  QRect rankRect(std::int32_t rank) const;
  bool isDimmed(std::int32_t rank) const;
  QString tipAt(const QPoint& point) const;  // in viewport coordinates
  AccessibleTable accessibleTable() const override;

 signals:
  void rankChosen(int rank);
  void cleared();
  void rankOpened(int rank);
  void menuWanted(int rank, const QPoint& at);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  struct Head {
    int at, size;
    QString text;
  };
  struct Title {
    QRect rect;
    QString text;
  };
  void layOut();
  void layOutLattice(const QSize& room, int strips_height);
  void layOutStrips(const QSize& room, int top, bool measure);
  int stripsHeight(const QSize& room);
  void choosePeers();
  QPoint offset() const;
  std::optional<std::uint32_t> rankAt(const QPoint& point) const;
  QStringList wordsOf(std::uint32_t index) const;  // of the rank; "rank 3" first
  void paintRank(QPainter& painter, std::uint32_t index, const QRect& rect) const;
  void paintState(QPainter& painter, const TopologyRank& rank, const QRect& inner, const QColor& fill, const QColor& ink) const;
  void paintBehind(QPainter& painter) const;
  void paintGroups(QPainter& painter) const;
  void paintNode(QPainter& painter) const;
  void paintLinks(QPainter& painter) const;  // link_paint.cpp
  void paintRacks(QPainter& painter) const;
  void reveal(std::uint32_t index);
  std::uint32_t shownFor(std::uint32_t index) const { return m_lattice.shown.empty() ? index : m_lattice.shown[index]; }
  void paintHeads(QPainter& painter) const;
  void walk(int dx, int dy);

  std::shared_ptr<const TopologyData> m_data;
  std::shared_ptr<const RankLinks> m_links;
  Lattice m_lattice;  // of m_data, folded
  Fold m_fold = Fold::kNone;
  bool m_racks = false;
  QRect m_tile;   // the first
  QSize m_pitch;  // from tile to tile
  std::optional<std::int32_t> m_selected;
  std::optional<std::uint32_t> m_chosen, m_hovered;  // indices
  std::vector<PeerGroup> m_peers;
  std::vector<bool> m_lit;     // by index; empty: all
  std::vector<QRect> m_cells;  // by index; in content coordinates
  std::vector<QRect> m_holes;  // places without a rank
  std::vector<Head> m_columns, m_rows;
  std::vector<Title> m_titles;  // of strips
  QSize m_content;
};

}  // namespace runglass
