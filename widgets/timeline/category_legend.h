// SPDX-License-Identifier: GPL-3.0-or-later
// CategoryLegend: the meaning of the timeline's colours, in one line.
//
// Threading:  GUI thread.
// Units:      device-independent pixels.
// Cost:       a few rectangles and labels per paint.
#pragma once

#include <QWidget>

#include "widgets/core/accessible_picture.h"

namespace runglass {

class CategoryLegend : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit CategoryLegend(QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }
  AccessibleTable accessibleTable() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace runglass
