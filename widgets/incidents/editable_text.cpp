// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/editable_text.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QVBoxLayout>

#include "widgets/core/accessible_picture.h"

namespace runglass {

EditableText::EditableText(const QString& name, const QFont& font, int most_chars, QWidget* parent)
    : QWidget(parent), m_label(new QLabel(this)), m_field(new QLineEdit(this)) {
  m_label->setTextFormat(Qt::PlainText);
  m_label->setWordWrap(true);
  m_label->setFont(font);
  m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_label->setAccessibleName(name);
  m_field->setFont(font);
  setAccessibleName(name);
  m_field->setMaxLength(most_chars);
  m_field->setPlaceholderText(name);
  m_field->setAccessibleName(name);
  m_field->hide();
  setFocusPolicy(Qt::TabFocus);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_label);
  column->addWidget(m_field);
  m_label->installEventFilter(this);
  m_field->installEventFilter(this);
  connect(m_field, &QLineEdit::returnPressed, this, [this] { leave(true); });
}

void EditableText::setText(const QString& shown, const QString& raw) {
  m_raw = raw;
  m_label->setText(shown);
}

void EditableText::setEditable(bool editable) {
  m_editable = editable;
  m_label->setToolTip(editable ? tr("Double click or F2: change it") : QString());
  if (!editable && editing()) leave(false);
}

void EditableText::edit() {
  if (!m_editable || editing()) return;
  m_field->setText(m_raw);
  m_label->hide();
  m_field->show();
  m_field->setFocus();
  m_field->selectAll();
}

void EditableText::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintFocusRing(painter, *this, rect());
}

bool EditableText::editing() const { return !m_field->isHidden(); }

QString EditableText::text() const { return m_label->text(); }

void EditableText::leave(bool keep) {
  if (!editing()) return;
  const QString typed = m_field->text().simplified();
  m_field->hide();
  m_label->show();
  setFocus();
  if (keep && typed != m_raw) emit changed(typed);
}

bool EditableText::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_label && event->type() == QEvent::MouseButtonDblClick && m_editable) {
    edit();
    return true;
  }
  if (watched == m_field && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    leave(false);
    return true;
  }
  // Typed text is saved when the user clicks elsewhere, but not when only the window loses the focus.
  if (watched == m_field && event->type() == QEvent::FocusOut && static_cast<QFocusEvent*>(event)->reason() == Qt::MouseFocusReason)
    leave(true);
  return QWidget::eventFilter(watched, event);
}

void EditableText::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_F2 || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
    edit();
  else
    QWidget::keyPressEvent(event);
}

}  // namespace runglass
