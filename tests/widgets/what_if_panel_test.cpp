// SPDX-License-Identifier: GPL-3.0-or-later
// The tab "What if": the effect of a tick, money only with a price, and the reason for a missing answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QDoubleSpinBox>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/ranking/ranking_view.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;

// Two replicas of one stage each; the second one's passes take twice as long. 300 or 600 ms and a collective of 10 ms per step.
std::string storeOf(const TempStore& store, bool with_spans, std::optional<std::int64_t> planned = {}) {
  auto writer = store.writer();
  RG_CHECK(writer.ok());
  const RunId run = (*writer)->run({.name = "job", .time_domain = TimeDomain::kUtc, .state = RunState::kRunning});
  Layout layout{.world = 2, .tp = 1, .pp = 1, .dp = 2, .cp = 1};
  const AttemptId attempt = (*writer)->attempt({.run = run, .start = kStart, .layout = layout});
  if (planned)
    (*writer)->fact(
        {.attempt = attempt, .node = {}, .rank = {}, .key = "argv", .value = "train.py --train-iters " + std::to_string(*planned)});
  for (std::int32_t rank = 0; rank < 2 && with_spans; ++rank) {
    (*writer)->rank({.attempt = attempt, .rank = rank, .tp = 0, .pp = 0, .dp = rank});
    const TrackId track = (*writer)->track({.attempt = attempt, .rank = rank, .kind = "thread", .name = "main"});
    SpanColumns spans;
    spans.names = {"forward-compute", "backward-compute", "grads-reduce-scatter"};
    for (std::int64_t step = 0; step < 5; ++step) {
      const TimeNs at = kStart + step * kNsPerSecond;
      const DurNs forward = (rank + 1) * 100 * kNsPerMs, backward = (rank + 1) * 200 * kNsPerMs;
      const auto add = [&](std::uint32_t name, TimeNs start, DurNs dur) {
        spans.start.push_back(start), spans.dur.push_back(dur), spans.name.push_back(name);
        spans.category.push_back(name == 2 ? SpanCategory::kComm : SpanCategory::kCompute);
        spans.step.push_back(step), spans.microbatch.push_back(name == 2 ? kAbsent : 0);
      };
      add(0, at, forward);
      add(1, at + forward, backward);
      add(2, at + forward + backward, 610 * kNsPerMs - forward - backward);
    }
    (*writer)->spans(track, spans);
  }
  RG_CHECK((*writer)->close().ok());
  return store.path();
}

struct Shown {
  explicit Shown(const std::string& path)
      : queries([path] { return openStore(path).reader(); }),
        view({.queries = &queries, .state = &state, .clock = [] { return kStart; }}, nullptr) {
    view.resize(1'200, 800);
    view.showWhatIf();
    view.show();
    view.applyState(state.state());
    settled = waitFor([this] { return view.isFinal(); });
  }
  QTreeWidgetItem* choice(const QString& name) const {
    const auto found = view.whatIf()->choices()->findItems(name, Qt::MatchExactly | Qt::MatchRecursive);
    return found.isEmpty() ? nullptr : found.front();
  }
  WhatIfRow row(WhatIfFact fact) const { return view.whatIf()->rows()[static_cast<std::size_t>(fact)]; }
  QueryService queries;
  SharedState state;
  RankingView view;
  bool settled = false;
};

TEST(WhatIfPanelTest, ATickSaysWhatAStepWouldTake) {
  const TempStore store;
  Shown shown(storeOf(store, true));
  ASSERT_TRUE(shown.settled);
  EXPECT_EQ(shown.row(WhatIfFact::kStep).recorded, formatDuration(610 * kNsPerMs));
  QTreeWidgetItem* replica = shown.choice(QStringLiteral("replica 1"));
  ASSERT_NE(replica, nullptr);
  replica->setCheckState(0, Qt::Checked);
  ASSERT_TRUE(waitFor([&] { return shown.view.isFinal(); }));
  // The mean of 300 and 600 ms.
  EXPECT_EQ(shown.row(WhatIfFact::kStep).fixed, formatDuration(460 * kNsPerMs));
  EXPECT_TRUE(shown.view.whatIf()->sentence().contains(formatDuration(460 * kNsPerMs))) << shown.view.whatIf()->sentence().toStdString();
  EXPECT_TRUE(shown.view.copyText().contains(formatDuration(460 * kNsPerMs)));
}

TEST(WhatIfPanelTest, UntilTheReplayOfATickIsThereTheSentenceIsOfTheTicksBefore) {
  const TempStore store;
  Shown shown(storeOf(store, true));
  ASSERT_TRUE(shown.settled);
  shown.choice(QStringLiteral("replica 1"))->setCheckState(0, Qt::Checked);
  shown.view.whatIf()->price()->setValue(2.5);  // updates the rows before any answer
  EXPECT_FALSE(shown.view.whatIf()->sentence().contains(QStringLiteral("ticked"))) << shown.view.whatIf()->sentence().toStdString();
  ASSERT_TRUE(waitFor([&] { return shown.view.isFinal(); }));
  EXPECT_TRUE(shown.view.whatIf()->sentence().contains(QStringLiteral("ticked")));
  shown.view.whatIf()->price()->setValue(0);
}

TEST(WhatIfPanelTest, AClickInTheHeatMapTicksTheWorker) {
  const TempStore store;
  Shown shown(storeOf(store, true));
  ASSERT_TRUE(shown.settled);
  WorkerHeatMap* heat = shown.view.whatIf()->heatMap();
  QTest::mouseClick(heat, Qt::LeftButton, {}, heat->cellRect(0, 1).center());
  EXPECT_THAT(shown.view.whatIf()->ticks().workers, ::testing::ElementsAre(1U));
  QTest::mouseClick(heat, Qt::LeftButton, {}, heat->cellRect(0, 1).center());
  EXPECT_TRUE(shown.view.whatIf()->ticks().empty());
}

TEST(WhatIfPanelTest, MoneyIsReportedOnlyWithAPrice) {
  const TempStore store;
  Shown shown(storeOf(store, true));
  ASSERT_TRUE(shown.settled);
  EXPECT_TRUE(shown.row(WhatIfFact::kMoney).fixed.isEmpty());
  EXPECT_TRUE(shown.row(WhatIfFact::kMoney).recorded.contains(QStringLiteral("enter")));
  shown.view.whatIf()->price()->setValue(2.5);
  EXPECT_EQ(shown.row(WhatIfFact::kMoney).recorded, QStringLiteral("120")) << "two GPUs, 24 hours";
  shown.view.whatIf()->price()->setValue(0);
  EXPECT_TRUE(shown.row(WhatIfFact::kMoney).fixed.isEmpty());
}

TEST(WhatIfPanelTest, TheFinishNeedsAPlan) {
  const TempStore without, with;
  Shown unplanned(storeOf(without, true));
  ASSERT_TRUE(unplanned.settled);
  EXPECT_TRUE(unplanned.row(WhatIfFact::kFinish).recorded.contains(QStringLiteral("planned")));
  Shown planned(storeOf(with, true, 1'004));
  ASSERT_TRUE(planned.settled);
  // A thousand steps of 610 ms are left after step 4.
  EXPECT_EQ(planned.row(WhatIfFact::kFinish).recorded, formatTime(kStart + 610 * kNsPerSecond, TimeStyle::kUtc));
}

TEST(WhatIfPanelTest, WithoutSpansItSaysWhatIsMissing) {
  const TempStore store;
  Shown shown(storeOf(store, false));
  EXPECT_TRUE(shown.settled);
  EXPECT_TRUE(shown.view.copyText().isEmpty());
}

TEST(WhatIfPanelTest, ThePlanIsReadFromCommandLinesAndFacts) {
  const auto plan = [](const char* key, const char* value) {
    return plannedSteps({{.attempt = {}, .node = {}, .rank = {}, .key = key, .value = value}});
  };
  EXPECT_EQ(plan("argv", "python train.py --train-iters 500 --lr 1"), 500);
  EXPECT_EQ(plan("argv", "[\"train.py\", \"--max_steps=90\"]"), 90);
  EXPECT_EQ(plan("max_steps", "12"), 12);
  EXPECT_EQ(plan("argv", "train.py --train-iters many"), std::nullopt);
  EXPECT_EQ(plan("max_steps", "-1"), std::nullopt);
  EXPECT_EQ(plan("argv", ""), std::nullopt);
}

}  // namespace
}  // namespace runglass
