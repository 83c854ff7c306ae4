// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/time_window.h"

#include <algorithm>
#include <cmath>

namespace runglass {
namespace {

constexpr double kZoomStep = 1.25, kPanShare = 0.12, kFast = 3;
constexpr double kWidest = 4e18;

}  // namespace

std::optional<TimeWindow> TimeWindow::zoomed(double factor, std::int64_t about, std::int64_t narrowest) const {
  if (x1 <= x0) return std::nullopt;
  const double left = static_cast<double>(about - x0) * factor, right = static_cast<double>(x1 - about) * factor;
  if (left + right > kWidest) return std::nullopt;
  const TimeWindow out{about - static_cast<std::int64_t>(left), about + std::max<std::int64_t>(1, static_cast<std::int64_t>(right))};
  return out.width() < narrowest ? std::nullopt : std::optional(out);
}

TimeWindow TimeWindow::panned(double share) const {
  const auto by = static_cast<std::int64_t>(share * static_cast<double>(width()));
  return {x0 + by, x1 + by};
}

double wheelNotches(const QWheelEvent& event) {
  return (event.angleDelta().y() != 0 ? event.angleDelta().y() : event.angleDelta().x()) / 120.0;
}

double zoomOf(double notches) { return std::pow(kZoomStep, -notches); }

WindowMove wheelMove(const QWheelEvent& event, bool sideways) {
  const double notches = wheelNotches(event);
  if (event.modifiers() & Qt::ControlModifier) return {.zoom = zoomOf(notches)};
  if (sideways || event.modifiers() & Qt::ShiftModifier) return {.pan = -notches * kPanShare};
  return {};
}

WindowMove keyMove(const QKeyEvent& event) {
  if ((event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) != Qt::NoModifier) return {};
  const double faster = event.modifiers() & Qt::ShiftModifier ? kFast : 1;
  switch (event.key()) {
    case Qt::Key_W:
      return {.zoom = zoomOf(faster)};
    case Qt::Key_S:
      return {.zoom = zoomOf(-faster)};
    case Qt::Key_A:
    case Qt::Key_Left:
      return {.pan = -kPanShare * faster};
    case Qt::Key_D:
    case Qt::Key_Right:
      return {.pan = kPanShare * faster};
    default:
      return {};
  }
}

}  // namespace runglass
