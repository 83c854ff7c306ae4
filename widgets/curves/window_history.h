// SPDX-License-Identifier: GPL-3.0-or-later
// WindowHistory: the sequence of windows that a view showed, with undo; an absent window is everything.
//
// Threading:  one thread.
// Units:      as XRange of the axis.
// Cost:       at most 200 windows.
#pragma once

#include <deque>
#include <optional>

#include "widgets/curves/card_data.h"

namespace runglass {

class WindowHistory {
 public:
  const std::optional<XRange>& current() const { return m_windows[m_place]; }
  // Of one gesture only the last window is stored.
  void set(std::optional<XRange> window, bool gesture);
  void endGesture() { m_in_gesture = false; }
  // Goes back by this many windows, or forward if negative; false: no such window.
  bool step(int by);
  void clear();

 private:
  std::deque<std::optional<XRange>> m_windows{std::nullopt};
  std::size_t m_place = 0;
  bool m_in_gesture = false;
};

}  // namespace runglass
