// SPDX-License-Identifier: GPL-3.0-or-later
// Toast: a message in the window's corner that disappears by itself; a click opens its target. Only the newest is shown: the history has
// the others.
//
// Threading:  GUI thread.
// Ownership:  its parent owns it.
// Cost:       a label or a card, and a timer.
#pragma once

#include <QFrame>
#include <QTimer>
#include <functional>
#include <vector>

#include "model/events.h"

class QLabel;

namespace runglass {

class Toast : public QFrame {
  Q_OBJECT

 public:
  static constexpr int kShownMs = 20'000;

  explicit Toast(QWidget* parent);
  struct Action {
    QString words;
    std::function<void()> run;
  };
  // Plain text. `open` may be empty: a click then only closes it. Critical messages stay until they are clicked. Each action has a button.
  void show(const QString& title, const QString& text, Severity severity, std::function<void()> open,
            const std::vector<Action>& actions = {});
  // A card in place of the text, which it takes over; `title` is read out by screen readers.
  void showCard(QWidget* card, const QString& title, Severity severity, std::function<void()> open);
  QString title() const;

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void present(const QString& title, Severity severity, int width, std::function<void()> open);
  void dropCard();
  void place();

  QLabel* m_title;
  QLabel* m_text;
  QWidget* m_card = nullptr;
  std::function<void()> m_open;
  QTimer m_timer;
  QWidget* m_actions;
};

}  // namespace runglass
