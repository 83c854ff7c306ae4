// SPDX-License-Identifier: GPL-3.0-or-later
// The console in another language. That all texts have a translation is checked by resources/translations/translations.py --check.
#include <QComboBox>
#include <QDialog>
#include <QFontDatabase>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "analysis/words/render.h"
#include "analysis/words/sentences.h"
#include "tests/widgets/console_fixture.h"
#include "widgets/core/language.h"
#include "widgets/frame/run_strip.h"

namespace runglass {
namespace {

class Chinese {
 public:
  Chinese() { setLanguage(Language::kChinese); }
  ~Chinese() { setLanguage(Language::kEnglish); }
  Chinese(const Chinese&) = delete;
  Chinese& operator=(const Chinese&) = delete;
};

bool hasHan(const QString& text) {
  return std::ranges::any_of(text, [](QChar c) { return c.script() == QChar::Script_Han; });
}

Finding stalled() {
  Finding finding;
  finding.kind = "stall";
  words::setMessage(finding, {"stall_now", {{"length", words::duration(90 * kNsPerSecond)}, {"step", 150}}});
  return finding;
}

TEST(Languages, AFindingIsTranslatedByItsMessageAndEnglishIsItsSummary) {
  const Finding finding = stalled();
  EXPECT_EQ(findingText(finding), QString::fromStdString(finding.summary));
  const Chinese chinese;
  EXPECT_EQ(findingText(finding), QStringLiteral("自第 150 步起已有 1 min 30 s 没有步完成"));
}

TEST(Languages, ASummaryOfAnOlderStoreStaysAsItIs) {
  Finding finding = stalled();
  finding.message.clear();
  const Chinese chinese;
  EXPECT_EQ(findingText(finding), QString::fromStdString(finding.summary));
  finding.message = R"({"id":"of_another_version","args":{}})";
  EXPECT_EQ(findingText(finding), QString::fromStdString(finding.summary));
}

TEST(Languages, TermsAndSeveritiesAreTranslated) {
  EXPECT_EQ(severityLabel(Severity::kWarning), QStringLiteral("warning"));
  const Chinese chinese;
  EXPECT_EQ(severityLabel(Severity::kWarning), QStringLiteral("警告"));
  EXPECT_EQ(termText("NVLink error"), QStringLiteral("NVLink 错误"));
  EXPECT_EQ(termText("a name of somebody"), QStringLiteral("a name of somebody"));
}

TEST(Languages, AReportIsEnglishInAnyLanguage) {
  const Chinese chinese;
  {
    const InEnglish report;
    EXPECT_EQ(findingText(stalled()), QString::fromStdString(stalled().summary));
    EXPECT_EQ(severityLabel(Severity::kWarning), QStringLiteral("warning"));
  }
  EXPECT_EQ(severityLabel(Severity::kWarning), QStringLiteral("警告"));
}

TEST(Languages, EnglishHasItsPlurals) {
  const auto caption = [](std::int64_t count) {
    Issue issue;
    issue.count = count;
    return withDamage({StripItem{}}, std::span(&issue, 1)).back().value;
  };
  EXPECT_EQ(caption(1), QStringLiteral("1 chunk left out"));
  EXPECT_EQ(caption(3), QStringLiteral("3 chunks left out"));
}

TEST(Languages, TheChoiceIsRemembered) {
  const QTemporaryDir folder;
  QSettings settings(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat);
  EXPECT_EQ(readSettings(settings).language, Language::kSystem);
  ConsoleSettings chosen;
  chosen.language = Language::kChinese;
  writeSettings(settings, {}, chosen);
  EXPECT_EQ(readSettings(settings).language, Language::kChinese);
  settings.setValue(QStringLiteral("language"), QStringLiteral("tlh"));
  EXPECT_EQ(readSettings(settings).language, Language::kSystem);
}

TEST(Languages, AFontHasChinese) {
  if (QFontDatabase::families(QFontDatabase::SimplifiedChinese).isEmpty()) GTEST_SKIP() << "no font with Chinese is installed";
  // A missing glyph would have the same width as any other missing glyph; Han ones are as wide as the font is high.
  EXPECT_NEAR(QFontMetrics(textFont()).horizontalAdvance(QStringLiteral("训练集群")), 4 * textFont().pixelSize(), 4);
}

class LanguageWindow : public ConsoleTest {
 protected:
  QComboBox* languages() {
    m_window->showSettings(SettingsDialog::languageField());
    for (QComboBox* box : m_window->findChildren<QComboBox*>())
      if (box->accessibleName() == SettingsDialog::languageField()) return box;
    return nullptr;
  }
};

TEST_F(LanguageWindow, SettingsNameEachLanguageInItselfAndAskForAnotherWindow) {
  open();
  QComboBox* box = languages();
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(box->itemText(0), QStringLiteral("System"));
  EXPECT_EQ(box->itemText(1), QStringLiteral("English"));
  EXPECT_EQ(box->itemText(2), QStringLiteral("简体中文"));
  const QSignalSpy chosen(m_window.get(), &MainWindow::languageChosen);
  box->setCurrentIndex(1);
  EXPECT_EQ(chosen.count(), box->currentIndex() == 1 && resolved(Language::kSystem) == Language::kEnglish ? 0 : 1);
  box->setCurrentIndex(2);
  EXPECT_EQ(chosen.count(), 1);
}

TEST_F(LanguageWindow, ViewsAndFindingsAreInTheLanguageOfTheWindow) {
  const Chinese chinese;
  open();
  go(QStringLiteral("findings"));
  const Finding& slow = finding("slow_rank");
  EXPECT_TRUE(hasHan(findingText(slow))) << findingText(slow).toStdString();
  bool shown = false;
  for (const QPushButton* button : m_window->findChildren<QPushButton*>()) shown = shown || button->text() == QStringLiteral("拓扑");
  EXPECT_TRUE(shown) << "the navigation is not translated";
}

}  // namespace
}  // namespace runglass
