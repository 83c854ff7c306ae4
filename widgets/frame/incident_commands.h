// SPDX-License-Identifier: GPL-3.0-or-later
// What the window can do with incidents: I and Shift+I make one from anywhere, the palette has the rest.
//
// Threading:  GUI thread.
// Ownership:  borrows the window's parts, which outlive it.
// Units:      none.
// Errors:     what cannot be done is said in the corner of the window.
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
  // A view came to the screen for the first time, or again.
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
