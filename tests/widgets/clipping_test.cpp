// SPDX-License-Identifier: GPL-3.0-or-later
// Screens of 1920x1080 and 1280x800 at 100 %, and of 1920x1080 at 150 %, have room for the words of every view, in each language.
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QHeaderView>
#include <QLabel>
#include <QTabBar>

#include "tests/widgets/console_fixture.h"
#include "tests/widgets/sound_window.h"
#include "widgets/core/language.h"
#include "widgets/frame/view_registry.h"

namespace runglass {
namespace {

constexpr QSize kAt100{1'920, 1'080}, kAt150{1'280, 720}, kSmall{1'280, 800};

class ClippingTest : public ConsoleTest, public testing::WithParamInterface<Language> {
 protected:
  void TearDown() override {
    ConsoleTest::TearDown();
    setLanguage(Language::kEnglish);
  }
  static bool scrolls(const QWidget* widget) {
    for (; widget != nullptr; widget = widget->parentWidget())
      if (qobject_cast<const QAbstractScrollArea*>(widget) != nullptr) return true;
    return false;
  }
  // Texts that get less space than they need, or that an ancestor clips.
  QStringList clipped() {
    QStringList found;
    for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
      const auto* label = qobject_cast<const QLabel*>(widget);
      const auto* button = qobject_cast<const QAbstractButton*>(widget);
      const QString words = label != nullptr ? label->text() : button != nullptr ? button->text() : QString();
      if (words.isEmpty() || !widget->isVisible() || scrolls(widget)) continue;
      const QSize needed =
          label != nullptr && label->wordWrap() ? QSize(0, label->heightForWidth(label->width())) : widget->minimumSizeHint();
      if (widget->width() < needed.width() || widget->height() < needed.height() || seenOf(widget) != widget->rect())
        found << QStringLiteral("%1 \"%2\" has %3x%4 of %5x%6")
                     .arg(QString::fromLatin1(widget->metaObject()->className()), words.left(40))
                     .arg(seenOf(widget).width())
                     .arg(seenOf(widget).height())
                     .arg(std::max(needed.width(), widget->width()))
                     .arg(std::max(needed.height(), widget->height()));
    }
    // A tab or a column whose name has less room than its letters.
    for (const QTabBar* bar : m_window->findChildren<QTabBar*>())
      for (int i = 0; i < bar->count() && bar->isVisible(); ++i)
        if (bar->tabRect(i).width() < QFontMetrics(bar->font()).horizontalAdvance(bar->tabText(i)))
          found << QStringLiteral("tab \"%1\"").arg(bar->tabText(i));
    for (const QHeaderView* head : m_window->findChildren<QHeaderView*>())
      for (int i = 0; head->orientation() == Qt::Horizontal && head->isVisible() && i < head->count(); ++i)
        if (const QString words = head->model()->headerData(i, Qt::Horizontal).toString();
            !head->isSectionHidden(i) && head->sectionSize(i) < QFontMetrics(head->font()).horizontalAdvance(words))
          found << QStringLiteral("column \"%1\"").arg(words);
    return found;
  }
};

INSTANTIATE_TEST_SUITE_P(Languages, ClippingTest, testing::Values(Language::kEnglish, Language::kChinese),
                         [](const auto& info) { return std::string(languageName(info.param)); });

TEST_P(ClippingTest, NoWordsOfAnyViewAreCutOff) {
  setLanguage(GetParam());
  open();
  for (const QSize size : {kAt100, kSmall, kAt150}) {
    m_window->resize(size);
    Selection selection;
    selection.run = run().run().id;
    selection.rank = 5;
    m_window->state().select(selection);
    std::vector<std::pair<std::string, std::string>> places;
    places.emplace_back("watch", "");
    for (const ViewInfo& view : viewRegistry()) {
      if (tabsOf(view).empty()) places.emplace_back(view.id, "");
      for (const std::string_view tab : tabsOf(view)) places.emplace_back(view.id, std::string(tab));
    }
    for (const auto& [place, tab] : places) {
      go(QString::fromStdString(place));
      m_window->showTab(QString::fromStdString(tab));
      settle();
      const QStringList cut = clipped();
      EXPECT_EQ(cut.join(u'\n'), QString()) << place << ' ' << tab << " at " << size.width() << 'x' << size.height();
      if (const QByteArray out = qgetenv("RG_PICTURES"); !out.isEmpty() && !cut.isEmpty())
        m_window->grab().save(QString::fromUtf8(out) +
                              QStringLiteral("/clipped-%1-%2.png").arg(QString::fromStdString(place)).arg(size.width()));
    }
  }
}

}  // namespace
}  // namespace runglass
