// SPDX-License-Identifier: GPL-3.0-or-later
// The overview's small parts: the row of tiles, and the right column with findings and slow nodes.
//
// Threading:  GUI thread.
// Ownership:  plain widgets; data is copied or shared.
// Units:      as OverviewData.
// Errors:     an empty part says what is missing and why.
// Cost:       a repaint is O(what is shown).
#pragma once

#include <QWidget>
#include <memory>

#include "widgets/overview/overview_data.h"

namespace runglass {

class TileRow : public QWidget {
  Q_OBJECT

 public:
  explicit TileRow(QWidget* parent = nullptr);
  void setTiles(std::vector<OverviewTile> tiles);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<OverviewTile> m_tiles;
};

class SidePanels : public QWidget {
  Q_OBJECT

 public:
  explicit SidePanels(QWidget* parent = nullptr);
  // False: there is nothing to show.
  bool setData(std::shared_ptr<const OverviewData> data);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int paintFindings(QPainter& painter, int top) const;
  void paintNodes(QPainter& painter, int top) const;

  std::shared_ptr<const OverviewData> m_data;
};

}  // namespace runglass
