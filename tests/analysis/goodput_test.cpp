// SPDX-License-Identifier: Apache-2.0
// Goodput: all of a run's wall time is attributed to recorded activities, or stays unexplained.
#include "analysis/goodput/goodput.h"

#include <gmock/gmock.h>

#include <numeric>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/storage/sample_store.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
constexpr DurNs kSecond = kNsPerSecond;

std::optional<DurNs> spent(const SpendTimes& times, Spend spend) { return times[static_cast<std::size_t>(spend)]; }
DurNs sum(const SpendTimes& times) {
  DurNs all = 0;
  for (const auto& one : times) all += one.value_or(0);
  return all;
}

// `steps` in a row of ten seconds each.
AttemptRecord attempt(std::int32_t number, TimeNs start, std::int64_t first, std::int64_t last, TimeNs first_begin) {
  AttemptRecord record{.number = number, .start = start, .layout = {.world = 8}};
  for (std::int64_t s = first; s <= last; ++s) {
    const TimeNs begin = first_begin + (s - first) * 10 * kSecond;
    record.steps.push_back(
        {.step = s, .begin = begin, .end = begin + 10 * kSecond, .kind = s == first ? StepKind::kFirst : StepKind::kTraining});
  }
  return record;
}

// Crashed at step 150 of 300, stalled for 100 s, 50 s until the next start, resumed from 100.
std::vector<AttemptRecord> crashed() {
  AttemptRecord first = attempt(0, 0, 1, 150, 20 * kSecond);
  first.end = 1'620 * kSecond;
  first.known.push_back({{1'520 * kSecond, 1'620 * kSecond}, Spend::kStalled});
  first.ending = {.kind = EndKind::kHardware, .planned = false};
  AttemptRecord second = attempt(1, 1'670 * kSecond, 101, 300, 1'700 * kSecond);
  second.resumed_from = 100;
  second.end = 3'705 * kSecond;
  second.ending = {.kind = EndKind::kFinished, .planned = true};
  return {first, second};
}

TEST(RestartLedger, PartsSumToTheWallTime) {
  const Ledger l = makeLedger(crashed());
  ASSERT_TRUE(l.wall);
  EXPECT_EQ(*l.wall, 3'705 * kSecond);
  EXPECT_EQ(sum(l.spent), *l.wall);
  EXPECT_EQ(spent(l.spent, Spend::kStartUp), (20 + 30) * kSecond);
  EXPECT_EQ(spent(l.spent, Spend::kStalled), 100 * kSecond);
  EXPECT_EQ(spent(l.spent, Spend::kGap), 50 * kSecond);
  EXPECT_EQ(spent(l.spent, Spend::kCatchUp), 500 * kSecond);
  EXPECT_EQ(spent(l.spent, Spend::kProductive), 3'000 * kSecond);
  EXPECT_EQ(spent(l.spent, Spend::kAfterLast), 5 * kSecond);
}
TEST(RestartLedger, StepsOfWhichOnlyTheirLengthIsReportedAreProductiveForAsLong) {
  AttemptRecord log{.number = 0, .start = 0, .end = 1'000 * kSecond, .first_step = 1, .last_step = 80};
  log.durations.assign(80, 10 * kSecond);
  const Ledger l = makeLedger({log});
  EXPECT_EQ(spent(l.spent, Spend::kProductive), 800 * kSecond);
  EXPECT_EQ(spent(l.spent, Spend::kUnexplained), 200 * kSecond);
  EXPECT_EQ(sum(l.spent), *l.wall);
  EXPECT_NEAR(*l.effective_ratio, 0.8, 1e-12);
  EXPECT_TRUE(l.rows[0].untimed);
  // Their times are unknown.
  ASSERT_EQ(l.rows[0].segments.size(), 1U);
  EXPECT_EQ(l.rows[0].segments[0].spend, Spend::kUnexplained);
}
TEST(RestartLedger, WhatIsNotKnownIsAbsentAndNotZero) {
  const Ledger l = makeLedger(crashed());
  EXPECT_FALSE(spent(l.spent, Spend::kInit));
  EXPECT_FALSE(spent(l.spent, Spend::kLoad));
  EXPECT_FALSE(spent(l.spent, Spend::kSave));
}
TEST(RestartLedger, TheRateIsKeptStepsTimesIterationTimeOverWallTime) {
  const Ledger l = makeLedger(crashed());
  EXPECT_EQ(l.completed_steps, 300);
  EXPECT_EQ(l.lost_steps, 50);
  EXPECT_NEAR(*l.effective_ratio, 300.0 * 10 / 3'705, 1e-12);
}
TEST(RestartLedger, ASecondCrashDuringCatchUpLosesOnlyWhatWasRedone) {
  auto attempts = crashed();
  AttemptRecord middle = attempt(1, 1'670 * kSecond, 101, 120, 1'700 * kSecond);
  middle.resumed_from = 100, middle.end = 1'900 * kSecond;
  middle.ending = {.kind = EndKind::kKilled, .planned = false};
  AttemptRecord last = attempt(2, 1'950 * kSecond, 101, 300, 2'000 * kSecond);
  last.resumed_from = 100;
  const Ledger l = makeLedger({attempts[0], middle, last});
  EXPECT_EQ(l.lost_steps, 50 + 20);
  EXPECT_EQ(l.completed_steps, 300);
  EXPECT_EQ(spent(l.rows[1].spent, Spend::kCatchUp), 200 * kSecond);
  EXPECT_EQ(spent(l.rows[2].spent, Spend::kCatchUp), 500 * kSecond);  // up to step 150, which the first one had reached
  EXPECT_EQ(l.failures, 2);
}
TEST(RestartLedger, AnAttemptThatNeverSteppedDoesNotHideWhatTheOneBeforeItLost) {
  const AttemptRecord first = crashed()[0];
  const AttemptRecord stillborn{.number = 1, .start = 1'670 * kSecond, .end = 1'680 * kSecond, .resumed_from = 100, .layout = {.world = 8}};
  AttemptRecord last = attempt(2, 1'690 * kSecond, 101, 300, 1'700 * kSecond);
  last.resumed_from = 100;
  const Ledger l = makeLedger({first, stillborn, last});
  EXPECT_EQ(l.completed_steps, 300);
  EXPECT_EQ(l.lost_steps, 50);
  EXPECT_EQ(l.rows[2].lost_steps, 50);
}
TEST(RestartLedger, AnElasticRestartIsMeasuredByItsOwnIterationTime) {
  AttemptRecord first = attempt(0, 0, 1, 100, 0);
  first.end = 1'000 * kSecond, first.ending = {.kind = EndKind::kKilled, .planned = false};
  AttemptRecord second{.number = 1, .start = 1'000 * kSecond, .end = 3'000 * kSecond, .resumed_from = 100, .layout = {.world = 4}};
  for (std::int64_t s = 101; s <= 200; ++s) {
    const TimeNs begin = 1'000 * kSecond + (s - 101) * 20 * kSecond;
    second.steps.push_back({.step = s, .begin = begin, .end = begin + 20 * kSecond});
  }
  const Ledger l = makeLedger({first, second});
  EXPECT_NEAR(*l.effective_ratio, 1, 1e-12);
  EXPECT_TRUE(l.rows[1].layout_changed);
  EXPECT_EQ(l.lost_steps, 0);
}
TEST(RestartLedger, AnEndThatNobodyReportedMakesNoSchedulingGap) {
  auto attempts = crashed();
  attempts[0].end.reset();
  attempts[0].known.clear();
  const Ledger l = makeLedger(attempts);
  EXPECT_FALSE(spent(l.spent, Spend::kGap));
  EXPECT_EQ(spent(l.spent, Spend::kUnexplained), (1'670 - 1'520) * kSecond);
  EXPECT_EQ(sum(l.spent), *l.wall);
}
TEST(RestartLedger, ALineOfALogThatSumsUpTenStepsIsSplitWhereCatchUpEnds) {
  AttemptRecord first = attempt(0, 0, 1, 15, 0);
  first.end = 150 * kSecond;
  AttemptRecord second{.number = 1, .start = 150 * kSecond, .end = 350 * kSecond, .resumed_from = 10};
  second.steps.push_back({.step = 20, .count = 10, .begin = 150 * kSecond, .end = 250 * kSecond});
  second.steps.push_back({.step = 30, .count = 10, .begin = 250 * kSecond, .end = 350 * kSecond});
  const Ledger l = makeLedger({first, second});
  EXPECT_EQ(spent(l.rows[1].spent, Spend::kCatchUp), 50 * kSecond);
  EXPECT_EQ(spent(l.rows[1].spent, Spend::kProductive), 150 * kSecond);
}
TEST(RestartLedger, AStepThatEvaluatesIsLongerByItsEvaluation) {
  AttemptRecord one = attempt(0, 0, 1, 10, 0);
  one.steps.push_back({.step = 11, .begin = 100 * kSecond, .end = 160 * kSecond, .kind = StepKind::kEval});
  one.end = 160 * kSecond;
  const Ledger l = makeLedger({one});
  EXPECT_EQ(spent(l.spent, Spend::kEval), 50 * kSecond);
  EXPECT_EQ(spent(l.spent, Spend::kProductive), 110 * kSecond);
}
TEST(RestartLedger, OfAnOddlyLongStepOnlyTheUsualTimeIsTraining) {
  AttemptRecord one = attempt(0, 0, 1, 10, 0);
  one.steps.push_back({.step = 11, .begin = 100 * kSecond, .end = 300 * kSecond});
  one.steps.front().end = 10 * kSecond;
  one.end = 300 * kSecond;
  const Ledger l = makeLedger({one});
  EXPECT_EQ(spent(l.spent, Spend::kProductive), 110 * kSecond);
  EXPECT_EQ(spent(l.spent, Spend::kUnexplained), 190 * kSecond);
}
TEST(RestartLedger, StalledStepsAreNotInTheIterationTime) {
  AttemptRecord one = attempt(0, 0, 1, 0, 0);
  one.durations = {10, 10, 10, 10, 10, 12, 12, 12, 400, 400};
  for (DurNs& length : one.durations) length *= kSecond;
  EXPECT_EQ(makeLedger({one}).rows[0].iteration_time, 10 * kSecond);
}
TEST(RestartLedger, AFirstStepThatCompilesIsStartUp) {
  AttemptRecord one = attempt(0, 0, 1, 10, 0);
  for (LedgerStep& step : one.steps) step.begin += 90 * kSecond, step.end += 90 * kSecond;
  one.steps.front().begin = 0;
  one.end = 190 * kSecond;
  const Ledger l = makeLedger({one});
  EXPECT_EQ(spent(l.spent, Spend::kStartUp), 90 * kSecond);
  EXPECT_EQ(spent(l.spent, Spend::kProductive), 100 * kSecond);
}
TEST(RestartLedger, AnAsynchronousSaveBesideStepsCostsNothing) {
  AttemptRecord one = attempt(0, 0, 1, 10, 0);
  one.end = 100 * kSecond;
  one.known.push_back({{15 * kSecond, 55 * kSecond}, Spend::kSave});
  const Ledger l = makeLedger({one});
  EXPECT_FALSE(spent(l.spent, Spend::kSave));
  const SaveCost cost = saveCostOf(l, {{0, 2, 15 * kSecond, 55 * kSecond}});
  EXPECT_EQ(cost.blocked, 0);
  EXPECT_EQ(cost.until_durable, 40 * kSecond);
}
TEST(RestartLedger, TimesThatContradictTheStepsDoNotTellWhichWasTheLast) {
  AttemptRecord one = attempt(0, 0, 1, 10, 0);
  for (std::int64_t s = 11; s <= 20; ++s) one.steps.insert(one.steps.begin() + 1, {.step = s, .begin = 10 * kSecond, .end = 20 * kSecond});
  one.end = 200 * kSecond;
  const Ledger l = makeLedger({one});
  EXPECT_FALSE(spent(l.spent, Spend::kAfterLast));
  EXPECT_EQ(spent(l.spent, Spend::kUnexplained), 100 * kSecond);
}
TEST(RestartLedger, WhatRunsHasNoTimeAfterItsLastStep) {
  AttemptRecord one = attempt(0, 0, 1, 10, 0);
  one.end = 130 * kSecond, one.running = true, one.ending = {.kind = EndKind::kRunning};
  const Ledger l = makeLedger({one});
  EXPECT_FALSE(spent(l.spent, Spend::kAfterLast));
  EXPECT_EQ(spent(l.spent, Spend::kUnexplained), 30 * kSecond);
  EXPECT_EQ(*l.wall, 130 * kSecond);
  EXPECT_EQ(l.failures + l.planned_ends + l.unsaid_ends, 0);
}
TEST(RestartLedger, WithoutAClockOnlyStepsAreCounted) {
  AttemptRecord first{.number = 0, .first_step = 1, .last_step = 150};
  AttemptRecord second{.number = 1, .resumed_from = 100, .first_step = 101, .last_step = 200};
  const Ledger l = makeLedger({first, second});
  EXPECT_FALSE(l.wall);
  EXPECT_FALSE(l.effective_ratio);
  EXPECT_EQ(l.lost_steps, 50);
  EXPECT_EQ(l.completed_steps, 200);
}
TEST(RestartLedger, NothingIsNothing) {
  const Ledger l = makeLedger({});
  EXPECT_FALSE(l.wall);
  EXPECT_TRUE(l.rows.empty());
  EXPECT_EQ(l.failures, 0);
}
TEST(RestartLedger, HostileTimesNeitherOverlapNorRunBackwards) {
  AttemptRecord one{.number = 0, .start = 100, .end = 50};
  AttemptRecord two = attempt(1, 10, 1, 5, 0);
  two.end = 40 * kSecond;  // before its last step ends
  two.steps.push_back({.step = 6, .begin = 5, .end = 1});
  two.steps.push_back({.step = 6, .begin = 0, .end = 35 * kSecond});
  two.known.push_back({{90 * kSecond, 20 * kSecond}, Spend::kStalled});
  AttemptRecord three = attempt(2, 20 * kSecond, 3, 4, 25 * kSecond);  // while the second one still runs
  three.end = 30 * kSecond;
  const Ledger l = makeLedger({one, two, three});
  ASSERT_TRUE(l.wall);
  EXPECT_EQ(sum(l.spent), *l.wall);
  TimeNs at = std::numeric_limits<TimeNs>::min();
  for (const LedgerRow& row : l.rows)
    for (const Segment& s : row.segments) {
      EXPECT_GE(s.t0, at);
      EXPECT_GT(s.t1, s.t0);
      at = s.t1;
    }
}
TEST(RestartLedger, CausesAreRankedByWhatTheyCost) {
  const Ledger l = makeLedger(crashed());
  ASSERT_EQ(l.causes.size(), 2U);
  EXPECT_EQ(l.causes[0].kind, EndKind::kHardware);
  EXPECT_EQ(l.causes[0].cost, (100 + 50 + 30 + 500) * kSecond);
  EXPECT_TRUE(l.causes[1].planned);
  EXPECT_EQ(l.causes[1].cost, 0) << "5 s after the last step are how long leaving took";
  auto silent = crashed();
  silent[0].known.clear();  // without a recorded stall it is time after the last step, and still caused by the fault
  EXPECT_EQ(makeLedger(silent).causes[0].cost, (100 + 50 + 30 + 500) * kSecond);
}
TEST(RestartLedger, AWindowOfTheRunHasItsOwnSum) {
  const Ledger l = makeLedger(crashed());
  const SpendTimes hour = spentIn(l, {1'600 * kSecond, 1'710 * kSecond});
  EXPECT_EQ(sum(hour), 110 * kSecond);
  EXPECT_EQ(spent(hour, Spend::kStalled), 20 * kSecond);
}

TEST(Endings, WordsOfTheSourceAreSortedAndAnEndWithoutWordsStaysUnsaid) {
  EXPECT_EQ(endingOf("hardware fault: Xid 79", false, "", "").kind, EndKind::kHardware);
  EXPECT_EQ(endingOf("finished", std::nullopt, "", "").planned, true);
  EXPECT_EQ(endingOf("received SIGTERM", std::nullopt, "", "").kind, EndKind::kStopped);
  EXPECT_EQ(endingOf("rank 3 is gone without a word (killed or crashed)", std::nullopt, "", "").kind, EndKind::kKilled);
  EXPECT_EQ(endingOf("torch.OutOfMemoryError: CUDA out of memory", std::nullopt, "", "").kind, EndKind::kMemory);
  const Ending unsaid = endingOf("", std::nullopt, "", "");
  EXPECT_EQ(unsaid.kind, EndKind::kNotSaid);
  EXPECT_FALSE(unsaid.planned);
}
TEST(Endings, AFindingExplainsAnEndUnlessItWasAskedFor) {
  EXPECT_EQ(endingOf("rank 3: exception NCCL error", std::nullopt, "GPU 5 fell off the bus", "").kind, EndKind::kHardware);
  EXPECT_EQ(endingOf("", std::nullopt, "", "64 ranks stand still").kind, EndKind::kHang);
  EXPECT_EQ(endingOf("finished", true, "GPU 5 fell off the bus", "").kind, EndKind::kFinished);
}
TEST(Endings, WhatASchedulerCancelsAfterAFailureIsAFailureAndElseAPlannedEnd) {
  const Ending memory = endingOf("killed", true, "a node: the host's memory ran out", "");
  EXPECT_EQ(memory.kind, EndKind::kHardware);
  EXPECT_EQ(memory.planned, false);
  EXPECT_EQ(endingOf("out_of_memory", true, "", "").planned, false);
  const Ending cancelled = endingOf("killed", true, "", "");
  EXPECT_EQ(cancelled.kind, EndKind::kStopped);
  EXPECT_EQ(cancelled.planned, true);
}
TEST(RestartLedger, TimesThatAreNotThoseOfTheRunGiveNoTimeBetweenFailures) {
  AttemptRecord dump;
  dump.start = 1'000 * kSecond, dump.end = 1'003 * kSecond, dump.ending = {.kind = EndKind::kHang, .planned = false};
  EXPECT_EQ(makeLedger({dump}).mtbf.mean_s, 3.0);
  dump.partial = true;
  const Ledger ledger = makeLedger({dump});
  EXPECT_EQ(ledger.failures, 1);
  EXPECT_FALSE(ledger.mtbf.mean_s);
}

TEST(SaveAdvice, BelowTwoFailuresOnlyTheFieldsRateIsOffered) {
  const Ledger one = makeLedger(crashed());
  const SaveAdvice advice = adviseSaves(one, {.blocked = 30 * kSecond, .saves = 3}, 64);
  EXPECT_FALSE(advice.enough);
  EXPECT_FALSE(advice.daly_s);
  EXPECT_THAT(advice.reason, HasSubstr("1 failure: fewer than 2"));
  ASSERT_TRUE(advice.field_daly_s);
  EXPECT_GT(advice.field_daly_s->value, 0);
}
TEST(SaveAdvice, WithoutASaveThereIsNoCostToGuess) {
  Ledger l = makeLedger(crashed());
  l.mtbf = mtbfOf(5, 1e6);
  const SaveAdvice advice = adviseSaves(l, {}, 64);
  EXPECT_FALSE(advice.enough);
  EXPECT_FALSE(advice.save_s);
  EXPECT_EQ(advice.reason, "no checkpoint is recorded");
  EXPECT_FALSE(advice.field_daly_s);
}

// Through a store.
class GoodputOfAStore : public ::testing::Test {
 protected:
  std::unique_ptr<Writer> writer() {
    auto opened = openStore(m_folder.file(m_store)).writer();
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return std::move(*opened);
  }
  Goodput ask(std::span<const Finding> findings = {}) {
    auto reader = openStore(m_folder.file(m_store)).reader();
    EXPECT_TRUE(reader.ok());
    const auto runs = (*reader)->runs();
    auto answer = readGoodput(**reader, runs->front(), findings, std::nullopt, {});
    EXPECT_TRUE(answer.ok()) << answer.status().message();
    return std::move(*answer);
  }
  test::TempFolder m_folder;
  std::string m_store = "s.rgl";
};

TEST_F(GoodputOfAStore, RanksStepsCheckpointsAndFindingsMakeTheLedger) {
  auto w = writer();
  const RunId run = w->run({.name = "r", .state = RunState::kFinished});
  const auto steps = [&](AttemptId attempt, std::int64_t first, std::int64_t last, TimeNs begin) {
    const SeriesId time = w->series({.attempt = attempt, .rank = 0, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
    for (std::int64_t s = first; s <= last; ++s) w->scalar(time, s, kStoreStart + begin + (s - first) * 10 * kSecond, 10e9);
  };
  const AttemptId a = w->attempt({.run = run,
                                  .key = "0",
                                  .start = kStoreStart,
                                  .end = kStoreStart + 700 * kSecond,
                                  .end_cause = "exception",
                                  .planned = false,
                                  .layout = {.world = 8}});
  const AttemptId b = w->attempt({.run = run,
                                  .key = "1",
                                  .start = kStoreStart + 800 * kSecond,
                                  .end = kStoreStart + 1'310 * kSecond,
                                  .end_cause = "finished",
                                  .planned = true,
                                  .resumed_from_step = 40,
                                  .layout = {.world = 8}});
  steps(a, 1, 50, 10 * kSecond);
  steps(b, 41, 80, 900 * kSecond);
  w->checkpoint({.attempt = b, .step = 80, .begin = kStoreStart + 1'300 * kSecond, .durable = kStoreStart + 1'308 * kSecond, .path = "c"});
  ASSERT_TRUE(w->close().ok());
  const std::vector<Finding> findings = {
      {.attempt = a,
       .kind = "hang",
       .severity = Severity::kCritical,
       .start = kStoreStart + 510 * kSecond,
       .end = kStoreStart + 700 * kSecond,
       .summary = "stands still"},
      {.attempt = a, .kind = "hardware_fault", .severity = Severity::kError, .start = kStoreStart + 505 * kSecond, .summary = "Xid 79"}};
  const Goodput g = ask(findings);
  ASSERT_EQ(g.ledger.rows.size(), 2U);
  EXPECT_EQ(g.step_sources[0], "step_time_ns of rank 0");
  EXPECT_EQ(*g.ledger.wall, 1'310 * kSecond);
  EXPECT_EQ(sum(g.ledger.spent), *g.ledger.wall);
  EXPECT_EQ(spent(g.ledger.spent, Spend::kStalled), 190 * kSecond);
  EXPECT_EQ(spent(g.ledger.spent, Spend::kGap), 100 * kSecond);
  EXPECT_EQ(spent(g.ledger.spent, Spend::kCatchUp), 100 * kSecond);
  EXPECT_EQ(spent(g.ledger.spent, Spend::kSave), 8 * kSecond);
  EXPECT_EQ(g.ledger.rows[0].ending.kind, EndKind::kHardware);
  EXPECT_EQ(g.ledger.lost_steps, 10);
  EXPECT_NEAR(*g.ledger.effective_ratio, 800.0 / 1'310, 1e-9);
  EXPECT_EQ(g.kept.size(), 80U);
  EXPECT_EQ(g.saves.blocked, 8 * kSecond);
}
TEST_F(GoodputOfAStore, ProcessGroupInitialisationIsAPhaseWithItsDuration) {
  auto w = writer();
  const RunId run = w->run({.name = "r", .state = RunState::kFinished});
  const AttemptId attempt =
      w->attempt({.run = run, .key = "0", .start = kStoreStart, .end = kStoreStart + 200 * kSecond, .layout = {.world = 8}});
  const auto line = [&](int second, std::string text) {
    w->log({.time = kStoreStart + second * kSecond, .attempt = attempt, .stream = "log", .text = std::move(text)});
  };
  line(2, "importing torch");
  line(20, "> initializing torch distributed ...");
  line(25, "n0:1:1 [0] NCCL INFO comm 0x1 rank 0 nranks 8 cudaDev 0 busId 1a000 - Init START");
  line(48, "> initialized tensor model parallel with size 1");
  line(61, "n0:1:1 [0] NCCL INFO comm 0x1 rank 0 nranks 8 cudaDev 0 busId 1a000 - Init COMPLETE");
  line(150, "n0:1:1 [0] NCCL INFO comm 0x2 rank 0 nranks 8 cudaDev 0 busId 1a000 - Init COMPLETE");  // during a step
  const SeriesId time = w->series({.attempt = attempt, .rank = 0, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
  for (std::int64_t s = 1; s <= 10; ++s) w->scalar(time, s, kStoreStart + (90 + s * 10) * kSecond, 10e9);
  ASSERT_TRUE(w->close().ok());
  const Goodput g = ask();
  EXPECT_EQ(spent(g.ledger.spent, Spend::kInit), 41 * kSecond);
  EXPECT_STREQ(spendWords(Spend::kInit), "process-group initialisation");
  EXPECT_EQ(sum(g.ledger.spent), *g.ledger.wall);
}

TEST_F(GoodputOfAStore, ARankThatFellSilentDoesNotTellTheStepsOfTheOthers) {
  auto w = writer();
  const RunId run = w->run({.name = "r", .state = RunState::kFinished});
  const AttemptId a = w->attempt({.run = run, .key = "0", .start = kStoreStart, .end = kStoreStart + 1'000 * kSecond});
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    const SeriesId time = w->series({.attempt = a, .rank = rank, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
    const std::int64_t steps = rank == 0 ? 5 : rank == 1 ? 99 : 100;  // rank 1 is one step behind: too little to change the result
    for (std::int64_t s = 0; s < steps; ++s) w->scalar(time, s + 1, kStoreStart + s * 10 * kSecond, 10e9);
  }
  ASSERT_TRUE(w->close().ok());
  const Goodput g = ask();
  EXPECT_EQ(g.step_sources[0], "step_time_ns of rank 1");
  EXPECT_EQ(spent(g.ledger.spent, Spend::kProductive), 990 * kSecond);
}
TEST_F(GoodputOfAStore, ALogsLinesTellTheEndsOfStepsAndNanDurationsNothing) {
  auto w = writer();
  const RunId run = w->run({.name = "r", .state = RunState::kUnknown});
  const AttemptId a = w->attempt({.run = run, .key = "0", .start = kStoreStart, .end = kStoreStart + 110 * kSecond});
  const SeriesId time = w->series({.attempt = a,
                                   .metric = "elapsed time per iteration",
                                   .labels = "{\"canonical\":\"step_time_ns\"}",
                                   .unit = "ns",
                                   .kind = SeriesKind::kScalar});
  for (std::int64_t s = 1; s <= 10; ++s) w->scalar(time, s, kStoreStart + (10 + s * 10) * kSecond, s == 4 ? std::nan("") : 10e9);
  ASSERT_TRUE(w->close().ok());
  const Goodput g = ask();
  EXPECT_EQ(spent(g.ledger.spent, Spend::kProductive), 90 * kSecond);
  EXPECT_EQ(spent(g.ledger.spent, Spend::kStartUp), 10 * kSecond);
  EXPECT_EQ(spent(g.ledger.spent, Spend::kUnexplained), 10 * kSecond);
}
TEST_F(GoodputOfAStore, TheFirstLineOfALogHoldsNoStepsFromBeforeTheFirst) {
  auto w = writer();
  const RunId run = w->run({.name = "r", .state = RunState::kFinished});
  const AttemptId a = w->attempt({.run = run, .key = "0", .end = kStoreStart + 60 * kSecond});
  const SeriesId time = w->series({.attempt = a, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
  // Step 0 compiles for 30 s; then a line every ten steps of one second.
  for (std::int64_t s = 0; s <= 30; s += 10) w->scalar(time, s, kStoreStart + (30 + s) * kSecond, s == 0 ? 30e9 : 1e9);
  ASSERT_TRUE(w->close().ok());
  const Goodput g = ask();
  EXPECT_EQ(g.ledger.rows[0].first_step, 0);
  EXPECT_EQ(g.ledger.completed_steps, 31);
  EXPECT_EQ(*g.ledger.wall, 60 * kSecond);
}
// Productive time over wall time and the rate of kept steps are two computations of the same ratio.
TEST_F(GoodputOfAStore, StampsThatAreCoarseBesideTheStepsGiveOneRate) {
  for (const bool durations : {true, false})
    for (const double length : {0.05, 0.48, 0.7, 1.0, 1.5, 3.3, 3.6}) {
      m_store = std::to_string(length) + (durations ? "-durations.rgl" : "-times.rgl");
      auto w = writer();
      const RunId run = w->run({.name = "r", .state = RunState::kFinished});
      constexpr std::int64_t kSteps = 2'000;
      const auto at = [&](std::int64_t step) { return kStoreStart + static_cast<TimeNs>(static_cast<double>(step) * length) * kSecond; };
      const AttemptId a = w->attempt({.run = run, .key = "0", .start = at(0), .end = at(kSteps) + kSecond});
      const SeriesId series = durations ? w->series({.attempt = a, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar})
                                        : w->series({.attempt = a, .metric = "loss", .kind = SeriesKind::kScalar});
      for (std::int64_t s = 1; s <= kSteps; ++s) w->scalar(series, s, at(s), durations ? length * 1e9 : 2.0);
      ASSERT_TRUE(w->close().ok());
      const Goodput g = ask();
      const std::string what = std::to_string(length) + " s steps, " + g.step_sources[0];
      ASSERT_TRUE(g.ledger.effective_ratio.has_value()) << what << ": " << g.reason;
      const double productive =
          static_cast<double>(spent(g.ledger.spent, Spend::kProductive).value_or(0)) / static_cast<double>(*g.ledger.wall);
      EXPECT_NEAR(*g.ledger.effective_ratio, productive, 0.02) << what;
      EXPECT_GT(*g.ledger.effective_ratio, 0.95) << what;
    }
}
TEST_F(GoodputOfAStore, AnEvaluationInsideALoggedStepIsTakenOutOfIt) {
  auto w = writer();
  const RunId run = w->run({.name = "r"});
  const AttemptId a = w->attempt({.run = run, .key = "0", .start = kStoreStart, .end = kStoreStart + 150 * kSecond});
  const SeriesId time = w->series({.attempt = a, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
  const SeriesId valid = w->series({.attempt = a, .metric = "lm loss", .source = "validation", .kind = SeriesKind::kScalar});
  for (std::int64_t s = 1; s <= 5; ++s) w->scalar(time, s, kStoreStart + s * 10 * kSecond, 10e9);
  w->scalar(valid, 5, kStoreStart + 90 * kSecond, 2.0);
  for (std::int64_t s = 6; s <= 11; ++s) w->scalar(time, s, kStoreStart + (s * 10 + 40) * kSecond, s == 6 ? 50e9 : 10e9);
  ASSERT_TRUE(w->close().ok());
  const Goodput g = ask();
  EXPECT_EQ(spent(g.ledger.spent, Spend::kEval), 40 * kSecond);
  EXPECT_EQ(spent(g.ledger.spent, Spend::kProductive), 110 * kSecond);
}
TEST_F(GoodputOfAStore, ASaveInsideALoggedStepCostsWhatTheStepTookLonger) {
  auto w = writer();
  const RunId run = w->run({.name = "r"});
  const AttemptId a = w->attempt({.run = run, .key = "0", .start = kStoreStart, .end = kStoreStart + 140 * kSecond});
  const SeriesId time = w->series({.attempt = a, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
  for (std::int64_t s = 1; s <= 5; ++s) w->scalar(time, s, kStoreStart + s * 10 * kSecond, 10e9);
  w->checkpoint({.attempt = a, .step = 5, .durable = kStoreStart + 75 * kSecond, .path = "5"});
  for (std::int64_t s = 6; s <= 11; ++s) w->scalar(time, s, kStoreStart + (s * 10 + 30) * kSecond, s == 6 ? 40e9 : 10e9);
  w->checkpoint({.attempt = a, .step = 9, .durable = kStoreStart + 125 * kSecond, .path = "9"});  // no step waited for it
  ASSERT_TRUE(w->close().ok());
  const Goodput g = ask();
  EXPECT_EQ(spent(g.ledger.spent, Spend::kSave), 30 * kSecond);
  EXPECT_EQ(g.saves.blocked, 30 * kSecond);
  EXPECT_EQ(g.saves.every_steps, 4);
}
TEST_F(GoodputOfAStore, DurationsWithoutTimesGiveTheRateAndExplainAsMuch) {
  auto w = writer();
  const RunId run = w->run({.name = "r"});
  const AttemptId a = w->attempt({.run = run, .key = "0", .start = kStoreStart, .end = kStoreStart + 200 * kSecond});
  const SeriesId time = w->series({.attempt = a, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
  for (std::int64_t s = 1; s <= 10; ++s) w->scalar(time, s, std::nullopt, 10e9);
  ASSERT_TRUE(w->close().ok());
  const Goodput g = ask();
  EXPECT_NEAR(*g.ledger.effective_ratio, 0.5, 1e-9);
  EXPECT_EQ(spent(g.ledger.spent, Spend::kProductive), 100 * kSecond);
  EXPECT_EQ(spent(g.ledger.spent, Spend::kUnexplained), 100 * kSecond);
  EXPECT_FALSE(spent(g.ledger.spent, Spend::kStartUp));
}
TEST_F(GoodputOfAStore, ARunWithoutAClockSaysSo) {
  auto w = writer();
  const RunId run = w->run({.name = "r", .time_domain = TimeDomain::kNone});
  const AttemptId a = w->attempt({.run = run, .key = "0"});
  const SeriesId loss = w->series({.attempt = a, .metric = "loss", .kind = SeriesKind::kScalar});
  for (std::int64_t s = 1; s <= 10; ++s) w->scalar(loss, s, std::nullopt, 1.0);
  ASSERT_TRUE(w->close().ok());
  const Goodput g = ask();
  EXPECT_FALSE(g.ledger.effective_ratio);
  EXPECT_THAT(g.reason, HasSubstr("no clock"));
}
TEST_F(GoodputOfAStore, ARunWithoutAttemptsSaysSo) {
  auto w = writer();
  w->run({.name = "r"});
  ASSERT_TRUE(w->close().ok());
  EXPECT_EQ(ask().reason, "the run has no attempt");
}

TEST(Ledger, OfAProfileOfSomeStepsNothingIsSaidOfTheTimeBetween) {
  AttemptRecord record{.number = 0, .start = 0, .end = 450 * kSecond, .layout = {.world = 8}};
  for (std::int64_t i = 0; i < 45; ++i)  // every 18th step, their times one after the other
    record.steps.push_back({.step = 16 + i * 18, .begin = i * 10 * kSecond, .end = (i + 1) * 10 * kSecond, .kind = StepKind::kTraining});
  const Ledger l = makeLedger({record});
  EXPECT_TRUE(l.is_sample);
  EXPECT_FALSE(l.effective_ratio);
}

}  // namespace
}  // namespace runglass
