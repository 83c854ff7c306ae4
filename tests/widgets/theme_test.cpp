// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/theme.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QContextMenuEvent>
#include <QPalette>
#include <QScrollBar>
#include <QThread>
#include <QTimer>

#include "tests/widgets/offscreen.h"

namespace runglass {
namespace {

constexpr std::array kBoth = {ThemeName::kDark, ThemeName::kLight};

TEST(Theme, TextIsReadableOnEverySurfaceInBothThemes) {
  for (const ThemeName name : kBoth) {
    const Theme& t = theme(name);
    for (const QColor& surface : {t.ground, t.surface, t.raised}) {
      EXPECT_GE(contrastRatio(t.text, surface), 4.5) << surface.name().toStdString();
      EXPECT_GE(contrastRatio(t.muted, surface), 4.5) << surface.name().toStdString();
    }
    EXPECT_GE(contrastRatio(t.text, t.selection), 4.5);
    EXPECT_GE(contrastRatio(t.on_critical, t.critical), 4.5);
    EXPECT_GE(contrastRatio(t.accent, t.ground), 4.5) << "links are text";
  }
}

TEST(Theme, CurvesStandOutFromTheGroundAndFromEachOther) {
  for (const ThemeName name : kBoth) {
    const Theme& t = theme(name);
    for (std::size_t i = 0; i < t.series.size(); ++i) {
      EXPECT_GE(contrastRatio(t.series[i], t.ground), 3.0) << i;
      for (std::size_t j = 0; j < i; ++j) EXPECT_NE(t.series[i], t.series[j]);
    }
  }
}

TEST(Theme, ContrastMatchesTheDefinition) {
  EXPECT_NEAR(contrastRatio(Qt::black, Qt::white), 21.0, 1e-9);
  EXPECT_NEAR(contrastRatio(Qt::white, Qt::white), 1.0, 1e-9);
  EXPECT_NEAR(contrastRatio(QColor(0x77, 0x77, 0x77), Qt::white), 4.48, 0.01);
}

TEST(Theme, SwitchingChangesPaletteAndTokensOfTheWholeApplication) {
  applyTheme(*qApp, ThemeName::kLight);
  EXPECT_EQ(currentTheme().name, ThemeName::kLight);
  EXPECT_EQ(QApplication::palette().color(QPalette::Window), theme(ThemeName::kLight).ground);
  applyTheme(*qApp, ThemeName::kDark);
  EXPECT_EQ(QApplication::palette().color(QPalette::Window), theme(ThemeName::kDark).ground);
}

TEST(Theme, SeveritiesDifferInShapeNotOnlyInColour) {
  EXPECT_NE(severityGlyph(Severity::kInfo), severityGlyph(Severity::kWarning));
  EXPECT_NE(severityGlyph(Severity::kWarning), severityGlyph(Severity::kError));
  EXPECT_NE(severityGlyph(Severity::kError), severityGlyph(Severity::kCritical));
}

TEST(Theme, SentencesInTheColourOfASeverityAreReadable) {
  for (const ThemeName name : {ThemeName::kDark, ThemeName::kLight})
    for (const Severity severity : {Severity::kInfo, Severity::kWarning, Severity::kError, Severity::kCritical}) {
      const Theme& t = theme(name);
      EXPECT_GE(contrastRatio(severityInk(t, severity), t.ground), 4.5);
      EXPECT_NE(severityInk(t, Severity::kWarning), t.text) << "still of its hue";
    }
}

TEST(Theme, NamesFromTheCommandLineAreUnderstood) {
  EXPECT_EQ(themeFromName("light"), ThemeName::kLight);
  EXPECT_EQ(themeFromName("dark"), ThemeName::kDark);
  EXPECT_EQ(themeFromName("solarized"), std::nullopt);
}

TEST(Theme, AScrollBarHasNoMenuThatRunsAnEventLoopOfItsOwn) {
  QScrollBar bar(Qt::Vertical);
  bar.resize(10, 200);
  bar.show();
  int level = 0;
  QTimer::singleShot(0, &bar, [&] {
    level = QThread::currentThread()->loopLevel();
    if (QWidget* menu = QApplication::activePopupWidget()) menu->close();
  });
  QContextMenuEvent event(QContextMenuEvent::Mouse, {5, 100}, bar.mapToGlobal(QPoint(5, 100)));
  QCoreApplication::sendEvent(&bar, &event);
  QCoreApplication::processEvents();
  EXPECT_EQ(level, 0);
}

}  // namespace
}  // namespace runglass
