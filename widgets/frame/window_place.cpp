// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/window_place.h"

#include <QByteArray>
#include <QScreen>
#include <QWidget>
#include <algorithm>

namespace runglass {

// QWidget::restoreGeometry() brings a corner of the window onto a screen, but keeps its size from another screen.
bool restorePlace(QWidget& window, const QByteArray& saved) {
  if (!window.restoreGeometry(saved)) return false;
  const QRect screen = window.screen()->availableGeometry();
  if (window.isMaximized() || window.isFullScreen() || screen.contains(window.geometry())) return true;
  QRect place(window.pos(), window.size().boundedTo(screen.size() - kFrameRoom));
  place.moveLeft(std::clamp(place.left(), screen.left(), screen.right() + 1 - place.width()));
  place.moveTop(std::clamp(place.top(), screen.top(), screen.bottom() + 1 - place.height()));
  window.setGeometry(place);
  return true;
}

}  // namespace runglass
