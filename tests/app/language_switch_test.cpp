// SPDX-License-Identifier: GPL-3.0-or-later
// Another language is chosen in Settings: the window is made again over the same session, and shows what it showed.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QPointer>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>

#include "tests/app/monkey_console.h"
#include "tests/widgets/offscreen.h"
#include "widgets/core/language.h"
#include "widgets/welcome/making_line.h"

namespace runglass {
namespace {

void choose(MainWindow& window, Language language) {
  window.showSettings(SettingsDialog::languageField());
  for (QComboBox* box : window.findChildren<QComboBox*>())
    if (box->accessibleName() == SettingsDialog::languageField()) box->setCurrentIndex(static_cast<int>(language));
}

bool hasButton(const MainWindow& window, const QString& text) {
  for (const QPushButton* button : window.findChildren<QPushButton*>())
    if (button->text() == text) return true;
  return false;
}

TEST(LanguageSwitch, TheNewWindowShowsTheSameViewSelectionAndTime) {
  test::MonkeyConsole console(test::MonkeyStore::kStored);
  ASSERT_TRUE(waitFor([&] { return console.window().isFinal(); }));
  MainWindow* before = &console.window();
  before->resize(1'280, 800);
  ASSERT_TRUE(before->showPlace(QStringLiteral("ranking")));
  Selection selection = before->state().state().selection;
  selection.rank = 5;
  before->state().select(selection);
  const TimeRange extent = before->state().extent().value();
  before->state().setWindow({extent.t0 + kNsPerSecond, extent.t1 - kNsPerSecond});
  const ViewState shown = before->state().state();
  const QPointer<MainWindow> old = before;

  choose(*before, Language::kChinese);
  ASSERT_TRUE(waitFor([&] { return old.isNull(); }));
  ASSERT_TRUE(waitFor([&] { return console.window().isFinal(); }));
  EXPECT_EQ(currentLanguage(), Language::kChinese);
  EXPECT_EQ(console.window().place(), QStringLiteral("ranking"));
  EXPECT_EQ(console.window().state().state().selection.rank, shown.selection.rank);
  EXPECT_EQ(console.window().state().state().window, shown.window);
  EXPECT_EQ(console.window().size(), QSize(1'280, 800));
  EXPECT_TRUE(hasButton(console.window(), QStringLiteral("排名")));

  const QPointer<MainWindow> chinese = &console.window();
  choose(*chinese, Language::kEnglish);
  ASSERT_TRUE(waitFor([&] { return chinese.isNull(); }));
  EXPECT_TRUE(hasButton(console.window(), QStringLiteral("Ranking")));
  EXPECT_EQ(currentLanguage(), Language::kEnglish);
}

TEST(LanguageSwitch, TheStartPageChangesToo) {
  test::MonkeyConsole console(test::MonkeyStore::kEmpty);
  const QPointer<MainWindow> old = &console.window();
  choose(*old, Language::kChinese);
  ASSERT_TRUE(waitFor([&] { return old.isNull(); }));
  EXPECT_TRUE(hasButton(console.window(), QStringLiteral("概览")));
  setLanguage(Language::kEnglish);
}

// The work of a start page is not lost: its window stays until it is done.
TEST(LanguageSwitch, AnExampleThatIsBeingMadeOpensInTheNewLanguage) {
  const QTemporaryDir dir;
  for (const char* name : {"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"}) qputenv(name, dir.path().toUtf8());
  QSettings settings(dir.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
  Console console(SessionOptions{}, Place{}, &settings);
  console.window().show();
  for (const MakingLine* line : console.window().findChildren<MakingLine*>())
    for (QPushButton* button : line->findChildren<QPushButton*>())
      if (button->text() == QStringLiteral("Try the example")) button->click();
  choose(console.window(), Language::kChinese);
  ASSERT_TRUE(waitFor([&] { return hasButton(console.window(), QStringLiteral("排名")); }));
  EXPECT_TRUE(waitFor([&] { return console.window().docks().isVisible() && console.window().isFinal(); })) << "the example is open";
  setLanguage(Language::kEnglish);
}

}  // namespace
}  // namespace runglass
