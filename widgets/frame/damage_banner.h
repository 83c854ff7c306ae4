// SPDX-License-Identifier: GPL-3.0-or-later
// DamageBanner: one line about damaged pages of the store, or about the repaired copy that is shown in its place.
//
// Threading:  GUI thread.
// Ownership:  the port outlives it.
// Errors:     why there is no copy is shown in the line.
#pragma once

#include <QTimer>
#include <QWidget>

#include "widgets/frame/repair_port.h"

class QLabel;
class QPushButton;

namespace runglass {

class DamageBanner : public QWidget {
  Q_OBJECT

 public:
  // `repair`: null where no copy can be made. `copy`: the line of a repaired copy; empty: the store itself is shown.
  DamageBanner(RepairPort* repair, const QString& copy, QWidget* parent);
  // A query met a damaged page.
  void note(const QString& why);

 private:
  void begin();
  void end(const QString& line);
  void say(const QString& line);
  void showProgress();

  RepairPort* const m_repair;
  QString m_damage;  // the line about the damaged pages
  QLabel *m_line, *m_details;
  QPushButton *m_open, *m_cancel, *m_more;
  QTimer m_progress;
};

}  // namespace runglass
