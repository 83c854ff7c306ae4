// SPDX-License-Identifier: GPL-3.0-or-later
// Finder: the content of the window's palette, and the effect of a choice.
//
// Threading:  GUI thread; names are read on a query worker each time the palette opens; until then the previous ones are searched.
// Ownership:  owned by the window; its borrowed objects outlive it.
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
  std::function<void(const Object&)> open;       // in the most detailed view
  std::function<void(const QString&)> settings;  // the settings page, at a field
  std::function<void(const QString&)> help;      // a section of the guide
  std::function<void(const QString&)> say;       // reports why there is no target
};

class Finder : public QObject {
  Q_OBJECT

 public:
  // context.queries null: no store is open. `settings` null: earlier choices are not stored.
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
