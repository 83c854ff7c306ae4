// SPDX-License-Identifier: GPL-3.0-or-later
// TimeWindow: the part of an axis that a view shows, and what wheel, keys and drags make of it; the same in every view.
//
// Threading:  GUI thread; values.
// Units:      those of the axis: ns, steps.
// Errors:     none: a window that would be too narrow or too wide is no window.
#pragma once

#include <QKeyEvent>
#include <QWheelEvent>
#include <cstdint>
#include <optional>

namespace runglass {

struct TimeWindow {
  std::int64_t x0 = 0, x1 = 0;

  std::int64_t width() const { return x1 - x0; }
  // `factor` > 1 shows more; what is at `about` stays where it is.
  std::optional<TimeWindow> zoomed(double factor, std::int64_t about, std::int64_t narrowest) const;
  // By a share of its width; > 0: later.
  TimeWindow panned(double share) const;
  // As if its content were pulled so many pixels to the left, in a plot of `plot_width`.
  TimeWindow dragged(double pixels, double plot_width) const { return panned(pixels / plot_width); }
  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

inline constexpr int kDragPixels = 4;  // a press that moved less is a click

// Either a factor for zoomed() or a share for panned().
struct WindowMove {
  std::optional<double> zoom, pan;
};
// Of the wheel: Ctrl zooms, Shift pans, as it does where it turns `sideways`; else nothing, and the view decides.
double wheelNotches(const QWheelEvent& event);
double zoomOf(double notches);
WindowMove wheelMove(const QWheelEvent& event, bool sideways = false);
// Of W, S (zoom), A, D and the arrows (pan), with Shift further; other keys and modifiers move nothing.
WindowMove keyMove(const QKeyEvent& event);

}  // namespace runglass
