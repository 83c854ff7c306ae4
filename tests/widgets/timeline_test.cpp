// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline: its rows and their content, and the effects of a click, a drag and a search.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QLineEdit>
#include <QTest>

#include "tests/widgets/timeline_fixture.h"

namespace runglass {
namespace {

TEST(IntervalsTest, ExposedCommunicationIsWhatNoComputationCovers) {
  Intervals comm{{50, 60}, {0, 10}, {5, 20}}, compute{{8, 12}, {55, 100}};
  unite(comm), unite(compute);
  EXPECT_EQ(lengthOf(comm), 30);
  EXPECT_EQ(lengthOf(without(comm, compute)), 8 + 8 + 5);
  EXPECT_EQ(without(comm, {}), comm);
  EXPECT_TRUE(without({}, compute).empty());
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

// As trainers record: a range around the step, computation in it, communication in that.
TEST(BusyStripTest, AHostIsAsBusyWithAClassAsTheLaneThatShowsMostOfIt) {
  const TrackId track{1};
  SpanPicture::Lane step{.track = track,
                         .bars = {{.t0 = 0, .t1 = 40, .id = 9, .count = 1, .category = SpanCategory::kAnnotation, .busy = {0, 0, 0, 1}}}};
  SpanPicture::Lane forward{.track = track, .depth = 1, .bars = {{.t0 = 0, .t1 = 20, .count = 1, .busy = {1, 0, 0, 0}}}};
  SpanPicture::Lane inner{.track = track,
                          .depth = 2,
                          .bars = {{.t0 = 0, .t1 = 5, .count = 1, .busy = {1, 0, 0, 0}},
                                   {.t0 = 10, .t1 = 15, .count = 1, .category = SpanCategory::kComm, .busy = {0, 1, 0, 0}},
                                   {.t0 = 30, .t1 = 40, .count = 1, .category = SpanCategory::kGc, .busy = {0, 0, 0, 1}}}};
  const BusyStrip strip = busyStrip({step, forward, inner}, {.tracks = {track}, .strip = true, .host = {true}}, {0, 40}, 10);
  EXPECT_THAT(strip.columns[0], ::testing::ElementsAre(255, 0, 0, 0));
  EXPECT_THAT(strip.columns[1], ::testing::ElementsAre(255, 128, 0, 0));
  EXPECT_THAT(strip.columns[2], ::testing::ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(strip.columns[3], ::testing::ElementsAre(0, 0, 0, 255));
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

TEST(RowListTest, PutsTheRanksOfTheOpenFindingFirst) {
  auto catalog = catalogOf(64);
  catalog->slowest = 35;
  catalog->finding_ranks = {60, 58};
  RowList list;
  list.setGrouping(RowGrouping::kNone);
  list.setCatalog(catalog);
  const std::vector<int> ranks = ranksOf(list);
  ASSERT_GE(ranks.size(), 3U);
  EXPECT_THAT((std::vector<int>{ranks[0], ranks[1]}), ::testing::UnorderedElementsAre(58, 60));
  list.setChoice(RowChoice::kAll);
  EXPECT_EQ(ranksOf(list).front(), 0) << "in their order, where all are shown";
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

TEST_F(TimelineViewTest, ACollectiveBelowTheErrorOfTheClocksClaimsNoWaiting) {
  QTest::mouseClick(m_view->canvas(), Qt::LeftButton, {}, at(kStart + 65 * kNsPerMs));
  ASSERT_TRUE(waitFor([this] { return m_view->copyText().contains(QStringLiteral("waiting")); }));
  EXPECT_THAT(plain(m_view->copyText()), ::testing::HasSubstr("rank 1 began 3.00 ms away"));
  EXPECT_TRUE(m_view->copyText().contains(QStringLiteral("the order is not certain"))) << "3 ms, by clocks that agree to 4 ms";
}

TEST_F(TimelineViewTest, ADraggedAreaIsSummedUpByName) {
  QTest::mousePress(m_view->canvas(), Qt::LeftButton, {}, at(kStart + 11 * kNsPerMs));
  QTest::mouseMove(m_view->canvas(), at(kStart + 50 * kNsPerMs));
  QTest::mouseMove(m_view->canvas(), at(kStart + 69 * kNsPerMs + 900'000));
  QTest::mouseRelease(m_view->canvas(), Qt::LeftButton, {}, at(kStart + 69 * kNsPerMs + 900'000));
  ASSERT_TRUE(waitFor([this] { return m_view->copyText().contains(QStringLiteral("over 2 ranks")); }));
  const QString text = m_view->copyText();
  EXPECT_TRUE(text.contains(QStringLiteral("over 2 ranks"))) << text.toStdString();
  EXPECT_TRUE(text.contains(QStringLiteral("void gemm<float>\t2\t40000000\t20000000"))) << text.toStdString();
  EXPECT_TRUE(text.contains(QStringLiteral("rank\tcompute\tcommunication\texposed\twaiting"))) << text.toStdString();
  // With clocks that agree only to 4 ms, waiting is unknown, which is not zero.
  EXPECT_THAT(text.toStdString(), ::testing::ContainsRegex("\n0\t20000000\t[0-9]+\t[0-9]+\t\t0\t0"));
  EXPECT_THAT(text.toStdString(), ::testing::ContainsRegex("\n1\t20000000\t[0-9]+\t[0-9]+\t\t0\t0"));
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
  QTest::keyClick(m_view->canvas(), Qt::Key_Home, Qt::ControlModifier);
  settle();
  m_state.setExtent(TimeRange{kStart, kStart + whole});
  EXPECT_EQ(m_state.state().window.mode, WindowMode::kAll);
}

TEST(TimelineViewEmptyTest, ARunWithoutSpansSaysWhatBringsThem) {
  TempStore store;
  {
    auto writer = store.writer();
    ASSERT_TRUE(writer.ok());
    (*writer)->attempt({.run = (*writer)->run({.name = "r", .start = kStart})});
    ASSERT_TRUE((*writer)->close().ok());
  }
  SharedState state;
  QueryService queries([&] { return store.reader(); }, 1);
  TimelineView view({&queries, &state}, nullptr);
  view.show();
  view.applyState(state.state());
  ASSERT_TRUE(waitFor([&] { return view.isFinal(); }));
  EXPECT_FALSE(view.canvas()->isVisible());
}

}  // namespace
}  // namespace runglass
