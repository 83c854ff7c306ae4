// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/popup_focus.h"

#include <QApplication>
#include <QEvent>
#include <QWidget>

namespace runglass {
namespace {

class PopupFocus : public QObject {
 public:
  explicit PopupFocus(QApplication* application) : QObject(application) {
    connect(application, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
      if (now != nullptr && now->windowType() != Qt::Popup && now->window()->windowType() == Qt::Popup)
        now->window()->installEventFilter(this);
    });
  }
  bool eventFilter(QObject* watched, QEvent* event) override {
    auto* const popup = static_cast<QWidget*>(watched);
    if (event->type() == QEvent::Hide && popup->parentWidget() != nullptr)
      QMetaObject::invokeMethod(
          popup,
          [popup] {
            const QWidget* focus = QApplication::focusWidget();
            if (popup->isHidden() && focus != nullptr && popup->isAncestorOf(focus)) popup->parentWidget()->setFocus(Qt::PopupFocusReason);
          },
          Qt::QueuedConnection);
    return false;
  }
};

}  // namespace

void installPopupFocus() {
  static const QObject* const installed = new PopupFocus(qApp);
  static_cast<void>(installed);
}

}  // namespace runglass
