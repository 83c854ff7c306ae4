// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. m_history[m_position] is the place shown now (its window's range as last derived). 2. changed() is emitted exactly when
// m_state differs from before. 3. While paused, no data arrival moves the window.
#include "widgets/core/selection.h"

#include <limits>
#include <utility>

namespace runglass {
namespace {
constexpr std::size_t kMaxHistory = 200;
}  // namespace

void SharedState::select(const Selection& selection) {
  m_in_gesture = false;
  go({selection, m_state.window, m_state.moment}, Undo::kStep);
}

void SharedState::setWindow(TimeRange range, Undo undo) {
  if (range.t0 >= range.t1) return;
  m_left_end = false;
  TimeWindow window = m_state.window;
  window.mode = WindowMode::kFixed;
  window.range = range;
  go({m_state.selection, window, m_state.moment}, undo);
}

void SharedState::setMoment(std::optional<TimeNs> moment, Undo undo) {
  TimeWindow window = m_state.window;
  if (moment) {
    window = withMoment(window, *moment);
    if (m_state.window.mode == WindowMode::kFollow && window.mode == WindowMode::kFixed) m_left_end = true;
  } else if (std::exchange(m_left_end, false)) {
    window.mode = WindowMode::kFollow;
    window = derived(window);
  }
  go({m_state.selection, window, moment}, undo);
}

void SharedState::goTo(const Selection& selection, std::optional<TimeRange> window) {
  m_in_gesture = false;
  TimeWindow shown = m_state.window;
  if (window && window->t0 < window->t1) {
    m_left_end = false;
    shown.mode = WindowMode::kFixed;
    shown.range = *window;
  }
  go({selection, shown, m_state.moment}, Undo::kStep);
}

void SharedState::complete(const Selection& selection) {
  if (selection == m_state.selection) return;
  m_state.selection = m_history[m_position].selection = selection;
  emit changed();
}

void SharedState::followEnd(DurNs span) {
  if (span <= 0) return;
  TimeWindow window = m_state.window;
  window.mode = WindowMode::kFollow;
  window.span = span;
  m_left_end = false;
  go({m_state.selection, derived(window), std::nullopt}, Undo::kStep);
}

void SharedState::showAll() {
  m_left_end = false;
  TimeWindow window = m_state.window;
  window.mode = WindowMode::kAll;
  go({m_state.selection, derived(window), m_state.moment}, Undo::kStep);
}

void SharedState::takeOver(const ViewState& state) {
  m_in_gesture = m_left_end = false;
  m_state = state;
  m_history = {{state.selection, state.window, state.moment}};
  m_position = 0;
  emit changed();
}

void SharedState::setPaused(bool paused) {
  if (m_state.paused == paused) return;
  m_state.paused = paused;
  if (!paused) {
    m_state.window = derived(m_state.window);
    m_history[m_position].window = m_state.window;
  }
  emit changed();
}

void SharedState::setTimeStyle(TimeStyle style) {
  if (m_state.time_style == style) return;
  m_state.time_style = style;
  emit changed();
}

void SharedState::setExtent(std::optional<TimeRange> extent) {
  m_extent = extent;
  if (m_state.paused) return;
  const TimeWindow window = derived(m_state.window);
  if (window == m_state.window) return;
  m_state.window = window;
  m_history[m_position].window = window;
  emit changed();
}

void SharedState::back() {
  if (canGoBack()) restore(m_position - 1);
}

void SharedState::forward() {
  if (canGoForward()) restore(m_position + 1);
}

void SharedState::go(const Place& place, Undo undo) {
  if (place == m_history[m_position]) return;
  const bool merge = undo == Undo::kMerge && m_in_gesture;
  m_in_gesture = undo == Undo::kMerge;
  if (merge) {
    m_history[m_position] = place;
  } else {
    m_history.resize(m_position + 1);
    m_history.push_back(place);
    if (m_history.size() > kMaxHistory) m_history.pop_front();
    m_position = m_history.size() - 1;
  }
  m_state.selection = place.selection;
  m_state.window = place.window;
  m_state.moment = place.moment;
  emit changed();
}

void SharedState::restore(std::size_t position) {
  m_in_gesture = m_left_end = false;
  m_position = position;
  const Place place{m_history[position].selection, derived(m_history[position].window), m_history[position].moment};
  m_history[position] = place;
  if (Place{m_state.selection, m_state.window, m_state.moment} == place) return;
  m_state.selection = place.selection;
  m_state.window = place.window;
  m_state.moment = place.moment;
  emit changed();
}

TimeWindow SharedState::withMoment(TimeWindow window, TimeNs moment) const {
  const TimeRange shown = window.range;
  if (window.mode == WindowMode::kAll || shown.t0 >= shown.t1 || (moment >= shown.t0 && moment < shown.t1)) return window;
  window.mode = WindowMode::kFixed;
  const DurNs length = shown.t1 - shown.t0;
  window.range = {plusTime(moment, -length / 2), plusTime(moment, length - length / 2)};
  return window;
}

TimeWindow SharedState::derived(TimeWindow window) const {
  if (!m_extent) return window;
  if (window.mode == WindowMode::kAll) window.range = *m_extent;
  if (window.mode == WindowMode::kFollow) window.range = {m_extent->t1 - window.span, m_extent->t1};
  return window;
}

}  // namespace runglass
