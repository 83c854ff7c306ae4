// SPDX-License-Identifier: GPL-3.0-or-later
// The colour of a ratio in the ranking's heat maps: worse red, better blue, the background where a rank is like its peers.
//
// Threading:  any thread.
// Units:      ratios to the peers' median, minus 1; shares of full colour -1..1.
#pragma once

#include <algorithm>
#include <cmath>

#include "widgets/core/theme.h"

namespace runglass {

inline constexpr double kQuietRatio = 0.02;  // noise of healthy ranks is no pattern

// Below kQuietRatio a rank counts as equal to its peers; above it the colour grows up to the scale.
inline double heatShare(double ratio, double scale) {
  const double size = std::clamp((std::fabs(ratio) - kQuietRatio) / (scale - kQuietRatio), 0.0, 1.0);
  return ratio < 0 ? -size : size;
}

inline QColor heatColor(const Theme& theme, double share) {
  return mix(theme.ground, share > 0 ? theme.heat_worse : theme.heat_better, std::fabs(share));
}

}  // namespace runglass
