// SPDX-License-Identifier: GPL-3.0-or-later
// WaitingPage: the content of a listening window before data has arrived: the hub's address, the command for a node, and a live count.
//
// Threading:  GUI thread.
#pragma once

#include <QWidget>

#include "widgets/frame/status_source.h"

class QLabel;
class QPushButton;

namespace runglass {

class WaitingPage : public QWidget {
  Q_OBJECT

 public:
  explicit WaitingPage(QWidget* parent);
  void setState(const SourceStatus& source);
  QString command() const { return m_command_text; }

 private:
  QLabel *m_address, *m_command, *m_count;
  QPushButton* m_copy;
  QString m_command_text;
};

}  // namespace runglass
