// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. No colour or size literal exists outside this file and theme.h. 2. Text on ground, surface and raised has a
// contrast of at least 4.5 in both themes (ThemeTest computes it).
#include "widgets/core/theme.h"

#include <QApplication>
#include <QFontMetrics>
#include <QFrame>
#include <QPainter>
#include <QPalette>
#include <QPolygonF>
#include <QProxyStyle>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace runglass {
namespace {

Theme* chosen() {
  static Theme current = theme(ThemeName::kDark);
  return &current;
}

Look* chosenLook() {
  static Look look;
  return &look;
}

Theme makeDark() {
  Theme t{};
  t.name = ThemeName::kDark;
  t.ground = QColor(0x14, 0x17, 0x1A);
  t.surface = QColor(0x1B, 0x1F, 0x24);
  t.raised = QColor(0x24, 0x2A, 0x31);
  t.line = QColor(0x31, 0x39, 0x43);
  t.text = QColor(0xE4, 0xE8, 0xEC);
  t.muted = QColor(0x97, 0xA3, 0xAF);
  t.accent = QColor(0x4C, 0x9B, 0xD6);
  t.selection = QColor(0x26, 0x45, 0x5E);
  t.series = {QColor(0x4C, 0x9B, 0xD6), QColor(0xE6, 0x9F, 0x00), QColor(0x2B, 0xB3, 0x9A), QColor(0xCC, 0x79, 0xA7),
              QColor(0xA5, 0x8B, 0xD6), QColor(0xF0, 0xE4, 0x42), QColor(0xD5, 0x5E, 0x00), QColor(0x8F, 0xC9, 0xE8)};
  return t;
}

Theme makeLight() {
  Theme t{};
  t.name = ThemeName::kLight;
  t.ground = QColor(0xFF, 0xFF, 0xFF);
  t.surface = QColor(0xF5, 0xF6, 0xF8);
  t.raised = QColor(0xFF, 0xFF, 0xFF);
  t.line = QColor(0xD9, 0xDE, 0xE3);
  t.text = QColor(0x1B, 0x21, 0x27);
  t.muted = QColor(0x5B, 0x66, 0x72);
  t.accent = QColor(0x1F, 0x6F, 0xAD);
  t.selection = QColor(0xCF, 0xE4, 0xF5);
  t.series = {QColor(0x1F, 0x6F, 0xAD), QColor(0xB5, 0x7A, 0x00), QColor(0x14, 0x82, 0x6E), QColor(0xA8, 0x4C, 0x80),
              QColor(0x71, 0x52, 0xB0), QColor(0x8C, 0x82, 0x00), QColor(0xB3, 0x4B, 0x00), QColor(0x2E, 0x8A, 0xB8)};
  return t;
}

// Semantic colours are the same in both themes, so that a report and the screen read alike.
Theme withMeaning(Theme t) {
  t.compute = QColor(0x4C, 0x9B, 0xD6);
  t.communication = QColor(0xE6, 0x9F, 0x00);
  t.memcpy = QColor(0xCC, 0x79, 0xA7);
  t.host = QColor(0x8A, 0x94, 0x9E);
  t.data_load = QColor(0x2B, 0xB3, 0x9A);
  t.checkpoint = QColor(0xF0, 0xE4, 0x42);
  t.gc = QColor(0xA5, 0x8B, 0xD6);
  t.sync = QColor(0xD5, 0x5E, 0x00);
  t.idle = t.ground;
  t.group_dp = QColor(0x4C, 0x9B, 0xD6);
  t.group_pp = QColor(0x2B, 0xB3, 0x9A);
  t.group_tp = QColor(0xE6, 0x9F, 0x00);
  t.group_ep = QColor(0xA5, 0x8B, 0xD6);
  t.warning = QColor(0xE6, 0xA2, 0x3C);
  t.error = QColor(0xE0, 0x53, 0x3D);
  t.critical = QColor(0xE0, 0x53, 0x3D);
  t.on_critical = QColor(0x14, 0x17, 0x1A);
  t.heat_worse = QColor(0xE0, 0x53, 0x3D);
  t.heat_better = QColor(0x4C, 0x9B, 0xD6);
  return t;
}

// CIEDE2000 of at least 10 between any two of categories and severities, simulated for deuteranopia and protanopia (ThemeTest computes it).
Theme colourBlind(Theme t) {
  const bool dark = t.name == ThemeName::kDark;
  const auto either = [dark](QRgb on_dark, QRgb on_light) { return QColor(dark ? on_dark : on_light); };
  t.compute = either(0x7878F0, 0x0078F0);
  t.communication = either(0xFFFFB4, 0x783C96);
  t.memcpy = either(0xD27896, 0xFF1E96);
  t.host = either(0xB4FFFF, 0x3C96B4);
  t.data_load = either(0x00D2FF, 0x0000FF);
  t.checkpoint = either(0xFFFF00, 0xB43C5A);
  t.gc = either(0xB43C96, 0x781E5A);
  t.sync = either(0xD2005A, 0xD25A5A);
  t.series = {t.compute, t.communication, t.memcpy, t.host, t.data_load, t.checkpoint, t.gc, t.sync};
  t.group_dp = t.compute, t.group_pp = t.host, t.group_tp = t.communication, t.group_ep = t.memcpy;
  t.warning = either(0xE6A23C, 0xC77C02);
  t.error = t.critical = t.heat_worse = either(0xE0533D, 0xA81C1C);
  t.on_critical = either(0x14171A, 0xFFFFFF);
  t.heat_better = t.compute;
  return t;
}

QPalette paletteOf(const Theme& t) {
  QPalette p;
  p.setColor(QPalette::Window, t.ground);
  p.setColor(QPalette::WindowText, t.text);
  p.setColor(QPalette::Base, t.ground);
  p.setColor(QPalette::AlternateBase, t.surface);
  p.setColor(QPalette::Text, t.text);
  p.setColor(QPalette::PlaceholderText, t.muted);
  p.setColor(QPalette::Button, t.surface);
  p.setColor(QPalette::ButtonText, t.text);
  p.setColor(QPalette::BrightText, t.text);
  p.setColor(QPalette::ToolTipBase, t.raised);
  p.setColor(QPalette::ToolTipText, t.text);
  p.setColor(QPalette::Highlight, t.selection);
  p.setColor(QPalette::HighlightedText, t.text);
  p.setColor(QPalette::Link, t.accent);
  p.setColor(QPalette::LinkVisited, t.accent);
  p.setColor(QPalette::Light, t.line);
  p.setColor(QPalette::Midlight, t.line);
  p.setColor(QPalette::Mid, t.line);
  p.setColor(QPalette::Dark, t.line);
  p.setColor(QPalette::Shadow, t.line);
  for (QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    p.setColor(QPalette::Disabled, role, t.muted);
  }
  return p;
}

// %1 ground, %2 surface, %3 raised, %4 line, %5 text, %6 muted, %7 accent, %8 selection.
constexpr const char* kStyleSheet = R"(
QToolTip { background: %3; color: %5; border: 1px solid %4; padding: 4px; }
QMenu { background: %3; border: 1px solid %4; padding: 4px 0; }
QMenu::item { padding: 4px 24px 4px 12px; }
QMenu::item:selected { background: %8; color: %5; }
QMenu::separator { height: 1px; background: %4; margin: 4px 0; }
QDialog { border: 1px solid %4; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QMainWindow::separator { background: %4; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: %7; }
QDockWidget { color: %6; }
QStatusBar { background: %2; color: %6; border-top: 1px solid %4; }
QStatusBar::item { border: none; }
QTableView, QTreeView, QListView { background: %1; border: none; gridline-color: %4; outline: none;
  selection-background-color: %8; selection-color: %5; }
QTableView::item, QTreeView::item, QListView::item { border: 1px solid transparent; }
QTableView::item { padding: 0 2px; }
QListView::item { padding: 2px 0; }
QTableView::item:focus, QTreeView::item:focus, QListView::item:focus { border: 1px solid %7; }
QTreeView::indicator, QListView::indicator, QCheckBox::indicator { width: 10px; height: 10px; border: 1px solid %6; border-radius: 2px; background: %1; }
QTreeView::indicator:checked, QListView::indicator:checked, QCheckBox::indicator:checked { background: %7; border-color: %7; }
QTreeView::indicator:indeterminate { background: %8; border-color: %7; }
QHeaderView { background: %2; border: none; }
QHeaderView::section { background: %2; color: %6; border: none; border-bottom: 1px solid %4; padding: 2px 6px; }
QTableCornerButton::section { background: %2; border: none; }
QLineEdit { background: %3; color: %5; border: 1px solid %4; border-radius: 2px; padding: 3px 6px; }
QLineEdit:focus { border: 1px solid %7; }
QTextEdit, QPlainTextEdit, QScrollArea { border: 1px solid transparent; }
QTextEdit:focus, QPlainTextEdit:focus, QScrollArea:focus { border: 1px solid %7; }
QLabel:focus { background: %8; }
QComboBox, QSpinBox, QDoubleSpinBox { background: %3; color: %5; border: 1px solid %4; border-radius: 2px; padding: 2px 6px; }
QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus { border: 1px solid %7; }
QComboBox::drop-down, QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {
  border: none; background: %3; width: 16px; }
QComboBox::down-arrow, QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { width: 0; height: 0;
  border-left: 4px solid %3; border-right: 4px solid %3; border-top: 5px solid %6; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { width: 0; height: 0;
  border-left: 4px solid %3; border-right: 4px solid %3; border-bottom: 5px solid %6; }
QComboBox QAbstractItemView { background: %3; color: %5; border: 1px solid %4; }
QPushButton { background: %3; color: %5; border: 1px solid %4; border-radius: 2px; padding: 4px 12px; }
QPushButton:hover, QPushButton:focus { border: 1px solid %7; }
QPushButton:disabled { color: %6; }
QToolButton { background: transparent; color: %5; border: 1px solid transparent; border-radius: 2px; padding: 3px 8px; }
QToolButton[dense="true"] { padding: 0 6px; }
QToolButton:hover { background: %3; }
QToolButton:focus { border: 1px solid %7; }
QToolButton:checked { background: %8; }
QPushButton[nav="true"] { background: transparent; border: 1px solid transparent; border-radius: 0; text-align: left; padding: 5px 10px; outline: none; }
QPushButton[nav="true"]:hover { background: %3; }
QPushButton[nav="true"]:focus { border: 1px solid %7; }
QPushButton[nav="true"]:checked { background: %8; border-left: 2px solid %7; padding-left: 9px; }
QScrollBar:vertical { background: %1; width: 10px; margin: 0; }
QScrollBar:horizontal { background: %1; height: 10px; margin: 0; }
QScrollBar::handle { background: %4; border-radius: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: %6; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
)";

QString styleSheetOf(const Theme& t) {
  return QString::fromUtf8(kStyleSheet)
      .arg(t.ground.name(), t.surface.name(), t.raised.name(), t.line.name(), t.text.name(), t.muted.name(), t.accent.name(),
           t.selection.name());
}

// Additions to the sheet above for the roomier density.
constexpr const char* kComfortable = R"(
QMenu::item { padding: 8px 24px 8px 12px; }
QTreeView::item, QListView::item { padding: 7px 0; }
QPushButton { padding: 7px 14px; }
QPushButton[nav="true"] { padding: 8px 10px; }
QPushButton[nav="true"]:checked { padding-left: 9px; }
QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox { padding: 6px 8px; }
)";

// Fusion draws from the palette alone, so both themes look the same on every platform. Qt's context menu of scroll bars runs an event loop
// of its own, under which a window may be replaced: it is disabled.
class ConsoleStyle : public QProxyStyle {
 public:
  ConsoleStyle() : QProxyStyle(QStringLiteral("Fusion")) {}
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const override {
    return hint == SH_ScrollBar_ContextMenu ? 0 : QProxyStyle::styleHint(hint, option, widget, data);
  }
};

constexpr double kReadable = 4.5;  // WCAG 2, text

constexpr const char* kUnscaledPx = "rg_unscaled_px";

// A size in pixels is rounded: what it was before scaling is remembered, so that it returns after any number of changes.
int unscaledPx(const QWidget& widget, double scale) {
  const int px = widget.font().pixelSize();
  const QVariant known = widget.property(kUnscaledPx);
  if (known.isValid() && std::lround(known.toInt() * scale) == px) return known.toInt();
  return static_cast<int>(std::lround(px / scale));
}

int scaled(int px) { return std::max(1, static_cast<int>(std::lround(px * chosenLook()->text_scale))); }

// The packages install the first font of each list; the others are for a host without them, and for glyphs that they lack (Chinese).
QFont sizedFont(int px) {
  static const QStringList families = {QStringLiteral("Noto Sans"), QStringLiteral("Noto Sans CJK SC"), QStringLiteral("DejaVu Sans")};
  QFont font(families);
  font.setPixelSize(scaled(px));
  return font;
}

double linear(int channel) {
  const double c = channel / 255.0;
  return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& c) { return 0.2126 * linear(c.red()) + 0.7152 * linear(c.green()) + 0.0722 * linear(c.blue()); }

}  // namespace

const Theme& theme(ThemeName name, bool colour_blind) {
  static const Theme dark = withMeaning(makeDark()), apart_dark = colourBlind(dark);
  static const Theme light = withMeaning(makeLight()), apart_light = colourBlind(light);
  if (colour_blind) return name == ThemeName::kDark ? apart_dark : apart_light;
  return name == ThemeName::kDark ? dark : light;
}

const Theme& currentTheme() { return *chosen(); }

Ink seriesInk(std::size_t number) {
  return {[](const Theme& theme, std::size_t at) { return theme.series[at % theme.series.size()]; }, number};
}

Ink severityShape(Severity severity) {
  return {[](const Theme& theme, std::size_t at) { return severityColor(theme, static_cast<Severity>(at)); },
          static_cast<std::size_t>(severity)};
}

Ink severityText(Severity severity) {
  return {[](const Theme& theme, std::size_t at) { return severityInk(theme, static_cast<Severity>(at)); },
          static_cast<std::size_t>(severity)};
}

ThemeName systemTheme() {
  static const bool dark =
      luminance(QGuiApplication::palette().color(QPalette::Window)) < luminance(QGuiApplication::palette().color(QPalette::WindowText));
  return dark ? ThemeName::kDark : ThemeName::kLight;
}

void applyTheme(QApplication& app, ThemeName name) { applyLook(app, name, *chosenLook()); }

const Look& currentLook() { return *chosenLook(); }

int rowHeight() {
  const int text = QFontMetrics(tableFont()).lineSpacing() + kGrid;
  return std::max(kRowHeight, text) + (chosenLook()->density == Density::kComfortable ? 2 * kGrid : 0);
}

void applyLook(QApplication& app, ThemeName name, const Look& look) {
  systemTheme();  // the palette of the desktop is replaced below
  const double before = std::exchange(*chosenLook(), look).text_scale;
  std::vector<std::pair<QWidget*, int>> fonts;  // set on widgets, in pixels before scaling
  if (before != look.text_scale)
    for (QWidget* widget : QApplication::allWidgets())
      if (widget->testAttribute(Qt::WA_SetFont) && widget->font().pixelSize() > 0) fonts.emplace_back(widget, unscaledPx(*widget, before));
  *chosen() = theme(name, look.colour_blind);
  const Theme& t = currentTheme();
  if (static bool styled = false; !std::exchange(styled, true)) QApplication::setStyle(new ConsoleStyle);
  QApplication::setFont(textFont());
  QApplication::setPalette(paletteOf(t));
  // A frame that was never shown and has no room for its margins yet loses them when its style changes.
  std::vector<std::pair<QFrame*, QMargins>> frames;
  for (QWidget* widget : QApplication::allWidgets())
    if (auto* frame = qobject_cast<QFrame*>(widget)) frames.emplace_back(frame, frame->contentsMargins());
  app.setStyleSheet(styleSheetOf(t) + QLatin1String(look.density == Density::kComfortable ? kComfortable : ""));
  for (const auto& [frame, margins] : frames) frame->setContentsMargins(margins);
  // After the style sheet, which resets fonts.
  for (const auto& [widget, px] : fonts) {
    QFont font = widget->font();
    font.setPixelSize(scaled(px));
    widget->setFont(font);
    widget->setProperty(kUnscaledPx, px);
  }
}

std::optional<ThemeName> themeFromName(std::string_view name) {
  if (name == "dark") return ThemeName::kDark;
  if (name == "light") return ThemeName::kLight;
  return std::nullopt;
}

QFont textFont() { return sizedFont(kTextPx); }
QFont tableFont() { return sizedFont(kTablePx); }
QFont titleFont() { return sizedFont(kTitlePx); }
QFont headlineFont() { return sizedFont(kHeadlinePx); }

QFont codeFont() {
  QFont font({QStringLiteral("JetBrains Mono"), QStringLiteral("DejaVu Sans Mono"), QStringLiteral("monospace")});
  font.setPixelSize(scaled(kTextPx));
  return font;
}

QColor severityColor(const Theme& theme, Severity severity) {
  switch (severity) {
    case Severity::kDebug:
    case Severity::kInfo:
      return theme.muted;
    case Severity::kWarning:
      return theme.warning;
    case Severity::kError:
      return theme.error;
    case Severity::kCritical:
      return theme.critical;
  }
  return theme.muted;
}

QColor severityInk(const Theme& theme, Severity severity) {
  const QColor color = severityColor(theme, severity);
  QColor ink = color;
  for (double share = 0.05; share < 1 && contrastRatio(ink, theme.ground) < kReadable; share += 0.05) ink = mix(color, theme.text, share);
  return ink;
}

QString severityGlyph(Severity severity) {
  switch (severity) {
    case Severity::kDebug:
    case Severity::kInfo:
      return QStringLiteral("•");
    case Severity::kWarning:
      return QStringLiteral("▲");
    case Severity::kError:
      return QStringLiteral("■");
    case Severity::kCritical:
      return QStringLiteral("◆");
  }
  return {};
}

QPixmap severityMark(Severity severity, int px, double device_ratio) {
  if (severity <= Severity::kInfo) return {};
  QPixmap picture(QSize(px, px) * device_ratio);
  picture.setDevicePixelRatio(device_ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(severityColor(currentTheme(), severity));
  const QRectF box = QRectF(0, 0, px, px).adjusted(1, 1, -1, -1);
  if (severity == Severity::kWarning)
    painter.drawPolygon(QPolygonF({{box.center().x(), box.top()}, box.bottomRight(), box.bottomLeft()}));
  else if (severity == Severity::kError)
    painter.drawRect(box);
  else
    painter.drawPolygon(QPolygonF({{box.center().x(), box.top()},
                                   {box.right(), box.center().y()},
                                   {box.center().x(), box.bottom()},
                                   {box.left(), box.center().y()}}));
  return picture;
}

double contrastRatio(const QColor& a, const QColor& b) {
  const double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor mix(const QColor& a, const QColor& b, double share) {
  const double s = std::clamp(share, 0.0, 1.0);
  const auto channel = [s](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * s)); };
  return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

}  // namespace runglass
