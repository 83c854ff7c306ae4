// SPDX-License-Identifier: GPL-3.0-or-later
// TimeWindow: the part of an axis that a view shows, and its changes by wheel, keys and drags; the same in every view.
//
// Threading:  GUI thread.
// Units:      those of the axis: ns, steps.
// Errors:     none: a window too narrow or too wide is refused (absent).
#pragma once

#include <QKeyEvent>
#include <QWheelEvent>
#include <cstdint>
#include <optional>

namespace runglass {

struct TimeWindow {
  std::int64_t x0 = 0, x1 = 0;

  std::int64_t width() const { return x1 - x0; }
  // `factor` > 1 shows more; the value at `about` keeps its position.
  std::optional<TimeWindow> zoomed(double factor, std::int64_t about, std::int64_t narrowest) const;
  // By a share of its width; > 0: towards later.
  TimeWindow panned(double share) const;
  // As if its content were dragged this many pixels to the left, in a plot of `plot_width`.
  TimeWindow dragged(double pixels, double plot_width) const { return panned(pixels / plot_width); }
  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

inline constexpr int kDragPixels = 4;  // a press that moved less is a click

// Either a factor for zoomed() or a share for panned().
struct WindowMove {
  std::optional<double> zoom, pan;
};
double wheelNotches(const QWheelEvent& event);
double zoomOf(double notches);
// Ctrl zooms; Shift, or `sideways`, pans; otherwise neither, and the view decides.
WindowMove wheelMove(const QWheelEvent& event, bool sideways = false);
// W and S zoom, A, D and the arrows pan, Shift pans further; other keys and modifiers move nothing.
WindowMove keyMove(const QKeyEvent& event);

}  // namespace runglass
