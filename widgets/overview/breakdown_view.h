// SPDX-License-Identifier: GPL-3.0-or-later
// BreakdownView: the parts of a step: the newest steps as one bar of parts, earlier steps next to it, and the change of every part.
//
// Threading:  GUI thread.
// Ownership:  plain widget; data is copied.
// Units:      ns.
// Errors:     without parts it has no height.
// Cost:       a QtCharts scene of a dozen bars, rebuilt when the data changes.
#pragma once

#include <QWidget>

#include "widgets/core/accessible_picture.h"
#include "widgets/core/theme.h"
#include "widgets/overview/overview_data.h"

class QChart;
class QChartView;

namespace runglass {

// The category's colour, the same in all views; unknown parts get the host's.
QColor partColor(const Theme& theme, const QString& part);

class BreakdownView : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit BreakdownView(QWidget* parent = nullptr);
  void setData(const StepBreakdown& data);
  AccessibleTable accessibleTable() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void fillChart();
  void placeChart();

  StepBreakdown m_data;
  QChart* m_chart;
  QChartView* m_view;
};

}  // namespace runglass
