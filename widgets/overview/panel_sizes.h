// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes that the overview's panels have in common.
//
// Units:      px.
#pragma once

#include "widgets/core/theme.h"

namespace runglass {

inline constexpr int kPanelHead = 24, kPanelPad = 2 * kGrid, kPanelLine = 16, kSwatch = 10;

}  // namespace runglass
