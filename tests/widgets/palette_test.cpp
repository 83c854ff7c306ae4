// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+K: the matches and the target of a choice, by keys.
#include "widgets/frame/palette.h"

#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QTemporaryDir>
#include <QTreeWidget>

#include "tests/widgets/console_fixture.h"
#include "widgets/core/language.h"
#include "widgets/curves/curves_view.h"
#include "widgets/frame/guide.h"

namespace runglass {
namespace {

class PaletteTest : public ConsoleTest {
 protected:
  Palette* palette() { return m_window->findChild<Palette*>(); }
  QTreeWidget* list() { return palette()->findChild<QTreeWidget*>(); }
  QString first(int column = 0) { return list()->topLevelItemCount() > 0 ? list()->topLevelItem(0)->text(column) : QString(); }
  // Opens it and types, after the names of the store have been read.
  void type(const QString& pattern) {
    QApplication::setActiveWindow(m_window.get());
    QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
    ASSERT_NE(palette(), nullptr);
    ASSERT_TRUE(waitFor([&] { return palette()->namesKnown(); }));
    QTest::keyClicks(palette()->findChild<QLineEdit*>(), pattern);
  }
  void leave() {
    palette()->close();
    ASSERT_TRUE(waitFor([&] { return palette() == nullptr; }));
  }
  void enter() {
    QTest::keyClick(palette()->findChild<QLineEdit*>(), Qt::Key_Return);
    ASSERT_TRUE(waitFor([&] { return palette() == nullptr; }));
    settle();
  }
};

TEST_F(PaletteTest, ARankIsFoundByItsNumberAndOpensTheRanking) {
  open();
  go("watch");
  for (const char* pattern : {"rank 5", "Rank5", "r5"}) {
    type(pattern);
    EXPECT_EQ(first(), "Rank 5") << pattern;
    EXPECT_EQ(first(2), "Rank");
    enter();
    EXPECT_EQ(state().selection.rank, 5);
    EXPECT_EQ(docks().current(), "single:ranking");
  }
}

TEST_F(PaletteTest, ANodeAndAGpuOpenTheGpus) {
  open();
  go("watch");
  type("gpu 3");
  EXPECT_EQ(first(), "GPU 3");
  EXPECT_TRUE(first(1).startsWith("sim-")) << first(1).toStdString();
  enter();
  EXPECT_TRUE(state().selection.device);
  EXPECT_EQ(docks().current(), "single:gpus");
  type("sim-0000");
  EXPECT_EQ(first(), "sim-0000");
  enter();
  EXPECT_TRUE(state().selection.node);
  EXPECT_FALSE(state().selection.device);
}

TEST_F(PaletteTest, AStepMovesTheWindowToWhenItEnded) {
  open();
  go("overview");
  for (const char* pattern : {"120", "step 120"}) {
    type(pattern);
    EXPECT_EQ(first(), "Step 120");
    enter();
    ASSERT_TRUE(waitFor([&] { return state().selection.step == 120; }));
    EXPECT_EQ(state().window.mode, WindowMode::kFixed);
  }
  type("4,000,000");
  EXPECT_EQ(list()->topLevelItemCount(), 0) << first().toStdString();
  leave();
}

TEST_F(PaletteTest, ATimeOfTheRunMovesTheWindowThereAndOneOutsideIsNoMatch) {
  open();
  go("overview");
  const auto extent = m_window->state().extent();
  ASSERT_TRUE(extent);
  const TimeNs middle = extent->t0 / 2 + extent->t1 / 2;
  const QString full = formatTime(middle, TimeStyle::kUtc);  // "2026-11-20 21:43:05 UTC"
  for (const QString& pattern : {full.mid(11, 8), full.left(19)}) {
    type(pattern);
    EXPECT_EQ(first(), full) << pattern.toStdString();
    EXPECT_EQ(first(2), "Time");
    enter();
    EXPECT_EQ(state().window.mode, WindowMode::kFixed);
    EXPECT_LT(std::abs(state().window.range.t0 / 2 + state().window.range.t1 / 2 - middle), kNsPerSecond);
    EXPECT_FALSE(state().moment);  // the playhead does not move
  }
  type("1999-01-01 10:00");
  EXPECT_EQ(list()->topLevelItemCount(), 0);
  leave();
}

TEST_F(PaletteTest, AFindingOpensItsMainViewAndACurveIsShownAlone) {
  open();
  go("watch");
  type(QString::fromStdString(finding("slow_rank").summary).left(24));
  EXPECT_EQ(first(2), "Finding");
  enter();
  EXPECT_EQ(docks().current(), "single:ranking");
  EXPECT_EQ(state().selection.rank, finding("slow_rank").rank);
  type("power_watts");
  EXPECT_EQ(first(2), "Curve");
  enter();
  EXPECT_EQ(docks().current(), "single:curves");
  auto* curves = qobject_cast<CurvesView*>(view("curves"));
  ASSERT_NE(curves, nullptr);
  ASSERT_EQ(curves->tags()->shownTags().size(), 1U);
  EXPECT_EQ(curves->tags()->catalog()->tags[curves->tags()->shownTags()[0]].metric, "power_watts");
}

TEST_F(PaletteTest, ARunACommandASettingAndAPageOfTheGuideAreFound) {
  open();
  go("watch");
  type(QString::fromStdString(run().run().name));
  EXPECT_EQ(first(2), "Run");
  enter();
  EXPECT_TRUE(state().selection.run);
  type("copy link");
  EXPECT_EQ(first(), "Copy link to this place");
  EXPECT_EQ(first(2), "Ctrl+Shift+C");
  leave();
  type("time zone");
  EXPECT_EQ(first(2), "Setting");
  enter();
  auto* dialog = m_window->findChild<SettingsDialog*>();
  ASSERT_NE(dialog, nullptr);
  ASSERT_NE(dialog->focusWidget(), nullptr);
  EXPECT_EQ(dialog->focusWidget()->accessibleName(), "Time zone");
  dialog->close();
  type("user guide topology");
  EXPECT_EQ(first(2), "Help");
  enter();
  EXPECT_NE(m_window->findChild<GuideDialog*>(), nullptr);
}

TEST_F(PaletteTest, NamesThatComeLaterLeaveTheRowThatTheUserWentTo) {
  QWidget window;
  window.resize(1'000, 700);
  PaletteSource source{.entries = {{.group = "Command", .title = "Rank the nodes"}, {.group = "Command", .title = "Rank the links"}}};
  source.open = [](const Object&) {};
  Palette palette(std::move(source), &window);
  auto* field = palette.findChild<QLineEdit*>();
  auto* list = palette.findChild<QTreeWidget*>();
  const auto names = [] {
    auto made = std::make_shared<PaletteNames>();
    made->objects = {{.kind = ObjectKind::kRank, .name = "Rank 5"}};
    made->folded = {"rank 5\n"};
    made->keys = {"rank 5"};
    return made;
  };
  QTest::keyClicks(field, "rank");
  palette.setNames(names());
  EXPECT_EQ(list->currentItem()->text(0), "Rank 5") << "the best match, where the user went to none";
  QTest::keyClick(field, Qt::Key_Down);
  QTest::keyClick(field, Qt::Key_Down);
  const QString chosen = list->currentItem()->text(0);
  palette.setNames(names());
  EXPECT_EQ(list->currentItem()->text(0), chosen);
  palette.setProblem("gone");
  EXPECT_EQ(list->currentItem()->text(0), chosen);
  QTest::keyClicks(field, " 5");
  EXPECT_EQ(list->currentItem()->text(0), "Rank 5") << "another pattern begins at its best match";
}

TEST_F(PaletteTest, WhatWasChosenComesFirstAndIsRemembered) {
  const QTemporaryDir folder;
  QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
  open(&settings);
  go("watch");
  type("rank 3");
  enter();
  type("zoom in");
  enter();
  open(&settings);
  go("watch");
  type({});
  EXPECT_EQ(first(), "Zoom in");
  EXPECT_EQ(list()->topLevelItem(1)->text(0), "Rank 3");
  EXPECT_GT(list()->topLevelItemCount(), 10);  // followed by the commands
  leave();
}

TEST_F(PaletteTest, AChoiceIsRememberedAndFoundInEnglishInAnotherLanguage) {
  const QTemporaryDir folder;
  QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
  open(&settings);
  go("watch");
  for (const char* pattern : {"rank 5", "zoom in"}) {
    type(pattern);
    enter();
  }
  setLanguage(Language::kChinese);
  open(&settings);
  go("watch");
  type("");
  const auto row = [&](int at) { return list()->topLevelItem(at)->text(0); };
  EXPECT_NE(row(0), "Zoom in");
  EXPECT_EQ(list()->topLevelItem(0)->text(2), "W") << row(0).toStdString();
  EXPECT_TRUE(row(1).endsWith(" 5")) << row(1).toStdString();
  leave();
  for (const auto& [pattern, keys] : {std::pair("zoom in", "W"), std::pair("copy link", "Ctrl+Shift+C")}) {
    type(pattern);
    EXPECT_EQ(first(2), keys) << pattern;
    leave();
  }
  type("time zone");
  EXPECT_EQ(first(), SettingsDialog::fieldNames()[5]);
  leave();
  m_window.reset();
  setLanguage(Language::kEnglish);
}

TEST_F(PaletteTest, NoMatchIsAWordAndEnterDoesNothing) {
  open();
  go("watch");
  type("qqqxyz");
  EXPECT_EQ(list()->topLevelItemCount(), 0);
  bool said = false;
  for (const QLabel* label : palette()->findChildren<QLabel*>()) said |= label->isVisible() && label->text() == "No match for “qqqxyz”.";
  EXPECT_TRUE(said);
  QTest::keyClick(palette()->findChild<QLineEdit*>(), Qt::Key_Return);
  EXPECT_NE(palette(), nullptr);
  QTest::keyClick(palette()->findChild<QLineEdit*>(), Qt::Key_Escape);
  EXPECT_TRUE(waitFor([&] { return palette() == nullptr; }));
}

TEST(PaletteScore, WholeWordsBeginningsAndTheNameComeFirst) {
  const auto score = [](const char* text, const char* pattern) { return paletteScore(QString(text).toLower(), paletteWords(pattern)); };
  EXPECT_GT(score("Rank 5\nsim-0000", "rank 5"), score("Rank 57\nsim-0007", "rank 5"));
  EXPECT_GT(score("Rank 5\nsim-0000 · GPU 5", "gpu5"), score("Rank 7\nsim-0000 · GPU 57", "gpu5"));
  EXPECT_GT(score("GPU 5\nsim-0000", "gpu 5"), score("Rank 5\nsim-0000 · GPU 5", "gpu 5"));
  EXPECT_GT(score("loss\n", "loss"), score("train/loss\n", "loss"));
  EXPECT_FALSE(score("Rank 5\nsim-0000", "rank 6"));
  EXPECT_TRUE(score("anything\n", ""));
}

}  // namespace
}  // namespace runglass
