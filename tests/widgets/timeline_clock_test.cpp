// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's clocks: the displayed clock errors, and aligning them by collectives, manually, and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QTest>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/core/units.h"
#include "widgets/timeline/timeline_view.h"

namespace runglass {
namespace {

constexpr TimeNs kClockStart = 1'790'000'000LL * kNsPerSecond;
constexpr DurNs kAhead = 40 * kNsPerMs;

// Stores at once, like the program that holds the store.
class StoringPort : public EditPort {
 public:
  explicit StoringPort(Writer* writer) : m_writer(writer) {}
  QString refusal() const override { return why; }
  void submit(Edit edit, QObject* context, std::function<void(const Status&)> done) override {
    const Status status = m_writer->edit(edit);
    QMetaObject::invokeMethod(
        context, [done = std::move(done), status] { done(status); }, Qt::QueuedConnection);
  }
  QString why;

 private:
  Writer* m_writer;
};

// Two nodes with a rank each; the second one's clock is 40 ms ahead. Thirty reductions, in which rank 1 begins later and ends together with
// rank 0.
class TimelineClockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    m_writer = m_store.writer().value();
    const RunId run = m_writer->run({.uuid = "run-uuid", .name = "r"});
    m_attempt = m_writer->attempt({.run = run});
    for (std::int32_t r = 0; r < 2; ++r) {
      const std::string name = "node-" + std::to_string(r);
      const NodeId node = m_writer->node({.uuid = name, .name = name});
      m_writer->rank({.attempt = m_attempt, .rank = r, .node = node});
      m_track[r] = m_writer->track({.attempt = m_attempt, .rank = r, .kind = "gpu_stream", .name = "GPU 0 stream 7"});
      SpanColumns spans;
      spans.names = {"ncclDevKernel_AllReduce"};
      for (int i = 0; i < 30; ++i) {
        spans.start.push_back(kClockStart + i * 100 * kNsPerMs + r * (kAhead + 10 * kNsPerMs)),
            spans.dur.push_back((50 - 10 * r) * kNsPerMs);
        spans.name.push_back(0), spans.category.push_back(SpanCategory::kComm), spans.group.push_back(5), spans.seq.push_back(i);
      }
      m_writer->spans(m_track[r], spans);
    }
    ASSERT_TRUE(m_writer->flush().ok());
    m_port = std::make_unique<StoringPort>(m_writer.get());
    m_queries = std::make_unique<QueryService>([this] { return m_store.reader(); }, 2);
    m_reader = m_store.reader().value();
  }
  void show(bool with_port = true) {
    m_view = std::make_unique<TimelineView>(
        ViewContext{m_queries.get(), &m_state, [] { return kClockStart + kNsPerSecond; }, with_port ? m_port.get() : nullptr}, nullptr);
    QObject::connect(&m_state, &SharedState::changed, m_view.get(), [this] { m_view->applyState(m_state.state()); });
    m_view->resize(1200, 800);
    m_view->show();
    m_view->activateWindow();
    m_view->applyState(m_state.state());
    settle();
  }
  void settle() {
    ASSERT_TRUE(waitFor([this] { return m_view->isFinal() && m_view->canvas()->isRendered() && !m_view->clocks()->busy(); }));
  }
  void trigger(std::size_t action) {
    m_view->clocks()->actions().at(action)->trigger();
    settle();
  }
  // Waits until the badge shows these words.
  void expectBadge(const QString& words) {
    EXPECT_TRUE(waitFor([&] { return m_view->clocks()->button()->text().contains(words); }))
        << m_view->clocks()->button()->text().toStdString();
  }
  void chooseFirstOf(std::int32_t rank) {
    const XMap map{m_view->canvas()->t0(), m_view->canvas()->t1(), static_cast<double>(TimelineCanvas::kGutter),
                   static_cast<double>(m_view->canvas()->timeWidth())};
    const TimeNs time = m_reader->spans(m_track[rank], {})->start[0] + 5 * kNsPerMs;
    const QPoint at(static_cast<int>(map.toPixel(time)),
                    TimelineCanvas::kHeader + RowList::kGroupHeight + 2 + RowList::kStripHeight + 2 + RowList::kLaneHeight / 2);
    QTest::mouseClick(m_view->canvas(), Qt::LeftButton, {}, at);
    ASSERT_TRUE(waitFor([this] { return m_view->clocks()->chosen().has_value(); }));
  }
  TimeNs firstOf(std::int32_t rank) { return m_reader->spans(m_track[rank], {})->start[0]; }
  enum Action : std::size_t { kByCollectives, kBegins, kEnds, kUndo, kOff };

  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  AttemptId m_attempt;
  TrackId m_track[2];
  std::unique_ptr<StoringPort> m_port;
  SharedState m_state;
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<Reader> m_reader;
  std::unique_ptr<TimelineView> m_view;
};

TEST_F(TimelineClockTest, PreviewsAnAlignmentByCollectivesStoresItOnlyOnRequestAndUndoesIt) {
  show();
  expectBadge(QStringLiteral("clocks as stamped"));
  EXPECT_FALSE(m_view->clocks()->isVisible());
  trigger(kByCollectives);
  ASSERT_TRUE(m_view->clocks()->isVisible());
  const QString words = m_view->clocks()->words();
  EXPECT_TRUE(words.contains(QStringLiteral("30 operations on 2 clocks"))) << words.toStdString();
  EXPECT_TRUE(words.contains(QStringLiteral("node-1  \u2212") + formatDuration(kAhead))) << words.toStdString();
  EXPECT_EQ(firstOf(1), kClockStart + 50 * kNsPerMs) << "nothing is stored yet";
  QTest::mouseClick(m_view->clocks()->applyButton(), Qt::LeftButton);
  expectBadge(QStringLiteral("aligned by 30 collectives, residual ") + formatDuration(0));
  EXPECT_EQ(firstOf(1), kClockStart + 10 * kNsPerMs);
  EXPECT_FALSE(m_view->clocks()->isVisible());
  settle();
  trigger(kUndo);
  expectBadge(QStringLiteral("clocks as stamped"));
  EXPECT_EQ(firstOf(1), kClockStart + 50 * kNsPerMs);
}

TEST_F(TimelineClockTest, AltRAlignsTheOtherRanksEndsToTheChosenCollectiveAndAltLTheirBegins) {
  show();
  m_view->clocks()->actions().at(kEnds)->trigger();
  EXPECT_TRUE(m_view->clocks()->words().contains(QStringLiteral("Choose a collective first")));
  chooseFirstOf(0);
  ASSERT_TRUE(waitFor([this] { return m_view->isActiveWindow(); }));
  m_view->canvas()->setFocus();
  QTest::keyClick(m_view->canvas(), Qt::Key_R, Qt::AltModifier);
  expectBadge(QStringLiteral("aligned by hand"));
  EXPECT_EQ(firstOf(1), kClockStart + 10 * kNsPerMs) << "the ends are together";
  settle();
  QTest::keyClick(m_view->canvas(), Qt::Key_L, Qt::AltModifier);
  ASSERT_TRUE(waitFor([this] { return firstOf(1) == kClockStart; })) << "the begins are";
  settle();
  trigger(kUndo);
  ASSERT_TRUE(waitFor([this] { return firstOf(1) == kClockStart + 10 * kNsPerMs; })) << "one step back";
  settle();
  trigger(kOff);
  expectBadge(QStringLiteral("clocks as stamped"));
  EXPECT_EQ(firstOf(1), kClockStart + 50 * kNsPerMs);
}

TEST_F(TimelineClockTest, SaysWhyTheStoreCannotBeChanged) {
  m_port->why = QStringLiteral("This store is read-only.");
  show();
  trigger(kByCollectives);
  EXPECT_TRUE(m_view->clocks()->words().endsWith(QStringLiteral("This store is read-only.")));
  EXPECT_FALSE(m_view->clocks()->applyButton()->isEnabled());
  chooseFirstOf(0);
  trigger(kEnds);
  EXPECT_EQ(m_view->clocks()->words(), QStringLiteral("This store is read-only."));
  EXPECT_EQ(firstOf(1), kClockStart + 50 * kNsPerMs);
}

TEST_F(TimelineClockTest, WithoutAnybodyWhoWritesItPreviewsAllTheSame) {
  show(false);
  trigger(kByCollectives);
  EXPECT_TRUE(m_view->clocks()->words().contains(QStringLiteral("Read-only")));
  EXPECT_FALSE(m_view->clocks()->applyButton()->isEnabled());
}

TEST_F(TimelineClockTest, ARefusedEditIsReportedAndLeavesTheTimes) {
  show();
  trigger(kByCollectives);
  std::string other = m_store.folder() + "/other.rgl";
  auto elsewhere = openStore(other).writer().value();
  StoringPort wrong(elsewhere.get());  // a store without such a run
  *m_port = wrong;
  QTest::mouseClick(m_view->clocks()->applyButton(), Qt::LeftButton);
  ASSERT_TRUE(waitFor([this] { return m_view->clocks()->words().contains(QStringLiteral("no such attempt")); }));
  EXPECT_EQ(firstOf(1), kClockStart + 50 * kNsPerMs);
}

TEST_F(TimelineClockTest, OrdersAreJudgedByTheAlignmentsError) {
  ASSERT_TRUE(m_writer
                  ->edit(ClockAlignment{
                      .run_uuid = "run-uuid", .source = "collectives", .shifts = {{0, 0, 0, 3'000}, {1, kClockStart, -kAhead, 7'000}}})
                  .ok());
  const auto catalog = readTimelineCatalog(*m_reader, RunId{1}, m_attempt, std::nullopt, {});
  ASSERT_TRUE(catalog.ok());
  EXPECT_EQ(catalog->ranks[0].clock_error, 3'000);
  EXPECT_EQ(catalog->ranks[1].clock_error, 7'000);
  const auto spans = m_reader->spans(m_track[0], {});
  const auto detail = readSpanDetail(*m_reader, *catalog, m_track[0], 0, spans->id[0], spans->start[0], {});
  ASSERT_TRUE(detail.ok());
  EXPECT_TRUE(detail->waited.contains(QStringLiteral("\u00b1 ") + formatDuration(10'000))) << detail->waited.toStdString();
}

TEST(AlignmentWords, SayWhatIsKnown) {
  EXPECT_EQ(alignmentWords(std::nullopt), QStringLiteral("clocks as stamped"));
  ClockAlignment alignment{.source = "collectives", .matches = 1'240, .residual = 8'000};
  EXPECT_EQ(alignmentWords(alignment),
            QStringLiteral("aligned by %1 collectives, residual %2").arg(formatCount(1'240), formatDuration(8'000)));
  alignment.matches = 0, alignment.residual.reset();
  EXPECT_EQ(alignmentWords(alignment), QStringLiteral("aligned by collectives"));
  alignment.source = "manual";
  EXPECT_EQ(alignmentWords(alignment), QStringLiteral("aligned by hand"));
}

}  // namespace
}  // namespace runglass
