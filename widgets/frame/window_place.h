// SPDX-License-Identifier: GPL-3.0-or-later
// Where a window was when its geometry was saved, as far as the screen of today has room for it.
#pragma once

#include <QSize>

#include "widgets/core/theme.h"

class QByteArray;
class QWidget;

namespace runglass {

inline constexpr QSize kFrameRoom{2 * kGrid, 12 * kGrid};  // for what a window manager adds, which is known only once the window is shown

// False: what was saved is no geometry, and the window stays as it is.
bool restorePlace(QWidget& window, const QByteArray& saved);

}  // namespace runglass
