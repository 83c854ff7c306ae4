// SPDX-License-Identifier: GPL-3.0-or-later
// CaptureDialog: requests a snapshot of all nodes of one run and their ranks, at once, and shows the reply of each node.
//
// Threading:  GUI thread.
// Ownership:  deletes itself when closed; borrows the port, which outlives it.
// Errors:     shown in the dialog, one line per node.
// Cost:       one command; another per press of the button.
#pragma once

#include <QDialog>

#include "widgets/core/order_port.h"

class QPlainTextEdit;
class QPushButton;

namespace runglass {

class CaptureDialog : public QDialog {
  Q_OBJECT

 public:
  CaptureDialog(OrderPort& port, const QString& run, QWidget* parent);

 private:
  void ask();

  OrderPort& m_port;
  const std::string m_run;
  QPushButton* m_again;
  QPlainTextEdit* m_answer;
};

}  // namespace runglass
