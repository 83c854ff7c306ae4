// SPDX-License-Identifier: GPL-3.0-or-later
// TraceDialog: requests kernel traces from the tracers of one run and shows the reply of each node.
//
// Threading:  GUI thread.
// Ownership:  deletes itself when closed; borrows the port, which outlives it.
// Units:      steps, seconds.
// Errors:     shown in the dialog, one line per node.
// Cost:       one command per press of the button.
#pragma once

#include <QDialog>

#include "widgets/core/order_port.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace runglass {

class TraceDialog : public QDialog {
  Q_OBJECT

 public:
  TraceDialog(OrderPort& port, const QString& run, QWidget* parent);

  // The command that the button would send.
  Order order() const;

 private:
  void fitChoice();
  void ask();
  void showAnswer(const Result<OrderOutcome>& outcome);

  OrderPort& m_port;
  const std::string m_run;
  QComboBox* m_what;
  QSpinBox* m_number;
  QLineEdit* m_filter;
  QPushButton* m_ask;
  QLabel* m_answer;
};

}  // namespace runglass
