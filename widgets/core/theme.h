// SPDX-License-Identifier: GPL-3.0-or-later
// Design tokens: every colour, width, spacing and font size of the console, once for dark and once for light.
//
// Threading:  GUI thread. A raster worker copies the Theme it needs.
// Ownership:  static storage; currentTheme() stays valid, its choice changes with applyTheme().
// Units:      device-independent pixels on a 4 px grid; font sizes in pixels.
// Cost:       reading is free; applyTheme() restyles all widgets. Widgets read currentTheme() when they paint and drop cached pictures in
//             changeEvent(QEvent::PaletteChange).
#pragma once

#include <QColor>
#include <QFont>
#include <QPixmap>
#include <QString>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/events.h"

class QApplication;

namespace runglass {

enum class ThemeName : std::uint8_t { kDark, kLight };

struct Theme {
  ThemeName name;
  // Surfaces, text and lines.
  QColor ground, surface, raised, line, text, muted;
  QColor accent;     // focus ring, current selection outline, links
  QColor selection;  // fill behind selected text and rows; `text` stays readable on it
  // Categories of time, the same in timeline, breakdowns and reports.
  QColor compute, communication, memcpy, host, data_load, checkpoint, gc, sync, idle;
  // Outlines of parallel groups; never fills.
  QColor group_dp, group_pp, group_tp, group_ep;
  // Severity; a shape and a word always accompany the colour.
  QColor warning, error, critical, on_critical;
  // Heat runs from `ground` to one of these.
  QColor heat_worse, heat_better;
  // Curves, in order of assignment.
  std::array<QColor, 8> series;
};

// Sizes are the same in both themes.
inline constexpr int kGrid = 4;
inline constexpr int kHairline = 1;
inline constexpr int kRadius = 2;
inline constexpr int kTextPx = 13;
inline constexpr int kTablePx = 12;
inline constexpr int kTitlePx = 15;
inline constexpr int kHeadlinePx = 20;
inline constexpr int kStripHeight = 28;    // run strip
inline constexpr int kRowHeight = 20;      // of painted lines, and the minimum of table rows
inline constexpr int kNavWidth = 140;      // left navigation
inline constexpr int kNavCollapsed = 40;   // icons only
inline constexpr int kSelectionLine = 2;   // outline of selected items; they keep their colour
inline constexpr double kPastTint = 0.14;  // share of the accent in views that show the past
inline constexpr int kMotionMs = 120;      // duration of the one view transition

// A colour by its meaning, resolved when it is painted: objects that outlive a theme change store an Ink, never a QColor.
struct Ink {
  using Of = QColor (*)(const Theme&, std::size_t number);
  Of of = [](const Theme& theme, std::size_t) { return theme.muted; };
  std::size_t number = 0;
  QColor in(const Theme& theme) const { return of(theme, number); }
};
template <QColor Theme::*kToken>
constexpr Ink themeInk() {
  return {[](const Theme& theme, std::size_t) { return theme.*kToken; }};
}
Ink seriesInk(std::size_t number);     // of Theme::series, cyclic
Ink severityShape(Severity severity);  // severityColor()
Ink severityText(Severity severity);   // severityInk()

// The user's choices for the console's look in addition to the theme.
enum class Density : std::uint8_t { kCompact, kComfortable };
struct Look {
  bool colour_blind = false;  // colours that are distinguishable under deuteranopia and protanopia
  Density density = Density::kCompact;
  double text_scale = 1;  // for all fonts
  bool operator==(const Look&) const = default;
};

const Theme& theme(ThemeName name, bool colour_blind = false);
const Theme& currentTheme();
// Palette, style sheet and default font of the whole application; all widgets get QEvent::PaletteChange.
void applyTheme(QApplication& app, ThemeName name);
void applyLook(QApplication& app, ThemeName name, const Look& look);
const Look& currentLook();
int rowHeight();  // for tables in the current look; at least kRowHeight
// The desktop's theme, by the application's palette at the first call: call it before the first applyTheme(), which replaces the palette.
ThemeName systemTheme();
std::optional<ThemeName> themeFromName(std::string_view name);  // "dark", "light"

QFont textFont();
QFont tableFont();
QFont titleFont();
QFont headlineFont();
QFont codeFont();  // commands, paths, stacks

// Colour of a severity's shape; its word is painted in `text`.
QColor severityColor(const Theme& theme, Severity severity);
// For whole sentences in that colour: the same hue, dark or bright enough to be readable on `ground`.
QColor severityInk(const Theme& theme, Severity severity);
// The shape of a severity: triangle, square, filled square; a dot for info.
QString severityGlyph(Severity severity);

// The same shape as a pixmap in its colour, for table cells and titles; null for debug and info: no deviation, no mark.
QPixmap severityMark(Severity severity, int px, double device_ratio);

// WCAG 2 contrast of two opaque colours: 1..21.
double contrastRatio(const QColor& a, const QColor& b);
// Linear mix in sRGB: 0 gives a, 1 gives b.
QColor mix(const QColor& a, const QColor& b, double share);

}  // namespace runglass
