// SPDX-License-Identifier: GPL-3.0-or-later
// ObjectMenu: the actions on an object, wherever it is shown: the context menu of every view, and the buttons of a notification.
//
// Threading:  GUI thread; a finding is read on a query worker before it is muted, edits are made elsewhere.
// Ownership:  owned by the window; its borrowed objects outlive it.
// Errors:     reported through ObjectActions::say.
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <vector>

#include "model/findings.h"
#include "widgets/core/view.h"

class QMenu;

namespace runglass {

struct ObjectActions {
  std::function<void(const Object&, const QString& view)> open;
  std::function<QString(const Object&)> link;  // empty while the run is not known
  std::function<QString(const Object&)> sql;
  std::function<void(const IncidentSeed&)> incident;
  std::function<void(const QString& heading)> help;
  std::function<void(const QString& title, const QString& text, Severity severity)> say;
};

class ObjectMenu : public QObject {
  Q_OBJECT

 public:
  ObjectMenu(ViewContext context, ObjectActions actions, QWidget* window);

  // Shows the menu at a screen position; it deletes itself.
  void show(const Object& object, const QPoint& at);
  QMenu* make(const Object& object);
  // Mutes notifications of the finding's cause for a while.
  void mute(const Object& finding);

 private:
  void addOpen(QMenu* menu, const Object& object);
  void addCopies(QMenu* menu, const Object& object);
  void addEdits(QMenu* menu, const Object& object);
  void mark(const Object& object);

  const ViewContext m_context;
  const ObjectActions m_actions;
  QWidget* m_window;
  QuerySlot& freeSlot();

  std::vector<std::unique_ptr<QuerySlot>> m_slots;  // one per request: none replaces another
};

}  // namespace runglass
