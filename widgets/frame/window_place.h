// SPDX-License-Identifier: GPL-3.0-or-later
// Restores the geometry of a window within the current screen.
#pragma once

#include <QSize>

#include "widgets/core/theme.h"

class QByteArray;
class QWidget;

namespace runglass {

inline constexpr QSize kFrameRoom{2 * kGrid, 12 * kGrid};  // for the frame of a window manager, known only once the window is shown

// False: the stored bytes are no geometry, and the window stays unchanged.
bool restorePlace(QWidget& window, const QByteArray& saved);

}  // namespace runglass
