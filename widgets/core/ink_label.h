// SPDX-License-Identifier: GPL-3.0-or-later
// InkLabel: plain text in a colour of the current theme; as a link it can be clicked or activated by keyboard.
//
// Threading:  GUI thread.
// Ownership:  a plain widget.
#pragma once

#include <QLabel>

#include "widgets/core/theme.h"

namespace runglass {

class InkLabel : public QLabel {
  Q_OBJECT

 public:
  explicit InkLabel(QWidget* parent = nullptr);

  void setInk(Ink ink);
  // A click that selects no text, Enter or Space emits clicked(). The pointer underlines the text.
  void setLink(bool link);
  bool isLink() const { return m_link; }

 signals:
  void clicked();

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void restyle();
  void underline(bool under);

  Ink m_ink = themeInk<&Theme::text>();
  bool m_restyling = false;
  bool m_link = false;
  QPoint m_press;
};

}  // namespace runglass
