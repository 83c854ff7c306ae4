// SPDX-License-Identifier: GPL-3.0-or-later
// Panels stay where they were placed: when other views open, as separate windows, and across restarts.
#include <QDockWidget>
#include <QSettings>
#include <QTemporaryDir>
#include <QToolButton>
#include <map>
#include <random>

#include "tests/widgets/console_fixture.h"
#include "tests/widgets/sound_window.h"
#include "widgets/charts/plot_widget.h"
#include "widgets/frame/view_registry.h"

namespace runglass {
namespace {

class DocksTest : public ConsoleTest {
 protected:
  std::map<QString, QRect> shown() { return shownDocks(docks()); }
  // Clicks a button in the title of the view's dock, or of its window.
  void press(const QString& id, const QString& text) {
    for (QToolButton* button : titleOf(id)->findChildren<QToolButton*>())
      if (button->accessibleName().startsWith(text, Qt::CaseInsensitive)) {
        QTest::mouseClick(button, Qt::LeftButton);
        return settle();
      }
    FAIL() << id.toStdString() << " has no button " << text.toStdString();
  }
  QWidget* titleOf(const QString& id) {
    if (QWidget* window = docks().windowOf(id)) return window;
    for (QDockWidget* dock : docks().findChildren<QDockWidget*>(id))
      if (dock->isVisible()) return dock->titleBarWidget();
    return &docks();
  }
};

TEST_F(DocksTest, WatchIsAsItWasAfterOtherViews) {
  open();
  navigate("Watch");
  const auto before = shown();
  ASSERT_EQ(before.size(), 3u);
  for (const char* other : {"Overview", "Timeline", "GPUs", "Events"}) {
    navigate(other);
    EXPECT_EQ(shown().size(), 1u) << other;
    EXPECT_EQ(dockProblem(docks()), QString()) << other;
    navigate("Watch");
    EXPECT_EQ(shown(), before) << "after " << other;
    EXPECT_EQ(dockProblem(docks()), QString()) << other;
  }
}

TEST_F(DocksTest, AWatchThatWasChangedIsAsItWasLeftAfterOtherViewsAndARestart) {
  const QTemporaryDir dir;
  QSettings settings(dir.filePath("settings.ini"), QSettings::IniFormat);
  open(&settings);
  navigate("Watch");
  ASSERT_TRUE(docks().addView("data_quality"));
  settle();
  press("findings", "close");
  const auto before = shown();
  EXPECT_EQ(dockProblem(docks()), QString());
  EXPECT_TRUE(before.contains("data_quality") && !before.contains("findings"));
  navigate("Data quality");
  navigate("Ranking");
  navigate("Watch");
  EXPECT_EQ(shown(), before);
  m_window->close();
  open(&settings);
  navigate("Ranking");
  navigate("Watch");
  EXPECT_EQ(shown(), before);
  EXPECT_EQ(dockProblem(docks()), QString());
}

TEST_F(DocksTest, AFloatedPanelIsAWindowThatViewChangesLeaveAloneAndTheNavigationRaises) {
  open();
  navigate("Watch");
  const auto before = shown();
  press("gpus", "float");
  QWidget* window = docks().windowOf("gpus");
  ASSERT_NE(window, nullptr);
  EXPECT_TRUE(window->isWindow());
  EXPECT_EQ(window->windowFlags() & Qt::WindowType_Mask, Qt::Window) << "no tool window";
  EXPECT_FALSE(window->windowFlags() & Qt::FramelessWindowHint) << "the window system moves and resizes it";
  EXPECT_EQ(window->windowTitle(), "GPUs – Runglass");
  EXPECT_EQ(shown().size(), 2u);
  EXPECT_EQ(dockProblem(docks()), QString());
  const QRect place = window->geometry();
  for (const char* other : {"Timeline", "Watch", "Events"}) {
    navigate(other);
    EXPECT_EQ(docks().windowOf("gpus"), window);
    EXPECT_TRUE(window->isVisible()) << other;
    EXPECT_EQ(window->geometry(), place) << other;
    EXPECT_EQ(dockProblem(docks()), QString()) << other;
  }
  m_window->activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(m_window.get()));
  navigate("GPUs");
  EXPECT_TRUE(QTest::qWaitForWindowActive(window)) << "the navigation raises it";
  EXPECT_EQ(docks().current(), "single:events") << "and shows nothing else";
  press("gpus", "dock");
  EXPECT_EQ(docks().windowOf("gpus"), nullptr);
  EXPECT_EQ(docks().current(), "watch");
  EXPECT_EQ(shown(), before);
}

TEST_F(DocksTest, TabVisitsTheControlsOfAFloatedPanelAfterTheSheetOfKeys) {
  open();
  navigate("Watch");
  for (const char* focused_first : {"", "findings", "overview"}) {
    if (View* first = view(focused_first)) first->setFocus();
    press("findings", "float");
    QWidget* window = docks().windowOf("findings");
    ASSERT_NE(window, nullptr);
    window->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window));
    for (int i = 0; i < 3; ++i) {
      QTest::keyClick(window, Qt::Key_Question);
      settle();
      QWidget* sheet = QApplication::activePopupWidget();
      ASSERT_NE(sheet, nullptr) << "the keys of the console work there";
      QTest::keyClick(sheet, Qt::Key_Backtab, Qt::ShiftModifier);
      settle();
      EXPECT_EQ(QApplication::activePopupWidget(), nullptr) << "any key closes it";
      for (QWidget* top : {window, static_cast<QWidget*>(m_window.get())})
        for (const Qt::Key key : {Qt::Key_Backtab, Qt::Key_Tab}) {
          QTest::keyClick(top, key, key == Qt::Key_Backtab ? Qt::ShiftModifier : Qt::NoModifier);
          settle();
          ASSERT_NE(top->focusWidget(), nullptr);
          EXPECT_EQ(top->focusWidget()->window(), top);
        }
    }
    press("findings", "dock");
  }
}

TEST_F(DocksTest, ClosingAFloatedPanelDocksIt) {
  open();
  navigate("Watch");
  const auto before = shown();
  press("findings", "float");
  docks().windowOf("findings")->close();
  settle();
  EXPECT_EQ(shown(), before);
  EXPECT_EQ(dockProblem(docks()), QString());
}

TEST_F(DocksTest, AWindowComesBackWithTheNextStartWhereItWas) {
  const QTemporaryDir dir;
  QSettings settings(dir.filePath("settings.ini"), QSettings::IniFormat);
  open(&settings);
  navigate("Watch");
  press("findings", "float");
  docks().windowOf("findings")->setGeometry(40, 60, 500, 330);
  settle();
  const auto before = shown();
  m_window->close();
  open(&settings);
  navigate("Watch");
  ASSERT_NE(docks().windowOf("findings"), nullptr);
  EXPECT_EQ(docks().windowOf("findings")->size(), QSize(500, 330));
  EXPECT_EQ(shown(), before);
  EXPECT_EQ(dockProblem(docks()), QString());
  m_window->close();
  EXPECT_EQ(docks().windowOf("findings"), nullptr) << "the windows go with the console";
}

TEST_F(DocksTest, WhatWasLargerThanTheScreenFitsItWithTheNextStart) {
  const QTemporaryDir dir;
  QSettings settings(dir.filePath("settings.ini"), QSettings::IniFormat);
  open(&settings);
  navigate("Watch");
  press("gpus", "float");
  const QRect screen = m_window->screen()->availableGeometry();
  m_window->setGeometry(QRect(QPoint(40, 60), 2 * screen.size()));
  docks().windowOf("gpus")->setGeometry(QRect(QPoint(-300, -200), 2 * screen.size()));
  settle();
  m_window->close();
  m_window.reset();
  WindowOptions options;
  options.queries = m_queries.get();
  options.settings = &settings;
  m_window = std::make_unique<MainWindow>(options);
  m_window->show();
  go("watch");
  EXPECT_TRUE(screen.contains(m_window->geometry())) << testing::PrintToString(m_window->geometry().width());
  EXPECT_TRUE(screen.contains(docks().windowOf("gpus")->geometry())) << docks().windowOf("gpus")->geometry().width();
}

TEST_F(DocksTest, TabDoesNotStopAtButtonsOfATitleThatIsNotShown) {
  open();
  go("runs");
  for (int i = 0; i < 60; ++i) {
    QTest::keyClick(m_window->windowHandle(), Qt::Key_Tab);
    ASSERT_NE(QApplication::focusWidget(), nullptr);
    EXPECT_EQ(dynamic_cast<PanelTitle*>(QApplication::focusWidget()->parentWidget()), nullptr) << i;
  }
  navigate("Watch");
  press("gpus", "float");
  EXPECT_NE(docks().windowOf("gpus"), nullptr) << "a title that is shown has its buttons";
}

TEST_F(DocksTest, KeysOfTheConsoleWorkInAWindow) {
  open();
  navigate("Watch");
  press("gpus", "float");
  QWidget* window = docks().windowOf("gpus");
  window->activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(window));
  QTest::keyClick(window, Qt::Key_Space);
  EXPECT_TRUE(state().paused);
}

TEST_F(DocksTest, PanelsThatNoLongerFitBecomeTabsAndComeBackWithTheRoom) {
  const QTemporaryDir dir;
  QSettings settings(dir.filePath("settings.ini"), QSettings::IniFormat);
  open(&settings);
  navigate("Watch");
  for (const char* added : {"curves", "events", "runs"}) ASSERT_TRUE(docks().addView(added));
  settle();
  ASSERT_EQ(shown().size(), 6u);
  for (const QSize size : {QSize(640, 400), QSize(700, 450), QSize(640, 400)}) {
    m_window->resize(size);
    settle();
    EXPECT_EQ(dockProblem(docks()), QString()) << size.width();
    EXPECT_LT(shown().size(), 6u) << size.width();
  }
  m_window->resize(1'400, 900);
  settle();
  EXPECT_EQ(shown().size(), 6u);
  EXPECT_EQ(dockProblem(docks()), QString());
  m_window->resize(640, 400);
  settle();
  m_window->close();
  open(&settings);
  m_window->resize(1'400, 900);
  navigate("Watch");
  EXPECT_EQ(shown().size(), 6u) << "what is remembered is the user's arrangement";
}

TEST_F(DocksTest, APanelThatIsClosedWhileOthersAreTabsStaysClosed) {
  open();
  navigate("Watch");
  for (const char* added : {"curves", "events", "runs"}) ASSERT_TRUE(docks().addView(added));
  m_window->resize(640, 400);
  settle();
  const QString first = shown().begin()->first;
  press(first, "close");
  EXPECT_EQ(dockProblem(docks()), QString());
  m_window->resize(1'400, 900);
  settle();
  EXPECT_FALSE(shown().contains(first));
  EXPECT_EQ(dockProblem(docks()), QString());
}

TEST_F(DocksTest, APanelThatIsClosedOrAddedWhileOthersAreTabsLeavesTheArrangementOfTheOthers) {
  open();
  navigate("Watch");
  for (const char* added : {"curves", "events", "runs"}) ASSERT_TRUE(docks().addView(added));
  settle();
  const auto all = shown();
  m_window->resize(640, 400);
  settle();
  const QString first = shown().begin()->first;
  press(first, "close");
  m_window->resize(1'400, 900);
  settle();
  EXPECT_EQ(shown().size(), 5u) << "no tabs are left";
  EXPECT_FALSE(shown().contains(first));
  EXPECT_EQ(dockProblem(docks()), QString());
  m_window->resize(640, 400);
  settle();
  ASSERT_TRUE(docks().addView(first));
  settle();
  EXPECT_TRUE(shown().contains(first)) << "it is in front";
  m_window->resize(1'400, 900);
  settle();
  EXPECT_EQ(shown().size(), 6u);
  EXPECT_EQ(dockProblem(docks()), QString());
}

TEST_F(DocksTest, AfterASqueezeInStepsEveryPanelHasItsSizeAgain) {
  open();
  navigate("Watch");
  for (const char* added : {"curves", "events"}) ASSERT_TRUE(docks().addView(added));
  settle();
  const auto before = shown();
  ASSERT_EQ(before.size(), 5u);
  for (const int width : {1'300, 1'100, 900, 700, 640, 800, 1'000, 1'250, 1'399, 1'400}) {
    m_window->resize(width, width * 9 / 14);
    settle();
    EXPECT_EQ(dockProblem(docks()), QString()) << width;
  }
  EXPECT_EQ(shown(), before);
}

TEST_F(DocksTest, PanelsThatAreAddedAreLargeEnoughToRead) {
  open();
  m_window->resize(1'280, 800);
  navigate("Watch");
  for (const ViewInfo& info : viewRegistry()) {
    ASSERT_TRUE(docks().addView(info.id));
    settle();
    EXPECT_EQ(dockProblem(docks()), QString()) << info.id;
    EXPECT_TRUE(shown().contains(info.id)) << info.id << " is in front";
    for (const auto& [id, place] : shown()) EXPECT_TRUE(place.width() >= 240 && place.height() >= 128) << id.toStdString();
  }
  ASSERT_TRUE(docks().addView("overview"));
  EXPECT_TRUE(shown().contains("overview")) << "one that is behind a tab comes to the front";
}

TEST_F(DocksTest, WhereAllPanelsAreClosedAButtonRestoresThem) {
  open();
  navigate("Watch");
  for (const char* id : {"overview", "gpus", "findings"}) press(id, "close");
  EXPECT_EQ(dockProblem(docks()), QString());
  for (QPushButton* button : docks().findChildren<QPushButton*>())
    if (button->isVisible() && button->text() == "Restore panels") QTest::mouseClick(button, Qt::LeftButton);
  settle();
  EXPECT_EQ(shown().size(), 3u);
  EXPECT_EQ(dockProblem(docks()), QString());
}

// Views, panels and windows in any order; a failure lists the actions.
TEST_F(DocksTest, NoOrderOfViewsLeavesPanelsOverEachOtherOrTheMiddleBlank) {
  const QStringList places = {"Watch", "Overview", "GPUs", "Timeline", "Events", "Ranking", "Data quality"};
  const QStringList panels = {"overview", "gpus", "findings", "events", "data_quality", "curves", "timeline"};
  for (const unsigned seed : {1u, 2u, 3u}) {
    open();
    navigate("Watch");
    std::mt19937 random(seed);
    const auto any = [&](const QStringList& of) { return of[static_cast<qsizetype>(random() % static_cast<unsigned>(of.size()))]; };
    std::string done = "seed " + std::to_string(seed);
    for (int i = 0; i < 30; ++i) {
      const QString panel = any(panels);
      switch (random() % 8) {
        case 0:
          done += ", add " + panel.toStdString();
          docks().addView(panel);
          break;
        case 1:
          done += ", float " + panel.toStdString();
          docks().floatView(panel);
          break;
        case 2:
          done += ", dock " + panel.toStdString();
          docks().dockView(panel);
          break;
        case 3:
          done += ", close " + panel.toStdString();
          if (docks().windowOf(panel) == nullptr && shown().contains(panel) && docks().current() == "watch") press(panel, "close");
          break;
        case 4:
          done += ", resize";
          m_window->resize(640 + static_cast<int>(random() % 900), 400 + static_cast<int>(random() % 600));
          break;
        case 5:
          if (random() % 3 == 0) done += ", reset", docks().resetLayout("watch");
          break;
        default: {
          const QString place = any(places);
          done += ", show " + place.toStdString();
          navigate(place);
        }
      }
      settle();
      ASSERT_EQ(dockProblem(docks()), QString()) << done;
    }
  }
}

TEST_F(DocksTest, BesideOtherViewsTheCurvesOfTheOverviewHaveTheirWholeRow) {
  open();
  go("watch");
  const View* const overview = view("overview");
  ASSERT_NE(overview, nullptr);
  const auto* const plots = overview->findChild<PlotWidget*>();
  ASSERT_NE(plots, nullptr);
  EXPECT_GT(plots->width(), overview->width() * 9 / 10);
  EXPECT_GT(plots->height(), overview->height() / 3) << "the headline takes no room that the curves could have";
}

}  // namespace
}  // namespace runglass
