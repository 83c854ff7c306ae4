// SPDX-License-Identifier: GPL-3.0-or-later
// Keys that Qt's own widgets handle, in every view.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QCoreApplication>
#include <QHeaderView>
#include <QImage>
#include <QTabBar>
#include <QTableView>
#include <QTreeView>
#include <set>

#include "tests/widgets/console_fixture.h"
#include "tests/widgets/sound_window.h"
#include "widgets/frame/view_registry.h"

namespace runglass {
namespace {

using ConsoleKeysTest = ConsoleTest;

// In a window without such a command, Qt's tables copy the current row by themselves; a message of Qt fails the test.
TEST_F(ConsoleKeysTest, CopyInATableWithoutACurrentRowIsNothing) {
  open();
  int tables = 0;
  for (const ViewInfo& info : viewRegistry()) {
    go(QString::fromLatin1(info.id));
    for (QAbstractItemView* table : view(QString::fromLatin1(info.id))->findChildren<QAbstractItemView*>()) {
      if (!table->isVisible()) continue;
      ++tables;
      table->setCurrentIndex({});
      QKeyEvent copy(QEvent::KeyPress, Qt::Key_C, Qt::ControlModifier);
      QCoreApplication::sendEvent(table, &copy);
    }
  }
  EXPECT_GT(tables, 6);
}

TEST_F(ConsoleKeysTest, APopupThatIsClosedLeavesTheKeyboardToItsComboBox) {
  open();
  go(QStringLiteral("gpus"));
  auto* box = view(QStringLiteral("gpus"))->findChild<QComboBox*>();
  ASSERT_NE(box, nullptr);
  // Qt gives the focus back to the widget that had it; where none had, it leaves it in the hidden list.
  if (QWidget* focus = QApplication::focusWidget()) focus->clearFocus();
  box->showPopup();
  const QWidget* popup = box->view()->window();
  ASSERT_TRUE(waitFor([&] { return QApplication::focusWidget() != nullptr && popup->isAncestorOf(QApplication::focusWidget()); }));
  box->hidePopup();
  m_window->activateWindow();  // as without a popup; the offscreen platform makes it the active window
  ASSERT_TRUE(QTest::qWaitForWindowActive(m_window.get()));
  settle();
  EXPECT_EQ(QApplication::focusWidget(), box);
}

// A view whose table has no rows shows a sentence in its place, which then has the focus.
TEST_F(ConsoleKeysTest, TabDoesNotStopAtAHiddenWidget) {
  open();
  for (const bool floated : {false, true})
    for (const ViewInfo& info : viewRegistry()) {
      const QString id = QString::fromLatin1(info.id);
      go(id);
      if (floated) {
        docks().floatView(id);
        settle();
      }
      const QWidget* window = floated ? docks().windowOf(id) : m_window.get();
      const auto seen = [] {
        const QWidget* focus = QApplication::focusWidget();
        if (focus == nullptr || !seenOf(focus).isEmpty()) return testing::AssertionSuccess();
        return testing::AssertionFailure() << focus->metaObject()->className() << " in "
                                           << focus->parentWidget()->metaObject()->className();
      };
      EXPECT_TRUE(seen()) << info.id << floated;
      for (int i = 0; i < 3; ++i) {
        QTest::keyClick(window->windowHandle(), Qt::Key_Tab);
        EXPECT_TRUE(seen()) << info.id << floated << " after Tab " << i;
      }
      docks().dockView(id);
    }
}

TEST_F(ConsoleKeysTest, TabShowsWhereTheFocusIs) {
  open();
  std::set<std::string> unseen;
  for (const ViewInfo& info : viewRegistry()) {
    go(QString::fromLatin1(info.id));
    QImage before = m_window->grab().toImage();
    std::set<const QWidget*> met = {QApplication::focusWidget()};
    for (int i = 0; i < 60; ++i) {
      QTest::keyClick(m_window->windowHandle(), Qt::Key_Tab);
      const QWidget* const focus = QApplication::focusWidget();
      if (focus == nullptr || !met.insert(focus).second) break;
      const QImage after = m_window->grab().toImage();
      if (!showsFocus(focus, before, after))
        unseen.insert(std::string(info.id) + ": " + focus->metaObject()->className() + " " + focus->accessibleName().toStdString() +
                      " in " + focus->parentWidget()->metaObject()->className());
      before = after;
    }
  }
  for (const std::string& one : unseen) ADD_FAILURE() << one;
}

std::string nameOf(const QWidget* widget) {
  const QString words = widget->accessibleName().isEmpty() ? widget->property("text").toString() : widget->accessibleName();
  const QWidget* in = widget->parentWidget();
  return std::string(widget->metaObject()->className()) + " \"" + words.toStdString() + "\" in " +
         (in == nullptr ? "" : in->metaObject()->className());
}

// What a mouse can click, keys can reach.
TEST_F(ConsoleKeysTest, NoControlIsForTheMouseAlone) {
  open();
  std::set<std::string> deaf;
  for (const ViewInfo& info : viewRegistry()) {
    go(QString::fromLatin1(info.id));
    for (const QAbstractButton* button : view(QString::fromLatin1(info.id))->findChildren<QAbstractButton*>())
      if (button->isVisible() && (button->focusPolicy() & Qt::TabFocus) == 0 &&
          qobject_cast<const QHeaderView*>(button->parentWidget()) == nullptr &&
          qobject_cast<const QTableView*>(button->parentWidget()) == nullptr &&
          qobject_cast<const QTabBar*>(button->parentWidget()) == nullptr)
        deaf.insert(std::string(info.id) + ": " + nameOf(button));
  }
  for (const std::string& one : deaf) ADD_FAILURE() << one;
}

}  // namespace
}  // namespace runglass
