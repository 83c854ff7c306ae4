// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/selection.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <limits>

namespace runglass {
namespace {

Selection rankOf(std::int32_t rank) {
  Selection s;
  s.run = RunId{1};
  s.rank = rank;
  return s;
}

TEST(SharedState, TellsEveryViewOnceAboutAChange) {
  SharedState state;
  QSignalSpy changes(&state, &SharedState::changed);
  state.select(rankOf(3));
  EXPECT_EQ(changes.count(), 1);
  state.select(rankOf(3));
  EXPECT_EQ(changes.count(), 1) << "the same selection again is no change";
}

TEST(SharedState, BackAndForwardWalkThroughPlaces) {
  SharedState state;
  state.select(rankOf(1));
  state.setWindow({10, 20});
  state.select(rankOf(2));
  state.back();
  EXPECT_EQ(state.state().selection.rank, 1);
  EXPECT_EQ(state.state().window.range, (TimeRange{10, 20}));
  state.back();
  EXPECT_EQ(state.state().window.mode, WindowMode::kAll);
  state.forward();
  EXPECT_EQ(state.state().window.range, (TimeRange{10, 20}));
  EXPECT_TRUE(state.canGoForward());
}

TEST(SharedState, ANewChangeForgetsTheForwardPlaces) {
  SharedState state;
  state.select(rankOf(1));
  state.select(rankOf(2));
  state.back();
  state.select(rankOf(3));
  EXPECT_FALSE(state.canGoForward());
  state.back();
  EXPECT_EQ(state.state().selection.rank, 1);
}

TEST(SharedState, OneDragIsOneStepOfUndo) {
  SharedState state;
  state.setWindow({0, 100});
  for (TimeNs t = 1; t <= 50; ++t) state.setWindow({t, 100 + t}, SharedState::Undo::kMerge);
  state.endGesture();
  for (TimeNs t = 1; t <= 50; ++t) state.setWindow({50 + t, 150 + t}, SharedState::Undo::kMerge);
  state.endGesture();
  state.back();
  EXPECT_EQ(state.state().window.range, (TimeRange{50, 150}));
  state.back();
  EXPECT_EQ(state.state().window.range, (TimeRange{0, 100}));
}

TEST(SharedState, AFollowingWindowMovesWithTheData) {
  SharedState state;
  state.setExtent(TimeRange{0, 1000});
  state.followEnd(100);
  EXPECT_EQ(state.state().window.range, (TimeRange{900, 1000}));
  state.setExtent(TimeRange{0, 1500});
  EXPECT_EQ(state.state().window.range, (TimeRange{1400, 1500}));
}

TEST(SharedState, TheMomentIsAPlaceThatOneComesBackTo) {
  SharedState state;
  state.setExtent(TimeRange{0, 1000});
  QSignalSpy changes(&state, &SharedState::changed);
  state.setMoment(400);
  state.setMoment(400);
  EXPECT_EQ(changes.count(), 1);
  state.setMoment(500);
  state.back();
  EXPECT_EQ(state.state().moment, 400);
  state.back();
  EXPECT_EQ(state.state().moment, std::nullopt);
  state.forward();
  EXPECT_EQ(state.state().moment, 400);
}

TEST(SharedState, ScrubbingIsOneStepOfUndo) {
  SharedState state;
  for (TimeNs t = 1; t <= 50; ++t) state.setMoment(t, SharedState::Undo::kMerge);
  state.endGesture();
  EXPECT_EQ(state.state().moment, 50);
  state.back();
  EXPECT_EQ(state.state().moment, std::nullopt);
}

TEST(SharedState, AWindowWithoutTheMomentMovesThereAndNowFollowsAgain) {
  SharedState state;
  state.setExtent(TimeRange{0, 1000});
  state.followEnd(100);
  state.setMoment(300);
  EXPECT_EQ(state.state().window.range, (TimeRange{250, 350}));
  state.setExtent(TimeRange{0, 1200});
  EXPECT_EQ(state.state().window.range, (TimeRange{250, 350})) << "the past stands still while data arrives";
  EXPECT_EQ(state.state().moment, 300);
  state.setMoment(320);
  EXPECT_EQ(state.state().window.range, (TimeRange{250, 350})) << "what is in sight is not moved";
  state.setMoment(std::nullopt);
  EXPECT_EQ(state.state().window.range, (TimeRange{1100, 1200}));
}

TEST(SharedState, AWindowThatWasChosenStaysWhenOneComesBackToNow) {
  SharedState state;
  state.setExtent(TimeRange{0, 1000});
  state.setWindow({100, 200});
  state.setMoment(150);
  state.setMoment(std::nullopt);
  EXPECT_EQ(state.state().window.range, (TimeRange{100, 200}));
}

TEST(SharedState, TheWholeRunStaysInSightWhereverTheMomentIs) {
  SharedState state;
  state.setExtent(TimeRange{0, 1000});
  state.setMoment(-5);
  EXPECT_EQ(state.state().window.range, (TimeRange{0, 1000}));
  state.setMoment(5000);
  EXPECT_EQ(state.state().window.range, (TimeRange{0, 1000}));
}

TEST(SharedState, AThingThatHappenedIsOnePlace) {
  SharedState state;
  state.goTo(rankOf(3), TimeRange{10, 20});
  EXPECT_EQ(state.state().selection.rank, 3);
  EXPECT_EQ(state.state().window.range, (TimeRange{10, 20}));
  EXPECT_EQ(state.state().moment, std::nullopt) << "the playhead is moved by the playhead alone";
  state.back();
  EXPECT_EQ(state.state(), ViewState{});
  state.setMoment(15);
  state.goTo(rankOf(3), std::nullopt);
  EXPECT_EQ(state.state().moment, 15);
  EXPECT_EQ(state.state().window, TimeWindow{});
}

TEST(SharedState, WhatFollowsFromASelectionIsNoStepOfUndo) {
  SharedState state;
  state.select(rankOf(3));
  Selection more = state.state().selection;
  more.device = DeviceId{7};
  state.complete(more);
  EXPECT_EQ(state.state().selection.device, DeviceId{7});
  state.back();
  EXPECT_EQ(state.state(), ViewState{});
  state.forward();
  EXPECT_EQ(state.state().selection.device, DeviceId{7});
}

TEST(SharedState, TheNewestDataIsNow) {
  SharedState state;
  state.setExtent(TimeRange{0, 1000});
  state.setMoment(10);
  state.followEnd(100);
  EXPECT_EQ(state.state().moment, std::nullopt);
}

TEST(SharedState, TheEndsOfTimeAreNoProblem) {
  SharedState state;
  state.setWindow({0, 100});
  state.setMoment(std::numeric_limits<TimeNs>::max());
  EXPECT_LE(state.state().window.range.t0, state.state().window.range.t1);
  state.setMoment(std::numeric_limits<TimeNs>::min());
  EXPECT_LE(state.state().window.range.t0, state.state().window.range.t1);
}

TEST(SharedState, AFixedWindowStaysWhenDataArrives) {
  SharedState state;
  state.setExtent(TimeRange{0, 1000});
  state.setWindow({100, 200});
  state.setExtent(TimeRange{0, 5000});
  EXPECT_EQ(state.state().window.range, (TimeRange{100, 200}));
}

TEST(SharedState, PausedStandsStillAndCatchesUpOnResume) {
  SharedState state;
  state.setExtent(TimeRange{0, 1000});
  state.followEnd(100);
  state.setPaused(true);
  state.setExtent(TimeRange{0, 3000});
  EXPECT_EQ(state.state().window.range, (TimeRange{900, 1000}));
  state.setPaused(false);
  EXPECT_EQ(state.state().window.range, (TimeRange{2900, 3000}));
}

TEST(SharedState, AnEmptyRangeIsIgnored) {
  SharedState state;
  state.setWindow({10, 20});
  QSignalSpy changes(&state, &SharedState::changed);
  state.setWindow({30, 30});
  state.setWindow({40, 30});
  EXPECT_EQ(changes.count(), 0);
  EXPECT_EQ(state.state().window.range, (TimeRange{10, 20}));
}

TEST(SharedState, HistoryIsBounded) {
  SharedState state;
  for (std::int32_t i = 0; i < 1000; ++i) state.select(rankOf(i));
  int steps = 0;
  while (state.canGoBack()) {
    state.back();
    ++steps;
  }
  EXPECT_LT(steps, 200);
  EXPECT_GT(state.state().selection.rank, 700);
}

}  // namespace
}  // namespace runglass
