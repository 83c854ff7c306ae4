// SPDX-License-Identifier: GPL-3.0-or-later
// The user's choices on the settings page, as stored, and the page.
//
// Threading:  GUI thread; scaleAtStart() before it exists.
// Errors:     a stored value that is unknown or out of range is replaced by its default.
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
  int scale = 100;  // in percent: of text at once, of everything on screen from the next start
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
// Writes the differences from `before`: another window may have changed the others, and a theme from the command line is not stored.
void writeSettings(QSettings& settings, const ConsoleSettings& before, const ConsoleSettings& chosen);
ThemeName themeOf(ThemeChoice choice);
// The scale that scaleAtStart() applied to everything, in percent.
int scaleOfProgram();
// Sets Qt's scale factor from the settings, multiplied by the one in the environment. Call it before the application is created.
void scaleAtStart(const ConsoleSettings& chosen);

// The rest of the look; `scale_at_start`: the scale that scaleAtStart() applied to everything.
Look lookOf(const ConsoleSettings& chosen, int scale_at_start);

// Hubs whose stores this user has replicated, as the page lists them.
struct HubList {
  QStringList addresses;
  std::function<void(const QString&)> forget;
  std::function<void()> add;
};

class SettingsDialog : public QDialog {
  Q_OBJECT

 public:
  // Every change is applied at once.
  SettingsDialog(const ConsoleSettings& chosen, std::function<void(const ConsoleSettings&)> changed, HubList hubs, QWidget* parent);
  static QStringList fieldNames();
  static QString languageField();  // a name for focusField()
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
