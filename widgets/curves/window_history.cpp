// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curves/window_history.h"

namespace runglass {
namespace {

constexpr std::size_t kMax = 200;

}  // namespace

void WindowHistory::set(std::optional<XRange> window, bool gesture) {
  if (gesture && m_in_gesture) {
    m_windows[m_place] = window;
  } else {
    m_windows.resize(m_place + 1);
    m_windows.push_back(window);
    if (m_windows.size() > kMax) m_windows.pop_front();
    m_place = m_windows.size() - 1;
  }
  m_in_gesture = gesture;
}

bool WindowHistory::step(int by) {
  const auto place = static_cast<std::ptrdiff_t>(m_place) - by;
  if (place < 0 || place >= static_cast<std::ptrdiff_t>(m_windows.size())) return false;
  m_place = static_cast<std::size_t>(place);
  m_in_gesture = false;
  return true;
}

void WindowHistory::clear() {
  m_windows = {std::nullopt};
  m_place = 0;
}

}  // namespace runglass
