// SPDX-License-Identifier: GPL-3.0-or-later
// The overview's small parts: the row of tiles, and the right column with findings and slow nodes.
//
// Threading:  GUI thread.
// Ownership:  plain widgets; data is copied or shared.
// Units:      as OverviewData.
// Errors:     an empty part shows what is missing and why.
// Cost:       a repaint is O(shown items).
#pragma once

#include <QWidget>
#include <memory>

#include "analysis/views/finding_facts.h"
#include "widgets/core/accessible_picture.h"
#include "widgets/core/units.h"
#include "widgets/overview/overview_data.h"

namespace runglass {

class TileRow : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit TileRow(QWidget* parent = nullptr);
  void setTiles(std::vector<OverviewTile> tiles);
  AccessibleTable accessibleTable() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  // Two rows if one is too narrow for a tile's text.
  int columns() const;
  void takeRows();
  QRect boxOf(int tile) const;

  std::vector<OverviewTile> m_tiles;
};

class SidePanels : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit SidePanels(QWidget* parent = nullptr);
  // False: there is nothing to show. `now`: the end of findings that last.
  bool setData(std::shared_ptr<const OverviewData> data, TimeNs now, TimeStyle style);
  // The finding that was clicked; null: none, or it is no longer listed.
  const Finding* chosenFinding() const;
  AccessibleTable accessibleTable() const override;

 signals:
  void findingChosen(const Finding& finding);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  int paintFindings(QPainter& painter, int top) const;
  void paintNodes(QPainter& painter, int top) const;

  std::shared_ptr<const OverviewData> m_data;
  std::vector<FindingFacts> m_facts;  // of the findings shown at most
  TimeNs m_now = 0;
  TimeStyle m_style = TimeStyle::kUtc;
  mutable std::vector<QRect> m_finding_places;  // of the painted ones, in their order
  std::int64_t m_chosen_finding = 0;
};

}  // namespace runglass
