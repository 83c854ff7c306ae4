// SPDX-License-Identifier: GPL-3.0-or-later
// The console in the past: a store whose values change, viewed at several moments, stored and while it grows.
#include <gtest/gtest.h>

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <ranges>

#include "model/edits.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/charts/plot_widget.h"
#include "widgets/devices/gpus_view.h"
#include "widgets/frame/main_window.h"
#include "widgets/frame/time_bar.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;
TimeNs at(double seconds) { return kStart + static_cast<DurNs>(seconds * 1e9); }

// Steps of a second: 1 to 60, and after a rewind 41 to 100 from the 71st second on. Two GPUs; the second one falls from 600 to 100 watts
// at 50 s. An Xid at 55 s, a finding at 58 s, a checkpoint of step 40 at 40 s, a note at 90 s.
class PlayheadTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_writer = std::move(*opened);
  }
  void TearDown() override {
    m_window.reset();
    m_queries.reset();
  }

  void record(RunState state) {
    runglass::Run run{.uuid = "run-1", .name = "train", .time_domain = TimeDomain::kUtc, .state = state, .start = kStart};
    if (state == RunState::kFinished) run.end = at(131);
    m_run = m_writer->run(run);
    m_first = m_writer->attempt({.run = m_run, .key = "a", .start = kStart, .end = at(65), .layout = {.world = 2}});
    m_second = m_writer->attempt({.run = m_run, .key = "b", .start = at(70), .resumed_from_step = 40, .layout = {.world = 2}});
    const NodeId node = m_writer->node({.uuid = "n0", .name = "n0"});
    for (int g = 0; g < 2; ++g) {
      m_gpus[g] = m_writer->device({.uuid = "gpu" + std::to_string(g), .node = node, .index = g, .kind = "gpu", .model = "H100"});
      for (const AttemptId attempt : {m_first, m_second})
        m_writer->rank({.attempt = attempt, .rank = g, .node = node, .device = m_gpus[g], .tp = 0, .pp = 0, .dp = g});
      m_power[g] = m_writer->series({.node = node, .device = m_gpus[g], .metric = "power_watts", .unit = "watts"});
      for (int s = 0; s <= 130; ++s) m_writer->sample(m_power[g], at(s), g == 1 && s >= 50 ? 100 : 600);
    }
    steps(m_first, 1, 60, 0);
    steps(m_second, 41, 100, 70 - 40);
    m_writer->checkpoint({.attempt = m_first, .step = 40, .begin = at(40), .durable = at(40.5)});
    m_writer->event({.time = at(55),
                     .attempt = m_first,
                     .node = node,
                     .device = m_gpus[1],
                     .kind = "xid",
                     .severity = Severity::kError,
                     .code = "79",
                     .message = "fallen off the bus"});
    m_writer->finding({.run = m_run,
                       .attempt = m_first,
                       .kind = "slow_rank",
                       .subject = "rank:1",
                       .severity = Severity::kWarning,
                       .start = at(58),
                       .summary = "Rank 1 is slow."});
    ASSERT_TRUE(m_writer->flush().ok());
    ASSERT_TRUE(m_writer->edit(Note{.run_uuid = "run-1", .time = at(90), .author = "ada", .text = "changed a cable"}).ok());
  }
  // Step s ends `after` + s seconds after the begin; the loss is 10 - s / 100.
  void steps(AttemptId attempt, int from, int to, int after) {
    const SeriesId loss = m_writer->series({.attempt = attempt, .metric = "train/loss", .kind = SeriesKind::kScalar});
    for (int g = 0; g < 2; ++g) {
      const SeriesId time =
          m_writer->series({.attempt = attempt, .rank = g, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
      for (int s = from; s <= to; ++s) m_writer->scalar(time, s, at(after + s), 1e9);
    }
    for (int s = from; s <= to; ++s) m_writer->scalar(loss, s, at(after + s), 10 - s / 100.0);
  }
  void close() { ASSERT_TRUE(m_writer->close().ok()); }

  void open(TimeNs now) {
    m_queries = std::make_unique<QueryService>([path = m_store.path()] { return openStore(path).reader(); }, 2);
    WindowOptions options;
    options.queries = m_queries.get();
    options.clock = [now] { return now; };
    m_window = std::make_unique<MainWindow>(options);
    m_window->resize(1280, 800);
    m_window->show();
    m_window->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(m_window.get()));
  }
  void show(const char* view) {
    ASSERT_TRUE(m_window->showPlace(view));
    settle();
  }
  void settle() {
    ASSERT_TRUE(waitFor([&] { return m_window->isFinal(); }));
  }
  void travel(std::optional<TimeNs> moment) {
    m_window->state().setMoment(moment);
    settle();
  }
  std::optional<TimeNs> moment() const { return m_window->state().state().moment; }
  void press(const char* words) {
    for (QAction* action : m_window->commands().all())
      if (action->text() == words) return action->trigger();
    FAIL() << "no command " << words;
  }
  // Clicks, and waits until the jump has moved the playhead.
  void pressAndWait(const char* words) {
    const auto before = moment();
    press(words);
    ASSERT_TRUE(waitFor([&] { return moment() != before; }));
    settle();
  }
  std::string strip() const { return m_window->findChild<RunStrip*>()->accessibleDescription().toStdString(); }
  std::string words() const { return m_window->timeBar().words().toStdString(); }
  // Searches the visible view.
  bool says(const QString& text) const {
    for (const QLabel* label : m_window->findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(text)) return true;
    return false;
  }
  int tableRows() const {
    for (const QTableView* table : m_window->findChildren<QTableView*>())
      if (table->isVisible()) return table->model()->rowCount();
    return 0;
  }

  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  RunId m_run;
  AttemptId m_first, m_second;
  DeviceId m_gpus[2];
  SeriesId m_power[2];
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<MainWindow> m_window;
};

TEST_F(PlayheadTest, GpusShowTheValuesOfTheMoment) {
  record(RunState::kFinished);
  close();
  open(at(100'000));
  show("gpus");
  EXPECT_TRUE(says("GPU 1")) << "the outlier of the end is named";
  travel(at(30));
  EXPECT_FALSE(says("GPU 1: ")) << "both drew the same then";
  EXPECT_TRUE(says("2 GPUs, all reporting"));
  travel(at(60));
  EXPECT_TRUE(says("1 with an Xid of 2 GPUs"));
  travel(at(52));
  EXPECT_FALSE(says("with an Xid")) << "the Xid came three seconds later";
}

TEST_F(PlayheadTest, TheStripTheSentenceAndTheTilesAreOfTheMoment) {
  record(RunState::kFinished);
  close();
  open(at(100'000));
  show("overview");
  EXPECT_NE(strip().find("finished"), std::string::npos) << strip();
  EXPECT_TRUE(says("Finished"));
  travel(at(45.5));
  EXPECT_NE(strip().find("running"), std::string::npos) << strip();
  EXPECT_NE(strip().find("step 45;"), std::string::npos) << strip();
  EXPECT_NE(strip().find("findings none"), std::string::npos) << strip();
  EXPECT_NE(strip().find("train / 0"), std::string::npos) << strip();
  EXPECT_TRUE(says("Running. Step 45."));
  EXPECT_FALSE(says("Rank 1 is slow")) << "nobody knew yet";
  travel(at(59.5));
  EXPECT_TRUE(says("Rank 1 is slow"));
  EXPECT_NE(strip().find("1 warning"), std::string::npos) << strip();
  travel(std::nullopt);
  EXPECT_NE(strip().find("step 100;"), std::string::npos) << strip();
}

TEST_F(PlayheadTest, PlotsStayWholeAndHaveThePlayheadOverThem) {
  record(RunState::kFinished);
  close();
  open(at(100'000));
  show("overview");
  const auto plots = [&] { return m_window->findChild<PlotWidget*>()->data(); };
  const auto before = plots();
  travel(at(30));
  EXPECT_EQ(plots()->panels.size(), before->panels.size());
  ASSERT_FALSE(plots()->panels[0].curves.empty());
  const auto last =
      std::ranges::find_if(std::views::reverse(*plots()->panels[0].curves.back().bins), [](const Bin& bin) { return bin.count > 0; });
  EXPECT_GT(last->x1, at(100)) << "the curve goes on after the moment";
  travel(at(31));  // panels next to the plots have their space now
  const auto while_scrubbing = plots();
  travel(at(32));
  EXPECT_EQ(plots(), while_scrubbing) << "plots are not read again while only the moment moves";
}

TEST_F(PlayheadTest, FindingsAreThoseThatHadBeenSaid) {
  record(RunState::kFinished);
  close();
  open(at(100'000));
  show("findings");
  EXPECT_EQ(tableRows(), 1);
  travel(at(50));
  EXPECT_TRUE(says("No findings are stored for this run."));
  travel(at(58));
  EXPECT_EQ(tableRows(), 1);
}

TEST_F(PlayheadTest, ARunWithoutFindingsMayBeOneThatWasNeverAnalyzed) {
  m_run = m_writer->run(
      {.uuid = "run-1", .name = "train", .time_domain = TimeDomain::kUtc, .state = RunState::kFinished, .start = kStart, .end = at(131)});
  m_writer->attempt({.run = m_run, .key = "a", .start = kStart, .end = at(131), .layout = {.world = 2}});
  close();
  open(at(100'000));
  show("findings");
  EXPECT_TRUE(says("No findings are stored for this run."));
  EXPECT_TRUE(says("It was not analyzed yet, or no analysis found anything; the store does not record which. To analyze it:"));
}

TEST_F(PlayheadTest, TopologyHasTheAttemptOfTheMoment) {
  record(RunState::kFinished);
  close();
  open(at(100'000));
  show("topology");
  travel(at(30));
  EXPECT_NE(strip().find("train / 0"), std::string::npos) << strip();
  show("ranking");
  EXPECT_FALSE(says("No step times yet"));
  travel(at(-10));
  EXPECT_TRUE(says("No step times yet") || says("could not")) << "before the run there was nothing to rank";
}

TEST_F(PlayheadTest, TheBarSaysInWordsWhereOneIs) {
  record(RunState::kFinished);
  close();
  open(at(100'000));
  show("events");
  EXPECT_TRUE(m_window->timeBar().isVisible());
  EXPECT_FALSE(m_window->timeBar().isSlim()) << "a stored run has its bar at once";
  EXPECT_EQ(words(), "");
  travel(at(55));
  EXPECT_NE(words().find("as of " + formatTimeOfDay(at(55), TimeStyle::kUtc).toStdString()), std::string::npos) << words();
  EXPECT_NE(words().find("step 55"), std::string::npos) << words();
  EXPECT_NE(words().find("before the end"), std::string::npos) << words();
  EXPECT_NE(words().find("xid 79"), std::string::npos) << "what happened at that moment: " << words();
}

TEST_F(PlayheadTest, OfAMomentWithoutTheRunNothingIsSaidAboutTheStore) {
  record(RunState::kFinished);
  close();
  open(at(100'000));
  for (const char* view : {"overview", "gpus", "findings", "topology", "ranking"}) {
    show(view);
    for (const TimeNs moment : {at(-3'600), std::numeric_limits<TimeNs>::min(), TimeNs{0}}) {
      travel(moment);
      EXPECT_TRUE(says("As of the moment")) << view;
      EXPECT_FALSE(says("his store")) << view << ": it has the run";
    }
    EXPECT_NE(words().find("as of " + formatTime(0, TimeStyle::kUtc).toStdString()), std::string::npos) << words();
    EXPECT_EQ(words().find("now before the end"), std::string::npos) << words();
  }
}

TEST_F(PlayheadTest, NGoesFromOneEventOrFindingToTheNextAndSaysWhenThereIsNone) {
  record(RunState::kFinished);
  close();
  open(at(100'000));
  show("overview");
  const char *next = "Playhead: next event or finding", *previous = "Playhead: previous event or finding";
  for (const double seconds : {55, 58, 70, 90}) {
    pressAndWait(next);
    EXPECT_EQ(moment(), at(seconds)) << "checkpoints are no news";
  }
  press(next);
  EXPECT_EQ(moment(), at(90));
  EXPECT_NE(words().find("no event or finding after this"), std::string::npos) << words();
  for (const double seconds : {70, 58, 55}) {
    pressAndWait(previous);
    EXPECT_EQ(moment(), at(seconds));
  }
}

TEST_F(PlayheadTest, StepsAreWalkedOneByOneOverARewind) {
  record(RunState::kFinished);
  close();
  open(at(100'000));
  show("overview");
  const char *next = "Playhead: next step", *previous = "Playhead: previous step";
  travel(at(58.5));
  for (const double seconds : {59, 60, 71, 72}) {
    pressAndWait(next);
    EXPECT_EQ(moment(), at(seconds));
  }
  EXPECT_NE(words().find("step 42"), std::string::npos) << words();
  for (const double seconds : {71, 60, 59}) {
    pressAndWait(previous);
    EXPECT_EQ(moment(), at(seconds));
  }
  EXPECT_NE(words().find("step 59"), std::string::npos) << words();
  press(next), press(next), press(next);
  ASSERT_TRUE(waitFor([&] { return moment() == at(72); })) << "three presses are three steps";
  travel(at(130));
  press(next);
  ASSERT_TRUE(waitFor([&] { return words().find("no later step") != std::string::npos; })) << words();
  EXPECT_EQ(moment(), at(130));
}

TEST_F(PlayheadTest, ALiveRunStaysInThePastWhileDataArrivesUntilNow) {
  record(RunState::kRunning);
  open(at(131));
  show("gpus");
  EXPECT_TRUE(m_window->timeBar().isSlim()) << "a live watcher keeps the height";
  travel(at(30));
  EXPECT_FALSE(m_window->timeBar().isSlim());
  EXPECT_NE(words().find("ago"), std::string::npos) << words();
  EXPECT_TRUE(says("2 GPUs, all reporting"));
  for (int s = 131; s < 140; ++s) m_writer->sample(m_power[0], at(s), 50);
  const SeriesId loss = m_writer->series({.attempt = m_second, .metric = "train/loss", .kind = SeriesKind::kScalar});
  m_writer->scalar(loss, 101, at(131), 1);
  m_writer->scalar(loss, 102, at(132), 1);
  ASSERT_TRUE(m_writer->flush().ok());
  ASSERT_TRUE(waitFor([&] { return m_window->state().extent()->t1 > at(131.5); })) << "the store's end is known to move";
  settle();
  EXPECT_EQ(moment(), at(30));
  EXPECT_TRUE(says("2 GPUs, all reporting"));
  EXPECT_NE(strip().find("step 30;"), std::string::npos) << strip();
  press("Playhead: now");
  settle();
  EXPECT_EQ(moment(), std::nullopt);
  EXPECT_NE(strip().find("step 102;"), std::string::npos) << strip();
  EXPECT_TRUE(m_window->timeBar().isSlim());
}

TEST_F(PlayheadTest, DraggingOnTheBarScrubsAsOneStepOfUndo) {
  record(RunState::kFinished);
  close();
  open(at(100'000));
  show("gpus");
  BarTrack& track = m_window->timeBar().track();
  const QPoint from(track.width() / 4, track.height() / 2);
  QTest::mousePress(&track, Qt::LeftButton, {}, from);
  EXPECT_EQ(moment(), std::nullopt) << "a click stays in the present";
  QTest::mouseRelease(&track, Qt::LeftButton, {}, from);
  EXPECT_EQ(moment(), std::nullopt);
  QTest::mousePress(&track, Qt::LeftButton, {}, from);
  QTest::mouseMove(&track, from + QPoint(20, 0));
  const auto first = moment();
  ASSERT_TRUE(first);
  for (int x = from.x(); x < from.x() + 50; ++x) QTest::mouseMove(&track, {x, from.y()});
  QTest::mouseRelease(&track, Qt::LeftButton, {}, from + QPoint(49, 0));
  EXPECT_GT(*moment(), *first);
  m_window->state().back();
  EXPECT_EQ(moment(), std::nullopt);
}

TEST_F(PlayheadTest, ALinkToThisPlaceHasTheMoment) {
  record(RunState::kFinished);
  close();
  open(at(100'000));
  show("gpus");
  travel(at(30));
  EXPECT_NE(m_window->placeLink().toStdString().find("view=gpus&at=" + std::to_string(at(30))), std::string::npos)
      << m_window->placeLink().toStdString();
}

TEST_F(PlayheadTest, ARunWithoutAClockHasNoMomentToTravelTo) {
  const RunId run = m_writer->run({.name = "steps only", .time_domain = TimeDomain::kNone});
  const AttemptId attempt = m_writer->attempt({.run = run});
  const SeriesId loss = m_writer->series({.attempt = attempt, .metric = "train/loss", .kind = SeriesKind::kScalar});
  for (int s = 1; s <= 10; ++s) m_writer->scalar(loss, s, std::nullopt, 1.0 / s);
  close();
  open(at(0));
  show("overview");
  EXPECT_FALSE(m_window->timeBar().isVisible());
  press("Playhead: next step");
  press("Playhead: next event or finding");
  EXPECT_EQ(moment(), std::nullopt);
}

}  // namespace
}  // namespace runglass
