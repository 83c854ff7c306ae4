// SPDX-License-Identifier: GPL-3.0-or-later
// The ranking: its sentence, its table, its heat map and the targets of clicks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QCoreApplication>

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>
#include <cmath>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/core/shell_word.h"
#include "widgets/ranking/node_commands.h"
#include "widgets/ranking/place_heat_map.h"
#include "widgets/ranking/ranking_view.h"
#include "widgets/ranking/ranking_words.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;
constexpr DurNs kStep = 100 * kNsPerMs;
constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

HeatCells cellsOf(std::size_t rows, std::size_t steps, float value) {
  HeatCells cells;
  for (std::size_t s = 0; s < steps; ++s) cells.steps.push_back(static_cast<std::int64_t>(s));
  for (std::size_t r = 0; r < rows; ++r) cells.rows.push_back({static_cast<std::int32_t>(r), std::vector<float>(steps, value)});
  return cells;
}

TEST(HeatMapTest, EveryCellHasAPixelAndEveryPixelACell) {
  for (const auto& [pixels, count] : {std::pair{100, 7UL}, std::pair{7, 100UL}, std::pair{64, 64UL}, std::pair{500, 4'096UL}}) {
    std::size_t seen = 0;
    for (int p = 0; p < pixels; ++p) {
      const CellRange range = cellsUnder(p, pixels, count);
      ASSERT_LE(range.first, seen) << "no cell is left out";
      ASSERT_LT(range.first, range.last);
      ASSERT_LE(range.last, count);
      seen = std::max(seen, range.last);
    }
    EXPECT_EQ(seen, count);
  }
}

TEST(HeatMapTest, OfManyCellsUnderAPixelTheWorstIsShown) {
  HeatCells cells = cellsOf(4'096, 200, -0.02F);
  cells.rows[3'000].ratio[100] = 0.5F;
  cells.scale = 0.05;
  QImage image(50, 40, QImage::Format_RGB32);
  const Theme& dark = theme(ThemeName::kDark);
  paintHeat(image, cells, dark);
  int red = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) red += image.pixelColor(x, y) == dark.heat_worse ? 1 : 0;
  EXPECT_EQ(red, 1);
  EXPECT_EQ(image.pixelColor(100 * 50 / 200, 3'000 * 40 / 4'096), dark.heat_worse);
}

TEST(HeatMapTest, WhatWasNotReportedIsHatchedAndNotTheMedian) {
  HeatCells cells = cellsOf(2, 2, 0);
  cells.rows[1].ratio.assign(2, kNothing);
  QImage image(100, 100, QImage::Format_RGB32);
  const Theme& light = theme(ThemeName::kLight);
  paintHeat(image, cells, light);
  int hatched[2] = {};
  for (int y = 0; y < 100; ++y)
    for (int x = 0; x < 100; ++x) hatched[y / 50] += image.pixelColor(x, y) == light.line ? 1 : 0;
  EXPECT_EQ(hatched[0], 0);
  EXPECT_GT(hatched[1], 500);
}

TEST(HeatMapTest, TheScaleIsRoundAndOneOutlierDoesNotSetIt) {
  HeatCells cells = cellsOf(50, 100, 0.01F);
  EXPECT_DOUBLE_EQ(heatScale(cells), 0.05);
  cells.rows[0].ratio[0] = 9;
  EXPECT_DOUBLE_EQ(heatScale(cells), 0.05);
  for (std::size_t s = 0; s < 100; ++s) cells.rows[1].ratio[s] = 0.15F;
  EXPECT_DOUBLE_EQ(heatScale(cells), 0.2);
  cells.scale = heatScale(cells);
  cells.beyond = exceedsScale(cells);
  EXPECT_EQ(heatEndText(cells), QStringLiteral("≥ ") + formatSignedPercent(cells.scale, 0)) << "the outlier is not said to be at its end";
}

// Eight ranks on two nodes, 40 steps of 100 ms. Rank `slow` computes 80 ms, the others 50 and wait for it.
void record(const std::string& path, int slow, bool parts = true, int world = 8) {
  auto opened = openStore(path).writer();
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  auto writer = std::move(*opened);
  const RunId run = writer->run({.name = "r", .start = kStart, .end = kStart + 40 * kStep});
  const AttemptId attempt = writer->attempt({.run = run, .layout = {.world = world}});
  const NodeId nodes[2] = {writer->node({.uuid = "a", .name = "n0001"}), writer->node({.uuid = "b", .name = "n0002"})};
  for (std::int32_t r = 0; r < world; ++r) {
    writer->rank({.attempt = attempt, .rank = r, .node = nodes[r * 2 / world], .dp = r});
    const auto series = [&](const char* metric, const char* labels) {
      return writer->series({.attempt = attempt, .rank = r, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
    };
    const SeriesId dur = series("step_time_ns", "");
    for (std::int64_t step = 0; step < 40; ++step) writer->scalar(dur, step, kStart + step * kStep, static_cast<double>(kStep));
    if (!parts) continue;
    const SeriesId forward = series("step_part_ns", R"({"part":"forward"})"), comm = series("step_part_ns", R"({"part":"communication"})"),
                   wait = series("step_part_wait_ns", R"({"part":"communication"})");
    for (std::int64_t step = 0; step < 40; ++step) {
      const double busy = (r == slow ? 80e6 : 50e6) + (r == slow && step == 17 ? 9e6 : 0);
      writer->scalar(forward, step, kStart + step * kStep, busy);
      writer->scalar(comm, step, kStart + step * kStep, 100e6 - busy);
      writer->scalar(wait, step, kStart + step * kStep, 95e6 - busy);
    }
  }
  ASSERT_TRUE(writer->close().ok());
}

class RankingViewTest : public ::testing::Test {
 protected:
  void open() {
    m_queries = std::make_unique<QueryService>([this] { return m_store.reader(); }, 1);
    m_view = std::make_unique<RankingView>(ViewContext{m_queries.get(), &m_state}, nullptr);
    QObject::connect(&m_state, &SharedState::changed, m_view.get(), [this] { m_view->applyState(m_state.state()); });
    m_view->resize(1400, 800);
    m_view->show();
    m_view->applyState(m_state.state());
    ASSERT_TRUE(waitFor([this] { return m_view->isFinal(); }));
  }
  int rowCount() const { return m_view->model()->rowCount(); }

  TempStore m_store;
  SharedState m_state;
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<RankingView> m_view;
};

TEST_F(RankingViewTest, SaysWhoIsSlowWhereAndInWhat) {
  record(m_store.path(), 5);
  open();
  const QString sentence = m_view->sentence();
  EXPECT_TRUE(sentence.startsWith(QStringLiteral("Rank 5 on n0002 works 54.5"))) << sentence.toStdString();
  EXPECT_TRUE(sentence.contains(QStringLiteral("most of it in forward"))) << sentence.toStdString();
  EXPECT_TRUE(sentence.contains(QStringLiteral("confidence medium")));
  ASSERT_EQ(rowCount(), 8);
  EXPECT_EQ(m_view->model()->rows()[0].score.rank, 5);
  EXPECT_TRUE(m_view->model()->rows()[0].score.stands_out);
  EXPECT_FALSE(m_view->model()->rows()[1].score.stands_out) << "who waits is not slow";
  EXPECT_TRUE(m_view->copyText().contains(QStringLiteral("n0002")));
}

TEST_F(RankingViewTest, SaysThatNobodyStandsOut) {
  record(m_store.path(), -1);
  open();
  EXPECT_TRUE(m_view->sentence().startsWith(QStringLiteral("No rank deviates"))) << m_view->sentence().toStdString();
}

TEST_F(RankingViewTest, ItsModelKeepsTheRulesOfItemModels) {
  TableModel<RankRow> model(
      rankColumns(), [](const RankRow& a, const RankRow& b) { return a.score.rank == b.score.rank; }, nullptr);
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Warning);
  record(m_store.path(), 5);
  auto reader = m_store.reader();
  ASSERT_TRUE(reader.ok());
  const auto data = readRanking(**reader, {}, {}, {});
  ASSERT_TRUE(data.ok());
  model.setRows(std::make_shared<const std::vector<RankRow>>(data->rows));
  EXPECT_EQ(model.rowCount(), 8);
  auto fewer = data->rows;
  fewer.erase(fewer.begin() + 2);
  model.setRows(std::make_shared<const std::vector<RankRow>>(fewer));
  EXPECT_EQ(model.rowCount(), 7);
  for (int column = 0; column < model.columnCount(); ++column)
    EXPECT_FALSE(model.index(0, column).data().toString().isEmpty())
        << model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().toStdString();
}

TEST_F(RankingViewTest, AClickInTheHeatMapSelectsRankStepAndMachine) {
  record(m_store.path(), 5);
  open();
  QTest::mouseClick(m_view->heatMap(), Qt::LeftButton, {}, m_view->heatMap()->cellRect(5, 17).center());
  EXPECT_EQ(m_state.state().selection.rank, 5);
  EXPECT_EQ(m_state.state().selection.step, 17);
  EXPECT_TRUE(m_state.state().selection.node);
  EXPECT_EQ(m_view->model()->rowAt(m_view->table()->currentRow())->score.rank, 5) << "the table follows";
  QTest::keyClick(m_view->heatMap(), Qt::Key_Down);
  EXPECT_EQ(m_state.state().selection.rank, 6);
  QTest::keyClick(m_view->heatMap(), Qt::Key_Right);
  EXPECT_EQ(m_state.state().selection.step, 18);
}

TEST_F(RankingViewTest, ADoubleClickedRowOpensTheTimelineAtItsWorstStep) {
  record(m_store.path(), 5);
  open();
  QSignalSpy wanted(m_view.get(), &View::viewRequested);
  QTableView* table = m_view->table()->table();
  const QPoint first = table->visualRect(table->model()->index(0, 3)).center();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, first);
  QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, first);
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted.at(0).at(0).toString(), QStringLiteral("timeline"));
  EXPECT_EQ(m_state.state().selection.rank, 5);
  EXPECT_EQ(m_state.state().selection.step, 17);
  const TimeRange range = m_state.state().window.range;
  EXPECT_EQ(range.t0, kStart + 17 * kStep - kStep / 4);
  EXPECT_EQ(range.t1, kStart + 18 * kStep + kStep / 4);
}

TEST_F(RankingViewTest, TheFilterKeepsTheRanksOfANode) {
  record(m_store.path(), 5);
  open();
  m_view->focusFilter();
  auto* filter = m_view->table()->findChild<QLineEdit*>();
  QTest::keyClicks(filter, QStringLiteral("n0001"));
  EXPECT_EQ(m_view->table()->table()->model()->rowCount(), 4);
}

TEST_F(RankingViewTest, WithoutPartsItSaysThatStepTimesTellNobodyApart) {
  record(m_store.path(), 5, false);
  open();
  EXPECT_TRUE(m_view->sentence().startsWith(QStringLiteral("No rank deviates")));
  auto reader = m_store.reader();
  const auto data = readRanking(**reader, {}, {}, {});
  ASSERT_TRUE(data.ok());
  EXPECT_TRUE(rankingGrounds(*data).contains(QStringLiteral("all ranks take as long as the slowest")));
}

TEST_F(RankingViewTest, TooFewPeersAreSaidToBeSo) {
  record(m_store.path(), 1, true, 2);
  open();
  EXPECT_TRUE(m_view->sentence().startsWith(QStringLiteral("Too few peers"))) << m_view->sentence().toStdString();
  EXPECT_EQ(rowCount(), 2) << "with what they work";
  EXPECT_FALSE(m_view->heatMap()->isVisible());
}

TEST_F(RankingViewTest, ARunWithoutStepsSaysWhatBringsThem) {
  {
    auto writer = m_store.writer();
    ASSERT_TRUE(writer.ok());
    (*writer)->attempt({.run = (*writer)->run({.name = "r", .start = kStart})});
    ASSERT_TRUE((*writer)->close().ok());
  }
  open();
  EXPECT_FALSE(m_view->heatMap()->isVisible());
  EXPECT_TRUE(m_view->copyText().isEmpty());
}

// Stores a finding that rank 5 is slow, as the diagnosis would.
void blame(const std::string& path, const char* kind, const char* subject, bool ended) {
  Finding finding;
  std::vector<Rank> ranks;
  {
    auto reader = openStore(path).reader().value();
    finding.run = reader->runs()->front().id;
    finding.attempt = reader->attempts(finding.run)->back().id;
    ranks = reader->ranks(finding.attempt).value();
  }
  finding.kind = kind, finding.subject = subject, finding.severity = Severity::kWarning;
  finding.start = kStart + 7 * kStep, finding.first_step = 7, finding.last_step = ended ? 12 : 39;
  if (ended) finding.end = kStart + 12 * kStep;
  for (const Rank& rank : ranks)
    if (rank.rank == 5) finding.node = rank.node;
  finding.confidence = 0.95;
  finding.evidence =
      R"({"cost_ratio":0.3,"slower_ratio":0.6,"slow_ranks":[5],"steps":33,"steps_above":32,"gpu_hours_per_day":57.6,"pattern":"host_block","cause":"thermal"})";
  auto writer = openStore(path).writer().value();
  writer->finding(finding);
  const Status closed = writer->close();
  ASSERT_TRUE(closed.ok()) << closed.message();
}

TEST_F(RankingViewTest, TheSentenceIsWhatTheFindingSays) {
  record(m_store.path(), 5);
  blame(m_store.path(), "slow_node", "node:n0002", false);
  open();
  EXPECT_TRUE(m_view->sentence().startsWith(QStringLiteral("n0002 costs 30.0"))) << m_view->sentence().toStdString();
  EXPECT_TRUE(m_view->sentence().contains(QStringLiteral("since step 7"))) << m_view->sentence().toStdString();
  EXPECT_TRUE(m_view->sentence().contains(QStringLiteral("97"))) << "32 of 33 steps";
  EXPECT_EQ(m_view->model()->rows()[0].ranked.cause, "thermal");
  EXPECT_EQ(m_view->maps()->currentWidget(), m_view->hostMap()) << "the map in which its pattern shows";
}

TEST_F(RankingViewTest, WhatIsOverIsSaidToBeSo) {
  record(m_store.path(), -1);
  blame(m_store.path(), "slow_rank", "rank:5", true);
  open();
  EXPECT_TRUE(m_view->sentence().startsWith(QStringLiteral("Rank 5 on n0002 cost"))) << m_view->sentence().toStdString();
  EXPECT_TRUE(m_view->sentence().contains(QStringLiteral("in steps 7 to 12")));
  EXPECT_TRUE(m_view->sentence().endsWith(QStringLiteral("No rank is slower now.")));
}

TEST_F(RankingViewTest, RowsRollUpToNodes) {
  record(m_store.path(), 5);
  open();
  m_view->setLevel(RankLevel::kNode);
  ASSERT_EQ(rowCount(), 2);
  EXPECT_EQ(m_view->model()->index(0, 0).data().toString(), QStringLiteral("n0002 (1 of 4)"));
  QTableView* table = m_view->table()->table();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(0, 2)).center());
  EXPECT_EQ(m_state.state().selection.rank, 5) << "its worst rank";
  m_view->setLevel(RankLevel::kRank);
  EXPECT_EQ(rowCount(), 8);
}

TEST_F(RankingViewTest, AHostInTheHeatMapIsAClickAway) {
  record(m_store.path(), 5);
  open();
  m_view->maps()->setCurrentWidget(m_view->hostMap());
  QTest::mouseClick(m_view->hostMap(), Qt::LeftButton, {}, m_view->hostMap()->cellRect(1, 1).center());
  EXPECT_EQ(m_state.state().selection.rank, 5);
}

TEST_F(RankingViewTest, TheEvidenceShowsWorkAndWaitingAndJumpsToTheMachine) {
  record(m_store.path(), 5);
  open();
  const auto& bars = m_view->evidence()->bars()->bars();
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_EQ(bars[0].name, QStringLiteral("forward"));
  EXPECT_DOUBLE_EQ(bars[0].own, 80e6);
  EXPECT_DOUBLE_EQ(bars[0].peers, 50e6);
  EXPECT_DOUBLE_EQ(*bars[1].own_wait, 15e6);
  EXPECT_DOUBLE_EQ(*bars[1].peers_wait, 45e6) << "they wait for it";
  EXPECT_TRUE(m_view->evidence()->machine()->text().contains(QStringLiteral("Not recorded: SM clock"))) << "absent rules nothing out";
  QSignalSpy wanted(m_view.get(), &View::viewRequested);
  emit m_view->evidence()->machine()->linkActivated(QStringLiteral("gpus"));
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted.at(0).at(0).toString(), QStringLiteral("gpus"));
  EXPECT_TRUE(m_state.state().selection.node);
  EXPECT_EQ(m_state.state().window.range.t0, kStart);
}

TEST_F(RankingViewTest, AnAnswerOfTheRowBeforeDoesNotBecomeTheEvidenceOfOneWithoutAClock) {
  record(m_store.path(), 5);
  auto reader = m_store.reader();
  auto read = readRanking(**reader, {}, {}, {});
  ASSERT_TRUE(read.ok());
  const auto timed = std::make_shared<const RankingData>(*read);
  for (auto& when : read->ranking.when) when.reset();
  read->ranking.votes.range = {0, 0};
  const auto timeless = std::make_shared<const RankingData>(std::move(*read));
  QueryService queries([this] { return m_store.reader(); }, 1);
  EvidencePanel panel({&queries, &m_state});
  panel.show(timed, timed->rows.front(), {}, TimeStyle::kUtc);
  ASSERT_FALSE(panel.isFinal()) << "asked";
  panel.show(timeless, timeless->rows.front(), {}, TimeStyle::kUtc);
  EXPECT_TRUE(panel.isFinal());
  ASSERT_TRUE(waitFor([&] { return queries.pending() == 0; }));
  EXPECT_TRUE(panel.machine()->text().contains(QStringLiteral("no clock"))) << panel.machine()->text().toStdString();
}

TEST_F(RankingViewTest, WithoutARestartTheBreakEvenIsNotReported) {
  record(m_store.path(), 5);
  blame(m_store.path(), "slow_rank", "rank:5", false);
  auto reader = m_store.reader();
  auto data = readRanking(**reader, {}, {}, {});
  ASSERT_TRUE(data.ok());
  data->ranking.over = false;  // as during the run
  const EvictionAdvice advice = adviceFor(*data, data->rows.front(), kStart + 40 * kStep);
  EXPECT_TRUE(adviceText(*data, advice, TimeStyle::kUtc).contains(QStringLiteral("restart"))) << "why";
  EXPECT_FALSE(advice.replace_gpu_hours);
}

TEST_F(RankingViewTest, ARefreshReadsWhatIsNewOnly) {
  record(m_store.path(), 5);
  auto reader = m_store.reader();
  RankingMemory memory({}, {});
  const auto first = readRanking(**reader, memory, {});
  const auto again = readRanking(**reader, memory, {});
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(again->rows.size(), first->rows.size());
  EXPECT_EQ(again->heat.steps, first->heat.steps);
  EXPECT_EQ(again->rows.front().score.rank, 5);
}

TEST(NodeCommands, NamesThatAShellWouldReadAreQuoted) {
  EXPECT_EQ(slurmDrain({QStringLiteral("n1"), QStringLiteral("n2")}, QStringLiteral("slow")),
            QStringLiteral("scontrol update nodename=n1,n2 state=drain reason=\"slow\""));
  EXPECT_EQ(kubernetesCordon({QStringLiteral("a; rm -rf /")}), QStringLiteral("kubectl cordon 'a; rm -rf /'"));
  EXPECT_EQ(kubernetesCordon({QStringLiteral("it's\n")}), QStringLiteral("kubectl cordon 'it'\\''s'"));
  EXPECT_EQ(shellWord(QStringLiteral("-x")), QStringLiteral("'-x'"));
  EXPECT_FALSE(slurmDrain({QStringLiteral("n1")}, QStringLiteral("$(x) `y` \"z\"")).contains(QStringLiteral("$")));
  EXPECT_TRUE(slurmDrain({}, {}).isEmpty());
  EXPECT_TRUE(pairTest(QStringLiteral("n1"), {}, {}, 8).isEmpty()) << "alone it has no pair";
  EXPECT_TRUE(pairTest(QStringLiteral("n1"), QStringLiteral("n2"), QStringLiteral("n3"), 8).contains(QStringLiteral("--nodelist=n2,n3")));
}

TEST(HeatMapTest, TheThemeMayChangeBeforeThereAreCells) {
  PlaceHeatMap map;
  QEvent event(QEvent::PaletteChange);
  QCoreApplication::sendEvent(&map, &event);
  EXPECT_EQ(map.accessibleName(), QString());
}

}  // namespace
}  // namespace runglass
