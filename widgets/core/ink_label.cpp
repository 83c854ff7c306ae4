// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: the label overrides only WindowText in its palette; the rest is the application's.
#include "widgets/core/ink_label.h"

#include <QApplication>
#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>

namespace runglass {

InkLabel::InkLabel(QWidget* parent) : QLabel(parent) {
  setTextFormat(Qt::PlainText);
  restyle();
}

void InkLabel::setInk(Ink ink) {
  m_ink = ink;
  restyle();
}

void InkLabel::setLink(bool link) {
  if (link == m_link) return;
  m_link = link;
  setFocusPolicy(link ? Qt::TabFocus : Qt::NoFocus);
  if (link)
    setCursor(Qt::PointingHandCursor);
  else
    unsetCursor();
  underline(link && underMouse());
}

void InkLabel::restyle() {
  const QColor color = m_ink.in(currentTheme());
  if (m_restyling || palette().color(QPalette::WindowText) == color) return;
  m_restyling = true;  // setPalette() re-enters this function
  QPalette own;
  own.setColor(QPalette::WindowText, color);
  setPalette(own);
  m_restyling = false;
}

void InkLabel::underline(bool under) {
  if (font().underline() == under) return;
  QFont own = font();
  own.setUnderline(under);
  setFont(own);
}

void InkLabel::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  // A style sheet resets palettes when a widget is reparented or the style changes.
  for (const QEvent::Type type : {QEvent::PaletteChange, QEvent::StyleChange, QEvent::ParentChange})
    if (event->type() == type) restyle();
}

void InkLabel::showEvent(QShowEvent* event) {
  QLabel::showEvent(event);
  restyle();
}

void InkLabel::enterEvent(QEnterEvent* event) {
  QLabel::enterEvent(event);
  underline(m_link);
}

void InkLabel::leaveEvent(QEvent* event) {
  QLabel::leaveEvent(event);
  underline(false);
}

void InkLabel::mousePressEvent(QMouseEvent* event) {
  m_press = event->position().toPoint();
  QLabel::mousePressEvent(event);
  if (m_link) event->accept();  // otherwise the release event goes to the parent
}

void InkLabel::mouseReleaseEvent(QMouseEvent* event) {
  QLabel::mouseReleaseEvent(event);
  const bool still = (event->position().toPoint() - m_press).manhattanLength() < QApplication::startDragDistance();
  if (m_link && event->button() == Qt::LeftButton && still && !hasSelectedText()) emit clicked();
}

void InkLabel::keyPressEvent(QKeyEvent* event) {
  const bool enters = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space;
  if (m_link && enters) return emit clicked();
  QLabel::keyPressEvent(event);
}

}  // namespace runglass
