// SPDX-License-Identifier: Apache-2.0
// The watches of step_diagnosis on generated steps: persistence, blame, shifts, regimes, imbalances, links.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/peers/slower_than_peers.h"
#include "analysis/step_diagnosis/blame.h"
#include "analysis/step_diagnosis/imbalance_watch.h"
#include "analysis/step_diagnosis/link_watch.h"
#include "analysis/step_diagnosis/regime_watch.h"
#include "analysis/step_diagnosis/shift_watch.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;

Deviation off(float ratio) {
  return {.compared = true, .above = isSlower(ratio), .ratio = ratio, .own_ns = 100e6F * (1 + ratio), .usual_ns = 100e6F};
}

TEST(Persistence, WhoIsSlowFromAStepOnIsNoticedWithinTwentyStepsAndDatedToIt) {
  PersistenceWatch watch;
  std::int64_t noticed = 0;
  for (std::int64_t step = 1; step <= 120 && noticed == 0; ++step) {
    watch.push(step, std::nullopt, {off(0), off(step >= 100 ? 0.1F : 0.01F)});
    if (watch.isOpen(1)) noticed = step;
  }
  EXPECT_EQ(noticed, 115);
  ASSERT_THAT(watch.spells(), SizeIs(1));
  EXPECT_EQ(watch.spells()[0].subject, 1U);
  EXPECT_EQ(watch.spells()[0].first_step, 100);
  EXPECT_FALSE(watch.spells()[0].since_before);
  EXPECT_NEAR(watch.spells()[0].ratio(), 0.1, 1e-6);
}

TEST(Persistence, WhatComesAndGoesIsNobodys) {
  PersistenceWatch watch;
  for (std::int64_t step = 1; step <= 500; ++step) watch.push(step, std::nullopt, {off(step % 4 != 0 ? 0.2F : 0.0F)});  // three of four
  EXPECT_THAT(watch.spells(), IsEmpty());
}

TEST(Persistence, ItEndsWithTheLastSlowStepAndMayBeginAgain) {
  PersistenceWatch watch;
  for (std::int64_t step = 1; step <= 200; ++step)
    watch.push(step, TimeRange{kStart + step, kStart + step + 1}, {off((step > 20 && step <= 60) || step > 120 ? 0.2F : 0.0F)});
  const auto spells = watch.spells();
  ASSERT_THAT(spells, SizeIs(2));
  EXPECT_EQ(spells[0].first_step, 21);
  EXPECT_EQ(spells[0].last_step, 60);
  EXPECT_EQ(spells[0].end, kStart + 61);
  EXPECT_FALSE(spells[0].open);
  EXPECT_EQ(spells[1].first_step, 121);
  EXPECT_TRUE(spells[1].open);
}

TEST(Persistence, WhatIsOverForAFewStepsOnlyGoesOn) {
  PersistenceWatch watch;
  for (std::int64_t step = 1; step <= 200; ++step)
    watch.push(step, std::nullopt, {off(step > 50 && (step <= 80 || step > 97) ? 0.2F : 0.0F)});
  ASSERT_THAT(watch.spells(), SizeIs(1));
  EXPECT_EQ(watch.spells()[0].first_step, 51);
  EXPECT_TRUE(watch.spells()[0].open);
  EXPECT_EQ(watch.spells()[0].above, 133U);
  EXPECT_NEAR(watch.spells()[0].ratio(), 0.2, 1e-6);
}

TEST(Persistence, StepsInWhichASubjectIsNotComparedTeachNothing) {
  PersistenceWatch watch;
  for (std::int64_t step = 1; step <= 60; ++step) watch.push(step, std::nullopt, {step % 2 == 0 ? off(0.1F) : Deviation{}});
  ASSERT_THAT(watch.spells(), SizeIs(1));
  EXPECT_EQ(watch.spells()[0].steps, 30U);
  EXPECT_TRUE(watch.spells()[0].since_before);
}

// Healthy ranks whose steps vary by a tenth: of thousands, some exceed 5 % in 16 of 20 steps by chance.
TEST(Persistence, OfNoiseNobodyIsSlowHoweverManyRanksThereAre) {
  std::mt19937_64 random(5);
  std::normal_distribution<float> noise(0, 0.1F);
  for (const std::int32_t count : {8, 64, 1'024, 16'384}) {
    std::vector<Rank> ranks;
    for (std::int32_t i = 0; i < count; ++i) ranks.push_back({.attempt = {}, .rank = i});
    const Roles roles = rolesOf(ranks);
    PersistenceWatch watch;
    StepNoise limit;
    for (std::int64_t step = 1; step <= 200; ++step) {
      std::vector<float> work;
      for (std::int32_t i = 0; i < count; ++i) work.push_back(1e9F * (1 + noise(random)));
      auto deviations = againstPeers(work, roles, WorkKind::kCompute, 1e9);
      limit.require(deviations, roles);
      watch.push(step, std::nullopt, deviations);
    }
    EXPECT_THAT(watch.spells(), IsEmpty()) << count;
  }
}

std::vector<Rank> ranksOf(std::int32_t nodes, std::int32_t per_node) {
  std::vector<Rank> ranks;
  for (std::int32_t i = 0; i < nodes * per_node; ++i)
    ranks.push_back({.attempt = {}, .rank = i, .node = NodeId(i / per_node + 1), .device = {}, .dp = i});
  return ranks;
}

Spell spell(std::size_t rank, std::int64_t first) {
  Spell out{.subject = rank, .first_step = first, .last_step = first + 50, .start = {}, .end = {}};
  out.steps = out.above = 50, out.steps_open = 34, out.own_ns = 110, out.usual_ns = 100;
  return out;
}

TEST(Blame, AllRanksOfANodeAreTheNodeAndOneOfThemIsItself) {
  std::vector<Spell> spells;
  for (std::size_t rank = 8; rank < 16; ++rank) spells.push_back(spell(rank, 100 + static_cast<std::int64_t>(rank % 3)));
  spells.push_back(spell(3, 40));
  const auto blames = blameOf(spells, ranksOf(4, 8));
  ASSERT_THAT(blames, SizeIs(2));
  EXPECT_EQ(blames[0].who, Blame::Who::kNode);
  EXPECT_EQ(blames[0].node, NodeId(2));
  EXPECT_EQ(blames[0].spell.first_step, 100);
  EXPECT_THAT(blames[0].ranks, SizeIs(8));
  EXPECT_EQ(blames[1].who, Blame::Who::kRank);
  EXPECT_THAT(blames[1].ranks, ElementsAre(3U));
}

TEST(Blame, WhoIsNoticedLaterDoesNotChangeTheBeginByWhichTheNodeIsKnown) {
  std::vector<Spell> spells;
  for (std::size_t rank = 8; rank < 15; ++rank) spells.push_back(spell(rank, 100)), spells.back().noticed_step = 115;
  spells.push_back(spell(15, 98));
  spells.back().noticed_step = 119, spells.back().steps_open = 0;
  const auto before = blameOf(spells, ranksOf(4, 8));
  ASSERT_THAT(before, SizeIs(1));
  EXPECT_EQ(before[0].spell.first_step, 100);
  spells.back().steps_open = kHoldBack;
  const auto after = blameOf(spells, ranksOf(4, 8));
  ASSERT_THAT(after, SizeIs(1));
  EXPECT_THAT(after[0].ranks, SizeIs(8));
  EXPECT_EQ(after[0].spell.first_step, 100) << "the same finding";
}

TEST(Blame, RanksOfANodeThatBecameSlowAtDifferentTimesAreRanks) {
  std::vector<Spell> spells;
  for (std::size_t rank = 8; rank < 16; ++rank) spells.push_back(spell(rank, static_cast<std::int64_t>(rank) * 100));
  EXPECT_THAT(blameOf(spells, ranksOf(4, 8)), SizeIs(8));
}

TEST(Blame, WhatARankOfASlowNodeDoesMeanwhileIsTheNodes) {
  std::vector<Spell> spells;
  for (std::size_t rank = 8; rank < 16; ++rank) spells.push_back(spell(rank, 100));
  spells.push_back(spell(9, 130)), spells.back().last_step = 145;
  const auto blames = blameOf(spells, ranksOf(4, 8));
  ASSERT_THAT(blames, SizeIs(1));
  EXPECT_EQ(blames[0].who, Blame::Who::kNode);
}

TEST(Blame, AReplicaOnSeveralNodesThatIsSlowAsAWholeIsTheReplica) {
  std::vector<Rank> ranks = ranksOf(4, 2);
  for (Rank& rank : ranks) rank.dp = rank.rank % 2, rank.pp = rank.rank / 2;
  std::vector<Spell> spells;
  for (const std::size_t rank : {1, 3, 5, 7}) spells.push_back(spell(rank, 10));
  const auto blames = blameOf(spells, ranks);
  ASSERT_THAT(blames, SizeIs(1));
  EXPECT_EQ(blames[0].who, Blame::Who::kReplica);
  EXPECT_EQ(blames[0].replica, 1);
}

TEST(Blame, WhatWasNoticedJustNowWaitsForItsNeighbours) {
  Spell fresh = spell(1, 10);
  fresh.steps_open = kHoldBack - 1;
  EXPECT_THAT(blameOf({fresh}, ranksOf(2, 4)), IsEmpty());
}

// Steps of four seconds with normal noise; `level` by step.
template <class Level>
ShiftWatch shiftsOf(int steps, double noise, unsigned seed, Level level) {
  ShiftWatch watch;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, noise);
  TimeNs now = kStart;
  for (int step = 1; step <= steps; ++step) {
    const double dur = 4e9 * level(step) * (1 + normal(random));
    watch.push({.attempt = AttemptId(1), .step = step, .when = TimeRange{now, now + static_cast<DurNs>(dur)}, .value = dur, .parts = {}});
    now += static_cast<DurNs>(dur);
  }
  return watch;
}

TEST(Shift, FivePercentThatLastAreFoundAtTheirStep) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto shifts = shiftsOf(900, 0.01, seed, [](int step) { return step < 500 ? 1.0 : 1.05; }).shifts();
    ASSERT_THAT(shifts, SizeIs(1)) << "seed " << seed;
    EXPECT_NEAR(static_cast<double>(shifts[0].first_step), 500, 5) << "seed " << seed;
    EXPECT_NEAR(shifts[0].change(), 0.05, 0.01);
    EXPECT_TRUE(shifts[0].open);
  }
}

TEST(Shift, ShortStepsAreNoLessFoundThoughTenMinutesHaveThousands) {
  ShiftWatch watch;
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0, 0.01);
  TimeNs now = kStart;
  for (int step = 1; step <= 9'000; ++step) {
    const double dur = 200e6 * (step < 3'000 ? 1.0 : 1.06) * (1 + normal(random));
    watch.push({.attempt = AttemptId(1), .step = step, .when = TimeRange{now, now + static_cast<DurNs>(dur)}, .value = dur, .parts = {}});
    now += static_cast<DurNs>(dur);
  }
  ASSERT_THAT(watch.shifts(), SizeIs(1));
  EXPECT_NEAR(static_cast<double>(watch.shifts()[0].first_step), 3'000, 5);
}

TEST(Shift, StepsWithoutAClockTakeTheSumOfTheirLengths) {
  const auto shifts = [](double seconds, int every) {
    ShiftWatch watch;
    std::mt19937 random(1);
    std::normal_distribution<double> normal(0, 0.003);
    for (int at = 1; at <= 250; ++at) {
      const double dur = seconds * 1e9 * (at <= 100 ? 1.0 : 1.065) * (1 + normal(random));
      watch.push({.attempt = AttemptId(1), .step = at * every, .when = {}, .value = dur, .parts = {}});
    }
    return watch.shifts();
  };
  ASSERT_THAT(shifts(105, 1), SizeIs(1)) << "150 steps of 111 s are 4.6 hours";
  EXPECT_NEAR(static_cast<double>(shifts(105, 1)[0].first_step), 101, 2);
  EXPECT_THAT(shifts(1.5, 10), SizeIs(1)) << "every tenth step: 1,500 of 1.5 s";
  EXPECT_THAT(shifts(1.5, 1), IsEmpty()) << "four minutes";
}

TEST(Shift, WhatGoesBackEndsAndIsNoSecondShift) {
  const auto shifts = shiftsOf(1'500, 0.01, 3, [](int step) { return step >= 500 && step < 900 ? 1.06 : 1.0; }).shifts();
  ASSERT_THAT(shifts, SizeIs(1));
  EXPECT_FALSE(shifts[0].open);
  EXPECT_NEAR(static_cast<double>(shifts[0].last_step), 900, 5);
}

TEST(Shift, WhatIsOverBeforeItIsSureEndsWhereItEnded) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto shifts = shiftsOf(700, 0.01, seed, [](int step) { return step >= 300 && step < 380 ? 1.12 : 1.0; }).shifts();
    ASSERT_THAT(shifts, SizeIs(1)) << "seed " << seed;
    EXPECT_FALSE(shifts[0].open);
    EXPECT_NEAR(static_cast<double>(shifts[0].first_step), 300, 2) << "seed " << seed;
    EXPECT_NEAR(static_cast<double>(shifts[0].last_step), 379, 2) << "seed " << seed;
    EXPECT_NEAR(static_cast<double>(shifts[0].steps_after), 80, 4);
    EXPECT_NEAR(shifts[0].change(), 0.12, 0.01);
  }
}

TEST(Shift, NoiseSavesEvaluationsAndADailySwingAreNone) {
  for (unsigned seed = 1; seed <= 20; ++seed)
    EXPECT_THAT(shiftsOf(3'000, 0.02, seed,
                         [](int step) {
                           return (step % 100 == 0 ? 6.0 : step % 50 == 1 ? 1.5 : 1.0) * (1 + 0.01 * std::sin(step / 500.0));
                         })
                    .shifts(),
                IsEmpty())
        << "seed " << seed;
}

TEST(Shift, ThreeHundredSecondsAreTooShort) {
  EXPECT_THAT(shiftsOf(575, 0.005, 1, [](int step) { return step < 500 ? 1.0 : 1.10; }).shifts(), IsEmpty());
}

TEST(Shift, AnotherRegimeIsAnotherLevel) {
  ShiftWatch watch;
  for (int step = 1; step <= 600; ++step) {
    if (step == 300) watch.regimeChanged();
    watch.push({.attempt = AttemptId(1),
                .step = step,
                .when = TimeRange{kStart + step * 4'000'000'000LL, kStart + (step + 1) * 4'000'000'000LL},
                .value = step < 300 ? 4e9 : 8e9,
                .parts = {}});
  }
  EXPECT_THAT(watch.shifts(), IsEmpty());
}

TEST(Imbalance, ARankThatBecomesSlowInItsForwardPassesIsNeverTakenForCollections) {
  Roles roles = rolesOf(ranksOf(2, 4));
  ImbalanceWatch watch;
  std::vector<bool> slow(8, false);
  for (std::int64_t step = 1; step <= 300; ++step) {
    StepFrame frame{.step = step};
    frame.dur.assign(8, 1e9F);
    frame.columns[static_cast<std::size_t>(StepColumn::kForward)].assign(8, 500e6F);
    if (step >= 150) frame.columns[static_cast<std::size_t>(StepColumn::kForward)][3] = 700e6F;
    slow[3] = step >= 166;
    watch.push(frame, roles, frame.columns[0], std::vector<Deviation>(8), slow);
    ASSERT_THAT(watch.collections(), IsEmpty()) << step;
  }
}

// A live run with a round after every step: its batch size is logged every tenth step, and grows from step 31 on.
TEST(Regimes, ASettingThatIsLoggedSeldomIsSeenWhileTheRunIsYoung) {
  const TempStore store;
  auto writer = store.writer().value();
  const AttemptId attempt = writer->attempt({.run = writer->run({.name = "ramp", .start = kStart}), .key = "0", .start = kStart});
  const auto batch = writer->series({.attempt = attempt, .metric = "global batch size", .kind = SeriesKind::kScalar});
  ASSERT_TRUE(writer->flush().ok());
  const auto reader = store.reader({.live = writer->liveTail()}).value();
  StepRegimeWatch watch{Attempt{.id = attempt}};
  std::vector<std::int64_t> begins;
  for (std::int64_t step = 1; step <= 100; ++step) {
    if (step % 10 == 0) writer->scalar(batch, step, kStart + step * kNsPerSecond, step <= 30 ? 4 : 8);
    ASSERT_TRUE(writer->flush().ok());
    const std::vector<StepFrame> frames = {{.step = step}};
    ASSERT_TRUE(watch.read(*reader, frames, {}).ok());
    if (watch.begins(frames[0])) begins.push_back(step);
  }
  EXPECT_THAT(begins, ElementsAre(40));
}

// A setting first recorded after its change is known from that time on.
TEST(Regimes, ASettingThatIsFoundLateHasChangedAllTheSame) {
  const TempStore store;
  auto writer = store.writer().value();
  const AttemptId attempt = writer->attempt({.run = writer->run({.name = "late", .start = kStart}), .key = "0", .start = kStart});
  const auto batch = writer->series({.attempt = attempt, .metric = "global batch size", .kind = SeriesKind::kScalar});
  for (std::int64_t step = 10; step <= 100; step += 10) writer->scalar(batch, step, kStart + step * kNsPerSecond, step <= 30 ? 4 : 8);
  ASSERT_TRUE(writer->close().ok());
  const auto reader = store.reader().value();
  StepRegimeWatch watch{Attempt{.id = attempt}};
  const std::vector<StepFrame> frames = {{.step = 61}, {.step = 62}};
  ASSERT_TRUE(watch.read(*reader, frames, {}).ok());
  EXPECT_TRUE(watch.begins(frames[0]));
  EXPECT_FALSE(watch.begins(frames[1]));
}

// Eight ranks; one of them in turn pauses for `pause` of its forward pass in every fourth step of 150 to 250, and alone in steps 55 and
// 290.
StepFrame pausing(std::int64_t step, float pause) {
  StepFrame frame{.step = step, .when = TimeRange{kStart + step, kStart + step + 1}};
  auto& forward = frame.columns[static_cast<std::size_t>(StepColumn::kForward)];
  forward.assign(8, 500e6F);
  if ((step >= 150 && step <= 250 && step % 4 == 2) || step == 55 || step == 290) forward[static_cast<std::size_t>(step) / 4 % 8] += pause;
  frame.dur.assign(8, 1e9F + *std::ranges::max_element(forward) - 500e6F);
  return frame;
}

// Its cost while it lasted does not decrease with later steps, and occasional events do not move its ends.
TEST(Imbalances, CollectionsThatEndedKeepTheirCostAndTheirSteps) {
  const Roles roles = rolesOf(std::vector<Rank>(8));
  ImbalanceWatch watch;
  for (std::int64_t step = 1; step <= 600; ++step)
    watch.push(pausing(step, 250e6F), roles, {}, std::vector<Deviation>(8), std::vector<bool>(8, false));
  ASSERT_THAT(watch.collections(), SizeIs(1));
  const Imbalance& one = watch.collections()[0];
  EXPECT_FALSE(one.holds);
  EXPECT_EQ(one.first_step, 150);
  EXPECT_EQ(one.last_step, 250);
  EXPECT_EQ(one.end, kStart + 251);
  EXPECT_NEAR(one.cost, 0.2 * 26 / 101, 0.005);
  EXPECT_FALSE(one.since_before);
}

TEST(Imbalances, StepsThatWaitForACollectionDoNotWaitForALoad) {
  std::vector<Rank> ranks(8);
  for (std::int32_t rank = 0; rank < 8; ++rank) ranks[static_cast<std::size_t>(rank)].dp = rank;
  const Roles roles = rolesOf(ranks);
  ImbalanceWatch watch;
  for (std::int64_t step = 1; step <= 300; ++step) {
    const StepFrame frame = pausing(step < 100 ? 0 : 150 + step % 20 * 4, 250e6F);  // a different rank each time
    std::vector<Deviation> deviations;
    for (const float forward : frame.columns[static_cast<std::size_t>(StepColumn::kForward)])
      deviations.push_back(off(forward / 500e6F - 1));
    for (Deviation& one : deviations) one.own_ns = one.usual_ns + one.ratio * 500e6F;
    watch.push(frame, roles, {}, deviations, std::vector<bool>(8, false));
  }
  EXPECT_THAT(watch.collections(), SizeIs(1));
  EXPECT_THAT(watch.wandering(), IsEmpty());
}

// An imbalance that begins within the first hundred steps is still reported with its begin.
TEST(Imbalances, LoadsThatBeginToWanderEarlyWereNotSoBefore) {
  std::vector<Rank> ranks(8);
  for (std::int32_t rank = 0; rank < 8; ++rank) ranks[static_cast<std::size_t>(rank)].dp = rank;
  const Roles roles = rolesOf(ranks);
  const auto watched = [&](std::int64_t from, std::int64_t to) {
    ImbalanceWatch watch;
    for (std::int64_t step = 1; step <= 400; ++step) {
      StepFrame frame = pausing(0, 0);
      frame.step = step;
      std::vector<Deviation> deviations(8, off(0));
      if (step >= from && step <= to) deviations[static_cast<std::size_t>(step) % 8] = off(0.8F);
      watch.push(frame, roles, {}, deviations, std::vector<bool>(8, false));
    }
    return watch.wandering();
  };
  const auto early = watched(60, 250), always = watched(1, 400);
  ASSERT_THAT(early, SizeIs(1));
  EXPECT_EQ(early[0].first_step, 60);
  EXPECT_EQ(early[0].last_step, 250);
  EXPECT_FALSE(early[0].since_before);
  EXPECT_NEAR(early[0].cost, 0.08, 0.001);
  ASSERT_THAT(always, SizeIs(1));
  EXPECT_TRUE(always[0].since_before);
  EXPECT_EQ(always[0].last_step, 400);
}

// With two replicas, one is the slowest in more than half of the steps by chance; a replica that is the slowest in nearly all of them does
// not wander.
TEST(Imbalances, LoadsOfTwoReplicasWanderAsThoseOfMany) {
  std::vector<Rank> ranks(8);
  for (std::int32_t rank = 0; rank < 8; ++rank) ranks[static_cast<std::size_t>(rank)].dp = rank / 4;
  const Roles roles = rolesOf(ranks);
  const auto wanders = [&](unsigned first_of_ten) {
    ImbalanceWatch watch;
    std::mt19937 random(5);
    for (std::int64_t step = 1; step <= 300; ++step) {
      StepFrame frame = pausing(0, 0);
      frame.step = step;
      std::vector<Deviation> deviations(8, off(0));
      const std::size_t replica = random() % 10 < first_of_ten ? 0 : 1;
      for (std::size_t rank = 4 * replica; step > 120 && rank < 4 * replica + 4; ++rank) deviations[rank] = off(0.8F);
      watch.push(frame, roles, {}, deviations, std::vector<bool>(8, false));
    }
    return !watch.wandering().empty();
  };
  EXPECT_TRUE(wanders(5));
  EXPECT_TRUE(wanders(6));
  EXPECT_FALSE(wanders(9));
  EXPECT_FALSE(wanders(10));
}

// Two nodes with two ports of 400 Gbit/s and one of 100 for storage; the first one's ib0 falls to `rate` after ten minutes.
TEST(Links, AnotherRegimeBeginsWithNothingOfTheOneBefore) {
  LinkWatch watch;
  StepFrame frame;
  frame.dur.assign(2, 1e9F);
  const auto push = [&](int steps, float transfer_ms) {
    for (int i = 0; i < steps; ++i) {
      ++frame.step;
      frame.columns[static_cast<std::size_t>(StepColumn::kTransfer)].assign(2, transfer_ms * 1e6F);
      watch.push(frame);
    }
  };
  push(60, 100);
  push(60, 150);
  ASSERT_THAT(watch.spells(), SizeIs(2));
  watch.regimeChanged();
  push(60, 300);
  ASSERT_THAT(watch.spells(), SizeIs(2)) << "those of before, which are over";
  for (const Spell& one : watch.spells()) EXPECT_FALSE(one.open);
}

}  // namespace
}  // namespace runglass
