// SPDX-License-Identifier: Apache-2.0
// When a run hangs, since when, and cases that only look like a hang.
#include "analysis/hangs/hangs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/hangs/hang_evidence.h"
#include "analysis/hangs/stall_clock.h"
#include "analysis/one_fault/watchdog.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;

constexpr TimeNs kT = 1'700'000'000LL * kNsPerSecond;
constexpr DurNs kStep = 2 * kNsPerSecond;

TEST(StallClockTest, AsksForStepsBeforeItJudges) {
  StepClock clock(false);
  std::vector<ClockedStep> steps;
  for (int i = 0; i < 8; ++i) steps.push_back({i, kT + i * kStep, kStep});
  steps.push_back({8, kT + 500 * kNsPerSecond, kStep});
  EXPECT_TRUE(clock.take(steps).empty());
  EXPECT_EQ(clock.stallLimit(), kPhaseLimit);
  EXPECT_EQ(clock.hangLimit({}), kPhaseLimit);
}

TEST(StallClockTest, IsAtLeastThirtySecondsAndFiveTimesTheSlowSteps) {
  StepClock clock(false);
  std::vector<ClockedStep> steps;
  TimeNs at = kT;
  for (int i = 0; i < 200; ++i) steps.push_back({i, at, kStep}), at += i % 50 == 49 ? 20 * kNsPerSecond : kStep;
  EXPECT_TRUE(clock.take(steps).empty()) << "a periodic evaluation inside the steps is none";
  EXPECT_EQ(clock.stallLimit(), 100 * kNsPerSecond);
  EXPECT_EQ(clock.hangLimit({}), 200 * kNsPerSecond);
  EXPECT_EQ(clock.hangLimit(kNsPerSecond), 60 * kNsPerSecond);
  const auto gaps = clock.take({{200, at + 200 * kNsPerSecond, kStep}});
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].step, 199);
  EXPECT_EQ(gaps[0].limit, 100 * kNsPerSecond);
}

TEST(StallClockTest, LogLinesHaveLongerLimits) {
  StepClock clock(true);
  std::vector<ClockedStep> steps;
  for (int i = 0; i < 100; ++i) steps.push_back({i, kT + i * kStep, kStep});
  (void)clock.take(steps);
  EXPECT_EQ(clock.stallLimit(), 300 * kNsPerSecond);
}

TEST(WatchdogTest, IsTenMinutesUnlessFactsSayOtherwise) {
  const auto fact = [](const char* key, const char* value) { return Fact{.key = key, .value = value}; };
  EXPECT_EQ(watchdogOf({}).timeout, kDefaultWatchdog);
  const std::vector<Fact> megatron = {fact("argv", "train.py --distributed-timeout-minutes 30 --x")};
  EXPECT_EQ(watchdogOf(megatron).timeout, 1800 * kNsPerSecond);
  EXPECT_EQ(watchdogOf(megatron).source, "--distributed-timeout-minutes");
  const std::vector<Fact> off = {fact("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0")};
  EXPECT_FALSE(watchdogOf(off).timeout);
  const std::vector<Fact> odd = {fact("distributed_timeout_minutes", "99999999999999999999"), fact("ddp_timeout", "-4")};
  EXPECT_EQ(watchdogOf(odd).timeout, kDefaultWatchdog);
}

// Four ranks on two nodes, TP 2 x DP 2, that took 100 steps of two seconds.
class HangsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = m_file.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_writer = std::move(*opened);
    m_run = m_writer->run({.name = "r", .state = RunState::kRunning, .start = kT});
    m_attempt = m_writer->attempt({.run = m_run, .key = "0", .start = kT, .layout = {.world = 4, .tp = 2, .dp = 2}});
    for (std::int32_t r = 0; r < 4; ++r) {
      const NodeId node = m_writer->node({.uuid = r < 2 ? "a" : "b", .name = r < 2 ? "node-a" : "node-b"});
      m_writer->rank({.attempt = m_attempt, .rank = r, .node = node, .tp = r % 2, .pp = 0, .dp = r / 2});
    }
    m_writer->group({.attempt = m_attempt, .id = 1, .kind = "tp", .name = "tp 0", .ranks = {0, 1}});
    m_writer->group({.attempt = m_attempt, .id = 2, .kind = "tp", .name = "tp 1", .ranks = {2, 3}});
    m_writer->group({.attempt = m_attempt, .id = 3, .kind = "dp", .name = "dp 0", .ranks = {0, 2}});
    m_writer->group({.attempt = m_attempt, .id = 4, .kind = "dp", .name = "dp 1", .ranks = {1, 3}});
    m_steps = m_writer->series({.attempt = m_attempt, .rank = 0, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
    step(0, 100);
  }
  void step(std::int64_t first, std::int64_t end, DurNs late = 0) {
    for (std::int64_t s = first; s < end; ++s) m_writer->scalar(m_steps, s, kT + s * kStep + late, static_cast<double>(kStep));
    m_end = kT + end * kStep + late;
  }
  // Rank 3 computes and never enters the operation; the others wait for it; reported again after `later`.
  void hang(DurNs later, const std::string& phase = "steady", bool silent = false) {
    const auto say = [&](std::int32_t rank, const char* op, std::optional<std::int64_t> group, std::optional<std::int64_t> seq) {
      m_writer->progress({.attempt = m_attempt,
                          .rank = rank,
                          .time = m_end + later,
                          .step = 100,
                          .group = group,
                          .seq = seq,
                          .phase = phase,
                          .op = op,
                          .since = m_end + kNsPerSecond});
    };
    say(0, "all_reduce", 3, 100), say(1, "all_reduce", 4, 100), say(2, "all_reduce", 2, 4000);
    if (!silent) say(3, "backward", {}, {});
  }
  void process(std::int32_t rank, DurNs later, const std::string& state) {
    m_writer->capture({.time = m_end + later,
                       .attempt = m_attempt,
                       .rank = rank,
                       .kind = "process",
                       .text = "Name:\tpython3\nState:\t" + state + "\nTgid:\t7\nwchan: 0\nthread 7 python3: R (running), wchan 0\n"});
  }
  void move(DurNs later) {
    for (std::int32_t rank = 0; rank < 4; ++rank)
      m_writer->progress({.attempt = m_attempt,
                          .rank = rank,
                          .time = m_end + later,
                          .step = 101,
                          .phase = "steady",
                          .op = "forward",
                          .since = m_end + later});
  }
  std::vector<Finding> look(std::optional<TimeNs> now = {}) {
    EXPECT_TRUE(m_writer->flush().ok());
    auto reader = m_file.reader();
    EXPECT_TRUE(reader.ok());
    auto found = m_hangs->look({.reader = **reader, .run = m_run, .now = now, .stop = {}});
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? *found : std::vector<Finding>();
  }

  TempStore m_file;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<Analysis> m_hangs = makeHangs();
  RunId m_run;
  AttemptId m_attempt;
  SeriesId m_steps;
  TimeNs m_end = 0;
};

TEST_F(HangsTest, ARunThatMovesGivesNothing) {
  EXPECT_TRUE(look().empty());
  move(kNsPerSecond);
  EXPECT_TRUE(look(m_end + 10 * kNsPerSecond).empty());
}

TEST_F(HangsTest, AFlightRecorderCapturedFromARunThatMovesIsNoHang) {
  m_writer->fact({.attempt = m_attempt, .rank = 0, .key = "flight_recorder_version", .value = "2.9"});
  hang(2 * kNsPerSecond);
  EXPECT_TRUE(look(m_end + 3 * kNsPerSecond).empty()) << "ranks wait for each other in every step";
}

TEST_F(HangsTest, NamesTheCollectiveTheRankAndTheTimeThatIsLeft) {
  hang(100 * kNsPerSecond);
  const auto found = look();
  ASSERT_EQ(found.size(), 1U);
  const Finding& hang = found[0];
  EXPECT_EQ(hang.kind, "hang");
  EXPECT_EQ(hang.severity, Severity::kCritical);
  EXPECT_EQ(hang.rank, 3);
  EXPECT_EQ(hang.tp, 1);
  EXPECT_EQ(hang.first_step, 100);
  EXPECT_FALSE(hang.end);
  EXPECT_THAT(hang.summary,
              HasSubstr("3 of 4 ranks wait at step 100; root: all_reduce #4000 of tp 1, where rank 3 (node-b) has not entered"));
  const auto evidence = parseHangEvidence(hang.evidence);
  ASSERT_TRUE(evidence.ok());
  EXPECT_EQ(evidence->watchdog_at, m_end + kNsPerSecond + kDefaultWatchdog);
  EXPECT_EQ(evidence->culprits[0].standing, HangStanding::kComputing);
}

TEST_F(HangsTest, LearnsTheMembersOfACommunicatorFromTheirSpans) {
  for (std::int32_t rank = 2; rank < 4; ++rank) {
    SpanColumns spans;
    spans.names = {"all_reduce"};
    spans.start = {m_end - 5 * kNsPerSecond}, spans.dur = {kNsPerSecond}, spans.name = {0}, spans.category = {SpanCategory::kComm};
    spans.depth = {0}, spans.group = {77}, spans.seq = {4};
    m_writer->spans(m_writer->track({.attempt = m_attempt, .rank = rank, .kind = "thread", .name = "trainer"}), spans);
  }
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    Progress p{.attempt = m_attempt,
               .rank = rank,
               .time = m_end + 100 * kNsPerSecond,
               .step = 100,
               .phase = "steady",
               .op = "backward",
               .since = m_end};
    if (rank == 2) p.op = "all_reduce", p.group = 77, p.seq = 5;
    m_writer->progress(p);
  }
  const auto found = look();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rank, 3) << found[0].summary;
  EXPECT_THAT(found[0].summary, HasSubstr("all_reduce #5 of tp group 77"));
}

TEST_F(HangsTest, SaysAStallFirstAndThenOneHangAndEndsIt) {
  hang(2 * kNsPerSecond);
  EXPECT_TRUE(look(m_end + 20 * kNsPerSecond).empty());
  hang(40 * kNsPerSecond);
  auto found = look(m_end + 41 * kNsPerSecond);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "stall");
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  hang(80 * kNsPerSecond);
  found = look(m_end + 81 * kNsPerSecond);
  ASSERT_EQ(found.size(), 2U) << "the hang, and the stall that ends in it";
  EXPECT_EQ(found[0].kind, "hang");
  EXPECT_EQ(found[1].kind, "stall");
  EXPECT_TRUE(found[1].end);
  const auto first = found[0];
  hang(90 * kNsPerSecond);
  found = look(m_end + 91 * kNsPerSecond);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].first_step, first.first_step) << "one finding per hang";
  EXPECT_EQ(found[0].subject, first.subject);
  move(120 * kNsPerSecond);
  found = look(m_end + 121 * kNsPerSecond);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "hang");
  EXPECT_EQ(found[0].end, m_end + 120 * kNsPerSecond);
  EXPECT_TRUE(look(m_end + 122 * kNsPerSecond).empty());
}

TEST_F(HangsTest, EndsWhatAnEarlierLifeOfTheHubSaid) {
  hang(100 * kNsPerSecond);
  for (const Finding& finding : look(m_end + 101 * kNsPerSecond)) m_writer->finding(finding);
  move(130 * kNsPerSecond);
  m_hangs = makeHangs();
  const auto found = look(m_end + 131 * kNsPerSecond);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].end, m_end + 130 * kNsPerSecond);
}

TEST_F(HangsTest, AnEarlierLifesStallThatBecameTheHangIsReportedWithIt) {
  hang(40 * kNsPerSecond);
  for (const Finding& finding : look(m_end + 41 * kNsPerSecond)) m_writer->finding(finding);
  hang(80 * kNsPerSecond);
  for (const Finding& finding : look(m_end + 81 * kNsPerSecond)) m_writer->finding(finding);
  m_hangs = makeHangs();
  hang(90 * kNsPerSecond);
  const auto found = look(m_end + 91 * kNsPerSecond);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, "hang");
  EXPECT_FALSE(found[0].end);
  EXPECT_EQ(found[1].kind, "stall");
  EXPECT_EQ(found[1].end, found[0].start);
  EXPECT_EQ(look(m_end + 92 * kNsPerSecond).size(), 1U) << "once is enough";
}

TEST_F(HangsTest, ASilentRankIsTheCulprit) {
  hang(0);
  hang(100 * kNsPerSecond, "steady", true);
  const auto found = look();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rank, 3);
  EXPECT_THAT(found[0].summary, HasSubstr("silent"));
}

TEST_F(HangsTest, AProcessThatIsStoppedIsTheCulpritWhateverItReported) {
  // Rank 2 is stopped inside the operation that rank 3 has entered too: by progress alone, no rank is missing.
  const auto say = [&](std::int32_t rank, const char* op, std::int64_t group, std::int64_t seq) {
    m_writer->progress({.attempt = m_attempt,
                        .rank = rank,
                        .time = m_end + 100 * kNsPerSecond,
                        .step = 100,
                        .group = group,
                        .seq = seq,
                        .phase = "steady",
                        .op = op,
                        .since = m_end + kNsPerSecond});
  };
  say(0, "all_reduce", 3, 100), say(1, "all_reduce", 4, 100), say(2, "all_reduce", 2, 4000), say(3, "all_reduce", 2, 4000);
  EXPECT_THAT(look().at(0).summary, HasSubstr("all 2 members have entered and none leaves"));
  process(2, 40 * kNsPerSecond, "T (stopped)");
  process(3, 40 * kNsPerSecond, "S (sleeping)");
  const auto found = look();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rank, 2);
  EXPECT_THAT(found[0].summary, HasSubstr("3 of 4 ranks wait at step 100; rank 2 (node-b) does not run: process state T (stopped); "
                                          "root: all_reduce #4000 of tp 1"));
  EXPECT_EQ(parseHangEvidence(found[0].evidence)->culprits.at(0).process_state, "T (stopped)");
}

TEST_F(HangsTest, DiskSleepCountsWhereTwoCapturesTwoSecondsApartShowIt) {
  hang(100 * kNsPerSecond);
  process(1, 40 * kNsPerSecond, "D (disk sleep)");
  EXPECT_EQ(look().at(0).rank, 3);
  process(1, 41 * kNsPerSecond, "D (disk sleep)");
  EXPECT_EQ(look().at(0).rank, 3) << "of one read";
  process(1, 42 * kNsPerSecond, "D (disk sleep)");
  EXPECT_EQ(look().at(0).rank, 1);
  process(1, 50 * kNsPerSecond, "S (sleeping)");
  process(1, 51 * kNsPerSecond, "D (disk sleep)");
  EXPECT_EQ(look().at(0).rank, 3) << "it ran in between";
  process(3, 52 * kNsPerSecond, "Z (zombie)");
  EXPECT_THAT(look().at(0).summary, HasSubstr("process state Z (zombie)"));
}

TEST_F(HangsTest, StacksNameTheRankThatProgressDoesNotAndTheFrameOfOneThatItDoes) {
  const auto stack = [&](std::int32_t rank, const char* function) {
    m_writer->capture({.time = m_end + 40 * kNsPerSecond,
                       .attempt = m_attempt,
                       .rank = rank,
                       .kind = "stack",
                       .text = "Current thread 0x1 (most recent call first):\n  File \"/a/train.py\", line 7 in " + std::string(function) +
                               "\n  File \"/a/train.py\", line 90 in main\n"});
  };
  for (const std::int32_t rank : {0, 1, 2}) stack(rank, "all_reduce");
  stack(3, "read_shard");
  hang(100 * kNsPerSecond);
  EXPECT_THAT(look().at(0).summary, HasSubstr("rank 3 (node-b) has not entered: in backward; stack in read_shard (train.py:7), 3 other "
                                              "ranks in all_reduce (train.py:7)"));
  m_hangs = makeHangs();
  for (std::int32_t rank = 0; rank < 4; ++rank)
    m_writer->progress(
        {.attempt = m_attempt, .rank = rank, .time = m_end + 101 * kNsPerSecond, .step = 100, .phase = "steady", .since = m_end});
  const auto found = look();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rank, 3);
  EXPECT_THAT(found[0].summary, HasSubstr("; suspect: rank 3 (node-b); stack in read_shard (train.py:7), 3 other ranks in all_reduce"));
}

// Rank 0 is still in an operation that its peer has completed: the peer is waiting for it elsewhere.
TEST_F(HangsTest, AMemberThatHasLeftByItsSpansIsNotMissing) {
  SpanColumns spans;
  spans.names = {"all_reduce"};
  spans.start = {m_end - 5 * kNsPerSecond, m_end}, spans.dur = {kNsPerSecond, kNsPerSecond}, spans.name = {0, 0};
  spans.category = {SpanCategory::kComm, SpanCategory::kComm}, spans.depth = {0, 0}, spans.group = {1, 1}, spans.seq = {69, 70};
  m_writer->spans(m_writer->track({.attempt = m_attempt, .rank = 1, .kind = "thread", .name = "main"}), spans);
  for (std::int32_t rank = 0; rank < 4; ++rank)
    m_writer->progress({.attempt = m_attempt,
                        .rank = rank,
                        .time = m_end + 100 * kNsPerSecond,
                        .step = 100,
                        .group = rank == 0 ? std::optional<std::int64_t>(1) : std::nullopt,
                        .seq = rank == 0 ? std::optional<std::int64_t>(70) : std::nullopt,
                        .phase = "steady",
                        .op = rank == 0 ? "all_reduce" : "recv_forward",
                        .since = m_end});
  const auto found = look();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rank, 0) << found[0].summary;
  EXPECT_THAT(found[0].summary, HasSubstr("all_reduce #70 of tp 0, which other members have completed and rank 0 (node-a) has not"));
}

TEST_F(HangsTest, WhoIsMissingIsNotKnownForAReason) {
  const auto wait = [&](std::int32_t rank, std::optional<std::int64_t> group) {
    m_writer->progress({.attempt = m_attempt,
                        .rank = rank,
                        .time = m_end + 100 * kNsPerSecond,
                        .step = 100,
                        .group = group,
                        .seq = 9,
                        .phase = "steady",
                        .op = "all_reduce",
                        .since = m_end});
  };
  wait(0, 77);
  EXPECT_THAT(look().at(0).summary, HasSubstr("missing ranks are not known: only one rank reports progress"));
  wait(1, 77);
  EXPECT_THAT(look().at(0).summary, HasSubstr("not known: the members of its communicator are not recorded"));
  m_hangs = makeHangs();  // the ranks now report another operation
  wait(0, {}), wait(1, {});
  EXPECT_THAT(look().at(0).summary, HasSubstr("not known: the ranks report neither communicator nor peer of it"));
}

TEST_F(HangsTest, HangsThatRecoveredDoNotHideTheNextOne) {
  step(100, 101);
  for (const std::int64_t hung : {101, 111, 121}) {
    m_writer->scalar(m_steps, hung, m_end, static_cast<double>(108 * kNsPerSecond));
    const TimeNs late = m_end + 108 * kNsPerSecond - kT - (hung + 1) * kStep;
    step(hung + 1, hung + 10, late);
  }
  hang(80 * kNsPerSecond);
  const auto found = look(m_end + 81 * kNsPerSecond);
  EXPECT_EQ(std::ranges::count(found, "stall", &Finding::kind), 3) << "those that are over";
  EXPECT_EQ(std::ranges::count(found, "hang", &Finding::kind), 1);
}

TEST_F(HangsTest, WithoutAnyProgressNothingIsKnown) {
  EXPECT_TRUE(look(m_end + 3600 * kNsPerSecond).empty()) << "a stored run, or one whose agents are gone";
  hang(2 * kNsPerSecond);
  EXPECT_TRUE(look(m_end + 3600 * kNsPerSecond).empty()) << "no rank was heard for an hour: that is the hub's trouble";
}

TEST_F(HangsTest, StartsCheckpointsAndEvaluationsHaveTimeAndPlannedEndsAreQuiet) {
  for (const char* phase : {"init", "eval", "checkpoint", "warmup"}) {
    hang(300 * kNsPerSecond, phase);
    EXPECT_TRUE(look().empty()) << phase;
  }
  hang(700 * kNsPerSecond, "checkpoint");
  EXPECT_EQ(look().size(), 1U) << "but not for ever";
  m_hangs = makeHangs();
  m_writer->event({.time = m_end + 2 * kNsPerSecond, .attempt = m_attempt, .kind = "terminated", .severity = Severity::kWarning});
  hang(700 * kNsPerSecond);
  EXPECT_TRUE(look().empty()) << "SIGTERM";
}

TEST_F(HangsTest, ASaveThatNamesNoPhaseHasTimeAndIsRemembered) {
  hang(200 * kNsPerSecond);
  m_writer->checkpoint({.attempt = m_attempt, .step = 99, .begin = m_end, .path = "c"});
  EXPECT_TRUE(look().empty()) << "it is being written";
  m_writer->checkpoint({.attempt = m_attempt, .step = 99, .begin = m_end, .durable = m_end + 180 * kNsPerSecond, .path = "c"});
  EXPECT_TRUE(look().empty()) << "the next step has just begun";
  hang(280 * kNsPerSecond);
  EXPECT_EQ(look().size(), 1U);
  m_hangs = makeHangs();
  m_writer->checkpoint({.attempt = m_attempt, .step = 99, .begin = m_end, .durable = m_end + 390 * kNsPerSecond, .path = "c"});
  step(101, 130, 400 * kNsPerSecond);
  m_writer->event({.time = m_end, .attempt = m_attempt, .kind = "eval_begin", .severity = Severity::kInfo});
  hang(900 * kNsPerSecond);
  EXPECT_TRUE(look().empty()) << "an evaluation; three times as long as the save is not yet over";
  hang(1300 * kNsPerSecond);
  EXPECT_EQ(look().size(), 1U);
}

// A trainer that reports only its steps, and the first one compiles: no step has ended, and no operation with its start time is reported.
class FirstStepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = m_file.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_writer = std::move(*opened);
    m_run = m_writer->run({.name = "r", .state = RunState::kRunning, .start = kT});
    m_attempt = m_writer->attempt({.run = m_run, .key = "0", .start = kT});
  }
  void say(TimeNs time) { m_writer->progress({.attempt = m_attempt, .rank = 0, .time = time, .step = 0, .phase = "init"}); }
  std::vector<Finding> look(TimeNs now) {
    EXPECT_TRUE(m_writer->flush().ok());
    auto reader = m_file.reader();
    EXPECT_TRUE(reader.ok());
    auto found = m_hangs->look({.reader = **reader, .run = m_run, .now = now, .stop = {}});
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? *found : std::vector<Finding>();
  }

  TempStore m_file;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<Analysis> m_hangs = makeHangs();
  RunId m_run;
  AttemptId m_attempt;
};

TEST_F(FirstStepTest, TheClockBeginsWhenTheRunIsFirstSeen) {
  constexpr TimeNs kSeen = kT + 1'800 * kNsPerSecond;  // half an hour of imports and data indexing preceded the first step
  for (DurNs later = 0; later < kPhaseLimit; later += 30 * kNsPerSecond) {
    say(kSeen + later);
    const auto found = look(kSeen + later + kNsPerSecond);
    ASSERT_TRUE(found.empty()) << later / kNsPerSecond << " s: " << found.front().summary;
  }
  say(kSeen + kPhaseLimit);
  const auto found = look(kSeen + kPhaseLimit);
  ASSERT_EQ(found.size(), 1U) << "but not for ever";
  EXPECT_EQ(found[0].start, kSeen);
  EXPECT_THAT(found[0].summary, HasSubstr("No rank has moved at step 0 for 10 min"));
}

TEST_F(FirstStepTest, AStandstillThatAnEarlierLifeOfTheHubFoundGoesOn) {
  say(kT + 10 * kNsPerSecond);
  (void)look(kT + 10 * kNsPerSecond);
  say(kT + 700 * kNsPerSecond);
  const auto found = look(kT + 700 * kNsPerSecond);
  ASSERT_EQ(found.size(), 1U);
  m_writer->finding(found[0]);
  m_hangs = makeHangs();
  say(kT + 710 * kNsPerSecond);
  const auto again = look(kT + 710 * kNsPerSecond);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].start, found[0].start);
  EXPECT_FALSE(again[0].end);
}

TEST_F(FirstStepTest, AWatchdogsDefaultTimeoutDoesNotReachBeforeTheAttempt) {
  m_writer->event({.time = kT + 60 * kNsPerSecond,
                   .attempt = m_attempt,
                   .rank = 0,
                   .kind = "collective_timeout",
                   .severity = Severity::kError,
                   .message = "Watchdog caught collective operation timeout"});
  const auto found = look(kT + 70 * kNsPerSecond);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].start, kT);
  EXPECT_EQ(found[0].end, kT + 60 * kNsPerSecond);
}

TEST_F(HangsTest, AFinishedRunHangsNoLonger) {
  hang(700 * kNsPerSecond);
  m_writer->run({.name = "r", .state = RunState::kFinished, .end = m_end + 700 * kNsPerSecond});
  EXPECT_TRUE(look().empty());
}

TEST_F(HangsTest, OfARunThatFinishedAStandstillAtItsEndIsWithdrawn) {
  hang(40 * kNsPerSecond);
  ASSERT_EQ(look(m_end + 41 * kNsPerSecond).size(), 1U) << "no step has ended: it saves for the last time";
  m_writer->run({.name = "r", .state = RunState::kFinished, .end = m_end + 50 * kNsPerSecond});
  const auto found = look();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kInfo);
  EXPECT_EQ(found[0].end, found[0].start);
}

TEST_F(HangsTest, AHangThatRecoveredBeforeTheRunFinishedWasOne) {
  hang(100 * kNsPerSecond);
  ASSERT_EQ(look(m_end + 101 * kNsPerSecond).size(), 1U);
  step(101, 103, 120 * kNsPerSecond);
  m_writer->run({.name = "r", .state = RunState::kFinished, .end = m_end + kNsPerSecond});
  const auto found = look();
  const auto hang = std::ranges::find(found, "hang", &Finding::kind);
  ASSERT_NE(hang, found.end());
  EXPECT_EQ(hang->severity, Severity::kCritical);
  EXPECT_GT(hang->end, hang->start);
}

TEST_F(HangsTest, APastStallIsReportedUnlessACheckpointExplainsIt) {
  step(101, 130, 90 * kNsPerSecond);
  auto found = look();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "stall");
  EXPECT_TRUE(found[0].end);
  EXPECT_EQ(found[0].first_step, 99);
  m_writer->checkpoint(
      {.attempt = m_attempt, .step = 99, .begin = kT + 201 * kNsPerSecond, .durable = kT + 280 * kNsPerSecond, .path = "c"});
  m_hangs = makeHangs();
  EXPECT_TRUE(look().empty());
}

// Ten steps have ended since: a later stall does not wait for that checkpoint, or that evaluation.
TEST_F(HangsTest, ASaveThatWasOverSomeStepsBeforeAStallDoesNotExplainIt) {
  step(101, 130, 90 * kNsPerSecond);
  m_writer->checkpoint(
      {.attempt = m_attempt, .step = 89, .begin = m_end - 170 * kNsPerSecond, .durable = kT + 180 * kNsPerSecond, .path = "c"});
  m_writer->event({.time = kT + 180 * kNsPerSecond, .attempt = m_attempt, .kind = "eval_end", .severity = Severity::kInfo});
  EXPECT_EQ(look().size(), 1U);
}

TEST_F(HangsTest, AnEvaluationsValueExplainsAStallAndWhatIsLoggedWithEveryStepDoesNot) {
  step(101, 130, 90 * kNsPerSecond);
  const SeriesId tokens = m_writer->series({.attempt = m_attempt, .metric = "train/valid_tokens", .kind = SeriesKind::kScalar});
  for (std::int64_t s = 0; s < 130; ++s) m_writer->scalar(tokens, s, kT + s * kStep, 4096);
  ASSERT_EQ(look().size(), 1U) << "no evaluation";
  const SeriesId loss = m_writer->series({.attempt = m_attempt, .metric = "valid/loss", .kind = SeriesKind::kScalar});
  for (const std::int64_t s : {49, 99}) m_writer->scalar(loss, s, kT + s * kStep, 2.5);
  m_hangs = makeHangs();
  EXPECT_TRUE(look().empty());
}

// A log without times of a job with eight ranks.
class UndatedLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = m_file.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_writer = std::move(*opened);
    m_run = m_writer->run({.name = "r", .time_domain = TimeDomain::kNone});
    m_attempt = m_writer->attempt({.run = m_run, .key = "0", .layout = {.world = 8}});
  }
  void timeout(std::int32_t rank) {
    m_writer->event({.attempt = m_attempt, .rank = rank, .kind = "collective_timeout", .severity = Severity::kError, .code = "7"});
  }
  void state(std::int32_t rank, const char* completed) {
    m_writer->event({.attempt = m_attempt,
                     .rank = rank,
                     .kind = "collective_state",
                     .code = completed,
                     .message = "[PG 0 Rank " + std::to_string(rank) + "] Timeout at NCCL work: 7"});
  }
  std::vector<Finding> look() {
    EXPECT_TRUE(m_writer->flush().ok());
    const auto reader = m_file.reader();
    const auto found = makeHangs()->look({.reader = **reader, .run = m_run, .now = {}, .stop = {}});
    EXPECT_TRUE(found.ok()) << found.status().message();
    return *found;
  }
  TempStore m_file;
  std::unique_ptr<Writer> m_writer;
  RunId m_run;
  AttemptId m_attempt;
};

TEST_F(UndatedLogTest, IsAHangWhoseRanksAreThoseOfTimeoutsAndOfStatesTogether) {
  for (const std::int32_t rank : {0, 2, 4, 6}) timeout(rank);
  for (const std::int32_t rank : {1, 3, 5}) state(rank, "6");
  const auto found = look();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].summary, "7 of 8 ranks timed out in collectives; rank 7 did not");
  EXPECT_FALSE(found[0].start) << "the log has no clock";
}

TEST_F(UndatedLogTest, WhoWasMissingIsNotKnownForAReason) {
  const auto reason = [&] {
    const auto found = look();
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? std::string() : found[0].summary;
  };
  m_writer->event({.attempt = m_attempt, .kind = "collective_timeout", .severity = Severity::kError});
  EXPECT_EQ(reason(), "1 collective timeout; missing ranks are not known: the log names no rank");
  timeout(3);
  EXPECT_THAT(reason(), HasSubstr("not known: timeouts of only 1 of 8 ranks are recorded"));
  for (std::int32_t rank = 0; rank < 8; ++rank) timeout(rank);
  EXPECT_THAT(reason(), HasSubstr("not known: all 8 ranks timed out, none ahead of the others"));
}

TEST_F(UndatedLogTest, RanksThatAreRecordedAreTheWorldWhereNoLayoutIs) {
  m_attempt = m_writer->attempt({.run = m_run, .key = "1"});
  for (std::int32_t rank = 0; rank < 5; ++rank) m_writer->rank({.attempt = m_attempt, .rank = rank});
  for (const std::int32_t rank : {0, 1, 2, 4}) timeout(rank);
  const auto found = look();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].summary, "4 of 5 ranks timed out in collectives; rank 3 did not");
}

TEST_F(UndatedLogTest, WhereAllRanksTimedOutTheOneFurthestBehindIsTheSuspect) {
  const char* const completed[] = {"55", "4", "47", "39", "6", "6", "6", "6"};
  for (std::int32_t rank = 0; rank < 8; ++rank) timeout(rank), state(rank, completed[rank]);
  const auto found = look();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].summary, "8 of 8 ranks timed out in collectives; rank 1 is furthest behind");
}

TEST_F(HangsTest, TheWatchdogsWordsOfAnEarlierAttemptAreAHangThatEnded) {
  for (std::int32_t rank = 0; rank < 3; ++rank)
    m_writer->event({.time = m_end + 600 * kNsPerSecond,
                     .attempt = m_attempt,
                     .rank = rank,
                     .kind = "collective_timeout",
                     .severity = Severity::kError,
                     .code = "100",
                     .message =
                         "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=100, OpType=ALLREDUCE, Timeout(ms)=600000) ran "
                         "for 590000 milliseconds"});
  (void)m_writer->attempt({.run = m_run, .key = "1", .start = m_end + 700 * kNsPerSecond});
  const auto found = look();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].start, m_end + 10 * kNsPerSecond);
  EXPECT_EQ(found[0].end, m_end + 600 * kNsPerSecond);
  EXPECT_EQ(found[0].summary, "3 of 4 ranks timed out in collectives at step 99; rank 3 (node-b) did not")
      << "who says nothing is the suspect";
  EXPECT_EQ(found[0].rank, 3);
  // Steps that arrived late, and a restarted hub.
  m_writer->finding(found[0]);
  step(100, 103);
  const auto again = look();
  m_hangs = makeHangs();
  const auto restarted = look();
  ASSERT_EQ(again.size(), 1U);
  ASSERT_EQ(restarted.size(), 1U);
  EXPECT_EQ(again[0].first_step, 99);
  EXPECT_EQ(restarted[0].first_step, 99);
  EXPECT_EQ(restarted[0].last_step, 102);
}

}  // namespace
}  // namespace runglass
