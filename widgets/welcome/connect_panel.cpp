// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/connect_panel.h"

#include <QClipboard>
#include <QComboBox>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>

#include "widgets/core/theme.h"

namespace runglass {
namespace {

constexpr int kFirstUserPort = 1024, kLastPort = 65535, kPort = 7070;

QLabel* wrappedLabel(const QString& text, QWidget* parent) {
  auto* made = new QLabel(text, parent);
  made->setTextFormat(Qt::PlainText);
  made->setWordWrap(true);
  return made;
}

QWidget* blockWidget(const CommandBlock& block, QWidget* parent) {
  auto* widget = new QWidget(parent);
  auto* column = new QVBoxLayout(widget);
  column->setContentsMargins(0, 0, 0, 3 * kGrid);
  column->setSpacing(kGrid);
  auto* head = new QHBoxLayout;
  head->addWidget(wrappedLabel(block.title, widget), 1);
  auto* copy = new QPushButton(QObject::tr("Copy"), widget);
  copy->setAccessibleName(QObject::tr("Copy: %1").arg(block.title));
  QObject::connect(copy, &QPushButton::clicked, widget, [copy, text = block.text] {
    QGuiApplication::clipboard()->setText(text + QLatin1Char('\n'));
    copy->setText(QObject::tr("Copied"));
  });
  head->addWidget(copy, 0, Qt::AlignBottom);
  column->addLayout(head);
  auto* command = wrappedLabel(block.text, widget);
  command->setFont(codeFont());
  command->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  command->setAutoFillBackground(true);
  command->setBackgroundRole(QPalette::AlternateBase);
  command->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  column->addWidget(command);
  if (!block.note.isEmpty()) {
    auto* note = wrappedLabel(block.note, widget);
    note->setForegroundRole(QPalette::PlaceholderText);
    column->addWidget(note);
  }
  return widget;
}

}  // namespace

ConnectPanel::ConnectPanel(const QString& store, const QString& secrets, const QStringList& hosts, QWidget* parent)
    : QWidget(parent),
      m_secrets(secrets),
      m_where(new QComboBox(this)),
      m_host(new QComboBox(this)),
      m_store(new QLineEdit(store, this)),
      m_port(new QSpinBox(this)) {
  m_where->addItem(tr("On this machine"), static_cast<int>(TrainersWhere::kHere));
  m_where->addItem(tr("On nodes that reach this host (TLS)"), static_cast<int>(TrainersWhere::kNodes));
  m_where->addItem(tr("In Slurm jobs (TLS, no root)"), static_cast<int>(TrainersWhere::kSlurm));
  m_where->addItem(tr("On nodes that only ssh reaches (tunnel)"), static_cast<int>(TrainersWhere::kTunnel));
  m_where->addItem(tr("On a cluster behind a bastion, its hub there (ssh)"), static_cast<int>(TrainersWhere::kBehind));
  m_where->addItem(tr("In Kubernetes, the hub too"), static_cast<int>(TrainersWhere::kKubernetes));
  m_host->setEditable(true);
  m_host->addItems(hosts);
  m_port->setRange(kFirstUserPort, kLastPort);
  m_port->setValue(kPort);
  m_form = new QFormLayout;
  m_form->setSpacing(2 * kGrid);
  m_form->addRow(tr("Trainers run"), m_where);
  m_form->addRow(tr("This host is"), m_host);
  m_form->addRow(tr("Port"), m_port);
  m_form->addRow(tr("Store"), m_store);
  m_listen = new QPushButton(tr("Receive in this window"), this);
  m_listen->setToolTip(tr("Opens the store here and listens, as the hub's command below does"));
  m_listen->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  m_form->addRow(QString(), m_listen);

  auto* inside = new QWidget(this);
  m_blocks = new QVBoxLayout(inside);
  m_blocks->setContentsMargins(0, 0, 2 * kGrid, 0);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidget(inside);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(3 * kGrid);
  column->addLayout(m_form);
  column->addWidget(scroll, 1);

  connect(m_where, &QComboBox::currentIndexChanged, this, &ConnectPanel::showCommands);
  connect(m_host, &QComboBox::currentTextChanged, this, &ConnectPanel::showCommands);
  connect(m_store, &QLineEdit::textChanged, this, &ConnectPanel::showCommands);
  connect(m_port, &QSpinBox::valueChanged, this, &ConnectPanel::showCommands);
  connect(m_listen, &QPushButton::clicked, this, [this] { emit listenRequested(listenOptions(question())); });
  showCommands();
}

ConnectQuestion ConnectPanel::question() const {
  return {.where = static_cast<TrainersWhere>(m_where->currentData().toInt()),
          .store = m_store->text().trimmed(),
          .host = m_host->currentText().trimmed(),
          .folder = m_secrets,
          .port = m_port->value()};
}

void ConnectPanel::setWhere(TrainersWhere where) { m_where->setCurrentIndex(m_where->findData(static_cast<int>(where))); }

void ConnectPanel::showCommands() {
  const ConnectQuestion asked = question();
  // Irrelevant fields are hidden: a hub elsewhere has no store here.
  m_form->setRowVisible(m_host, needsHost(asked.where));
  for (QWidget* of_hub : std::initializer_list<QWidget*>{m_port, m_store, m_listen}) m_form->setRowVisible(of_hub, hubIsHere(asked.where));
  while (QLayoutItem* item = m_blocks->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (const CommandBlock& block : connectCommands(asked)) m_blocks->addWidget(blockWidget(block, m_blocks->parentWidget()));
  m_blocks->addStretch(1);
}

}  // namespace runglass
