// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/theme.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QContextMenuEvent>
#include <QLabel>
#include <QListView>
#include <QPalette>
#include <QScrollBar>
#include <QStyleOptionViewItem>
#include <QTableView>
#include <QThread>
#include <QTimer>
#include <QTreeView>
#include <algorithm>
#include <array>
#include <cmath>

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

// A time that fits its cell is not cut off when the keyboard is there.
TEST(Theme, TheTextOfACellHasTheSameRoomWithTheFocus) {
  applyLook(*qApp, ThemeName::kDark, {});
  QTableView table;
  QTreeView tree;
  QListView list;
  for (QAbstractItemView* view : std::initializer_list<QAbstractItemView*>{&table, &tree, &list}) {
    view->ensurePolished();
    QStyleOptionViewItem option;
    option.initFrom(view);
    option.widget = view;
    option.rect = QRect(0, 0, 80, 24);
    option.features = QStyleOptionViewItem::HasDisplay;
    option.text = QStringLiteral("06:02:11");
    option.state.setFlag(QStyle::State_HasFocus, false);
    const QRect without = view->style()->subElementRect(QStyle::SE_ItemViewItemText, &option, view);
    option.state.setFlag(QStyle::State_HasFocus);
    EXPECT_EQ(view->style()->subElementRect(QStyle::SE_ItemViewItemText, &option, view), without) << view->metaObject()->className();
  }
}

// CIE L*a*b* (D65), CIEDE2000 (Sharma, Wu, Dalal 2005), and dichromats after Machado, Oliveira, Fernandes (2009), all in linear sRGB.
using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;
constexpr Matrix kSeen = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtanopia = {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeuteranopia = {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};

double linear(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }

Triple times(const Matrix& m, const Triple& v) {
  Triple out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return out;
}

Triple labOf(const QColor& color, const Matrix& eye) {
  constexpr Matrix kXyz = {{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}};
  Triple rgb = times(eye, {linear(color.redF()), linear(color.greenF()), linear(color.blueF())});
  for (double& c : rgb) c = std::clamp(c, 0.0, 1.0);
  Triple xyz = times(kXyz, rgb);
  xyz[0] /= 0.95047;
  xyz[2] /= 1.08883;
  for (double& t : xyz) t = t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  return {116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])};
}

double ciede2000(const Triple& one, const Triple& two) {
  constexpr double kTurn = 360, kRadians = M_PI / 180;
  const double chroma = (std::hypot(one[1], one[2]) + std::hypot(two[1], two[2])) / 2;
  const double g = 0.5 * (1 - std::sqrt(std::pow(chroma, 7) / (std::pow(chroma, 7) + std::pow(25.0, 7))));
  const double a1 = (1 + g) * one[1], a2 = (1 + g) * two[1];
  const double c1 = std::hypot(a1, one[2]), c2 = std::hypot(a2, two[2]);
  const auto hue = [](double b, double a) { return b == 0 && a == 0 ? 0 : std::fmod(std::atan2(b, a) / kRadians + kTurn, kTurn); };
  const double h1 = hue(one[2], a1), h2 = hue(two[2], a2);
  double dh = c1 * c2 == 0 ? 0 : h2 - h1;
  if (dh > 180) dh -= kTurn;
  if (dh < -180) dh += kTurn;
  const double dl = two[0] - one[0], dc = c2 - c1, big_dh = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2 * kRadians);
  const double l = (one[0] + two[0]) / 2, c = (c1 + c2) / 2;
  double h = h1 + h2;
  if (c1 * c2 != 0) h = std::abs(h1 - h2) <= 180 ? h / 2 : h < kTurn ? (h + kTurn) / 2 : (h - kTurn) / 2;
  const double t = 1 - 0.17 * std::cos((h - 30) * kRadians) + 0.24 * std::cos(2 * h * kRadians) + 0.32 * std::cos((3 * h + 6) * kRadians) -
                   0.20 * std::cos((4 * h - 63) * kRadians);
  const double sl = 1 + 0.015 * (l - 50) * (l - 50) / std::sqrt(20 + (l - 50) * (l - 50)), sc = 1 + 0.045 * c, sh = 1 + 0.015 * c * t;
  const double rt = -2 * std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7))) *
                    std::sin(60 * std::exp(-(h - 275) * (h - 275) / 625) * kRadians);
  return std::sqrt(dl / sl * dl / sl + dc / sc * dc / sc + big_dh / sh * big_dh / sh + rt * dc / sc * big_dh / sh);
}

TEST(Theme, TheColourDifferenceIsThatOfThePaper) {
  EXPECT_NEAR(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 1e-4);
  EXPECT_NEAR(ciede2000({50, 2.5, 0}, {73, 25, -18}), 27.1492, 1e-4);
  EXPECT_NEAR(ciede2000({2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}), 0.9082, 1e-4);
}

TEST(Theme, ColourBlindColoursStayApartForBothDichromats) {
  for (const ThemeName name : kBoth) {
    const Theme& t = theme(name, true);
    const std::array colors = {t.compute, t.communication, t.memcpy, t.host, t.data_load, t.checkpoint, t.gc, t.sync, t.warning, t.error};
    for (const Matrix& eye : {kSeen, kProtanopia, kDeuteranopia})
      for (std::size_t i = 0; i < colors.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          EXPECT_GE(ciede2000(labOf(colors[i], eye), labOf(colors[j], eye)), 10)
              << colors[i].name().toStdString() << " and " << colors[j].name().toStdString();
    for (const QColor& color : colors) EXPECT_GE(contrastRatio(color, t.ground), 3.0) << color.name().toStdString();
    for (const QColor& color : t.series) EXPECT_GE(contrastRatio(color, t.ground), 3.0);
    EXPECT_GE(contrastRatio(t.on_critical, t.critical), 4.5);
    EXPECT_EQ(t.ground, theme(name).ground);
  }
}

TEST(Theme, ALookChangesFontsRowsAndColoursOfTheWholeApplication) {
  const int row = rowHeight();
  applyLook(*qApp, ThemeName::kDark, {.colour_blind = true, .density = Density::kComfortable, .text_scale = 1.5});
  EXPECT_EQ(currentTheme().compute, theme(ThemeName::kDark, true).compute);
  EXPECT_EQ(textFont().pixelSize(), 20);  // 13 × 1.5, rounded
  EXPECT_GT(rowHeight(), row + kGrid);
  applyTheme(*qApp, ThemeName::kLight);
  EXPECT_EQ(currentTheme().compute, theme(ThemeName::kLight, true).compute) << "a theme alone keeps the rest of the look";
  applyLook(*qApp, ThemeName::kDark, {});
  QLabel label("x");
  label.setFont(titleFont());
  applyLook(*qApp, ThemeName::kDark, {.colour_blind = false, .density = Density::kCompact, .text_scale = 2});
  EXPECT_EQ(label.font().pixelSize(), 2 * kTitlePx) << "a font that a widget was given grows, too";
  applyLook(*qApp, ThemeName::kDark, {});
  EXPECT_EQ(label.font().pixelSize(), kTitlePx);
  EXPECT_EQ(rowHeight(), row);
  EXPECT_EQ(textFont().pixelSize(), kTextPx);
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
