// SPDX-License-Identifier: GPL-3.0-or-later
// Jumps between places of the run: search hits outside the window, slow steps, slow spans, findings.
#include <QLineEdit>

#include "storage/open_store.h"
#include "tests/widgets/timeline_fixture.h"

namespace runglass {
namespace {

// A hundred spans of a second each on rank 7, every tenth one rare; the 55th is slow. Steps of a second, the 30th slow; a finding at 80 s.
class TimelineJumpsTest : public TimelineViewTest {
 protected:
  void record(Writer& writer, RunId run, AttemptId attempt) override {
    writer.rank({.attempt = attempt, .rank = 7});
    const TrackId stream = writer.track({.attempt = attempt, .rank = 7, .kind = "gpu_stream", .name = "GPU 0 stream 7"});
    SpanColumns spans;
    spans.names = {"often", "rare"};
    std::vector<std::int64_t> steps;
    std::vector<TimeNs> times;
    std::vector<double> lengths;
    for (int i = 0; i < 100; ++i) {
      spans.start.push_back(begin(i)), spans.dur.push_back(i == 55 ? 900 * kNsPerMs : (500 + i % 5) * kNsPerMs);
      spans.name.push_back(i % 10 == 0 ? 1 : 0), spans.category.push_back(SpanCategory::kCompute);
      steps.push_back(i), times.push_back(begin(i)), lengths.push_back(i == 30 ? 1.3e9 : 1e9);
    }
    writer.spans(stream, spans);
    const SeriesId series =
        writer.series({.attempt = attempt, .rank = 7, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
    writer.scalars(series, steps, times, lengths);
    const Finding finding{.run = run, .kind = "loss_spike", .subject = "run", .start = begin(80), .summary = "the loss jumped"};
    writer.finding(finding);
    m_run = run;
    m_rare = stream;
  }
  static TimeNs begin(int i) { return kStart + kNsPerSecond * (i + 1); }
  // A tenth of a second around the begin of the span.
  void look(int i) {
    m_state.setWindow({begin(i) - 50 * kNsPerMs, begin(i) + 50 * kNsPerMs});
    settle();
  }
  QLineEdit* searchLine() const { return m_view->findChildren<QLineEdit*>().at(1); }
  int shownSpan() const { return static_cast<int>(((m_view->canvas()->t0() + m_view->canvas()->t1()) / 2 - kStart) / kNsPerSecond) - 1; }
  bool arrives(int i) {
    return waitFor([&] { return begin(i) >= m_view->canvas()->t0() && begin(i) < m_view->canvas()->t1() && m_view->isFinal(); });
  }
  RunId m_run;
  TrackId m_rare;
};

TEST_F(TimelineJumpsTest, ASearchGoesOnBeyondTheWindowToBothEndsOfTheRun) {
  m_view->showAllRanks();
  look(43);
  searchLine()->setText(QStringLiteral("^rare$"));
  QTest::keyClick(searchLine(), Qt::Key_Return);
  ASSERT_TRUE(arrives(50)) << shownSpan();
  ASSERT_TRUE(waitFor([this] { return m_view->badges().contains(QStringLiteral("10 hits, 1 on screen; at number 6")); }))
      << m_view->badges().toStdString();
  QTest::keyClick(searchLine(), Qt::Key_Return);
  ASSERT_TRUE(arrives(60));
  QTest::keyClick(searchLine(), Qt::Key_Return, Qt::ShiftModifier);
  ASSERT_TRUE(arrives(50));
  QTest::keyClick(searchLine(), Qt::Key_Return, Qt::ShiftModifier);
  ASSERT_TRUE(arrives(40));
  for (int i = 50; i < 100; i += 10) QTest::keyClick(searchLine(), Qt::Key_Return);
  ASSERT_TRUE(arrives(90));
  QTest::keyClick(searchLine(), Qt::Key_Return);
  ASSERT_TRUE(arrives(0)) << "around the end, when the whole run is searched";
  searchLine()->setText(QStringLiteral("other"));
  EXPECT_FALSE(m_view->badges().contains(QStringLiteral("hits"))) << "new input ends the search";
}

TEST_F(TimelineJumpsTest, ASliceStopsAtTheMostHitsAndSaysSo) {
  auto reader = openStore(m_store.path()).reader();
  ASSERT_TRUE(reader.ok());
  const RankTracks tracks{{7, {m_rare}}};
  const TimeRange all{kStart, kStart + 200 * kNsPerSecond};
  const auto some = searchSpans(**reader, tracks, all, QStringLiteral("often"), 5, {});
  ASSERT_TRUE(some.ok());
  EXPECT_EQ(some->hits.size(), 5U);
  EXPECT_FALSE(some->whole);
  const auto every = searchSpans(**reader, tracks, all, QStringLiteral("often"), 90, {});
  EXPECT_EQ(every->hits.size(), 90U);
  EXPECT_TRUE(every->whole);
  const auto begun = searchSpans(**reader, tracks, {begin(10) + 1, begin(12)}, QStringLiteral("."), 90, {});
  ASSERT_EQ(begun->hits.size(), 1U) << "a span belongs to the slice in which it begins";
  EXPECT_EQ(begun->hits[0].t0, begin(11));
}

TEST_F(TimelineJumpsTest, NGoesToSlowStepsFindingsAndSlowSpansOfTheChosenName) {
  m_view->showAllRanks();
  Selection selection;
  selection.rank = 7;
  m_state.select(selection);
  look(10);
  QTest::keyClick(m_view->canvas(), Qt::Key_N);
  ASSERT_TRUE(arrives(30)) << shownSpan();
  EXPECT_THAT(plain(m_view->badges()), ::testing::HasSubstr("slow step 30: 1.30 s, +30 % compared with the median of 100 steps"));
  QTest::keyClick(m_view->canvas(), Qt::Key_N);
  ASSERT_TRUE(arrives(80)) << "no span is chosen: the slow one is no anomaly yet";
  EXPECT_TRUE(m_view->badges().contains(QStringLiteral("finding: the loss jumped")));
  QTest::keyClick(m_view->canvas(), Qt::Key_N);
  ASSERT_TRUE(waitFor([this] { return m_view->badges().contains(QStringLiteral("nothing unusual after this")); }));
  EXPECT_THAT(plain(m_view->badges()), ::testing::HasSubstr("100 steps of rank 7, 1 event or finding"));
  QTest::keyClick(m_view->canvas(), Qt::Key_N, Qt::ShiftModifier);
  ASSERT_TRUE(arrives(30)) << shownSpan();
}

TEST_F(TimelineJumpsTest, ASlowSpanIsFiveMadsOverTheMedianOfItsName) {
  auto reader = openStore(m_store.path()).reader();
  ASSERT_TRUE(reader.ok());
  const auto catalog = readTimelineCatalog(**reader, {}, {}, {}, {});
  ASSERT_TRUE(catalog.ok());
  const AnomalyQuestion question{.from = begin(40), .by = 1, .track = m_rare, .rank = 7, .name = "often"};
  const auto answer = nextAnomaly(**reader, *catalog, question, {});
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  ASSERT_TRUE(answer->found);
  EXPECT_EQ(answer->found->t0, begin(55));
  EXPECT_EQ(plain(answer->found->words), "slow often: 900 ms, median of 90 of its name on this row 502 ms");
  const AnomalyQuestion rare{.from = begin(40), .by = -1, .track = m_rare, .rank = 7, .name = "rare"};
  EXPECT_FALSE(nextAnomaly(**reader, *catalog, rare, {})->found) << "the rare ones are all alike";
}

// Of two interfaces the idle one has more samples, but it carries none of the node's traffic.
TEST(TimelineCatalogTest, OfSeveralInterfacesThoseThatCarryAnythingAreNamed) {
  const TempStore store;
  {
    auto out = store.writer().value();
    const RunId run = out->run({.name = "r", .start = kStart});
    const AttemptId attempt = out->attempt({.run = run, .key = "0", .start = kStart, .layout = {.world = 1}});
    const NodeId node = out->node({.uuid = "n", .name = "n"});
    out->rank({.attempt = attempt, .rank = 0, .node = node});
    const TrackId track = out->track({.attempt = attempt, .rank = 0, .kind = "thread", .name = "main"});
    SpanColumns spans;
    spans.start = {kStart}, spans.dur = {kNsPerSecond}, spans.name = {0}, spans.category = {SpanCategory::kRuntime}, spans.names = {"step"};
    out->spans(track, spans);
    for (const char* interface : {"docker0", "eth0"}) {
      const bool idle = std::string_view(interface) == "docker0";
      const SeriesId sent = out->series({.node = node,
                                         .metric = "net_transmit_bytes_per_s",
                                         .labels = "{\"interface\":\"" + std::string(interface) + "\"}",
                                         .unit = "bytes_per_s"});
      for (int s = 0; s < (idle ? 60 : 30); ++s) out->sample(sent, kStart + s * kNsPerSecond, idle ? 0 : 24.8e6);
    }
    ASSERT_TRUE(out->close().ok());
  }
  const auto reader = store.reader().value();
  const auto catalog = readTimelineCatalog(*reader, {}, {}, {}, {});
  ASSERT_TRUE(catalog.ok()) << catalog.status().message();
  ASSERT_EQ(catalog->metrics.size(), 1U);
  EXPECT_EQ(catalog->metrics[0].title, QStringLiteral("Net transmit eth0"));
}

TEST_F(TimelineJumpsTest, GoesToAStepOrAMomentThatIsTyped) {
  m_view->showAllRanks();
  look(43);
  auto* field = m_view->findChild<GoToField*>();
  const auto go = [&](const char* text) {
    QTest::keyClick(m_view->canvas(), Qt::Key_G);
    EXPECT_TRUE(field->isVisibleTo(m_view.get()));
    field->setText(QString::fromUtf8(text));
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_FALSE(field->isVisibleTo(m_view.get()));
  };
  go("step 30");
  ASSERT_TRUE(arrives(30)) << m_view->badges().toStdString() << shownSpan();
  EXPECT_NEAR(static_cast<double>(m_view->canvas()->t1() - m_view->canvas()->t0()), 1.3e9 * 1.2, 1e7);
  go("77");
  ASSERT_TRUE(arrives(77));
  go("123");
  EXPECT_TRUE(waitFor([this] { return m_view->badges().contains(QStringLiteral("no step 123")); })) << m_view->badges().toStdString();
  EXPECT_TRUE(m_view->badges().contains(QStringLiteral("there are 0 to 99")));
  go(formatTimeOfDay(begin(12), TimeStyle::kUtc).toUtf8());
  ASSERT_TRUE(arrives(12));
  go(QByteArray::number(static_cast<qlonglong>(begin(90))));
  ASSERT_TRUE(arrives(90));
  go("the other day");
  EXPECT_TRUE(waitFor([this] { return m_view->badges().contains(QStringLiteral("neither a step nor a time")); }));
}

TEST_F(TimelineJumpsTest, ReadsTimesInTheirZoneAndOnTheirDay) {
  const auto reader = openStore(m_store.path()).reader();
  ASSERT_TRUE(reader.ok());
  TimelineCatalog catalog;
  catalog.extent = TimeRange{kStart, kStart + kNsPerSecond};
  const auto read = [&](const char* text) {
    const auto moment = readMoment(**reader, catalog, QString::fromUtf8(text), 1'790'000'000'000'000'000, TimeStyle::kUtc, {});
    return moment.ok() && moment->range ? std::optional(moment->range->t0) : std::nullopt;
  };
  EXPECT_EQ(read("14:13:20.000000007"), 1'790'000'000'000'000'007);
  EXPECT_EQ(read("2026-09-21 14:13"), 1'789'999'980'000'000'000);
  EXPECT_EQ(read("1970-01-01T00:00:01,5Z"), 1'500'000'000);
  EXPECT_EQ(read("+1.25 s"), kStart + 1'250'000'000);
  EXPECT_EQ(read("25:00"), std::nullopt);
  EXPECT_EQ(read("9999-99-99 10:00"), std::nullopt);
  EXPECT_EQ(read(""), std::nullopt);
}

// Two attempts, 100 s each; the second goes back to step 0.
class TimelineAttemptsTest : public TimelineViewTest {
 protected:
  void record(Writer& writer, RunId run, AttemptId attempt) override {
    tell(writer, attempt, 0, "first");
    const AttemptId second = writer.attempt({.run = run, .key = "again", .number = 1, .start = kStart + 100 * kNsPerSecond});
    tell(writer, second, 100, "second");
  }
  static void tell(Writer& writer, AttemptId attempt, int from, const char* name) {
    writer.rank({.attempt = attempt, .rank = 7});
    const TrackId stream = writer.track({.attempt = attempt, .rank = 7, .kind = "gpu_stream", .name = name});
    SpanColumns spans;
    spans.names = {name};
    for (int i = 0; i < 100; ++i) {
      spans.start.push_back(kStart + (from + i) * kNsPerSecond), spans.dur.push_back(kNsPerSecond / 2);
      spans.name.push_back(0), spans.category.push_back(SpanCategory::kCompute);
    }
    writer.spans(stream, spans);
  }
  Result<TimelineCatalog> at(std::optional<int> second) {
    auto reader = openStore(m_store.path()).reader();
    return readTimelineCatalog(**reader, {}, {}, {}, {}, second ? std::optional(kStart + *second * kNsPerSecond) : std::nullopt);
  }
};

TEST_F(TimelineAttemptsTest, TheAttemptIsTheOneThatRanWhereOneLooks) {
  EXPECT_EQ(at(std::nullopt)->attempt.number, 1);
  EXPECT_EQ(at(150)->attempt.number, 1);
  EXPECT_EQ(at(100)->attempt.number, 1) << "it begins with its first instant";
  EXPECT_EQ(at(99)->attempt.number, 0);
  EXPECT_EQ(at(-10)->attempt.number, 0) << "before everything: the first";
  EXPECT_EQ(at(99)->chosen_for.t1, kStart + 100 * kNsPerSecond);
  EXPECT_EQ(at(150)->chosen_for.t0, kStart + 100 * kNsPerSecond);
}

TEST_F(TimelineAttemptsTest, RowsFollowTheWindowAndThePlayheadIntoTheAttemptBefore) {
  // The first one has ranks 0, 1 and 7, the second one only rank 7.
  const auto shows = [this](const char* ranks) {
    return waitFor([&] { return m_view->isFinal() && plain(m_view->badges()).find(ranks) != std::string::npos; });
  };
  m_view->showAllRanks();
  // Before the first answer has arrived.
  m_state.setWindow({kStart + 10 * kNsPerSecond, kStart + 20 * kNsPerSecond});
  EXPECT_TRUE(shows("3 of 3 ranks"));
  m_state.showAll();
  EXPECT_TRUE(shows("1 of 1 rank"));
  m_state.setWindow({kStart + 10 * kNsPerSecond, kStart + 20 * kNsPerSecond});
  EXPECT_TRUE(shows("3 of 3 ranks"));
  m_state.showAll();
  EXPECT_TRUE(shows("1 of 1 rank"));
  m_state.setMoment(kStart + 30 * kNsPerSecond);
  EXPECT_TRUE(shows("3 of 3 ranks"));
  m_state.setMoment(std::nullopt);
  EXPECT_TRUE(shows("1 of 1 rank"));
}

}  // namespace
}  // namespace runglass
