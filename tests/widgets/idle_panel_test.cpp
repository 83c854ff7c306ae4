// SPDX-License-Identifier: GPL-3.0-or-later
// The panel "GPU idle, explained": its causes, the jump to the timeline, and its text without data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/overview/idle_panel.h"

namespace runglass {
namespace {

constexpr TimeNs kIdleStart = 1'790'000'000LL * kNsPerSecond;
constexpr DurNs kMs = kNsPerMs;

// Ten steps of 100 ms: the loader for 30, the host for 10, a kernel for 60.
std::string storeOf(const TempStore& store, bool with_spans) {
  auto writer = store.writer();
  RG_CHECK(writer.ok());
  Writer& out = **writer;
  const AttemptId attempt = out.attempt({.run = out.run({.name = "job", .start = kIdleStart}), .layout = {.world = 1}});
  out.rank({.attempt = attempt, .rank = 0});
  if (with_spans) {
    const SeriesId dur = out.series({.attempt = attempt, .rank = 0, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
    const TrackId stream = out.track({.attempt = attempt, .rank = 0, .kind = "gpu_stream", .name = "GPU 0 stream 7"});
    const TrackId thread = out.track({.attempt = attempt, .rank = 0, .kind = "thread", .name = "main"});
    for (std::int64_t step = 0; step < 10; ++step) {
      const TimeNs t0 = kIdleStart + step * 100 * kMs;
      out.scalar(dur, step, t0, 100e6);
      out.spans(stream, {.start = {t0 + 40 * kMs},
                         .dur = {60 * kMs},
                         .name = {0},
                         .category = {SpanCategory::kCompute},
                         .correlation = {step},
                         .names = {"gemm"}});
      out.spans(thread, {.start = {t0, t0 + 39 * kMs},
                         .dur = {30 * kMs, kMs},
                         .name = {0, 1},
                         .category = {SpanCategory::kCpuOp, SpanCategory::kRuntime},
                         .correlation = {kAbsent, step},
                         .names = {"enumerate(DataLoader)#next", "cudaLaunchKernel"}});
    }
  }
  RG_CHECK((*writer)->close().ok());
  return store.path();
}

struct Shown {
  explicit Shown(const std::string& path)
      : queries([path] { return openStore(path).reader(); }),
        panel({.queries = &queries, .state = &state, .clock = [] { return kIdleStart; }}) {
    panel.resize(1'000, IdlePanel::kHeight);
    panel.show();
    panel.applyState(state.state());
    settled = waitFor([this] { return panel.isFinal(); });
  }
  QueryService queries;
  SharedState state;
  IdlePanel panel;
  bool settled = false;
};

TEST(IdlePanelTest, SaysHowIdleAndWhyWorstCauseFirst) {
  TempStore store;
  Shown shown(storeOf(store, true));
  ASSERT_TRUE(shown.settled);
  EXPECT_THAT(shown.panel.headline().toStdString(), ::testing::HasSubstr("explained: 40.0"));
  EXPECT_THAT(shown.panel.headline().toStdString(), ::testing::HasSubstr("of 10 steps, 0 to 9"));
  ASSERT_GE(shown.panel.answer()->rows.size(), 3u);
  EXPECT_EQ(shown.panel.answer()->rows[0].cause, IdleCause::kData);
  EXPECT_TRUE(shown.panel.copyText().startsWith(QStringLiteral("cause\tshare\tevidence\ndata\t0.3")));
  EXPECT_THAT(shown.panel.accessibleDescription().toStdString(), ::testing::HasSubstr("data loading"));
}

TEST(IdlePanelTest, AClickOnACauseShowsItsLongestStretchInTheTimeline) {
  TempStore store;
  Shown shown(storeOf(store, true));
  ASSERT_TRUE(shown.settled);
  QSignalSpy asked(&shown.panel, &IdlePanel::viewRequested);
  QTest::mouseClick(&shown.panel, Qt::LeftButton, Qt::NoModifier, shown.panel.rowRect(0).center());
  ASSERT_EQ(asked.size(), 1);
  EXPECT_EQ(asked[0][0].toString(), QStringLiteral("timeline"));
  EXPECT_EQ(shown.state.state().selection.rank, 0);
  const TimeRange window = shown.state.state().window.range;
  EXPECT_EQ(window.t1 - window.t0, 3 * 30 * kMs) << "the stretch, and as much on both sides";
  EXPECT_EQ((window.t0 + 30 * kMs - kIdleStart) % (100 * kMs), 0) << "it begins with a step";
}

TEST(IdlePanelTest, KeysChooseAndOpenCausesToo) {
  TempStore store;
  Shown shown(storeOf(store, true));
  QSignalSpy asked(&shown.panel, &IdlePanel::viewRequested);
  QTest::keyClick(&shown.panel, Qt::Key_Return);
  EXPECT_EQ(asked.size(), 0) << "nothing is chosen yet";
  QTest::keyClick(&shown.panel, Qt::Key_Down);
  QTest::keyClick(&shown.panel, Qt::Key_Return);
  EXPECT_EQ(asked.size(), 1);
  shown.panel.openRow(-1);
  shown.panel.openRow(1'000);
  EXPECT_EQ(asked.size(), 1);
}

TEST(IdlePanelTest, AFixedWindowIsAnsweredForItsSteps) {
  TempStore store;
  Shown shown(storeOf(store, true));
  shown.state.setWindow({kIdleStart + 210 * kMs, kIdleStart + 290 * kMs});
  shown.panel.applyState(shown.state.state());
  ASSERT_TRUE(waitFor([&] { return shown.panel.isFinal(); }));
  EXPECT_THAT(shown.panel.headline().toStdString(), ::testing::HasSubstr("of step 2"));
}

TEST(IdlePanelTest, WhereNothingIsKnownItSaysSoAndNotZero) {
  TempStore store;
  Shown shown(storeOf(store, false));
  ASSERT_TRUE(shown.settled);
  EXPECT_EQ(shown.panel.headline(), QStringLiteral("GPU idle: not recorded"));
  EXPECT_FALSE(shown.panel.answer()->reason.english.empty());
  EXPECT_TRUE(shown.panel.copyText().isEmpty());
  EXPECT_FALSE(shown.panel.grab().isNull());
}

}  // namespace
}  // namespace runglass
