// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/capture_dialog.h"

#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/core/units.h"
#include "widgets/frame/order_text.h"

namespace runglass {

CaptureDialog::CaptureDialog(OrderPort& port, const QString& run, QWidget* parent)
    : QDialog(parent),
      m_port(port),
      m_run(run.toStdString()),
      m_again(new QPushButton(tr("Capture again"), this)),
      m_answer(new QPlainTextEdit(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Capture of %1").arg(screenText(m_run)));
  m_answer->setReadOnly(true);
  m_answer->setAccessibleName(tr("What each node said"));
  auto* column = new QVBoxLayout(this);
  column->addWidget(m_answer);
  column->addWidget(m_again);
  resize(640, 280);
  connect(m_again, &QPushButton::clicked, this, [this] { ask(); });
  ask();
}

void CaptureDialog::ask() {
  m_again->setEnabled(false);
  m_answer->setPlainText(tr("Asking all nodes of the run for stacks, process states and logs …"));
  m_port.place({.kind = OrderKind::kCapture, .run = m_run, .ranks = {}, .number = 0, .filter = {}}, this,
               [this](const Result<OrderOutcome>& outcome) {
                 m_again->setEnabled(true);
                 m_answer->setPlainText(orderText(outcome));
               });
}

}  // namespace runglass
