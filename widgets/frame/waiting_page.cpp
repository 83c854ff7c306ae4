// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/waiting_page.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/core/shell_word.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {
constexpr int kMaxWidth = 720;
}

WaitingPage::WaitingPage(QWidget* parent)
    : QWidget(parent), m_address(new QLabel(this)), m_command(new QLabel(this)), m_count(new QLabel(this)), m_copy(new QPushButton(this)) {
  auto* inside = new QWidget(this);
  inside->setMaximumWidth(kMaxWidth);
  auto* column = new QVBoxLayout(inside);
  column->setSpacing(3 * kGrid);
  const auto label = [inside](const QString& words) {
    auto* made = new QLabel(words, inside);
    made->setTextFormat(Qt::PlainText);
    made->setWordWrap(true);
    return made;
  };
  for (QLabel* one : {m_address, m_command, m_count}) {
    one->setTextFormat(Qt::PlainText);
    one->setWordWrap(true);
    one->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  m_address->setFont(headlineFont());
  m_command->setFont(codeFont());
  m_command->setAutoFillBackground(true);
  m_command->setBackgroundRole(QPalette::AlternateBase);
  m_command->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  m_count->setForegroundRole(QPalette::PlaceholderText);
  m_copy->setText(tr("Copy"));
  m_copy->setAccessibleName(tr("Copy the command"));
  connect(m_copy, &QPushButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(m_command_text + u'\n');
    m_copy->setText(tr("Copied"));
  });
  auto* line = new QHBoxLayout;
  line->addWidget(m_command, 1);
  line->addWidget(m_copy);
  column->addWidget(m_address);
  column->addWidget(label(tr("Start the agent on each node:")));
  column->addLayout(line);
  column->addWidget(m_count);
  auto* centre = new QHBoxLayout;
  centre->addStretch(1);
  centre->addWidget(inside, 2);
  centre->addStretch(1);
  auto* rows = new QVBoxLayout(this);
  rows->addStretch(1);
  rows->addLayout(centre);
  rows->addStretch(2);
}

void WaitingPage::setState(const SourceStatus& source) {
  m_address->setText(tr("Waiting for agents on %1").arg(source.listens));
  const QString command = source.paired ? QStringLiteral("runglass-agent --config /etc/runglass/agent.toml")
                                        : QStringLiteral("runglass-agent --hub %1").arg(shellWord(source.listens));
  if (command != m_command_text) {
    m_command_text = command;
    m_command->setText(command);
    m_copy->setText(tr("Copy"));
  }
  m_count->setText(
      tr("Agents connected: %1 · samples received: %2").arg(formatCount(source.agents.value_or(0)), formatCount(source.received)));
}

}  // namespace runglass
