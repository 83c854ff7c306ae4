// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline: which rows it shows, what stands in them, and what a click, a drag and a search say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QLineEdit>
#include <QTest>

#include "storage/writer.h"
#include "tests/storage/temp_store.h"
#include "tests/widgets/gui_test.h"
#include "widgets/timeline/timeline_view.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;

TEST(IntervalsTest, ExposedCommunicationIsWhatNoComputationCovers) {
  Intervals comm{{50, 60}, {0, 10}, {5, 20}}, compute{{8, 12}, {55, 100}};
  unite(comm), unite(compute);
  EXPECT_EQ(lengthOf(comm), 30);
  EXPECT_EQ(outside(comm, compute), 8 + 8 + 5);
  EXPECT_EQ(outside(comm, {}), 30);
  EXPECT_EQ(outside({}, compute), 0);
}

TEST(BusyStripTest, SharesEachPixelByClassAndIgnoresRangesDrawnAroundKernels) {
  SpanPicture::Lane annotation{.track = TrackId{1}, .bars = {{.t0 = 0, .t1 = 40, .id = 9, .count = 1, .busy = {0, 0, 0, 1}}}};
  SpanPicture::Lane kernels{
      .track = TrackId{1},
      .depth = 1,
      .bars = {{.t0 = 5, .t1 = 10, .count = 1, .busy = {1, 0, 0, 0}}, {.t0 = 10, .t1 = 30, .count = 4, .busy = {0, 0.5F, 0, 0}}}};
  const BusyStrip strip = busyStrip({annotation, kernels}, {.tracks = {TrackId{1}}, .strip = true, .host = {false}}, {0, 40}, 10);
  ASSERT_EQ(strip.columns.size(), 5U);
  EXPECT_THAT(strip.columns[0], ::testing::ElementsAre(128, 0, 0, 0));
  EXPECT_THAT(strip.columns[1], ::testing::ElementsAre(0, 128, 0, 0));
  EXPECT_THAT(strip.columns[3], ::testing::ElementsAre(0, 0, 0, 0));
}

std::shared_ptr<TimelineCatalog> catalogOf(int ranks) {
  auto catalog = std::make_shared<TimelineCatalog>();
  catalog->run.id = RunId{1}, catalog->attempt.id = AttemptId{1};
  for (int r = 0; r < ranks; ++r) {
    TimelineRank rank{.rank = r, .node = QStringLiteral("node-%1").arg(r / 8)};
    rank.place = {.rank = r, .tp = r % 2, .pp = r / 2 % 4, .dp = r / 8};
    rank.has_device = true;
    rank.tracks = {{TrackId{static_cast<std::uint64_t>(2 * r + 1)}, {.rank = r, .kind = "gpu_stream", .name = "GPU 0 stream 7"}, {}},
                   {TrackId{static_cast<std::uint64_t>(2 * r + 2)}, {.rank = r, .kind = "thread", .name = "main"}, {}}};
    catalog->ranks.push_back(std::move(rank));
  }
  return catalog;
}

std::vector<int> ranksOf(const RowList& list) {
  std::vector<int> ranks;
  for (const TimelineRow& row : list.rows())
    if (row.kind == RowKind::kRank) ranks.push_back(row.rank);
  return ranks;
}

TEST(RowListTest, SuggestsTheSlowestRankItsPipelineNeighboursAndPeersOfItsRole) {
  auto catalog = catalogOf(64);
  catalog->slowest = 35;  // dp 4, pp 1, tp 1
  RowList list;
  list.setCatalog(catalog);
  EXPECT_THAT(ranksOf(list), ::testing::UnorderedElementsAre(35, 33, 37, 3, 11));
  list.setSelected(60);
  EXPECT_THAT(ranksOf(list), ::testing::Contains(60));
  list.setChoice(RowChoice::kAll);
  EXPECT_EQ(ranksOf(list).size(), 64U);
}

TEST(RowListTest, OpensOneRankFoldsItsThreadsAndGroupsTheRest) {
  RowList list;
  list.setCatalog(catalogOf(16));
  const auto tracks = [&] { return std::ranges::count(list.rows(), RowKind::kTrack, &TimelineRow::kind); };
  EXPECT_EQ(tracks(), 2) << "of rank 0";
  const auto thread = std::ranges::find_if(list.rows(), [](const TimelineRow& r) { return r.title == QStringLiteral("main"); });
  EXPECT_TRUE(thread->question.folded);
  list.toggle(3);
  EXPECT_EQ(tracks(), 4);
  list.setGrouping(RowGrouping::kStage);
  const auto group = std::ranges::find(list.rows(), RowKind::kGroup, &TimelineRow::kind);
  EXPECT_EQ(group->title, QStringLiteral("PP stage 0"));
  EXPECT_EQ(std::ranges::count(list.rows(), RowKind::kGroup, &TimelineRow::kind), 4);
  list.togglePin(9);
  EXPECT_EQ(list.rows().front().rank, 9);
  EXPECT_GT(list.pinnedHeight(), 0);
  list.setPattern(QStringLiteral("node-1"));
  EXPECT_THAT(ranksOf(list), ::testing::ElementsAre(9, 8, 10, 11, 12, 13, 14, 15)) << "the pinned one stays on top";
  list.setPattern(QStringLiteral("("));
  EXPECT_FALSE(list.patternProblem().isEmpty());
  EXPECT_EQ(ranksOf(list).size(), 16U) << "a broken pattern hides nothing";
}

TEST(RowListTest, KeepsTheMetricsOnTopWhileRanksScroll) {
  auto catalog = catalogOf(16);
  catalog->metrics = {{SeriesId{4}, QStringLiteral("Power"), "watts"}};
  RowList list;
  list.setCatalog(catalog);
  EXPECT_EQ(list.rows().front().kind, RowKind::kMetric);
  EXPECT_EQ(list.rows().front().question.series, SeriesId{4});
  EXPECT_EQ(list.rows().front().height, RowList::kMetricHeight);
  EXPECT_EQ(list.pinnedHeight(), list.rows()[1].y) << "the ranks begin below";
}

// Two ranks with a stream and a thread each: a launch, its kernel, and a collective that rank 1 enters 3 ms late.
class TimelineViewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Writer::open(m_store.path());
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    auto writer = std::move(*opened);
    const RunId run = writer->run({.name = "r", .start = kStart, .end = kStart + 100 * kNsPerMs});
    const AttemptId attempt = writer->attempt({.run = run, .layout = {.world = 2}});
    for (std::int32_t r = 0; r < 2; ++r) {
      const std::string name = "n" + std::to_string(r);
      const NodeId node = writer->node({.uuid = name, .name = name});
      writer->clock({.node = node, .session = "s", .raw = kStart, .offset = 0, .error = 2 * kNsPerMs, .source = "hello"});
      writer->rank({.attempt = attempt, .rank = r, .node = node});
      m_stream[r] = writer->track({.attempt = attempt, .rank = r, .kind = "gpu_stream", .name = "GPU 0 stream 7"});
      const TrackId thread = writer->track({.attempt = attempt, .rank = r, .kind = "thread", .name = "main"});
      SpanColumns launch;
      launch.start = {kStart + 10 * kNsPerMs}, launch.dur = {10'000}, launch.name = {0}, launch.category = {SpanCategory::kRuntime};
      launch.correlation = {77}, launch.names = {"cudaLaunchKernel"};
      writer->spans(thread, launch);
      SpanColumns spans;
      spans.start = {kStart + 20 * kNsPerMs, kStart + 60 * kNsPerMs + r * 3 * kNsPerMs},
      spans.dur = {20 * kNsPerMs, (10 - 3 * r) * kNsPerMs};
      spans.name = {0, 1}, spans.category = {SpanCategory::kCompute, SpanCategory::kComm};
      spans.correlation = {77, kAbsent}, spans.group = {kAbsent, 5}, spans.seq = {kAbsent, 12}, spans.bytes = {kAbsent, 1 << 20};
      spans.args = {R"({"grid":[1,2,3],"note":"<b>"})", ""}, spans.names = {"void gemm<float>", "ncclDevKernel_AllReduce"};
      writer->spans(m_stream[r], spans);
    }
    ASSERT_TRUE(writer->close().ok());
    m_queries = std::make_unique<QueryService>([this] { return Reader::open(m_store.path()); }, 2);
    m_view = std::make_unique<TimelineView>(ViewContext{m_queries.get(), &m_state, [] { return kStart + kNsPerSecond; }}, nullptr);
    QObject::connect(&m_state, &SharedState::changed, m_view.get(), [this] { m_view->applyState(m_state.state()); });
    m_view->resize(1200, 800);
    m_view->show();
    m_view->applyState(m_state.state());
    settle();
  }
  void settle() {
    ASSERT_TRUE(waitFor([this] { return m_view->isFinal() && m_view->canvas()->isRendered(); }));
  }
  // Where a time of the open rank's stream is on screen.
  QPoint at(TimeNs time) const {
    const TimelineCanvas* canvas = m_view->canvas();
    const XMap map{canvas->t0(), canvas->t1(), static_cast<double>(TimelineCanvas::kGutter), static_cast<double>(canvas->timeWidth())};
    return {static_cast<int>(map.toPixel(time)),
            TimelineCanvas::kHeader + RowList::kGroupHeight + 2 + RowList::kStripHeight + 2 + RowList::kLaneHeight / 2};
  }
  TempStore m_store;
  TrackId m_stream[2];
  SharedState m_state;
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<TimelineView> m_view;
};

TEST_F(TimelineViewTest, ShowsTheWholeRunAndItsSpansInTheirColours) {
  EXPECT_EQ(m_view->canvas()->t0(), kStart + 10 * kNsPerMs);
  EXPECT_EQ(m_view->canvas()->t1(), kStart + 70 * kNsPerMs);
  const QImage picture = m_view->canvas()->grab().toImage();
  EXPECT_EQ(picture.pixelColor(at(kStart + 15 * kNsPerMs)), currentTheme().ground);
  EXPECT_EQ(picture.pixelColor(at(kStart + 65 * kNsPerMs)).hsvHue() / 10, currentTheme().communication.hsvHue() / 10);
  EXPECT_EQ(picture.pixelColor(at(kStart + 38 * kNsPerMs)).hsvHue() / 10, currentTheme().compute.hsvHue() / 10);
}

TEST_F(TimelineViewTest, AClickedSpanTellsItsArgumentsAndWhoLaunchedIt) {
  QTest::mouseClick(m_view->canvas(), Qt::LeftButton, {}, at(kStart + 30 * kNsPerMs));
  ASSERT_TRUE(waitFor([this] { return m_view->copyText().contains(QStringLiteral("gemm")); }));
  const QString text = m_view->copyText();
  EXPECT_TRUE(text.contains(QStringLiteral("grid\t[1,2,3]"))) << text.toStdString();
  EXPECT_TRUE(text.contains(QStringLiteral("note\t<b>")));
  EXPECT_TRUE(text.contains(QStringLiteral("correlation\t77")));
}

TEST_F(TimelineViewTest, ACollectiveSaysWhoWaitedForWhom) {
  QTest::mouseClick(m_view->canvas(), Qt::LeftButton, {}, at(kStart + 65 * kNsPerMs));
  ASSERT_TRUE(waitFor([this] { return m_view->copyText().contains(QStringLiteral("waited")); }));
  EXPECT_TRUE(m_view->copyText().contains(QStringLiteral("for rank 1, the last to begin"))) << m_view->copyText().toStdString();
  EXPECT_TRUE(m_view->copyText().contains(QStringLiteral("the order is not certain"))) << "3 ms, by clocks that agree to 4 ms";
}

TEST_F(TimelineViewTest, ADraggedAreaIsSummedUpByName) {
  QTest::mousePress(m_view->canvas(), Qt::LeftButton, {}, at(kStart + 11 * kNsPerMs));
  QTest::mouseMove(m_view->canvas(), at(kStart + 50 * kNsPerMs));
  QTest::mouseMove(m_view->canvas(), at(kStart + 69 * kNsPerMs + 900'000));
  QTest::mouseRelease(m_view->canvas(), Qt::LeftButton, {}, at(kStart + 69 * kNsPerMs + 900'000));
  ASSERT_TRUE(waitFor([this] { return m_view->copyText().contains(QStringLiteral("exposed")); }));
  const QString text = m_view->copyText();
  EXPECT_TRUE(text.contains(QStringLiteral("over 2 ranks"))) << text.toStdString();
  EXPECT_TRUE(text.contains(QStringLiteral("void gemm<float>\t2\t40000000\t20000000"))) << text.toStdString();
}

TEST_F(TimelineViewTest, ASearchFindsSpansAndStepsThroughThem) {
  auto* search = m_view->findChildren<QLineEdit*>().at(1);
  search->setText(QStringLiteral("allreduce$"));
  QTest::keyClick(search, Qt::Key_Return);
  ASSERT_TRUE(waitFor([this] { return m_view->drawer()->currentIndex() == 0 && m_view->copyText().contains(QStringLiteral("AllReduce")); }))
      << "the first hit is selected";
  EXPECT_TRUE(m_view->copyText().contains(QStringLiteral("rank\t0")));
  QTest::keyClick(search, Qt::Key_Return);
  ASSERT_TRUE(waitFor([this] { return m_view->copyText().contains(QStringLiteral("rank\t1")); })) << "then the next";
  search->setText(QStringLiteral("no such name"));
  QTest::keyClick(search, Qt::Key_Return);
  ASSERT_TRUE(waitFor([this] { return m_view->drawer()->currentIndex() == 2; }));
}

TEST_F(TimelineViewTest, KeysZoomToTensOfNanosecondsAndBack) {
  const DurNs whole = m_view->canvas()->t1() - m_view->canvas()->t0();
  for (int i = 0; i < 120; ++i) QTest::keyClick(m_view->canvas(), Qt::Key_W);
  settle();
  EXPECT_LT(m_view->canvas()->t1() - m_view->canvas()->t0(), 20);
  QTest::keyClick(m_view->canvas(), Qt::Key_0, Qt::ControlModifier);
  settle();
  m_state.setExtent(TimeRange{kStart, kStart + whole});
  EXPECT_EQ(m_state.state().window.mode, WindowMode::kAll);
}

TEST(TimelineViewEmptyTest, ARunWithoutSpansSaysWhatBringsThem) {
  TempStore store;
  {
    auto writer = Writer::open(store.path());
    ASSERT_TRUE(writer.ok());
    (*writer)->attempt({.run = (*writer)->run({.name = "r", .start = kStart})});
    ASSERT_TRUE((*writer)->close().ok());
  }
  SharedState state;
  QueryService queries([&] { return Reader::open(store.path()); }, 1);
  TimelineView view({&queries, &state}, nullptr);
  view.show();
  view.applyState(state.state());
  ASSERT_TRUE(waitFor([&] { return view.isFinal(); }));
  EXPECT_FALSE(view.canvas()->isVisible());
}

}  // namespace
}  // namespace runglass
