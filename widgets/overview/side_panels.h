// SPDX-License-Identifier: GPL-3.0-or-later
// The overview's small parts: the row of tiles, and the right column with findings, slow nodes and the step's breakdown.
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

class QChart;
class QChartView;

namespace runglass {

class TileRow : public QWidget {
  Q_OBJECT

 public:
  explicit TileRow(QWidget* parent = nullptr);
  void setTiles(std::vector<OverviewTile> tiles);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<OverviewTile> m_tiles;
};

class SidePanels : public QWidget {
  Q_OBJECT

 public:
  explicit SidePanels(QWidget* parent = nullptr);
  void setData(std::shared_ptr<const OverviewData> data);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  int paintFindings(QPainter& painter, int top) const;
  int paintNodes(QPainter& painter, int top) const;
  void placeChart();
  void fillChart();

  std::shared_ptr<const OverviewData> m_data;
  QChart* m_chart;  // the step's parts: recent beside before (QtCharts)
  QChartView* m_chart_view;
};

}  // namespace runglass
