// SPDX-License-Identifier: GPL-3.0-or-later
// Marks on the time axis: placing them, creating, changing and deleting notes through the port, and refusals.
#include <sqlite3.h>

#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>

#include "tests/support/sqlite_store.h"
#include "tests/widgets/timeline_fixture.h"

namespace runglass {
namespace {

class TimelineMarksTest : public TimelineViewTest {
 protected:
  void closed() override {
    sqlite3* db = nullptr;
    ASSERT_EQ(test::openDatabase(m_store.path(), &db), SQLITE_OK);
    const std::string sql = "INSERT INTO rg_note(run_id, time_ns, author, text) VALUES (1, " + std::to_string(kStart + 40 * kNsPerMs) +
                            ", 'ann', 'link flapped here'), (1, NULL, 'ann', 'of the whole run')";
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
  }
  QPlainTextEdit* editor() const { return m_view->findChild<QPlainTextEdit*>(); }
  MarkEditor* frame() const { return m_view->findChild<MarkEditor*>(); }
  bool shows(QColor color, QPoint at) const { return m_view->canvas()->grab().toImage().pixelColor(at) == color; }
  static QPoint inRuler(QPoint at) { return {at.x() + 1, TimelineCanvas::kMinimap + 4}; }
  Note submitted() const { return std::get<Note>(m_edits.edits.at(0)); }
};

TEST(FlagsTest, CloseNotesShareAFlagAndWordsEndBeforeTheNextOne) {
  std::vector<Note> notes(4);
  const TimeNs times[] = {10, 12, 100, 5'000};
  for (std::size_t i = 0; i < notes.size(); ++i) notes[i].time = times[i], notes[i].text = "a rather long text that has no room";
  const auto flags = placeFlags(notes, {0, 1'000, 0, 1'000}, 0, 17, QFontMetrics(tableFont()));
  ASSERT_EQ(flags.size(), 2U) << "the last one is not on screen";
  EXPECT_EQ(flags[0].count, 2);
  EXPECT_EQ(flags[0].box.left(), 10);
  EXPECT_LT(flags[0].box.right(), 100);
  EXPECT_EQ(flags[1].note, 2U);
  EXPECT_TRUE(flagTip(flags[0], notes, TimeStyle::kUtc).contains(QStringLiteral("a rather long")));
}

TEST_F(TimelineMarksTest, AStoredNoteIsAFlagThatOpensWithAClick) {
  const QPoint flag = inRuler(at(kStart + 40 * kNsPerMs));
  ASSERT_TRUE(waitFor([&] { return shows(currentTheme().accent, flag - QPoint(1, 0)); }));
  QTest::mouseClick(m_view->canvas(), Qt::LeftButton, {}, flag);
  ASSERT_TRUE(frame()->isOpen());
  EXPECT_EQ(editor()->toPlainText(), QStringLiteral("link flapped here"));
}

TEST_F(TimelineMarksTest, MWritesANoteAtThePointer) {
  QTest::mouseMove(m_view->canvas(), at(kStart + 15 * kNsPerMs));
  QTest::keyClick(m_view->canvas(), Qt::Key_M);
  ASSERT_TRUE(frame()->isOpen());
  editor()->setPlainText(QStringLiteral("slow from here"));
  QTest::keyClick(editor(), Qt::Key_Return);
  EXPECT_FALSE(frame()->isOpen());
  ASSERT_EQ(m_edits.edits.size(), 1U);
  EXPECT_EQ(submitted().text, "slow from here");
  EXPECT_EQ(submitted().id, 0);
  EXPECT_FALSE(submitted().run_uuid.empty());
  ASSERT_TRUE(submitted().time);
  EXPECT_LT(std::abs(*submitted().time - (kStart + 15 * kNsPerMs)), kNsPerMs);
}

TEST_F(TimelineMarksTest, MOnAChosenSpanMarksItsBegin) {
  QTest::mouseClick(m_view->canvas(), Qt::LeftButton, {}, at(kStart + 30 * kNsPerMs));
  ASSERT_TRUE(waitFor([this] { return m_view->copyText().contains(QStringLiteral("gemm")); }));
  QTest::mouseMove(m_view->canvas(), at(kStart + 31 * kNsPerMs));
  QTest::keyClick(m_view->canvas(), Qt::Key_M);
  editor()->setPlainText(QStringLiteral("this one"));
  QTest::keyClick(editor(), Qt::Key_Return);
  ASSERT_EQ(m_edits.edits.size(), 1U);
  EXPECT_EQ(submitted().time, kStart + 20 * kNsPerMs);
}

TEST_F(TimelineMarksTest, AKnownNoteIsChangedOrDeletedByItsNumber) {
  MarkEditor* mark = frame();
  mark->open({.id = 9, .run_uuid = "u", .time = kStart, .author = "ann", .text = "old"}, TimeStyle::kUtc, {0, 0});
  editor()->setPlainText(QStringLiteral("new"));
  QTest::keyClick(editor(), Qt::Key_Return);
  mark->open({.id = 9, .run_uuid = "u", .time = kStart, .author = "ann", .text = "new"}, TimeStyle::kUtc, {0, 0});
  for (QPushButton* button : mark->findChildren<QPushButton*>())
    if (button->text() == QStringLiteral("Delete")) QTest::mouseClick(button, Qt::LeftButton);
  ASSERT_EQ(m_edits.edits.size(), 2U);
  EXPECT_EQ(submitted().id, 9);
  EXPECT_EQ(submitted().text, "new");
  EXPECT_EQ(std::get<Note>(m_edits.edits[1]).text, "") << "no text: the note goes";
  EXPECT_EQ(std::get<Note>(m_edits.edits[1]).id, 9);
}

TEST_F(TimelineMarksTest, AFailedEditKeepsTheTextAndSaysWhy) {
  m_edits.answer = Status(Code::kUnavailable, "the hub is gone");
  QTest::keyClick(m_view->canvas(), Qt::Key_M);
  editor()->setPlainText(QStringLiteral("precious"));
  QTest::keyClick(editor(), Qt::Key_Return);
  EXPECT_TRUE(frame()->isOpen());
  EXPECT_EQ(editor()->toPlainText(), QStringLiteral("precious"));
  EXPECT_TRUE(std::ranges::any_of(frame()->findChildren<QLabel*>(), [](const QLabel* label) {
    return label->isVisible() && label->text() == QStringLiteral("the hub is gone");
  }));
  QTest::keyClick(editor(), Qt::Key_Escape);
  EXPECT_FALSE(frame()->isOpen());
}

TEST_F(TimelineMarksTest, WhereNobodyWritesTheStoreTheReasonIsShown) {
  m_edits.why = QStringLiteral("This store is read-only.");
  QTest::keyClick(m_view->canvas(), Qt::Key_M);
  ASSERT_TRUE(frame()->isOpen());
  EXPECT_TRUE(editor()->isReadOnly());
  QTest::keyClick(editor(), Qt::Key_Return);
  EXPECT_TRUE(m_edits.edits.empty());
  EXPECT_TRUE(std::ranges::any_of(frame()->findChildren<QLabel*>(),
                                  [&](const QLabel* label) { return label->isVisible() && label->text() == m_edits.why; }));
}

}  // namespace
}  // namespace runglass
