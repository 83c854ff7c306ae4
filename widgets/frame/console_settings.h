// SPDX-License-Identifier: GPL-3.0-or-later
// What the user chose on the settings page, as it is remembered, and the page.
//
// Threading:  GUI thread; scaleAtStart() before there is one.
// Errors:     a remembered value that is unknown, or out of its range, is its default.
#pragma once

#include <QDialog>
#include <QString>
#include <functional>

#include "widgets/core/language.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"

class QCheckBox;
class QComboBox;
class QSettings;
class QSpinBox;

namespace runglass {

enum class ThemeChoice : std::uint8_t { kSystem, kDark, kLight };

struct ConsoleSettings {
  ThemeChoice theme = ThemeChoice::kDark;
  int scale = 100;  // in percent: of text at once, of everything on screen from the next start on
  Language language = Language::kSystem;
  TimeStyle zone = TimeStyle::kUtc;
  QString start_view = QStringLiteral("watch");
  bool nav_collapsed = false;
  Density density = Density::kCompact;
  bool colour_blind = false;
  bool sound = false;  // with notifications

  bool operator==(const ConsoleSettings&) const = default;
};

inline constexpr int kMinScale = 80, kMaxScale = 200;

ConsoleSettings readSettings(const QSettings& settings);
// What differs from `before`: another window may have changed the others, and a theme of the command line is not to stay.
void writeSettings(QSettings& settings, const ConsoleSettings& before, const ConsoleSettings& chosen);
ThemeName themeOf(ThemeChoice choice);
// What scaleAtStart() has applied to everything, in percent.
int scaleOfProgram();
// Sets Qt's scale factor from the settings, times one that the environment sets. Before the application is made.
void scaleAtStart(const ConsoleSettings& chosen);

// The rest of the look; `scale_at_start`: what scaleAtStart() has applied to everything.
Look lookOf(const ConsoleSettings& chosen, int scale_at_start);

// Hubs that this user followed, as the page lists them.
struct HubList {
  QStringList addresses;
  std::function<void(const QString&)> forget;
  std::function<void()> add;
};

class SettingsDialog : public QDialog {
  Q_OBJECT

 public:
  // Every change is passed on at once.
  SettingsDialog(const ConsoleSettings& chosen, std::function<void(const ConsoleSettings&)> changed, HubList hubs, QWidget* parent);
  static QStringList fieldNames();
  static QString languageField();  // one of them
  // Puts the focus into the field of this name.
  void focusField(const QString& name);

 private:
  void change();
  QWidget* makeHubs(HubList hubs);

  ConsoleSettings m_chosen;
  const std::function<void(const ConsoleSettings&)> m_changed;
  QComboBox *m_language, *m_theme, *m_density, *m_zone, *m_start;
  QSpinBox* m_scale;
  QCheckBox *m_colour_blind, *m_sound;
};

}  // namespace runglass
