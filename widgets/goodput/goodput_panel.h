// SPDX-License-Identifier: GPL-3.0-or-later
// GoodputPanel: a run's restarts as bars over its wall time, one line per attempt, with the sum and the advice.
//
// Threading:  GUI thread.
// Ownership:  plain widget; data is shared.
// Units:      time from left to right, the whole run.
// Errors:     without data it shows what is missing.
// Cost:       a repaint is O(segments); if there are more attempts than fit, the newest are shown.
#pragma once

#include <QWidget>
#include <memory>

#include "widgets/core/accessible_picture.h"
#include "widgets/goodput/goodput_data.h"

namespace runglass {

class GoodputPanel : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit GoodputPanel(QWidget* parent = nullptr);
  void setData(std::shared_ptr<const GoodputData> data);
  // Reason why there is nothing to show.
  void setMissing(const QString& why);
  // The height that shows all content.
  int wantedHeight() const;
  // Text of the item at a position; empty: no item.
  QString wordsAt(const QPoint& place) const;
  QString copyText() const;
  AccessibleTable accessibleTable() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  std::size_t firstShown() const;
  QRect barArea(std::size_t line) const;
  int x(TimeNs at, const QRect& bar) const;
  void paintBars(QPainter& painter) const;
  void paintRow(QPainter& painter, std::size_t index) const;
  void paintSide(QPainter& painter) const;

  std::shared_ptr<const GoodputData> m_data;
  QString m_missing;
};

}  // namespace runglass
