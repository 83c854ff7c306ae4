// SPDX-License-Identifier: GPL-3.0-or-later
// CursorTable: the docked table under the cards: every curve's value at the crosshair, and the way to its rank or GPU.
//
// Threading:  GUI thread.
// Ownership:  as QWidget.
// Units:      as the axis: steps, or ns printed in `style`.
// Cost:       O(curves) per fill.
#pragma once

#include <QWidget>
#include <optional>

#include "widgets/core/table_model.h"
#include "widgets/core/table_view.h"
#include "widgets/curves/curve_card.h"

namespace runglass {

// One line: a curve under the crosshair.
struct CursorRow {
  QString tag, curve, unit;
  std::int64_t x = 0;
  Bin bin;
  std::optional<double> smooth;
  CurvePlace place = {};
};

class CursorTable : public QWidget {
  Q_OBJECT

 public:
  explicit CursorTable(QWidget* parent);
  // Fills in the values at the cards' cursors. Without any value the last rows stay, so that the mouse can move there and copy them.
  void fill(const std::vector<CurveCard*>& cards, CurveAxis axis, TimeStyle style);
  QString selectedTsv() const { return m_rows->rowCount() > 0 ? m_table->selectedTsv() : QString(); }

 signals:
  void placeChosen(const runglass::CurvePlace& place);
  void placeOpened(const runglass::CurvePlace& place);  // a double click, or Enter

 private:
  std::vector<Column<CursorRow>> columns() const;

  CurveAxis m_axis = CurveAxis::kStep;
  TimeStyle m_style = TimeStyle::kUtc;
  TableModel<CursorRow>* m_rows;
  TableView* m_table;
};

}  // namespace runglass
