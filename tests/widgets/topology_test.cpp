// SPDX-License-Identifier: GPL-3.0-or-later
// The topology: coordinates of ranks, their peers, their deviation from the stage median, and the effects of a click.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QTest>

#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/topology/topology_view.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;

// Ranks in the order tp, dp, pp.
TopologyData dataOf(std::int32_t tp, std::int32_t dp, std::int32_t pp) {
  TopologyData data;
  data.attempt.layout = {.world = tp * dp * pp, .tp = tp, .pp = pp, .dp = dp};
  for (std::int32_t r = 0; r < tp * dp * pp; ++r) {
    TopologyRank rank;
    rank.place = {.rank = r, .tp = r % tp, .pp = r / (tp * dp), .dp = r / tp % dp};
    data.ranks.push_back(rank);
  }
  data.lattice = placeRanks(data.ranks, data.attempt.layout);
  return data;
}

std::vector<std::int32_t> ranksOf(const TopologyData& data, PeerKind kind, std::uint32_t rank) {
  for (const PeerGroup& group : peersOf(data, rank))
    if (group.kind == kind) {
      std::vector<std::int32_t> ranks;
      for (const std::uint32_t i : group.ranks) ranks.push_back(data.ranks[i].place.rank);
      return ranks;
    }
  return {};
}

TEST(LatticeTest, EveryRankStandsInItsOwnCell) {
  const TopologyData data = dataOf(8, 64, 8);
  const Lattice& l = data.lattice;
  EXPECT_EQ(l.dp.size(), 64U);
  EXPECT_EQ(l.pp.size(), 8U);
  EXPECT_EQ(l.tp.size(), 8U);
  EXPECT_EQ(l.cells.size(), 4'096U);
  EXPECT_EQ(l.cells[l.at(7, 63, 0, 7)], 4'095U);
  EXPECT_EQ(l.cells[l.at(1, 0, 0, 3)], 8U * 64 + 3);
  EXPECT_TRUE(l.strips.empty());
}

TEST(LatticeTest, PlacesThatNoRankHasReportedStayEmpty) {
  TopologyData data = dataOf(2, 2, 2);
  data.ranks.erase(data.ranks.begin() + 5);
  const Lattice l = placeRanks(data.ranks, data.attempt.layout);
  EXPECT_EQ(l.cells[l.at(1, 0, 0, 1)], kNoRank);
  EXPECT_EQ(std::ranges::count(l.cells, kNoRank), 1);
}

TEST(LatticeTest, RanksWithoutCoordinatesStandApartAndNothingIsDerivedForThem) {
  TopologyData data = dataOf(2, 2, 2);
  data.ranks[3].place.tp.reset();
  data.ranks[6].place = {.rank = 6};
  data.ranks[7].place = data.ranks[0].place;
  data.ranks[7].place.rank = 7;
  const Lattice l = placeRanks(data.ranks, data.attempt.layout);
  ASSERT_EQ(l.strips.size(), 2U);
  EXPECT_EQ(l.strips[0].title, QStringLiteral("no coordinates"));
  EXPECT_THAT(l.strips[0].ranks, ElementsAre(3, 6));
  EXPECT_THAT(l.strips[1].ranks, ElementsAre(7)) << "its place is taken";
}

TEST(LatticeTest, WithoutAnyCoordinatesRanksStandByNode) {
  std::vector<TopologyRank> ranks(4);
  for (std::int32_t r = 0; r < 4; ++r) ranks[static_cast<std::size_t>(r)].place.rank = r;
  ranks[0].node = ranks[1].node = QStringLiteral("n2");
  ranks[2].node = QStringLiteral("n1");
  const Lattice l = placeRanks(ranks, {.world = 4, .tp = 2, .pp = 2});
  EXPECT_TRUE(l.cells.empty());
  ASSERT_EQ(l.strips.size(), 3U);
  EXPECT_EQ(l.strips[0].title, QStringLiteral("n2"));
  EXPECT_EQ(l.strips[2].title, QStringLiteral("node not known"));
}

TEST(LatticeTest, ExpertCoordinatesBecomeBlocksOnlyWhereRanksWouldCollide) {
  TopologyData data = dataOf(1, 4, 1);
  for (TopologyRank& rank : data.ranks) rank.place.ep = rank.place.rank % 2;
  EXPECT_FALSE(placeRanks(data.ranks, {}).by_ep);
  for (TopologyRank& rank : data.ranks) rank.place.dp = rank.place.rank / 2;
  data.lattice = placeRanks(data.ranks, {});
  EXPECT_TRUE(data.lattice.by_ep);
  EXPECT_EQ(data.lattice.blocks.size(), 2U);
  EXPECT_TRUE(data.lattice.strips.empty());
  EXPECT_THAT(ranksOf(data, PeerKind::kEp, 3), ElementsAre(2, 3));
  EXPECT_THAT(ranksOf(data, PeerKind::kDp, 3), ElementsAre(1, 3));
}

TEST(LatticeTest, CoordinatesOfADamagedSourceTakeNoMemory) {
  std::vector<TopologyRank> ranks(2'000);
  for (std::int32_t r = 0; r < 2'000; ++r) ranks[static_cast<std::size_t>(r)].place = {.rank = r, .tp = r * 1'000'000, .pp = -r, .dp = r};
  const Lattice l = placeRanks(ranks, {.world = INT32_MAX, .tp = INT32_MAX, .dp = INT32_MAX});
  EXPECT_TRUE(l.cells.empty());
  ASSERT_EQ(l.strips.size(), 1U);
  EXPECT_EQ(l.strips[0].ranks.size(), 2'000U);
}

TEST(PeersTest, FollowTheCoordinates) {
  const TopologyData data = dataOf(2, 3, 2);
  // Rank 9: tp 1, dp 1, pp 1.
  EXPECT_THAT(ranksOf(data, PeerKind::kTp, 9), ElementsAre(8, 9));
  EXPECT_THAT(ranksOf(data, PeerKind::kDp, 9), ElementsAre(7, 9, 11));
  EXPECT_THAT(ranksOf(data, PeerKind::kPp, 9), ElementsAre(3, 9));
  EXPECT_TRUE(ranksOf(data, PeerKind::kEp, 9).empty());
}

TEST(PeersTest, ComeFromCommunicatorsWhereCoordinatesAreMissing) {
  TopologyData data = dataOf(2, 2, 1);
  for (TopologyRank& rank : data.ranks) rank.place = {.rank = rank.place.rank};
  data.groups = {
      {.id = 1, .kind = "tp", .ranks = {2, 3}}, {.id = 2, .kind = "ep", .ranks = {0, 3, 77}}, {.id = 3, .kind = "", .ranks = {0, 3}}};
  EXPECT_THAT(ranksOf(data, PeerKind::kTp, 3), ElementsAre(2, 3));
  EXPECT_THAT(ranksOf(data, PeerKind::kEp, 3), ElementsAre(0, 3));
  EXPECT_TRUE(ranksOf(data, PeerKind::kDp, 3).empty());
}

TEST(DeviationTest, IsAgainstTheMedianOfTheSameStage) {
  TopologyData data = dataOf(1, 4, 2);
  for (TopologyRank& rank : data.ranks) rank.value = *rank.place.pp == 0 ? 100 : 200;
  data.ranks[5].value = 224;
  data.ranks[2].value.reset();
  compareToStages(data);
  ASSERT_EQ(data.stages.size(), 2U);
  EXPECT_EQ(data.stages[0].median, 100);
  EXPECT_EQ(data.stages[0].ranks, 3U);
  EXPECT_EQ(data.stages[1].median, 200);
  EXPECT_NEAR(*data.ranks[5].deviation, 0.12, 1e-9);
  EXPECT_EQ(*data.ranks[0].deviation, 0);
  EXPECT_FALSE(data.ranks[2].deviation);
  EXPECT_NEAR(data.spread, 0.25, 1e-9);
}

TEST(DeviationTest, ARankAloneInItsStageIsComparedWithNobody) {
  TopologyData data = dataOf(1, 1, 2);
  for (TopologyRank& rank : data.ranks) rank.value = 100 + rank.place.rank;
  compareToStages(data);
  EXPECT_FALSE(data.ranks[0].deviation);
  makeWords(data);
  EXPECT_TRUE(data.headline.contains(QStringLiteral("too few peers in each stage"))) << data.headline.toStdString();
}

QString headlineOf(TopologyData& data) {
  compareToStages(data);
  data.hang = findHang(data);
  makeWords(data);
  return data.headline;
}

TEST(HeadlineTest, NamesTheSlowRankTheSlowStageOrTheBound) {
  TopologyData data = dataOf(1, 4, 4);
  for (TopologyRank& rank : data.ranks) rank.value = 1000 + rank.place.rank % 4;
  EXPECT_EQ(headlineOf(data), QStringLiteral("All 16 ranks are within %1 of their stage's median").arg(formatPercent(0.002)));
  EXPECT_FALSE(data.warn);
  for (TopologyRank& rank : data.ranks)
    if (rank.place.pp == 3) *rank.value *= 1.09;
  EXPECT_EQ(headlineOf(data), QStringLiteral("Stage 3 is %1 slower than the other stages").arg(formatPercent(0.09)));
  EXPECT_TRUE(data.warn);
  data.ranks[5].value = 1001.5 * 1.3;
  EXPECT_EQ(headlineOf(data).left(6), QStringLiteral("Rank 5")) << "the larger of the two";
  data.ranks[6].value.reset();
  data.ranks[5].value = 1000;
  for (TopologyRank& rank : data.ranks)
    if (rank.place.pp == 3) *rank.value = 1000;
  EXPECT_TRUE(headlineOf(data).startsWith(QStringLiteral("The 15 of 16 ranks that have a value are within")));
}

TEST(HangTest, NamesTheRankThatIsBehindInTheSameGroup) {
  TopologyData data = dataOf(1, 4, 1);
  for (TopologyRank& rank : data.ranks)
    rank.progress = Progress{.rank = rank.place.rank, .time = kStart, .group = 7, .seq = 12, .op = "all_reduce"};
  EXPECT_FALSE(findHang(data).has_value()) << "all of them are in it";
  data.ranks[2].progress->seq = 11;
  EXPECT_EQ(headlineOf(data), QStringLiteral("3 of 4 ranks wait; rank 2 is not seen in all_reduce #12, where 3 of 4 wait"));
  EXPECT_EQ(data.ranks[2].wait, WaitState::kNotSeen);
  EXPECT_EQ(data.ranks[1].wait, WaitState::kWaiting);
}

TEST(HangTest, FollowsTheWaitsToTheGroupWhoseMembersWaitNowhere) {
  TopologyData data = dataOf(1, 6, 1);
  data.groups = {{.id = 1, .kind = "pp", .ranks = {0, 3}},
                 {.id = 2, .kind = "pp", .ranks = {1, 4}},
                 {.id = 9, .kind = "ep", .name = "experts", .ranks = {3, 4, 5}}};
  const auto waits = [&](std::size_t rank, std::int64_t group) {
    data.ranks[rank].progress = Progress{.rank = static_cast<std::int32_t>(rank), .time = kStart, .group = group, .seq = 5, .op = "op"};
  };
  waits(0, 1), waits(1, 2), waits(3, 9), waits(4, 9);
  const auto hang = findHang(data);
  ASSERT_TRUE(hang);
  EXPECT_THAT(hang->not_seen, ElementsAre(5));
  EXPECT_EQ(hang->waiting, 4U);
  EXPECT_EQ(hang->group, QStringLiteral("experts"));
  EXPECT_EQ(data.ranks[2].wait, WaitState::kNone) << "nothing is known of it";
}

TEST(HangTest, AShortWaitOfALiveJobIsNone) {
  TopologyData data = dataOf(1, 4, 1);
  data.run.state = RunState::kRunning;
  data.now = kStart + 2 * kNsPerSecond;
  for (TopologyRank& rank : data.ranks)
    rank.progress = Progress{.rank = rank.place.rank, .time = kStart, .group = 7, .seq = rank.place.rank == 0 ? 11 : 12, .since = kStart};
  EXPECT_FALSE(findHang(data));
  data.now = kStart + 100 * kNsPerSecond;
  EXPECT_TRUE(findHang(data));
}

// Four ranks, TP 2 x DP 2; rank 3 computes while the others wait for it, with a finding about it.
class HangModeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok());
    m_writer = std::move(*opened);
    m_run = m_writer->run({.name = "r", .state = RunState::kRunning, .start = kStart});
    m_attempt = m_writer->attempt({.run = m_run, .key = "0", .layout = {.world = 4, .tp = 2, .dp = 2}});
    for (std::int32_t r = 0; r < 4; ++r) {
      m_writer->rank(
          {.attempt = m_attempt, .rank = r, .node = m_writer->node({.uuid = "a", .name = "node-<a>"}), .tp = r % 2, .pp = 0, .dp = r / 2});
      Progress p{.attempt = m_attempt, .rank = r, .time = kStart + 90 * kNsPerSecond, .step = 7, .phase = "steady", .since = kStart};
      if (r < 3) p.group = r == 2 ? 1 : 2, p.seq = 40, p.op = "all_reduce";
      if (r == 3) p.op = "backward";
      m_writer->progress(p);
    }
    m_writer->log({.time = kStart, .attempt = m_attempt, .rank = 3, .stream = "stdout", .text = "loading <b>shard</b> 12"});
  }
  Finding hang() const {
    HangEvidence e{.source = "progress", .phase = "steady"};
    e.world = 4, e.blocked = 3, e.step = 7, e.since = kStart, e.as_of = kStart + 90 * kNsPerSecond;
    e.watchdog = 600 * kNsPerSecond, e.watchdog_at = kStart + 600 * kNsPerSecond, e.watchdog_source = "default";
    HangMember missing{
        .rank = 3, .node = "node-<a>", .standing = HangStanding::kBehind, .op = "all_reduce", .group = 1, .seq = 38, .since = kStart};
    e.culprits = {missing}, e.culprit_count = 1;
    HangGroup root, other;
    root.id = 1, root.kind = "tp", root.name = "tp <1>", root.op = "all_reduce", root.seq = 40, root.members = 2, root.inside = 1;
    root.missing = {missing}, root.missing_count = 1;
    other = root, other.id = 2, other.kind = "dp", other.name = "dp 0", other.depth = 1, other.blocked_by = {1};
    other.missing[0].standing = HangStanding::kWaiting;
    e.groups = {root, other}, e.group_count = 9;
    Finding finding;
    finding.run = m_run, finding.attempt = m_attempt, finding.kind = "hang", finding.subject = "attempt:0", finding.start = kStart;
    finding.evidence = printHangEvidence(e);
    return finding;
  }
  TopologyData read(std::optional<TopologyValue> value = {}) {
    EXPECT_TRUE(m_writer->flush().ok());
    auto reader = m_store.reader();
    EXPECT_TRUE(reader.ok());
    TopologyQuestion question{.run = m_run, .attempt = {}, .value = value, .now = kStart + 100 * kNsPerSecond, .previous = {}};
    auto data = readTopology(**reader, question, {});
    EXPECT_TRUE(data.ok());
    return std::move(*data);
  }
  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  RunId m_run;
  AttemptId m_attempt;
};

TEST_F(HangModeTest, SaysWhoIsWaitedForAndHowLongTheWatchdogWaits) {
  m_writer->finding(hang());
  const TopologyData data = read();
  ASSERT_TRUE(data.hang_mode);
  EXPECT_EQ(data.hang_severity, hang().severity) << "as the strip and the findings show it";
  EXPECT_EQ(data.headline, QStringLiteral("3 of 4 ranks blocked; root: all_reduce #40 of tp <1>, where rank 3 (node-<a>) has not entered; "
                                          "watchdog aborts in 8:20"));
  EXPECT_EQ(data.ranks[3].wait, WaitState::kNotSeen);
  EXPECT_EQ(data.ranks[3].behind, QStringLiteral("−2"));
  EXPECT_EQ(data.ranks[3].last_log, QStringLiteral("loading <b>shard</b> 12"));
  EXPECT_EQ(data.ranks[2].wait, WaitState::kWaiting);
  EXPECT_TRUE(data.ranks[2].at_root);
  EXPECT_FALSE(data.ranks[0].at_root) << "it waits for one that waits";
  EXPECT_FALSE(read(TopologyValue::kProgress).hang_mode) << "a metric was chosen";
}

TEST_F(HangModeTest, NamesAProcessThatDoesNotRunAndASuspectByItsStack) {
  Finding finding = hang();
  HangEvidence e = *parseHangEvidence(finding.evidence);
  e.culprits[0].standing = HangStanding::kStopped, e.culprits[0].process_state = "T (stopped)";
  finding.evidence = printHangEvidence(e);
  m_writer->finding(finding);
  EXPECT_EQ(read().headline,
            QStringLiteral("3 of 4 ranks blocked; rank 3 (node-<a>) does not run: T (stopped); root: all_reduce #40 of tp <1>; "
                           "watchdog aborts in 8:20"));
  e.culprits[0].standing = HangStanding::kOutlier, e.culprits[0].frame = "read_shard (data.py:88)";
  e.groups.clear(), e.blocked = 0;
  finding.evidence = printHangEvidence(e);
  m_writer->finding(finding);
  EXPECT_THAT(read().headline.toStdString(),
              ::testing::HasSubstr("; suspect: rank 3 (node-<a>), stack in read_shard (data.py:88); watchdog"));
}

TEST_F(HangModeTest, ARanksStackTopIsThatOfItsNewestStackWithAFrame) {
  m_writer->finding(hang());
  const auto capture = [&](int second, std::string text) {
    m_writer->capture({.time = kStart + second * kNsPerSecond, .attempt = m_attempt, .rank = 3, .kind = "stack", .text = std::move(text)});
    return read().ranks[3].stack_top;
  };
  const auto stack = [](const std::string& function) {
    return "Thread 0x1 (most recent call first):\n" + std::string(100'000, ' ') +
           "File \"/w/worker.py\", line 7 in wait\n\nCurrent thread 0x2 " +
           "(most recent call first):\n  File \"/w/train.py\", line 12 in " + function + "\n";
  };
  EXPECT_EQ(capture(10, stack("older")), QStringLiteral("older (train.py:12)"));
  EXPECT_EQ(capture(20, stack("newer")), QStringLiteral("newer (train.py:12)"));
  EXPECT_EQ(capture(30, "Current thread 0x2 (most recent call first):\n"), QStringLiteral("newer (train.py:12)"));
}

TEST_F(HangModeTest, EndsWithTheFindingAndToleratesOddEvidence) {
  Finding finding = hang();
  finding.evidence = R"({"groups":7})";
  m_writer->finding(finding);
  EXPECT_FALSE(read().hang_found);
  finding = hang();
  finding.end = kStart + 95 * kNsPerSecond;
  m_writer->finding(finding);
  EXPECT_FALSE(read().hang_found) << "it ended while the attempt went on";
  (void)m_writer->attempt({.run = m_run, .key = "0", .end = kStart + 95 * kNsPerSecond});
  EXPECT_TRUE(read().hang_found) << "the attempt ended in it";
}

TEST_F(HangModeTest, TheViewListsCommunicatorsAndShowsTheFirstCulprit) {
  m_writer->finding(hang());
  ASSERT_TRUE(m_writer->flush().ok());
  SharedState state;
  QueryService queries([this] { return m_store.reader(); }, 1);
  TopologyView view(ViewContext{&queries, &state, [] { return kStart + 100 * kNsPerSecond; }}, nullptr);
  QObject::connect(&state, &SharedState::changed, &view, [&] { view.applyState(state.state()); });
  view.resize(1400, 800);
  view.show();
  view.applyState(state.state());
  ASSERT_TRUE(waitFor([&] { return view.isFinal(); }));
  ASSERT_TRUE(view.hangList()->isVisible());
  const std::string list = view.hangList()->text().toStdString();
  EXPECT_THAT(list, HasSubstr("tp <1>: all_reduce #40\n1 of 2 inside, missing: 3\n"));
  EXPECT_THAT(list, HasSubstr("dp 0: all_reduce #40\n1 of 2 inside, missing: 3, in tp <1>\n"));
  EXPECT_THAT(list, HasSubstr("and 7 more"));
  EXPECT_THAT(view.side()->text().toStdString(), HasSubstr("Rank 3\n"));
  EXPECT_THAT(view.side()->text().toStdString(), HasSubstr("last log line\tloading <b>shard</b> 12"));
  emit view.hangList()->rankChosen(2);
  EXPECT_EQ(state.state().selection.rank, 2);
  auto* metric = view.findChild<QComboBox*>("metric");
  ASSERT_GT(metric->count(), static_cast<int>(kTopologyMetrics.size()));
  EXPECT_EQ(metric->currentText(), QStringLiteral("state in the hang"));
}

TEST(RankRangesTest, AreShortAndSayWhatTheyLeaveOut) {
  EXPECT_EQ(rankRanges({16, 0, 1, 2, 3, 8, 9}), QStringLiteral("0–3, 8, 9, 16"));
  EXPECT_EQ(rankRanges({0, 2, 4, 6}, 2), QStringLiteral("0, 2, … (4 in all)"));
}

// Eight ranks, TP 2 × PP 2 × DP 2 on two nodes; rank 5 is 30 % slower; rank 7 has no steps.
class TopologyViewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    auto writer = std::move(*opened);
    const RunId run = writer->run({.name = "r", .state = RunState::kFinished, .start = kStart});
    const AttemptId attempt = writer->attempt({.run = run, .layout = {.world = 8, .tp = 2, .pp = 2, .dp = 2}});
    for (std::int32_t r = 0; r < 8; ++r) {
      const NodeId node = writer->node({.uuid = r < 4 ? "a" : "b", .name = r < 4 ? "node-a" : "node-b"});
      writer->rank({.attempt = attempt, .rank = r, .node = node, .tp = r % 2, .pp = r / 4, .dp = r / 2 % 2});
      if (r == 7) continue;
      const auto series = [&](const char* metric, const char* labels) {
        return writer->series(
            {.attempt = attempt, .rank = r, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
      };
      const SeriesId steps = series("step_time_ns", ""), part = series("step_part_ns", R"({"part":"communication"})"),
                     wait = series("step_part_wait_ns", R"({"part":"communication"})");
      for (std::int64_t step = 0; step < 120; ++step) {
        // Early steps were slower on all ranks: only the newest count.
        const double dur = (r == 5 ? 1.3e9 : 1e9) * (step < 60 ? 3 : 1);
        writer->scalar(steps, step, kStart + step * 4 * kNsPerSecond, dur);
        writer->scalar(part, step, kStart + step * 4 * kNsPerSecond, 5e8);
        if (r != 6) writer->scalar(wait, step, kStart + step * 4 * kNsPerSecond, r == 5 ? 1e8 : 2e8);
      }
    }
    ASSERT_TRUE(writer->close().ok());
    m_queries = std::make_unique<QueryService>([this] { return m_store.reader(); }, 2);
    m_view = std::make_unique<TopologyView>(ViewContext{m_queries.get(), &m_state, [] { return kStart + kNsPerSecond; }}, nullptr);
    QObject::connect(&m_state, &SharedState::changed, m_view.get(), [this] { m_view->applyState(m_state.state()); });
    m_view->resize(1200, 700);
    m_view->show();
    m_view->applyState(m_state.state());
    ASSERT_TRUE(waitFor([this] { return m_view->isFinal(); }));
  }
  QPoint at(std::int32_t rank) const { return m_view->grid()->rankRect(rank).center(); }
  void click(std::int32_t rank) { QTest::mouseClick(m_view->grid()->viewport(), Qt::LeftButton, {}, at(rank)); }
  void choose(int value) {
    auto* metric = m_view->findChild<QComboBox*>("metric");
    metric->setCurrentIndex(value);
    emit metric->activated(value);
    ASSERT_TRUE(waitFor([this] { return m_view->isFinal(); }));
  }
  QColor outline(std::int32_t rank) const {
    const QRect rect = m_view->grid()->rankRect(rank);
    return m_view->grid()->viewport()->grab().toImage().pixelColor(rect.left() - 1, rect.center().y());
  }
  TempStore m_store;
  SharedState m_state;
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<TopologyView> m_view;
};

TEST_F(TopologyViewTest, SaysWhichRankIsSlowInItsStage) {
  choose(0);
  EXPECT_EQ(m_view->headline(),
            QStringLiteral("Rank 5 is %1 slower than its stage's median in steps 70 to 119").arg(formatPercent(0.3, 0)));
  const QString tip = m_view->grid()->tipAt(at(5));
  EXPECT_TRUE(tip.contains(QStringLiteral("dp 0 · pp 1 · tp 1"))) << tip.toStdString();
  EXPECT_TRUE(tip.contains(QStringLiteral("node-b")));
  EXPECT_TRUE(tip.contains(formatSignedPercent(0.3)));
  EXPECT_TRUE(m_view->grid()->tipAt(at(7)).contains(QStringLiteral("no step time in the newest steps")));
  const QImage picture = m_view->grid()->viewport()->grab().toImage();
  EXPECT_EQ(picture.pixelColor(at(5) + QPoint(0, 10)), deviationColor(currentTheme(), kTopologyMetrics[0], 0.3, 0.5));
}

TEST_F(TopologyViewTest, AClickSelectsARankAndOutlinesItsPeers) {
  click(5);
  EXPECT_EQ(m_state.state().selection.rank, 5);
  EXPECT_TRUE(m_state.state().selection.node);
  EXPECT_EQ(outline(4), currentTheme().group_tp);
  EXPECT_EQ(outline(7), currentTheme().group_dp);
  EXPECT_EQ(outline(1), currentTheme().group_pp);
  EXPECT_TRUE(m_view->grid()->isDimmed(0));
  EXPECT_FALSE(m_view->grid()->isDimmed(1));
  const QString side = m_view->side()->text();
  EXPECT_THAT(side.toStdString(), HasSubstr("Rank 5"));
  EXPECT_THAT(side.toStdString(), HasSubstr("TP of 2\t4, 5"));
  EXPECT_THAT(side.toStdString(), HasSubstr("no report"));
  QTest::keyClick(m_view->grid(), Qt::Key_Escape);
  EXPECT_FALSE(m_state.state().selection.rank);
  EXPECT_FALSE(m_state.state().selection.node);
  EXPECT_FALSE(m_view->grid()->isDimmed(0));
}

TEST_F(TopologyViewTest, ADoubleClickOpensTheTimelineAndArrowsWalk) {
  QString wanted;
  QObject::connect(m_view.get(), &View::viewRequested, [&](const QString& id) { wanted = id; });
  QTest::mouseDClick(m_view->grid()->viewport(), Qt::LeftButton, {}, at(2));
  EXPECT_EQ(wanted, QStringLiteral("timeline"));
  EXPECT_EQ(m_state.state().selection.rank, 2);
  QTest::keyClick(m_view->grid(), Qt::Key_Left);
  EXPECT_EQ(m_state.state().selection.rank, 0);
  QTest::keyClick(m_view->grid(), Qt::Key_Down);
  EXPECT_EQ(m_state.state().selection.rank, 1);
}

TEST_F(TopologyViewTest, WorkLeavesTheWaitingOutAndNeedsToKnowIt) {
  EXPECT_EQ(m_view->findChild<QComboBox*>("metric")->currentIndex(), 1) << "what tells ranks of a synchronous job apart is shown unasked";
  const QString text = m_view->copyText();
  EXPECT_TRUE(text.contains(QStringLiteral("\n5\tnode-b\t0\t1\t1\t\t\t4e+08\t")) ||
              text.contains(QStringLiteral("\n5\tnode-b\t0\t1\t1\t\t\t400000000\t")))
      << text.toStdString();
  EXPECT_TRUE(text.contains(QStringLiteral("\n6\tnode-b\t1\t1\t0\t\t\t\t"))) << "what part of it was waiting is not known";
}

TEST(TopologyViewEmptyTest, ARunWithoutRanksSaysWhatBringsThem) {
  TempStore store;
  {
    auto writer = store.writer();
    ASSERT_TRUE(writer.ok());
    (*writer)->attempt({.run = (*writer)->run({.name = "r", .start = kStart})});
    ASSERT_TRUE((*writer)->close().ok());
  }
  SharedState state;
  QueryService queries([&] { return store.reader(); }, 1);
  TopologyView view({&queries, &state}, nullptr);
  view.show();
  view.applyState(state.state());
  ASSERT_TRUE(waitFor([&] { return view.isFinal(); }));
  EXPECT_FALSE(view.grid()->isVisible());
  const auto labels = view.findChildren<QLabel*>();
  EXPECT_TRUE(
      std::ranges::any_of(labels, [](const QLabel* label) { return label->isVisible() && label->text().contains("runglassctl import"); }));
}

}  // namespace
}  // namespace runglass
