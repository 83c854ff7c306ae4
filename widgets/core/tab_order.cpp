// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/tab_order.h"

#include <QScrollArea>
#include <QWidget>

namespace runglass {

bool focusNextControl(QWidget& window, bool next) {
  QWidget* const from = window.focusWidget() != nullptr ? window.focusWidget() : &window;
  const auto after = [next](const QWidget* widget) { return next ? widget->nextInFocusChain() : widget->previousInFocusChain(); };
  for (QWidget* to = after(from); to != from; to = after(to)) {
    if (to->window() != &window || to->focusProxy() != nullptr || (to->focusPolicy() & Qt::TabFocus) == 0 || !to->isEnabled() ||
        !to->isVisibleTo(&window))
      continue;
    to->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    for (QWidget* over = to->parentWidget(); over != nullptr; over = over->parentWidget())
      if (auto* const area = qobject_cast<QScrollArea*>(over)) area->ensureWidgetVisible(to);
    return true;
  }
  return false;
}

}  // namespace runglass
