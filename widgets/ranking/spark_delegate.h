// SPDX-License-Identifier: GPL-3.0-or-later
// SparkDelegate: paints a row's newest steps as bars around the peers' median into a table cell.
//
// Threading:  GUI thread.
// Ownership:  reads rows through the given model.
// Units:      ratios to the peers' median, minus 1; full height at kSparkScale.
// Errors:     steps that were not compared stay empty.
// Cost:       O(kSparkSteps) a cell.
#pragma once

#include <QStyledItemDelegate>

#include "widgets/core/table_model.h"
#include "widgets/ranking/ranking_data.h"

namespace runglass {

inline constexpr float kSparkScale = 0.2F;

class SparkDelegate : public QStyledItemDelegate {
 public:
  SparkDelegate(const TableModel<RankRow>* model, QObject* parent) : QStyledItemDelegate(parent), m_model(model) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {static_cast<int>(kSparkSteps) + 4 * kGrid, kRowHeight};
  }

 private:
  const TableModel<RankRow>* m_model;
};

}  // namespace runglass
