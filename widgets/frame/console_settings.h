// SPDX-License-Identifier: GPL-3.0-or-later
// What the user chose on the settings page, as it is remembered, and the page.
//
// Threading:  GUI thread; scaleAtStart() before there is one.
// Errors:     a remembered value that is unknown, or out of its range, is its default.
#pragma once

#include <QDialog>
#include <QString>
#include <functional>

#include "widgets/core/theme.h"
#include "widgets/core/units.h"

class QComboBox;
class QLabel;
class QSettings;
class QSpinBox;

namespace runglass {

enum class ThemeChoice : std::uint8_t { kSystem, kDark, kLight };

struct ConsoleSettings {
  ThemeChoice theme = ThemeChoice::kDark;
  int scale = 100;  // of everything on screen, in percent; from the next start on
  TimeStyle zone = TimeStyle::kUtc;
  QString start_view = QStringLiteral("watch");
  bool nav_collapsed = false;

  bool operator==(const ConsoleSettings&) const = default;
};

inline constexpr int kMinScale = 80, kMaxScale = 200;

ConsoleSettings readSettings(const QSettings& settings);
// What differs from `before`: another window may have changed the others, and a theme of the command line is not to stay.
void writeSettings(QSettings& settings, const ConsoleSettings& before, const ConsoleSettings& chosen);
ThemeName themeOf(ThemeChoice choice);
// Sets Qt's scale factor from the settings, times one that the environment sets. Before the application is made.
void scaleAtStart(const ConsoleSettings& chosen);

class SettingsDialog : public QDialog {
  Q_OBJECT

 public:
  // Every change is passed on at once.
  SettingsDialog(const ConsoleSettings& chosen, std::function<void(const ConsoleSettings&)> changed, QWidget* parent);

 private:
  void change();

  ConsoleSettings m_chosen;
  const std::function<void(const ConsoleSettings&)> m_changed;
  const int m_scale_at_start;
  QComboBox *m_theme, *m_zone, *m_start;
  QSpinBox* m_scale;
  QLabel* m_restart;
};

}  // namespace runglass
