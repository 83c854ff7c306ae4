// SPDX-License-Identifier: GPL-3.0-or-later
// PanelWindow: a view in a separate window, with the frame of the window system. Closing it docks the view again.
//
// Threading:  GUI thread.
// Ownership:  a window without a parent, so that it may be on another screen and under the console; the host deletes it.
// Cost:       a title bar.
#pragma once

#include <QWidget>

#include "widgets/core/tab_order.h"

namespace runglass {

class View;

class PanelWindow : public QWidget {
  Q_OBJECT

 public:
  // `home` is the place from which it was floated ("watch", "single:timeline").
  PanelWindow(const QString& view, const QString& title, QString home);
  void take(View* view);
  const QString& home() const { return m_home; }

 signals:
  void dockWanted();
  void closedByUser();

 protected:
  void closeEvent(QCloseEvent* event) override;
  bool focusNextPrevChild(bool next) override { return focusNextControl(*this, next); }

 private:
  const QString m_home;
};

}  // namespace runglass
