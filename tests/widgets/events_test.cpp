// SPDX-License-Identifier: GPL-3.0-or-later
// The event list: its rows, repeated events, the targets of clicks, and a stable scroll position while new rows arrive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <set>

#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/core/finding_card.h"
#include "widgets/events/events_view.h"

namespace runglass {
namespace {

constexpr TimeNs kEventsStart = 1'790'000'000LL * kNsPerSecond;

TEST(TypedFiltersTest, AreTakenOutOfTheWords) {
  const TypedFilters typed = typedFilters("xid node:n0412 \"rank:3 is\" rank:37 kind:ib_port node: rank:x");
  EXPECT_EQ(typed.node, "n0412");
  EXPECT_EQ(typed.rank, 37);
  EXPECT_EQ(typed.kind, "ib_port");
  EXPECT_EQ(typed.words, "xid \"rank:3 is\" node: rank:x");
}

TEST(EscapesTest, OfATerminalAreLeftOut) {
  EXPECT_EQ(withoutEscapes("\x1b[1;31mERROR\x1b[0m red \x1b]0;title\a plain\x1b"), "ERROR red  plain\x1b");
  EXPECT_EQ(withoutEscapes("\x1b[999999"), "");
}

TEST(EventLaneTest, ASingleRowIsSeenBesideAMillion) {
  EXPECT_GE(barHeight(1, 1'000'000, 24), 3);
  EXPECT_EQ(barHeight(1'000'000, 1'000'000, 24), 24);
  EXPECT_EQ(barHeight(0, 1'000'000, 24), 0);
}

EventRow rowAt(TimeNs time, std::int64_t id, const std::string& kind, const std::string& text, Severity severity = Severity::kError) {
  EventRow row{.key = {time, EventSource::kEvent, id}};
  row.kind = kind, row.text = text, row.severity = severity, row.code = kind == "xid" ? "13" : "";
  return row;
}

TEST(EventModelTest, PutsRepeatsIntoOneRowThatOpens) {
  EventModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Warning);
  const QSignalSpy wanted(&model, &EventModel::pageWanted);
  std::vector<EventRow> rows;
  for (int i = 0; i < 629; ++i)
    rows.push_back(rowAt(kEventsStart - i * kNsPerSecond, 1'000 - i, "xid", "graphics exception " + std::to_string(i)));
  rows.insert(rows.begin() + 100, rowAt(kEventsStart - 100 * kNsPerSecond, 5'000, "link_down", "eth0 went down"));
  const std::vector<EventRow> first(rows.begin(), rows.begin() + 400), second(rows.begin() + 400, rows.end());
  model.reset(first, true);
  EXPECT_EQ(model.rowCount(), 2);
  EXPECT_TRUE(model.index(0, EventModel::kMessage).data().toString().contains(QStringLiteral("× 399+")));
  model.toggle(model.index(0, 0));
  EXPECT_EQ(model.rowCount(), 401);
  model.fetchMore({});
  EXPECT_EQ(wanted.count(), 1) << "a page is asked for once, however often a table looks";
  model.append(second, false);
  EXPECT_EQ(model.rowCount(), 631);
  EXPECT_TRUE(model.index(0, EventModel::kMessage).data().toString().contains(QStringLiteral("× 629,")));
  model.reset(rows, false);
  EXPECT_EQ(model.rowCount(), 631) << "what was open stays open";
  model.toggle(model.index(0, 0));
  EXPECT_EQ(model.rowCount(), 2);
  for (int column = 0; column < model.columnCount(); ++column) EXPECT_TRUE(model.index(0, column).data().isValid());
}

TEST(EventModelTest, WhatAllPeersSayBecauseOfOneIsOneRow) {
  EventModel model;
  std::vector<EventRow> rows;
  for (int rank = 0; rank < 63; ++rank) {
    rows.push_back(rowAt(kEventsStart - rank, 1'000 - rank, "collective_timeout", "[Rank " + std::to_string(rank) + "] caught"));
    rows.back().rank = rank;
    rows.back().where = QStringLiteral("rank %1").arg(rank);
  }
  rows.push_back(rowAt(kEventsStart - 100, 7, "xid", "fallen off the bus"));
  model.reset(rows, false);
  EXPECT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.index(0, EventModel::kWhere).data().toString(), QStringLiteral("63 places"));
  EXPECT_TRUE(model.index(0, EventModel::kMessage).data().toString().contains(QStringLiteral("63×")) ||
              model.index(0, EventModel::kMessage).data().toString().contains(QStringLiteral("× 63")));
}

TEST(EventModelTest, AHitFarInsideALongLineIsBroughtToItsFront) {
  EventModel model;
  model.setWords("needle");
  model.reset({rowAt(kEventsStart, 1, "log", std::string(200, 'x') + " the needle in it")}, false);
  const QModelIndex at = model.index(0, EventModel::kMessage);
  const QString text = at.data().toString();
  const QVariantList marks = at.data(EventModel::kMarksRole).toList();
  ASSERT_EQ(marks.size(), 1);
  EXPECT_LT(marks[0].toPoint().x(), 40);
  EXPECT_EQ(text.mid(marks[0].toPoint().x(), 6), QStringLiteral("needle"));
}

TEST(EventModelTest, WhatIsFarApartOrElsewhereIsNoRepeat) {
  EventModel model;
  std::vector<EventRow> rows{rowAt(kEventsStart, 3, "xid", "a"), rowAt(kEventsStart - 700 * kNsPerSecond, 2, "xid", "a")};
  rows.push_back(rowAt(kEventsStart - 700 * kNsPerSecond, 1, "xid", "a"));
  rows.back().node = NodeId{7};
  model.reset(rows, false);
  EXPECT_EQ(model.rowCount(), 3);
}

class EventsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto writer = m_store.writer();
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    m_writer = std::move(*writer);
    m_node = m_writer->node({.uuid = "n1", .name = "n0001"});
    m_gpu = m_writer->device({.uuid = "n1/gpu3", .node = m_node, .index = 3, .kind = "gpu"});
    m_run = m_writer->run({.name = "train", .start = kEventsStart});
    m_attempt = m_writer->attempt({.run = m_run, .start = kEventsStart});
    m_writer->rank({.attempt = m_attempt, .rank = 37, .node = m_node, .device = m_gpu});
  }
  void line(const std::string& text, DurNs at, Severity severity = Severity::kInfo) {
    m_writer->log({.time = kEventsStart + at,
                   .attempt = m_attempt,
                   .node = m_node,
                   .rank = 37,
                   .stream = "stderr",
                   .severity = severity,
                   .text = text});
  }
  void xid(DurNs at) {
    m_writer->event({.time = kEventsStart + at,
                     .node = m_node,
                     .device = m_gpu,
                     .kind = "xid",
                     .severity = Severity::kCritical,
                     .code = "79",
                     .message = "GPU has fallen off the bus <b>now</b>"});
  }
  void open() {
    ASSERT_TRUE(m_writer->flush().ok());
    m_queries = std::make_unique<QueryService>([this] { return m_store.reader({m_writer->liveTail()}); }, 1);
    m_view = std::make_unique<EventsView>(ViewContext{m_queries.get(), &m_state}, nullptr);
    QObject::connect(&m_state, &SharedState::changed, m_view.get(), [this] { m_view->applyState(m_state.state()); });
    m_view->resize(1400, 800);
    m_view->show();
    m_state.setExtent(TimeRange{kEventsStart, kEventsStart + 1'000 * kNsPerSecond});
    m_view->applyState(m_state.state());
    ASSERT_TRUE(waitFor([this] { return m_view->isFinal(); }));
  }
  void settle() {
    ASSERT_TRUE(waitFor([this] { return m_view->isFinal(); }));
  }
  QString cell(int row, int column) const { return m_view->model()->index(row, column).data().toString(); }
  int rowCount() const { return m_view->model()->rowCount(); }

  TempStore m_store;
  SharedState m_state;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<EventsView> m_view;
  NodeId m_node;
  DeviceId m_gpu;
  RunId m_run;
  AttemptId m_attempt;
};

TEST_F(EventsTest, ReadsEveryRowOnceInPagesOverAllSources) {
  for (int i = 0; i < 70; ++i) {
    line("warning " + std::to_string(i), i * 3, Severity::kWarning);
    m_writer->event(
        {.time = kEventsStart + i * 5, .node = m_node, .kind = "k" + std::to_string(i), .severity = Severity::kInfo, .message = "m"});
    if (i % 10 == 0)
      m_writer->finding(
          {.run = m_run, .kind = "slow_rank", .subject = "s" + std::to_string(i), .start = kEventsStart + i * 4, .summary = "f"});
  }
  ASSERT_TRUE(m_writer->flush().ok());
  auto reader = m_store.reader();
  ASSERT_TRUE(reader.ok());
  EventQuestion question{.limit = 13};
  std::vector<EventKey> keys;
  for (bool more = true; more;) {
    const auto page = readEvents(**reader, question, {});
    ASSERT_TRUE(page.ok()) << page.status().message();
    for (const EventRow& row : page->rows) keys.push_back(row.key);
    question.from = page->next;
    more = page->more;
  }
  EXPECT_EQ(keys.size(), 147U);
  EXPECT_TRUE(std::ranges::is_sorted(keys, std::greater<>()));
  EXPECT_EQ(std::set<EventKey>(keys.begin(), keys.end()).size(), keys.size());
}

TEST_F(EventsTest, AnOpenFindingLastsToTheEndOfItsAttempt) {
  const AttemptId second = m_writer->attempt({.run = m_run, .key = "b", .number = 2, .start = kStart + 200, .end = kStart + 300});
  for (const AttemptId attempt : {m_attempt, second})
    m_writer->finding({.run = m_run,
                       .attempt = attempt,
                       .kind = "slow_rank",
                       .subject = std::to_string(attempt.value),
                       .start = kStart + 200,
                       .summary = "f"});
  ASSERT_TRUE(m_writer->flush().ok());
  auto reader = m_store.reader();
  ASSERT_TRUE(reader.ok());
  const auto density = readDensity(**reader, {.range = {kStart, kStart + 1'000}}, 10, {});
  ASSERT_TRUE(density.ok()) << density.status().message();
  ASSERT_EQ(density->marks.size(), 2U);
  for (const EventRow& mark : density->marks)
    EXPECT_EQ(mark.end, mark.attempt == second ? std::optional(kStart + 300) : std::nullopt) << mark.attempt.value;
  const auto after = readDensity(**reader, {.range = {kStart + 400, kStart + 1'000}}, 10, {});
  ASSERT_TRUE(after.ok()) << after.status().message();
  ASSERT_EQ(after->marks.size(), 1U) << "the second attempt was over";
  EXPECT_EQ(after->marks.front().attempt, m_attempt);
}

TEST_F(EventsTest, ACardFollowsItsFindingWhileTheRowStays) {
  Finding slow{.run = m_run, .attempt = m_attempt, .kind = "slow_rank", .subject = "s", .severity = Severity::kError};
  slow.start = kStart + 10 * kNsPerSecond, slow.summary = "rank 37 is slow";
  m_writer->finding(slow);
  open();
  const auto* card = m_view->findChild<FindingCard*>();
  ASSERT_NE(card, nullptr);
  ASSERT_TRUE(card->finding());
  EXPECT_FALSE(card->finding()->end);
  slow.end = kStart + 20 * kNsPerSecond, slow.summary = "rank 37 was slow";
  m_writer->finding(slow);
  ASSERT_TRUE(m_writer->flush().ok());
  m_view->refresh(Tick::kText);
  settle();
  EXPECT_EQ(card->finding()->end, slow.end);
  EXPECT_EQ(cell(0, EventModel::kMessage), QStringLiteral("rank 37 was slow"));
  EXPECT_EQ(rowCount(), 1);
}

TEST_F(EventsTest, ShowsWhatHappenedAndWarningsAndOnDemandEveryLine) {
  xid(10 * kNsPerSecond);
  line("all is well", 20 * kNsPerSecond);
  line("\x1b[33mcareful\x1b[0m", 30 * kNsPerSecond, Severity::kWarning);
  open();
  ASSERT_EQ(rowCount(), 2);
  EXPECT_EQ(cell(0, EventModel::kMessage), QStringLiteral("careful"));
  EXPECT_EQ(cell(1, EventModel::kSeverity), QStringLiteral("critical"));
  EXPECT_EQ(cell(1, EventModel::kWhere), QStringLiteral("n0001 GPU 3 · rank 37"));
  auto* search = m_view->findChild<QLineEdit*>();
  search->setText(QStringLiteral("well"));
  settle();
  ASSERT_EQ(rowCount(), 1) << "who looks for words looks at every line";
  const QVariantList marks = m_view->model()->index(0, EventModel::kMessage).data(EventModel::kMarksRole).toList();
  ASSERT_EQ(marks.size(), 1);
  EXPECT_EQ(marks[0].toPoint(), QPoint(7, 11));
  QTest::keyClick(search, Qt::Key_Escape);
  settle();
  EXPECT_EQ(rowCount(), 2);
  search->setText(QStringLiteral("node:nobody"));
  settle();
  EXPECT_EQ(rowCount(), 0);
}

TEST_F(EventsTest, EnterMovesEveryViewToTheRowAndKeepsTheList) {
  for (int i = 0; i < 5; ++i)
    line("warning of kind " + std::string(1, static_cast<char>('a' + i)), i * 200 * kNsPerSecond, Severity::kWarning);
  xid(300 * kNsPerSecond);
  open();
  ASSERT_EQ(rowCount(), 6);
  const QModelIndex at = m_view->model()->find({kEventsStart + 300 * kNsPerSecond, EventSource::kEvent, 1});
  ASSERT_TRUE(at.isValid());
  m_view->table()->setCurrentIndex(at);
  QTest::keyClick(m_view->table(), Qt::Key_Return);
  settle();
  EXPECT_EQ(m_state.state().selection.rank, 37);
  EXPECT_EQ(m_state.state().selection.device, m_gpu);
  EXPECT_EQ(m_state.state().window.range, (TimeRange{kEventsStart + 240 * kNsPerSecond, kEventsStart + 360 * kNsPerSecond}));
  EXPECT_EQ(rowCount(), 6) << "the list is not taken away";
  line("one more warning", 990 * kNsPerSecond, Severity::kWarning);
  m_view->refresh(Tick::kText);
  settle();
  EXPECT_EQ(rowCount(), 7) << "and goes on to grow";
  m_state.setWindow({kEventsStart + 250 * kNsPerSecond, kEventsStart + 350 * kNsPerSecond});
  settle();
  EXPECT_EQ(rowCount(), 1) << "another window is another list";
}

TEST_F(EventsTest, SaysWhatAnXidMeansWhatToDoAndFromWhere) {
  xid(10 * kNsPerSecond);
  line("last words", 9 * kNsPerSecond);
  open();
  const QString text = m_view->panel()->plainText();
  for (const char* part : {"what it means", "what to do", "what else to check", "NVIDIA Xid", "last words", "<b>now</b>"})
    EXPECT_TRUE(text.contains(QLatin1String(part))) << part << " in " << text.toStdString();
  EXPECT_TRUE(eventHtml(m_view->model()->rows()[0], nullptr, {}, TimeStyle::kUtc).contains(QLatin1String("&lt;b&gt;now")));
}

TEST_F(EventsTest, NewRowsDoNotMoveWhatIsReadAndWaitBehindThePill) {
  for (int i = 0; i < 200; ++i)
    line("warning " + std::string(static_cast<std::size_t>(i % 100) + 1, 'x') + (i < 100 ? "a" : "b"), i, Severity::kWarning);
  open();
  QScrollBar* const bar = m_view->table()->verticalScrollBar();
  bar->setValue(100);
  for (int i = 0; i < 37; ++i) line("later " + std::string(static_cast<std::size_t>(i) + 1, 'y'), 1'000 + i, Severity::kWarning);
  m_view->refresh(Tick::kText);
  settle();
  EXPECT_EQ(bar->value(), 100);
  EXPECT_EQ(rowCount(), 200);
  ASSERT_TRUE(m_view->pill()->isVisible());
  EXPECT_TRUE(m_view->pill()->text().contains(QStringLiteral("37 newer"))) << m_view->pill()->text().toStdString();
  QTest::mouseClick(m_view->pill(), Qt::LeftButton);
  EXPECT_EQ(rowCount(), 237);
  EXPECT_EQ(bar->value(), 0);
  EXPECT_FALSE(m_view->pill()->isVisible());
}

TEST_F(EventsTest, SaysHowManyLinesWereNotKeptAndWhy) {
  xid(1);
  m_writer->issue(
      {.code = "store.logs_forgotten", .source = "store", .count = 1'234, .detail = "more than 20000000 log lines; the oldest went"});
  m_writer->issue({.code = "wire.gap", .source = "n0001", .count = 3, .detail = "the agent's spool was full"});
  open();
  EXPECT_TRUE(m_view->noteText().contains(QStringLiteral("234 rows and 3 batches of agents were not kept")))
      << m_view->noteText().toStdString();
  EXPECT_TRUE(m_view->noteText().contains(QStringLiteral("the oldest went")));
}

TEST_F(EventsTest, CopiesRowsWithExactTimesAndWholeTexts) {
  const std::string text = "warning " + std::string(5'000, 'z');
  line(text, 123, Severity::kWarning);
  open();
  m_view->table()->selectRow(0);
  const QString copy = m_view->copyText();
  EXPECT_TRUE(copy.contains(QString::fromStdString(text)));
  EXPECT_TRUE(copy.contains(QStringLiteral(".000000123"))) << copy.left(80).toStdString();
}

TEST_F(EventsTest, AnEmptyStoreSaysWhatBringsEvents) {
  open();
  EXPECT_EQ(rowCount(), 0);
  EXPECT_FALSE(m_view->table()->isVisible());
}

}  // namespace
}  // namespace runglass
