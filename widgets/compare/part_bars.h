// SPDX-License-Identifier: GPL-3.0-or-later
// PartBars: the parts of a step of A and of B as two bars on one scale, and the difference of each part.
//
// Threading:  GUI thread.
// Ownership:  plain widget; data is copied.
// Units:      ns.
// Errors:     without parts it names the side that recorded none.
// Cost:       a repaint is O(parts).
#pragma once

#include <QWidget>

#include "analysis/compare/comparison.h"
#include "widgets/core/accessible_picture.h"
#include "widgets/core/theme.h"

namespace runglass {

class PartBars : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit PartBars(QWidget* parent = nullptr);
  void setComparison(const Comparison& comparison);
  AccessibleTable accessibleTable() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paintBar(QPainter& painter, const QRect& bar, bool first, double most) const;
  void paintList(QPainter& painter, int top) const;

  Comparison m_data;
};

}  // namespace runglass
