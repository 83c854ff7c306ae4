// SPDX-License-Identifier: GPL-3.0-or-later
// QuietCombo: a list to choose from that a turn of the wheel over it does not change: what is chosen here is stored.
//
// Threading:  GUI thread.
// Ownership:  a plain widget.
// Units:      none.
// Errors:     none.
// Cost:       none.
#pragma once

#include <QComboBox>
#include <QWheelEvent>

namespace runglass {

class QuietCombo : public QComboBox {
  Q_OBJECT

 public:
  explicit QuietCombo(QWidget* parent = nullptr) : QComboBox(parent) { setFocusPolicy(Qt::StrongFocus); }

 protected:
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }
};

}  // namespace runglass
