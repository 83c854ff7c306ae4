// SPDX-License-Identifier: GPL-3.0-or-later
// Finder: what the window's palette finds, and what happens with a choice.
//
// Threading:  GUI thread; names are read on a query worker each time the palette opens, and those of before are searched meanwhile.
// Ownership:  the window's; what it borrows outlives it.
#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <memory>

#include "widgets/core/view.h"
#include "widgets/frame/commands.h"
#include "widgets/frame/palette.h"

class QSettings;

namespace runglass {

struct FinderActions {
  std::function<void(const Object&)> open;       // in the view that shows most of it
  std::function<void(const QString&)> settings;  // the page, at a field
  std::function<void(const QString&)> help;      // a section of the guide
  std::function<void(const QString&)> say;       // why there is nothing to go to
};

class Finder : public QObject {
  Q_OBJECT

 public:
  // context.queries null: no store is open. `settings` null: what was chosen before is not remembered.
  Finder(ViewContext context, const Commands& commands, QSettings* settings, FinderActions actions, QWidget* window);
  void show();

 private:
  std::vector<PaletteEntry> entries() const;
  std::vector<PaletteEntry> typed(const QString& pattern);
  void readNames();
  void goToStep(std::int64_t step);

  const ViewContext m_context;
  const Commands& m_commands;
  QSettings* m_settings;
  const FinderActions m_actions;
  QWidget* m_window;
  QPointer<Palette> m_palette;
  std::shared_ptr<const PaletteNames> m_names;
  QuerySlot m_names_slot, m_step_slot;
};

}  // namespace runglass
