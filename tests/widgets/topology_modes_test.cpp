// SPDX-License-Identifier: GPL-3.0-or-later
// The topology's modes: folded, with a selectable colouring, with links, with a chosen order of ranks, and the tab `step`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QTest>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/core/units.h"
#include "widgets/topology/topology_view.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;
constexpr std::int64_t kMiB = 1 << 20;

struct Op {
  const char* name;
  std::int64_t microbatch;
  std::int64_t begin_ms, end_ms;
};

// Makes the edits that a view requests.
class StoreEdits : public EditPort {
 public:
  explicit StoreEdits(std::string store) : m_store(std::move(store)) {}
  QString refusal() const override { return {}; }
  void submit(Edit edit, QObject*, std::function<void(const Status&)> done) override {
    auto writer = openStore(m_store).writer();
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    const Status status = (*writer)->edit(edit);
    (void)(*writer)->close();  // the view reads the store: it stays in two files
    done(status);
  }

 private:
  std::string m_store;
};

TopologyData latticeOf(std::int32_t tp, std::int32_t cp, std::int32_t dp, std::int32_t pp) {
  TopologyData data;
  const Layout layout{.world = tp * cp * dp * pp, .tp = tp, .pp = pp, .dp = dp, .cp = cp, .ep = 0, .vpp = 0};
  for (std::int32_t r = 0; r < layout.world; ++r) {
    TopologyRank rank;
    rank.place = {.rank = r, .tp = r % tp, .pp = r / (tp * cp * dp), .dp = r / (tp * cp) % dp, .cp = r / tp % cp};
    rank.value = 1;
    rank.deviation = r == 5 ? 0.4 : 0;
    data.ranks.push_back(rank);
  }
  data.lattice = placeRanks(data.ranks, layout);
  return data;
}

TEST(FoldTest, ACellOfSeveralRanksShowsTheWorstAndNobodyIsLost) {
  const TopologyData data = latticeOf(4, 2, 2, 2);
  for (const auto& [fold, cells] : {std::pair(Fold::kStages, 4), {Fold::kContexts, 8}, {Fold::kTensor, 32}, {Fold::kNone, 32}}) {
    const Lattice folded = foldLattice(data, fold);
    EXPECT_EQ(std::ssize(folded.cells), cells);
    if (fold == Fold::kNone) continue;
    ASSERT_EQ(folded.shown.size(), data.ranks.size());
    for (const std::uint32_t shown : folded.shown) EXPECT_NE(std::ranges::find(folded.cells, shown), folded.cells.end());
  }
  const Lattice stages = foldLattice(data, Fold::kStages);
  EXPECT_EQ(stages.shown[0], 5U);
  EXPECT_EQ(stages.shown[7], 5U);
  EXPECT_NE(stages.shown[8], 5U) << "another replica";
}

TEST(FoldTest, LatticesWithoutCellsStayAsTheyAre) {
  TopologyData data;
  EXPECT_TRUE(foldLattice(data, Fold::kStages).cells.empty());
  data.ranks.resize(2);
  data.ranks[1].place.rank = 1;
  data.lattice = placeRanks(data.ranks, {});
  EXPECT_EQ(foldLattice(data, Fold::kStages).strips.size(), 1U);
}

TEST(PeersTest, ExpertsThatDivideTheReplicasAreAGroup) {
  TopologyData data = latticeOf(1, 1, 4, 1);
  for (TopologyRank& rank : data.ranks) rank.place.ep = *rank.place.dp % 2;
  data.places.sizes.ep = 2;
  const auto peers = peersOf(data, 2);
  const auto experts = std::ranges::find(peers, PeerKind::kEp, &PeerGroup::kind);
  ASSERT_NE(experts, peers.end());
  EXPECT_THAT(experts->ranks, ::testing::ElementsAre(2, 3));
}

// Two stages, two micro-batches, 1F1B, three steps of 90 ms: the ranks' coordinates are not recorded, but follow from their groups. Both
// ranks reduce 64 MiB together.
class TopologyModesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    auto writer = std::move(*opened);
    const RunId run = writer->run({.name = "r", .state = RunState::kFinished, .start = kStart});
    const AttemptId attempt = writer->attempt({.run = run, .layout = {.world = 2}});
    const NodeId node = writer->node({.uuid = "a", .name = "node-a", .rack = "r1"});
    writer->group({.attempt = attempt, .id = 7, .kind = "pp", .name = "PIPELINE_MODEL_PARALLEL_GROUP", .ranks = {0, 1}});
    const std::vector<std::vector<Op>> stages = {
        {{"forward-compute", 0, 0, 10}, {"forward-compute", 1, 10, 20}, {"backward-compute", 0, 40, 60}, {"backward-compute", 1, 70, 90}},
        {{"forward-compute", 0, 10, 20}, {"backward-compute", 0, 20, 40}, {"forward-compute", 1, 40, 50}, {"backward-compute", 1, 50, 70}}};
    for (std::int32_t r = 0; r < 2; ++r) {
      writer->rank({.attempt = attempt, .rank = r, .node = node});
      const TrackId track = writer->track({.attempt = attempt, .rank = r, .kind = "thread", .name = "trainer"}),
                    comm = writer->track({.attempt = attempt, .rank = r, .kind = "gpu_stream", .name = "nccl"});
      SpanColumns spans, calls;
      spans.names = {"forward-compute", "backward-compute"}, calls.names = {"nccl:all_reduce"};
      for (std::int64_t step = 0; step < 3; ++step) {
        for (const Op& op : stages[static_cast<std::size_t>(r)]) {
          spans.start.push_back(kStart + (step * 100 + op.begin_ms) * kNsPerMs);
          spans.dur.push_back((op.end_ms - op.begin_ms) * kNsPerMs);
          spans.name.push_back(op.name[0] == 'f' ? 0 : 1);
          spans.category.push_back(SpanCategory::kCompute);
          spans.step.push_back(step), spans.microbatch.push_back(op.microbatch);
        }
        calls.start.push_back(kStart + (step * 100 + 92 + r) * kNsPerMs);
        calls.dur.push_back((5 - r) * kNsPerMs);
        calls.name.push_back(0), calls.category.push_back(SpanCategory::kComm);
        calls.group.push_back(7), calls.seq.push_back(step), calls.bytes.push_back(64 * kMiB);
      }
      writer->spans(track, spans);
      writer->spans(comm, calls);
    }
    const auto clip = writer->series({.attempt = attempt, .rank = 1, .metric = "queue_depth", .unit = "", .kind = SeriesKind::kGauge});
    writer->sample(clip, kStart, 3);
    ASSERT_TRUE(writer->close().ok());
    m_edits = std::make_unique<StoreEdits>(m_store.path());
    m_queries = std::make_unique<QueryService>([this] { return m_store.reader(); }, 2);
    m_view = std::make_unique<TopologyView>(ViewContext{m_queries.get(), &m_state, [] { return kStart + kNsPerSecond; }, m_edits.get()},
                                            nullptr);
    QObject::connect(&m_state, &SharedState::changed, m_view.get(), [this] { m_view->applyState(m_state.state()); });
    m_view->resize(1200, 800);
    m_view->show();
    m_view->applyState(m_state.state());
    settle();
  }
  void settle() {
    ASSERT_TRUE(waitFor([this] { return m_view->isFinal(); }));
  }
  void select(std::int32_t rank) {
    Selection selection = m_state.state().selection;
    selection.rank = rank;
    m_state.select(selection);
  }
  StepPage* step() {
    m_view->tabs()->setCurrentIndex(1);
    settle();
    return m_view->stepPage();
  }
  TempStore m_store;
  SharedState m_state;
  std::unique_ptr<StoreEdits> m_edits;
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<TopologyView> m_view;
};

TEST_F(TopologyModesTest, RanksStandWhereTheirGroupsSayAndTheViewSaysSo) {
  EXPECT_THAT(m_view->grid()->tipAt(m_view->grid()->rankRect(1).center()).toStdString(), HasSubstr("pp 1"));
  EXPECT_THAT(m_view->side()->text().toStdString(), HasSubstr("PP of 2\tprocess groups"));
  EXPECT_THAT(m_view->side()->text().toStdString(), HasSubstr("no group of tp names its ranks"));
}

TEST_F(TopologyModesTest, AChosenOrderIsStoredAndItsContradictionIsReportedByGroup) {
  auto* order = m_view->findChild<QComboBox*>("order");
  order->lineEdit()->setText(QStringLiteral("tp2"));
  emit order->lineEdit()->returnPressed();
  settle();
  EXPECT_THAT(m_view->grid()->tipAt(m_view->grid()->rankRect(1).center()).toStdString(), HasSubstr("tp 1"));
  EXPECT_THAT(m_view->side()->text().toStdString(), HasSubstr("TP of 2\ta selected order"));
  EXPECT_THAT(m_view->side()->text().toStdString(), HasSubstr("PIPELINE"));
  order->lineEdit()->setText(QStringLiteral("nonsense"));
  emit order->lineEdit()->returnPressed();
  const auto labels = m_view->findChildren<QLabel*>();
  EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel* label) { return label->text().contains(QStringLiteral("none of tp, pp")); }));
  order->lineEdit()->clear();
  emit order->lineEdit()->returnPressed();
  settle();
  EXPECT_THAT(m_view->side()->text().toStdString(), HasSubstr("no group of tp names its ranks"));
}

TEST_F(TopologyModesTest, LinksSayHowFastTheGroupsWere) {
  select(0);
  for (auto* box : m_view->findChildren<QCheckBox*>())
    if (box->text() == QStringLiteral("links")) box->setChecked(true);
  settle();
  // 64 MiB × 2(n-1)/n in the 4 ms after the second rank entered.
  const QString speed = formatByteRate(64.0 * kMiB / 0.004);
  EXPECT_THAT(m_view->side()->text().toStdString(),
              HasSubstr(QStringLiteral("PP of 2\t%1 median, %1 worst (all-reduce, n = 3)").arg(speed).toStdString()));
}

TEST_F(TopologyModesTest, AnySeriesColoursTheRanksThatHaveIt) {
  auto* metric = m_view->findChild<QComboBox*>("metric");
  const int at = metric->findData(QStringLiteral("queue_depth"));
  ASSERT_GE(at, 0);
  metric->setCurrentIndex(at);
  emit metric->activated(at);
  settle();
  EXPECT_THAT(m_view->grid()->tipAt(m_view->grid()->rankRect(1).center()).toStdString(), HasSubstr("queue_depth, latest: 3"));
  EXPECT_THAT(m_view->grid()->tipAt(m_view->grid()->rankRect(0).center()).toStdString(), HasSubstr("none, neither it nor its GPU"));
}

TEST_F(TopologyModesTest, ARankIsFoundByItsNumber) {
  auto* find = m_view->findChild<QLineEdit*>("find");
  find->setText(QStringLiteral("1"));
  emit find->returnPressed();
  EXPECT_EQ(m_state.state().selection.rank, 1);
}

TEST_F(TopologyModesTest, ARankThatIsNotThereIsSaidToBeSo) {
  auto* find = m_view->findChild<QLineEdit*>("find");
  find->setText(QStringLiteral("99"));
  emit find->returnPressed();
  EXPECT_THAT(m_view->side()->text().toStdString(), HasSubstr("Rank 99 is not of this attempt"));
}

TEST_F(TopologyModesTest, AStepThatWasSelectedBeforeTheTabWasOpenedIsTheOneShown) {
  Selection selection = m_state.state().selection;
  selection.step = 1;
  m_state.select(selection);
  settle();
  EXPECT_EQ(step()->data()->shown, 1);
}

TEST_F(TopologyModesTest, TheStepIsUnrolledAndItsCriticalPathItemised) {
  StepPage* page = step();
  ASSERT_TRUE(page->data()->step());
  EXPECT_EQ(page->data()->shown, 2) << "the newest that is whole";
  EXPECT_EQ(page->data()->path.total, 90 * kNsPerMs);
  EXPECT_EQ(page->data()->bubbles.size(), 4U) << "two of the first stage, begin and end of the second";
  QStringList rows;
  for (int i = 0; i < page->pathList()->topLevelItemCount(); ++i)
    rows << page->pathList()->topLevelItem(i)->text(0) + QLatin1Char(' ') + page->pathList()->topLevelItem(i)->text(1);
  EXPECT_EQ(rows.value(0), QStringLiteral("backward-compute 60.000"));
  EXPECT_EQ(rows.value(1), QStringLiteral("forward-compute 30.000"));
  EXPECT_EQ(rows.last(), QStringLiteral("the whole step 90.000"));
}

TEST_F(TopologyModesTest, AClickOnAnOperationListsWhatItWaitedForAcrossRanks) {
  StepPage* page = step();
  const std::uint32_t last = page->data()->path.pieces.back().node;
  QTest::mouseClick(page->chart()->viewport(), Qt::LeftButton, {}, page->chart()->nodeRect(last).center());
  EXPECT_EQ(page->chart()->selected(), last);
  QStringList chain;
  for (int i = 0; i < page->chainList()->topLevelItemCount(); ++i) chain << page->chainList()->topLevelItem(i)->text(0);
  EXPECT_EQ(chain.value(0), QStringLiteral("backward-compute of micro-batch 1 · stage 0 · dp 0"));
  EXPECT_EQ(chain.value(1), QStringLiteral("backward-compute of micro-batch 1 · stage 1 · dp 0"));
  EXPECT_EQ(chain.last(), QStringLiteral("forward-compute of micro-batch 0 · stage 0 · dp 0"));
  QTest::keyClick(page->chart(), Qt::Key_Left);
  EXPECT_EQ(page->chainList()->topLevelItem(0)->text(0), QStringLiteral("backward-compute of micro-batch 0 · stage 0 · dp 0"));
  QTest::keyClick(page->chart(), Qt::Key_Escape);
  EXPECT_FALSE(page->chart()->selected());
}

TEST_F(TopologyModesTest, StepsAreWalkedAndAnOperationOpensTheTimelineAtIt) {
  StepPage* page = step();
  page->goTo(-1);
  settle();
  EXPECT_EQ(page->data()->shown, 1);
  QString wanted;
  QObject::connect(m_view.get(), &View::viewRequested, [&](const QString& id) { wanted = id; });
  const std::uint32_t first = page->data()->path.pieces.front().node;
  QTest::mouseDClick(page->chart()->viewport(), Qt::LeftButton, {}, page->chart()->nodeRect(first).center());
  EXPECT_EQ(wanted, QStringLiteral("timeline"));
  EXPECT_EQ(m_state.state().selection.rank, 0);
  EXPECT_EQ(m_state.state().selection.step, 1);
  EXPECT_EQ(m_state.state().window.range.t0, kStart + 90 * kNsPerMs);
  page->goTo(-5);
  settle();
  EXPECT_EQ(page->data()->shown, 0);
}

}  // namespace
}  // namespace runglass
