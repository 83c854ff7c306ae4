// SPDX-License-Identifier: GPL-3.0-or-later
// WindowHistory: the windows that a view showed, one after another, with undo; absent is everything.
//
// Threading:  one thread.
// Ownership:  values.
// Units:      as XRange of the axis.
// Errors:     none.
// Cost:       at most 200 windows.
#pragma once

#include <deque>
#include <optional>

#include "widgets/curves/card_data.h"

namespace runglass {

class WindowHistory {
 public:
  const std::optional<XRange>& current() const { return m_windows[m_place]; }
  // Of one gesture only the last window is kept.
  void set(std::optional<XRange> window, bool gesture);
  void endGesture() { m_in_gesture = false; }
  // Back by so many windows, or forward where negative; false: there is none.
  bool step(int by);
  void clear();

 private:
  std::deque<std::optional<XRange>> m_windows{std::nullopt};
  std::size_t m_place = 0;
  bool m_in_gesture = false;
};

}  // namespace runglass
