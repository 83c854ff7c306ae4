// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/toast.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "widgets/core/theme.h"

namespace runglass {
namespace {
constexpr int kWidth = 420, kCardWidth = 640;
}

Toast::Toast(QWidget* parent) : QFrame(parent), m_title(new QLabel(this)), m_text(new QLabel(this)), m_actions(new QWidget(this)) {
  setFrameShape(QFrame::Box);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::ToolTipBase);
  setForegroundRole(QPalette::ToolTipText);
  setCursor(Qt::PointingHandCursor);
  QFont bold = font();
  bold.setBold(true);
  m_title->setFont(bold);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
  for (QLabel* label : {m_title, m_text}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setForegroundRole(QPalette::ToolTipText);
    column->addWidget(label);
  }
  auto* row = new QHBoxLayout(m_actions);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(kGrid);
  column->addWidget(m_actions, 0, Qt::AlignLeft);
  m_timer.setSingleShot(true);
  connect(&m_timer, &QTimer::timeout, this, &QWidget::hide);
  parent->installEventFilter(this);
  hide();
}

QString Toast::title() const { return m_title->text(); }

void Toast::show(const QString& title, const QString& text, Severity severity, std::function<void()> open,
                 const std::vector<Action>& actions) {
  dropCard();
  m_text->setText(text);
  m_title->show();
  m_text->setVisible(!text.isEmpty());
  while (QLayoutItem* item = m_actions->layout()->takeAt(0)) {
    item->widget()->deleteLater();  // a button may have called this
    delete item;
  }
  for (const Action& action : actions) {
    auto* button = new QPushButton(action.words, m_actions);
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QPushButton::clicked, this, [this, run = action.run] {
      hide();
      run();
    });
    m_actions->layout()->addWidget(button);
  }
  m_actions->setVisible(!actions.empty());
  present(title, severity, kWidth, std::move(open));
}

void Toast::showCard(QWidget* card, const QString& title, Severity severity, std::function<void()> open) {
  dropCard();
  m_card = card;
  for (QWidget* other : {static_cast<QWidget*>(m_title), static_cast<QWidget*>(m_text), m_actions}) other->hide();
  layout()->addWidget(card);
  card->show();  // else its height counts only once the event loop runs
  present(title, severity, kCardWidth, std::move(open));
}

void Toast::dropCard() {
  QWidget* const card = std::exchange(m_card, nullptr);
  if (card == nullptr) return;
  layout()->removeWidget(card);
  card->hide();
  card->deleteLater();  // a button of it may have called this
}

void Toast::present(const QString& title, Severity severity, int width, std::function<void()> open) {
  m_title->setText(title);
  setAccessibleName(title);
  m_open = std::move(open);
  setFixedWidth(std::min(width, parentWidget()->width()));
  place();
  raise();
  QFrame::show();
  if (severity < Severity::kCritical)
    m_timer.start(kShownMs);
  else
    m_timer.stop();
}

void Toast::place() {
  adjustSize();
  const QRect room = parentWidget()->rect();
  move(room.right() - width() - 2 * kGrid, room.bottom() - height() - 8 * kGrid);
}

void Toast::mousePressEvent(QMouseEvent*) {
  hide();
  if (m_open) m_open();
}

bool Toast::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget() && event->type() == QEvent::Resize && isVisible()) place();
  return QFrame::eventFilter(watched, event);
}

}  // namespace runglass
