// SPDX-License-Identifier: GPL-3.0-or-later
// Incident actions of the window: I and Shift+I create an incident from any view; the palette has the others.
//
// Threading:  GUI thread.
// Ownership:  borrows the window's parts, which outlive it.
// Errors:     a failed action is reported in the corner of the window.
// Cost:       as IncidentMaker.
#pragma once

#include <QObject>
#include <functional>

#include "widgets/core/view.h"
#include "widgets/frame/commands.h"
#include "widgets/frame/dock_host.h"
#include "widgets/frame/toast.h"
#include "widgets/incidents/incident_maker.h"

namespace runglass {

class IncidentsView;

class IncidentCommands : public QObject {
  Q_OBJECT

 public:
  // `show`: brings the view of this name to the screen.
  IncidentCommands(ViewContext context, DockHost& docks, Toast& toast, std::function<bool(const QString&)> show, QObject* parent);

  void addTo(Commands& commands);
  // A view was shown for the first time, or again.
  void viewShown(View* view);
  void fromSeed(const IncidentSeed& seed) { m_maker.fromSeed(seed); }
  void fromChosen();     // I
  void fromSelection();  // Shift+I

 private:
  IncidentsView* shownView() const;
  void run(const QString& command);

  DockHost& m_docks;
  Toast& m_toast;
  const std::function<bool(const QString&)> m_show;
  IncidentMaker m_maker;
};

}  // namespace runglass
