// SPDX-License-Identifier: GPL-3.0-or-later
// The frame around the views: navigation, menus, settings, headline, icons and fonts.
#include "widgets/frame/navigation.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "tests/widgets/console_fixture.h"
#include "widgets/core/headline.h"
#include "widgets/core/icon.h"

namespace runglass {
namespace {

class NavigationTest : public ConsoleTest {
 protected:
  Navigation* navigation() { return m_window->findChild<Navigation*>(); }
  NavButton* button(const QString& label) {
    for (NavButton* one : navigation()->findChildren<NavButton*>())
      if (one->accessibleName().startsWith(label)) return one;
    ADD_FAILURE() << "no button " << label.toStdString();
    return nullptr;
  }
  void trigger(const QString& words) {
    for (QAction* action : m_window->commands().all())
      if (action->text() == words) return action->trigger();
    FAIL() << "no command " << words.toStdString();
  }
};

TEST_F(NavigationTest, EveryPlaceHasAnIconAndKeysReachTheFirstTenInOrder) {
  open();
  const auto& places = navigation()->places();
  ASSERT_GE(places.size(), 10U);
  for (const Navigation::Place& place : places) EXPECT_FALSE(icon(place.id).isNull()) << place.id.toStdString();
  for (std::size_t i = 0; i < 10; ++i) {
    QApplication::setActiveWindow(m_window.get());  // offscreen, no window manager restores it after a view has taken the focus
    QTest::keyClick(m_window.get(), static_cast<Qt::Key>(Qt::Key_0 + (i + 1) % 10), Qt::ControlModifier);
    settle();
    EXPECT_EQ(docks().current(), i == 0 ? places[i].id : "single:" + places[i].id);
    EXPECT_TRUE(button(places[i].title)->isChecked());
  }
}

TEST_F(NavigationTest, HeadingsFollowTheFontSize) {
  open();
  const auto sizes = [&] {
    std::vector<int> pixels;
    for (const QLabel* heading : navigation()->findChildren<QLabel*>()) pixels.push_back(heading->fontInfo().pixelSize());
    return pixels;
  };
  ASSERT_FALSE(sizes().empty());
  for (const double scale : {1.5, 0.8, 1.0}) {
    Look look;
    look.text_scale = scale;
    applyLook(*qApp, ThemeName::kDark, look);
    EXPECT_THAT(sizes(), testing::Each(QFontInfo(tableFont()).pixelSize())) << scale;
  }
}

TEST_F(NavigationTest, FindingsAreCountedBesideTheirPlaceAndInTheTitle) {
  open();
  go("watch");
  int open_findings = 0;
  const auto reader = openStore(run().path()).reader().value();
  const RunSummary summary = readRunSummary(*reader, run().run(), {}).value();
  const TimeNs end = std::min(summary.last_data.value(), summary.run.end.value_or(*summary.last_data));
  int ended = 0;
  for (const Finding& finding : run().findings())
    if (finding.severity >= Severity::kWarning) ++(finding.end && *finding.end < end ? ended : open_findings);
  ASSERT_GT(open_findings, 0);
  ASSERT_GT(ended, 0);
  EXPECT_EQ(button("Findings")->accessibleName(), QStringLiteral("Findings, %1 open of warning severity or above").arg(open_findings));
  EXPECT_TRUE(m_window->windowTitle().startsWith(QStringLiteral("(%1) ").arg(open_findings))) << m_window->windowTitle().toStdString();
  int in_strip = 0;
  for (const StripItem& item : m_window->findChild<RunStrip*>()->items())
    if (item.caption == "findings")
      for (const QString& part : item.value.split(QStringLiteral(", "))) in_strip += part.section(u' ', 0, 0).toInt();
  EXPECT_EQ(in_strip, open_findings) << "the run strip counts the same findings";
}

TEST_F(NavigationTest, CollapsedItShowsIconsWithNamesAndTheNextWindowIsCollapsedToo) {
  const QTemporaryDir folder;
  QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
  open(&settings);
  go("watch");
  const int wide = navigation()->width();
  QTest::mouseClick(button("Collapse"), Qt::LeftButton);
  settle();
  EXPECT_LT(navigation()->width(), wide / 2);
  for (NavButton* one : navigation()->findChildren<NavButton*>()) {
    EXPECT_TRUE(one->text().isEmpty());
    EXPECT_FALSE(one->accessibleName().isEmpty());
    EXPECT_FALSE(one->toolTip().isEmpty());
  }
  open(&settings);
  go("runs");
  EXPECT_TRUE(navigation()->isCollapsed());
  QTest::mouseClick(button("GPUs"), Qt::LeftButton);
  settle();
  EXPECT_EQ(docks().current(), "single:gpus");
  QTest::mouseClick(button("Expand"), Qt::LeftButton);
  settle();
  EXPECT_EQ(navigation()->width(), wide);
}

TEST_F(NavigationTest, CtrlHomeIsTheTablesOwnWhereATableHasTheFocus) {
  open();
  go("events");
  auto* table = view("events")->findChild<QTableView*>();
  ASSERT_GT(table->model()->rowCount(), 3);
  m_window->state().setWindow({SimulatedIncident::kStart, SimulatedIncident::kStart + 500 * kNsPerSecond});
  settle();
  table->setFocus();
  table->setCurrentIndex(table->model()->index(3, 0));
  settle();
  const TimeWindow before = state().window;
  QTest::keyClick(table, Qt::Key_Home, Qt::ControlModifier);
  settle();
  EXPECT_EQ(table->currentIndex().row(), 0);
  EXPECT_EQ(before.mode, WindowMode::kFixed);
  EXPECT_EQ(state().window.mode, WindowMode::kFixed);
  go("overview");
  QTest::keyClick(view("overview"), Qt::Key_Home, Qt::ControlModifier);
  EXPECT_EQ(state().window.mode, WindowMode::kAll);
}

TEST_F(NavigationTest, AFinishedRunCannotBePausedAndARunningOneCan) {
  open();
  go("watch");
  EXPECT_FALSE(button("Live")->isVisible());
}

TEST_F(NavigationTest, EveryCommandIsInOneMenu) {
  open();
  std::multiset<const QAction*> in_menus;
  QStringList titles;
  const std::function<void(const QMenu*)> walk = [&](const QMenu* menu) {
    for (QAction* action : menu->actions()) action->menu() != nullptr ? walk(action->menu()) : void(in_menus.insert(action));
  };
  for (const QAction* top : m_window->findChild<QMenuBar*>()->actions()) {
    titles << top->text().remove(u'&');
    walk(top->menu());
  }
  EXPECT_EQ(titles, (QStringList{"File", "View", "Go", "Incident", "Help"}));
  for (const QAction* command : m_window->commands().all()) EXPECT_EQ(in_menus.count(command), 1U) << command->text().toStdString();
  EXPECT_EQ(in_menus.size(), m_window->commands().all().size());
}

TEST_F(NavigationTest, SettingsApplyAtOnceAndAreRemembered) {
  const QTemporaryDir folder;
  QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
  open(&settings);
  go("watch");
  trigger("Settings …");
  auto* dialog = m_window->findChild<SettingsDialog*>();
  ASSERT_NE(dialog, nullptr);
  const auto boxes = dialog->findChildren<QComboBox*>();
  ASSERT_EQ(boxes.size(), 5);
  const auto box = [&](const QString& name) { return *std::ranges::find(boxes, name, &QComboBox::accessibleName); };
  box("Theme")->setCurrentIndex(2);
  EXPECT_EQ(currentTheme().name, ThemeName::kLight);
  box("Time zone")->setCurrentIndex(1);
  EXPECT_EQ(state().time_style, TimeStyle::kLocal);
  box("First view of a store")->setCurrentIndex(box("First view of a store")->findData("ranking"));
  dialog->findChild<QSpinBox*>()->setValue(150);
  EXPECT_EQ(textFont().pixelSize(), 20);  // 13 × 1.5, rounded
  box("Density")->setCurrentIndex(1);
  EXPECT_EQ(currentLook().density, Density::kComfortable);
  for (QCheckBox* check : dialog->findChildren<QCheckBox*>()) QTest::mouseClick(check, Qt::LeftButton, {}, QPoint(8, check->height() / 2));
  EXPECT_EQ(currentTheme().compute, theme(ThemeName::kLight, true).compute);
  const ConsoleSettings chosen{
      ThemeChoice::kLight, 150, Language::kSystem, TimeStyle::kLocal, "ranking", false, Density::kComfortable, true, true};
  EXPECT_EQ(readSettings(settings), chosen);
  open(&settings);
  EXPECT_EQ(state().time_style, TimeStyle::kLocal);
  EXPECT_EQ(m_window->settings(), chosen);
  EXPECT_EQ(currentLook(), (Look{.colour_blind = true, .density = Density::kComfortable, .text_scale = 1.5}));
}

TEST_F(NavigationTest, HubAddressesAreListedAndForgotten) {
  m_queries = std::make_unique<QueryService>([path = run().path()] { return openStore(path).reader(); }, 1);
  QStringList forgotten;
  WindowOptions options;
  options.queries = m_queries.get();
  options.welcome.hubs.hubs = {{.address = "login1:7070"}, {.address = "unix:/s"}};
  options.forget_hub = [&](const QString& address) { forgotten << address; };
  m_window = std::make_unique<MainWindow>(options);
  m_window->show();
  trigger("Settings …");
  auto* dialog = m_window->findChild<SettingsDialog*>();
  ASSERT_NE(dialog, nullptr);
  int offered = 0;
  for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
    if (button->text() != "Remove") continue;
    ++offered;
    if (button->accessibleName() == "Remove unix:/s") QTest::mouseClick(button, Qt::LeftButton);
  }
  EXPECT_EQ(offered, 2);
  EXPECT_EQ(forgotten, QStringList{"unix:/s"});
  delete dialog;
  trigger("Settings …");
  QStringList left;
  for (QPushButton* button : m_window->findChild<SettingsDialog*>()->findChildren<QPushButton*>())
    if (button->text() == "Remove") left << button->accessibleName();
  EXPECT_EQ(left.size(), 1);
  EXPECT_FALSE(left.contains("Remove unix:/s")) << "the next time as well";
}

TEST_F(NavigationTest, AThemeOfTheCommandLineIsNotRemembered) {
  const QTemporaryDir folder;
  QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
  settings.setValue("theme", "system");
  applyTheme(*qApp, systemTheme() == ThemeName::kLight ? ThemeName::kDark : ThemeName::kLight);
  open(&settings);
  go("watch");
  settings.setValue("scale", 120);  // set by another window
  trigger("Collapse or expand the navigation");
  EXPECT_EQ(settings.value("theme").toString(), "system");
  EXPECT_EQ(settings.value("scale").toInt(), 120);
  EXPECT_TRUE(settings.value("navigation_collapsed").toBool());
}

TEST(Settings, WhatIsUnknownOrOutOfRangeIsTheDefault) {
  const QTemporaryDir folder;
  QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
  settings.setValue("theme", "pink");
  settings.setValue("scale", 5'000);
  settings.setValue("time_zone", 7);
  settings.setValue("start_view", "../../etc");
  EXPECT_EQ(readSettings(settings), ConsoleSettings{});
}

TEST(Settings, ASizeMultipliesTheOneOfTheEnvironment) {
  qputenv("QT_SCALE_FACTOR", "2");
  ConsoleSettings chosen;
  scaleAtStart(chosen);
  EXPECT_EQ(qgetenv("QT_SCALE_FACTOR"), "2");
  chosen.scale = 150;
  scaleAtStart(chosen);
  EXPECT_EQ(qgetenv("QT_SCALE_FACTOR"), "3");
  EXPECT_EQ(scaleOfProgram(), 150);
  EXPECT_EQ(lookOf(chosen, scaleOfProgram()).text_scale, 1) << "all is scaled already";
  scaleAtStart({});
  qunsetenv("QT_SCALE_FACTOR");
}

TEST(HeadlineTest, AnySentenceTakesAtMostTwoLinesAtAnyWidth) {
  Headline headline;
  QString words;
  for (int i = 0; i < 60; ++i) {
    words += QStringLiteral("Rank %1 on node sim-%1 computes slower than its peers. ").arg(i);
    for (const int width : {120, 300, 560, 1'200}) {
      headline.setSentence(words, i % 2 == 0 ? Severity::kInfo : Severity::kError);
      headline.resize(width, headline.heightForWidth(width));
      headline.QWidget::show();
      EXPECT_LE(headline.heightForWidth(width), 2 * QFontMetrics(headlineFont()).lineSpacing() + 8) << width;
      EXPECT_EQ(headline.words(), words);
      // Clipped text is readable in full.
      EXPECT_TRUE(headline.text() == words || headline.toolTip().contains("sim-0"));
      EXPECT_TRUE(headline.accessibleName().contains(words));
    }
  }
}

TEST(HeadlineTest, ACutSentenceIsReadInItsTipTogetherWithTheHint) {
  Headline headline;
  headline.resize(300, 60);
  headline.QWidget::show();
  headline.setHint("Show the findings");
  headline.setSentence("64 GPUs.");
  EXPECT_EQ(headline.toolTip(), "<span>Show the findings</span>");
  const QString words = QString("Rank 37 computes slower than its peers. ").repeated(20) + "The last words.";
  headline.setSentence(words, Severity::kError);
  EXPECT_TRUE(headline.toolTip().contains("The last words."));
  EXPECT_TRUE(headline.toolTip().endsWith("Show the findings</span>"));
  headline.setHint({});
  EXPECT_TRUE(headline.toolTip().contains("The last words."));
}

// As in the overview: next to a button, in a layout that was visible before the text was set.
TEST(HeadlineTest, BesideAChipTheSentenceIsDrawnAndHasItsHeight) {
  QWidget page;
  auto* column = new QVBoxLayout(&page);
  auto* row = new QHBoxLayout;
  auto* headline = new Headline;
  row->addWidget(headline, 1);
  row->addWidget(new QPushButton("against time"), 0, Qt::AlignBottom);
  column->addLayout(row);
  column->addWidget(new QWidget, 1);
  page.resize(560, 400);
  page.show();
  QCoreApplication::processEvents();
  headline->setSentence("Finished at step 400 after 28 min. Rank 37 on sim-0004 computes slower than its peers.", Severity::kWarning);
  QCoreApplication::processEvents();
  EXPECT_EQ(headline->text(), headline->words());
  EXPECT_GE(headline->height(), headline->heightForWidth(headline->width()));
  const QImage picture = headline->grab().toImage();
  int inked = 0;
  for (int x = picture.width() / 2; x < picture.width(); ++x)
    for (int y = 0; y < picture.height(); ++y) inked += picture.pixelColor(x, y) == currentTheme().text ? 1 : 0;
  EXPECT_GT(inked, 30);
}

TEST(HeadlineTest, OrdinaryOnesKeepTheLargestSizeAndGetItBack) {
  Headline headline;
  headline.resize(900, 60);
  headline.QWidget::show();
  headline.setSentence("64 GPUs, all reporting.");
  EXPECT_EQ(headline.font().pixelSize(), kHeadlinePx);
  headline.setSentence(QString("A long sentence about a run. ").repeated(12));
  EXPECT_LT(headline.font().pixelSize(), kHeadlinePx);
  headline.setSentence("64 GPUs, all reporting.");
  EXPECT_EQ(headline.font().pixelSize(), kHeadlinePx);
  EXPECT_TRUE(headline.toolTip().isEmpty());
}

// Counts pixels as dark as the ink; an icon painted in the other theme has none.
TEST(IconTest, AnIconHasTheInkOfTheThemeInWhichItIsPainted) {
  const QIcon bell = icon("alerts");
  const auto inked = [&](ThemeName name) {
    applyTheme(*qApp, name);
    const QImage picture = bell.pixmap(32, 32).toImage();
    int count = 0;
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 0; x < picture.width(); ++x) count += picture.pixelColor(x, y) == theme(name).text ? 1 : 0;
    return count;
  };
  EXPECT_GT(inked(ThemeName::kDark), 20);
  EXPECT_GT(inked(ThemeName::kLight), 20);
  applyTheme(*qApp, ThemeName::kDark);
  EXPECT_TRUE(icon("no such icon").isNull());
  for (const QString& name : iconNames()) EXPECT_FALSE(icon(name).pixmap(kIconPx, kIconPx).toImage().allGray()) << name.toStdString();
}

TEST(Fonts, DigitsAreEquallyWideAndRareSpacesKeepTheLineHeight) {
  for (const QFont& font : {textFont(), tableFont(), titleFont(), headlineFont()}) {
    ASSERT_EQ(QFontInfo(font).family(), "Noto Sans");
    const QFontMetricsF metrics(font);
    for (char digit = '1'; digit <= '9'; ++digit)
      EXPECT_DOUBLE_EQ(metrics.horizontalAdvance(QLatin1Char(digit)), metrics.horizontalAdvance(QLatin1Char('0')));
    QLabel plain("0"), rare(QStringLiteral("0\u202F\u2212"));
    plain.setFont(font);
    rare.setFont(font);
    EXPECT_EQ(plain.sizeHint().height(), rare.sizeHint().height());
  }
  EXPECT_EQ(QFontInfo(codeFont()).family(), "JetBrains Mono");
}

}  // namespace
}  // namespace runglass
