// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants of a console's windows in every state, after any actions.
#pragma once

#include <QDockWidget>
#include <QString>
#include <algorithm>
#include <map>

#include "widgets/core/state_panel.h"
#include "widgets/frame/dock_host.h"

namespace runglass {

// The part of the widget that its ancestors do not clip, in its own coordinates.
inline QRect seenOf(const QWidget* widget) {
  QRect seen = widget->isVisible() ? widget->rect() : QRect();
  for (const QWidget* over = widget; !over->isWindow();) {
    over = over->parentWidget();
    seen &= QRect(widget->mapFrom(over, QPoint()), over->size());
  }
  return seen;
}

// The visible docks, by the view in them, in the host's coordinates.
inline std::map<QString, QRect> shownDocks(const DockHost& docks) {
  std::map<QString, QRect> places;
  for (const QDockWidget* dock : docks.findChildren<QDockWidget*>())
    if (dock->isVisible() && dock->geometry().right() >= 0 && dock->geometry().bottom() >= 0)
      places[dock->objectName()] = QRect(dock->mapTo(&docks, QPoint()), dock->size());
  return places;
}

// Empty: no panel overlaps another one or leaves the window, each shows its view, and the middle is not blank.
inline QString dockProblem(const DockHost& docks) {
  constexpr int kMinPx = 20;
  constexpr double kMinCovered = 0.9;
  const auto places = shownDocks(docks);
  const std::vector<View*> views = docks.visibleViews();
  double covered = 0;
  for (const auto& [id, place] : places) {
    covered += static_cast<double>(place.width()) * place.height();
    if (!docks.rect().contains(place)) return id + QStringLiteral(" leaves the window");
    for (const auto& [other, its] : places)
      if (id < other && place.intersects(its)) return QStringLiteral("%1 and %2 overlap").arg(id, other);
    const auto in = std::ranges::find_if(views, [&](const View* view) { return docks.idOf(view) == id; });
    if (in == views.end()) return id + QStringLiteral(" has a dock without its view");
    if ((*in)->width() < kMinPx || (*in)->height() < kMinPx) return id + QStringLiteral(" has no size");
  }
  for (const View* view : views)
    if (const QString id = docks.idOf(view); places.contains(id) == (docks.windowOf(id) != nullptr))
      return id + QStringLiteral(" must be in a dock or in a window");
  const auto panels = docks.findChildren<StatePanel*>();
  const bool says_empty = std::ranges::any_of(
      panels, [](const StatePanel* panel) { return panel->isVisible() && qobject_cast<DockPage*>(panel->parentWidget()) != nullptr; });
  if (places.empty() != says_empty) return QStringLiteral("the middle is blank, or says so while it is not");
  const double all = static_cast<double>(docks.width()) * docks.height();
  if (!places.empty() && covered < kMinCovered * all) return QStringLiteral("docks cover only %1").arg(covered / all);
  return {};
}

}  // namespace runglass
