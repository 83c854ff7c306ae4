// SPDX-License-Identifier: Apache-2.0
// The watch of a hub: findings of a live run are stored automatically.
#include "collectors/hub/watch/watch.h"

#include <gmock/gmock.h>

#include <chrono>

#include "analysis/hangs/hangs.h"
#include "tests/app/live_store.h"
#include "tests/support/temp_store.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::kDeadline;
using test::waitUntil;
using ::testing::SizeIs;

class WatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    FakeAnalysis::silence();
    m_hub = Hub::start(m_temp.path(), {}).value();
    m_hub->post([](Writer& writer) {
      recordLiveRun(writer, wallNow() - 10 * kNsPerSecond);
      (void)writer.flush();
    });
  }
  void TearDown() override { FakeAnalysis::silence(); }
  std::vector<Finding> stored() { return (*m_temp.reader(m_hub->readerOptions()))->findings(std::nullopt).value(); }
  WatchOptions options() const { return {.analyses = m_entries, .period = 20 * kNsPerMs}; }

  const std::vector<AnalysisEntry> m_entries = FakeAnalysis::entries();
  TempStore m_temp;
  std::unique_ptr<Hub> m_hub;
};

TEST_F(WatchTest, WhatAnAnalysisFindsIsStoredOnceAndEndsWhenItIsNoLongerSaid) {
  const TimeNs begin = wallNow();
  const Watch watch(m_temp.path(), *m_hub, options());
  FakeAnalysis::say(0, {findingOf("slow_rank", "rank:3", Severity::kWarning, wallNow())});
  ASSERT_TRUE(waitUntil([&] { return stored().size() == 1; }));
  const std::int64_t rounds = watch.stats().rounds;
  ASSERT_TRUE(waitUntil([&] { return watch.stats().rounds > rounds + 3; }));
  EXPECT_EQ(watch.stats().findings_new, 1);
  EXPECT_EQ(watch.stats().findings_changed, 0);
  FakeAnalysis::say(0, std::vector<Finding>());
  EXPECT_TRUE(waitUntil([&] { return stored().at(0).end.has_value(); }));
  EXPECT_THAT(stored(), SizeIs(1));
  // The store records when each version was published.
  const auto published = (*m_temp.reader(m_hub->readerOptions()))->publishedFindings(std::nullopt).value();
  ASSERT_THAT(published, SizeIs(2));
  EXPECT_FALSE(published[0].end);
  EXPECT_TRUE(published[1].end);
  for (const Finding& one : published) EXPECT_TRUE(*one.published >= begin && *one.published <= wallNow()) << *one.published;
}

TEST_F(WatchTest, ANewStandstillAsksForACaptureOnceAndOneThatIsOverDoesNot) {
  std::atomic<int> asked = 0;
  std::string run;
  WatchOptions with = options();
  with.on_stall = [&](const runglass::Run& of, const Finding& finding) {
    EXPECT_EQ(finding.kind, "hang");
    run = of.uuid;
    ++asked;
  };
  Finding over = findingOf("stall", "run", Severity::kError, wallNow() - kNsPerSecond);
  over.end = wallNow();
  FakeAnalysis::say(0, {over, findingOf("slow_rank", "rank:3", Severity::kWarning, wallNow())});
  FakeAnalysis::say(1, {findingOf("hang", "run", Severity::kCritical, wallNow())});
  {
    const Watch watch(m_temp.path(), *m_hub, with);
    ASSERT_TRUE(waitUntil([&] { return watch.stats().rounds > 4 && stored().size() == 3; }));
  }
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(run, "live-uuid");
  const Watch again(m_temp.path(), *m_hub, with);
  ASSERT_TRUE(waitUntil([&] { return again.stats().rounds > 2; }));
  EXPECT_EQ(asked, 1) << "a hang that the store knows was captured when it was new";
}

// A run that hangs at step 100 since `end`; rank 3 keeps the others waiting.
void recordStandstill(Writer& writer, TimeNs end, TimeNs heard) {
  constexpr DurNs kStep = 2 * kNsPerSecond;
  const RunId run = writer.run({.uuid = "hung", .name = "hung", .state = RunState::kRunning, .start = end - 100 * kStep});
  const AttemptId attempt = writer.attempt({.run = run, .key = "0", .start = end - 100 * kStep, .layout = {.world = 4}});
  writer.group({.attempt = attempt, .id = 1, .kind = "dp", .name = "dp 0", .ranks = {0, 1, 2, 3}});
  const SeriesId steps =
      writer.series({.attempt = attempt, .rank = 0, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
  for (std::int64_t step = 0; step < 100; ++step) writer.scalar(steps, step, end - (100 - step) * kStep, static_cast<double>(kStep));
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    writer.rank({.attempt = attempt, .rank = rank});
    Progress progress{.attempt = attempt, .rank = rank, .time = heard, .step = 100, .phase = "steady", .op = "backward", .since = end};
    if (rank != 3) progress.op = "all_reduce", progress.group = 1, progress.seq = 7;
    writer.progress(progress);
  }
  (void)writer.flush();
}

TEST_F(WatchTest, AHubThatRestartsDuringAHangThatWasAStallNotifiesNobodyAgain) {
  const std::vector<AnalysisEntry> hangs = {{"hangs", makeHangs}};
  const TimeNs end = wallNow() - 200 * kNsPerSecond;
  std::atomic<DurNs> passed = 40 * kNsPerSecond;
  WatchOptions with{.analyses = hangs, .period = 20 * kNsPerMs};
  with.clock = [&] { return end + passed + kNsPerSecond; };
  const auto stands = [&](DurNs since) {
    m_hub->post([end, since](Writer& writer) { recordStandstill(writer, end, end + since); });
    passed = since;
  };
  const auto open = [&](const std::string& kind) {
    return std::ranges::any_of(stored(), [&](const Finding& one) { return one.kind == kind && !one.end; });
  };
  const auto alerts = [&] { return (*m_temp.reader(m_hub->readerOptions()))->alerts(10).value(); };
  stands(40 * kNsPerSecond);
  {
    const Watch watch(m_temp.path(), *m_hub, with);
    ASSERT_TRUE(waitUntil([&] { return open("stall") && alerts().size() == 1; }));
    stands(80 * kNsPerSecond);
    ASSERT_TRUE(waitUntil([&] { return open("hang") && !open("stall"); }));
    const std::int64_t rounds = watch.stats().rounds;
    ASSERT_TRUE(waitUntil([&] { return watch.stats().rounds > rounds + 3; }));
    EXPECT_THAT(alerts(), SizeIs(1));
  }
  const Watch again(m_temp.path(), *m_hub, with);
  ASSERT_TRUE(waitUntil([&] { return again.stats().rounds > 5; }));
  EXPECT_THAT(alerts(), SizeIs(1)) << "the same fault";
  EXPECT_FALSE(alerts()[0].end);
}

TEST_F(WatchTest, AFaultOfAnIdleNodeNotifies) {
  m_hub->post([](Writer& writer) {
    const NodeId idle = writer.node({.uuid = "idle", .name = "idle", .state = NodeState::kAlive, .last_heard = wallNow()});
    const DeviceId gpu = writer.device({.uuid = "GPU-9", .node = idle, .index = 3, .kind = "gpu"});
    for (const char* code : {"79", "154", "79"})
      writer.event({.time = wallNow(),
                    .node = idle,
                    .device = gpu,
                    .kind = "xid",
                    .severity = Severity::kCritical,
                    .code = code,
                    .message = "GPU has fallen off the bus"});
    (void)writer.flush();
  });
  const Watch watch(m_temp.path(), *m_hub, options());
  const auto alerts = [&] { return (*m_temp.reader(m_hub->readerOptions()))->alerts(10).value(); };
  ASSERT_TRUE(waitUntil([&] { return !alerts().empty(); }));
  const std::int64_t rounds = watch.stats().rounds;
  ASSERT_TRUE(waitUntil([&] { return watch.stats().rounds > rounds + 3; }));
  ASSERT_THAT(alerts(), SizeIs(1)) << "one fault, whatever its symptoms";
  EXPECT_EQ(alerts()[0].kind, "hardware_fault");
  EXPECT_EQ(alerts()[0].cause, "finding/hardware_fault/device:GPU-9 xid 79");
  EXPECT_TRUE(alerts()[0].due);
  EXPECT_FALSE(alerts()[0].run);
}

TEST_F(WatchTest, AnExpensiveAnalysisTakesHalfTheTimeAtMost) {
  struct Look {
    TimeNs begin, end;
  };
  std::vector<Look> looks;  // used by the watch's thread until it has stopped
  std::atomic<int> looked = 0;
  FakeAnalysis::say(0, [&](const Question&) {
    const TimeNs begin = monotonicNow();
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    looks.push_back({begin, monotonicNow()});
    ++looked;
    return std::vector<Finding>();
  });
  Watch watch(m_temp.path(), *m_hub, options());
  ASSERT_TRUE(waitUntil([&] { return looked >= 4; })) << "rounds before the run is there ask nothing";
  watch.stop();
  for (std::size_t i = 1; i < looks.size(); ++i)
    EXPECT_GE(looks[i].begin - looks[i - 1].end, looks[i - 1].end - looks[i - 1].begin) << "pause before round " << i;
}

TEST_F(WatchTest, StoppingDoesNotWaitForTheNextRound) {
  WatchOptions slow = options();
  slow.period = 3600 * kNsPerSecond;
  Watch watch(m_temp.path(), *m_hub, slow);
  ASSERT_TRUE(waitUntil([&] { return watch.stats().rounds == 1; }));
  const TimeNs begin = monotonicNow();
  watch.stop();
  EXPECT_LT(std::chrono::nanoseconds(monotonicNow() - begin), kDeadline);
}

}  // namespace
}  // namespace runglass
