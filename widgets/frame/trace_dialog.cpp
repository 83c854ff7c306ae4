// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/trace_dialog.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <array>

#include "widgets/core/units.h"
#include "widgets/frame/order_text.h"

namespace runglass {
namespace {

struct Choice {
  OrderKind kind;
  const char* words;
  const char* unit;  // of the number; null: takes none
  int number;        // initial value
};
constexpr std::array<Choice, 5> kChoices = {{
    {OrderKind::kTraceSteps, QT_TRANSLATE_NOOP("runglass::TraceDialog", "Every kernel in the next steps, the same on all ranks"),
     QT_TRANSLATE_NOOP("runglass::TraceDialog", " steps"), 3},
    {OrderKind::kExact, QT_TRANSLATE_NOOP("runglass::TraceDialog", "The next steps in exact mode, kernels inside libraries and graphs too"),
     QT_TRANSLATE_NOOP("runglass::TraceDialog", " steps"), 3},
    {OrderKind::kTraceFilter, QT_TRANSLATE_NOOP("runglass::TraceDialog", "From now on only kernels with these names"), nullptr, 0},
    {OrderKind::kKeepRecent, QT_TRANSLATE_NOOP("runglass::TraceDialog", "Keep the last seconds at full rate"),
     QT_TRANSLATE_NOOP("runglass::TraceDialog", " s"), 60},
    {OrderKind::kShipRecent, QT_TRANSLATE_NOOP("runglass::TraceDialog", "Send the seconds that were kept"), nullptr, 0},
}};

}  // namespace

TraceDialog::TraceDialog(OrderPort& port, const QString& run, QWidget* parent)
    : QDialog(parent),
      m_port(port),
      m_run(run.toStdString()),
      m_what(new QComboBox(this)),
      m_number(new QSpinBox(this)),
      m_filter(new QLineEdit(this)),
      m_ask(new QPushButton(tr("Ask"), this)),
      m_answer(new QLabel(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Trace kernels of %1").arg(screenText(m_run)));
  for (const Choice& choice : kChoices) m_what->addItem(tr(choice.words));
  m_what->setAccessibleName(tr("What to ask for"));
  m_number->setRange(1, 3'600);
  m_number->setAccessibleName(tr("How many"));
  m_filter->setPlaceholderText(tr("flash|gemm; empty: every kernel"));
  m_filter->setMaxLength(256);
  m_filter->setAccessibleName(tr("Parts of kernel names"));
  m_answer->setWordWrap(true);
  m_answer->setTextFormat(Qt::PlainText);
  auto* form = new QFormLayout(this);
  form->addRow(m_what);
  form->addRow(tr("How many"), m_number);
  form->addRow(tr("Names"), m_filter);
  form->addRow(m_ask);
  form->addRow(m_answer);
  connect(m_what, &QComboBox::currentIndexChanged, this, [this] { fitChoice(); });
  connect(m_ask, &QPushButton::clicked, this, [this] { ask(); });
  m_ask->setDefault(true);
  fitChoice();
}

Order TraceDialog::order() const {
  const Choice& choice = kChoices[static_cast<std::size_t>(m_what->currentIndex())];
  Order order{.kind = choice.kind, .run = m_run, .ranks = {}, .number = 0, .filter = {}};
  if (choice.unit != nullptr) order.number = m_number->value();
  if (choice.kind == OrderKind::kTraceFilter) order.filter = m_filter->text().trimmed().toStdString();
  return order;
}

void TraceDialog::fitChoice() {
  const Choice& choice = kChoices[static_cast<std::size_t>(m_what->currentIndex())];
  m_number->setEnabled(choice.unit != nullptr);
  m_number->setSuffix(choice.unit != nullptr ? tr(choice.unit) : QString());
  if (choice.unit != nullptr) m_number->setValue(choice.number);
  m_filter->setEnabled(choice.kind == OrderKind::kTraceFilter);
}

void TraceDialog::ask() {
  m_ask->setEnabled(false);
  m_answer->setText(tr("Asking …"));
  m_port.place(order(), this, [this](const Result<OrderOutcome>& outcome) { showAnswer(outcome); });
}

void TraceDialog::showAnswer(const Result<OrderOutcome>& outcome) {
  m_ask->setEnabled(true);
  m_answer->setText(orderText(outcome));
}

}  // namespace runglass
