// SPDX-License-Identifier: Apache-2.0
// The watches on generated steps, and the analysis on simulated runs: which ranks it names, since when, and which it does not name.
#include "analysis/step_diagnosis/step_diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "analysis/peers/slower_than_peers.h"
#include "analysis/step_diagnosis/blame.h"
#include "analysis/step_diagnosis/imbalance_watch.h"
#include "analysis/step_diagnosis/link_watch.h"
#include "analysis/step_diagnosis/port_evidence.h"
#include "analysis/step_diagnosis/regime_watch.h"
#include "analysis/step_diagnosis/shift_findings.h"
#include "analysis/step_diagnosis/shift_watch.h"
#include "analysis/step_diagnosis/step_findings.h"
#include "analysis/words/sentences.h"
#include "collectors/sim/simulator.h"
#include "model/orders.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

class StepDiagnosisTest : public ::testing::Test {
 protected:
  static sim::Scenario scenario(std::vector<sim::Fault> faults) {
    sim::Scenario s;
    s.name = "small";
    s.seed = 3;
    s.steps = 120;
    s.tp = s.pp = 2;
    s.dp = 4;
    s.nodes = 4;
    s.gpus_per_node = 4;
    s.micro_batches = 4;
    s.step_seconds = 4;
    s.metrics_hertz = 1;
    s.spans = sim::SpanDetail::kNone;
    s.faults = std::move(faults);
    return s;
  }
  std::vector<Finding> found(std::vector<sim::Fault> faults) { return foundIn(scenario(std::move(faults))); }
  std::vector<Finding> foundIn(const sim::Scenario& s) {
    auto opened = m_store.writer();
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    const Status status = sim::play(s, **opened, {.start = kStart, .speed = 0});
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE((*opened)->close().ok());
    return ask({});
  }
  std::vector<Finding> ask(std::optional<TimeNs> now) {
    auto reader = m_store.reader();
    EXPECT_TRUE(reader.ok());
    const auto runs = (*reader)->runs();
    auto said = makeStepDiagnosis()->look({.reader = **reader, .run = runs->front().id, .now = now, .stop = {}});
    EXPECT_TRUE(said.ok()) << said.status().message();
    return said.ok() ? std::move(*said) : std::vector<Finding>();
  }
  // Eight ranks that compute 500 of 1,000 ms, rank 3 longer by a factor; one attempt.
  void record(const std::string& key, std::int64_t first, std::int64_t last, TimeNs begin, double slower, double step_ns = 1e9) {
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    Writer& out = **opened;
    const RunId run = out.run({.name = "r", .time_domain = TimeDomain::kUtc, .state = RunState::kRunning, .start = kStart});
    const AttemptId attempt = out.attempt({.run = run, .key = key, .start = begin, .layout = {.world = 8}});
    for (std::int32_t rank = 0; rank < 8; ++rank) {
      out.rank({.attempt = attempt,
                .rank = rank,
                .node = out.node({.uuid = "n" + std::to_string(rank / 4), .name = "n" + std::to_string(rank / 4)})});
      const auto series = [&](const char* metric, const char* labels) {
        return out.series(
            {.attempt = attempt, .rank = rank, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
      };
      const SeriesId dur = series("step_time_ns", ""), forward = series("step_part_ns", R"({"part":"forward"})");
      for (std::int64_t step = first; step <= last; ++step) {
        const TimeNs at = begin + step * kNsPerSecond;
        out.scalar(dur, step, at, step_ns);
        out.scalar(forward, step, at, rank == 3 ? 500e6 * slower : 500e6);
      }
    }
    ASSERT_TRUE(out.close().ok());
  }
  // Steps `first` to `last` of `ranks` ranks, four per node, that compute 500 of 1,000 ms, and 50 % longer where `is_slow`; the step is
  // longer too.
  template <class Slow>
  void recordSlow(std::int32_t ranks, std::int64_t first, std::int64_t last, Slow is_slow) {
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    Writer& out = **opened;
    const RunId run = out.run({.name = "r", .time_domain = TimeDomain::kUtc, .state = RunState::kRunning, .start = kStart});
    const AttemptId attempt = out.attempt({.run = run, .key = "0", .start = kStart, .layout = {.world = ranks}});
    std::vector<std::int64_t> steps;
    std::vector<TimeNs> times;
    std::vector<double> lengths;
    for (std::int64_t step = first; step <= last; ++step) {
      bool any = false;
      for (std::int32_t rank = 0; rank < ranks; ++rank) any |= is_slow(rank, step);
      steps.push_back(step), times.push_back(kStart + step * kNsPerSecond), lengths.push_back(any ? 1.25e9 : 1e9);
    }
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      const std::string node = "n" + std::to_string(rank / 4);
      out.rank({.attempt = attempt, .rank = rank, .node = out.node({.uuid = node, .name = node})});
      const auto series = [&](const char* metric, const char* labels) {
        return out.series(
            {.attempt = attempt, .rank = rank, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
      };
      std::vector<double> work;
      for (const std::int64_t step : steps) work.push_back(is_slow(rank, step) ? 750e6 : 500e6);
      out.scalars(series("step_time_ns", ""), steps, times, lengths);
      out.scalars(series("step_part_ns", R"({"part":"forward"})"), steps, times, work);
    }
    ASSERT_TRUE(out.close().ok());
  }
  static std::vector<std::string> warned(const std::vector<Finding>& findings) {
    std::vector<std::string> out;
    for (const Finding& one : findings)
      if (one.severity >= Severity::kWarning) out.push_back(one.kind + " " + one.subject);
    return out;
  }
  // The findings of one run in a separate store.
  static std::vector<Finding> playedAlone(const sim::Scenario& scenario) {
    TempStore store;
    auto writer = store.writer();
    EXPECT_TRUE(writer.ok() && sim::play(scenario, **writer, {.start = kStart, .speed = 0}).ok() && (*writer)->close().ok());
    auto reader = store.reader();
    EXPECT_TRUE(reader.ok());
    auto found = makeStepDiagnosis()->look({.reader = **reader, .run = (*reader)->runs()->front().id, .now = {}, .stop = {}});
    EXPECT_TRUE(found.ok());
    return *std::move(found);
  }
  static sim::Fault fault(std::string kind, sim::Target target, double strength, std::int64_t first = 40) {
    return {.kind = std::move(kind), .target = std::move(target), .first_step = first, .last_step = 120, .strength = strength, .xid = {}};
  }
  static constexpr auto kRank = sim::Target::Kind::kRank;

  TempStore m_store;
};

TEST_F(StepDiagnosisTest, ACleanRunSaysNothing) { EXPECT_THAT(found({}), IsEmpty()); }

TEST_F(StepDiagnosisTest, ASlowRankIsNamedWithItsStepAndItsCost) {
  const auto findings = found({fault("slow_rank", {.kind = kRank, .index = 5, .nic = ""}, 1.15)});
  ASSERT_THAT(warned(findings), ElementsAre("slow_rank rank:5"));
  const Finding& one = findings.front();
  EXPECT_EQ(one.rank, 5);
  EXPECT_EQ(one.first_step, 40);
  EXPECT_GT(*one.confidence, 0.9);
  EXPECT_THAT(one.summary, HasSubstr("since step 40"));
  EXPECT_THAT(one.evidence, HasSubstr("\"gpu_hours_per_day\":"));
}

TEST_F(StepDiagnosisTest, TwoEquallySlowRanksCostNothingEachAndAreReportedForWhatTheyCostTogether) {
  const auto findings = found(
      {fault("slow_rank", {.kind = kRank, .index = 5, .nic = ""}, 1.3), fault("slow_rank", {.kind = kRank, .index = 6, .nic = ""}, 1.3)});
  ASSERT_THAT(warned(findings), ElementsAre("slow_rank rank:5", "slow_rank rank:6"));
  for (const Finding& one : findings)
    if (one.kind == "slow_rank") EXPECT_LT(nlohmann::json::parse(one.evidence)["cost_ratio"].get<double>(), 0.05) << one.summary;
}

TEST_F(StepDiagnosisTest, OurOwnCommandsAreNoEvidenceAgainstAMachine) {
  record("0", 0, 120, kStart, 1.3);
  auto writer = m_store.writer().value();
  const NodeId node = writer->node({.uuid = "n0", .name = "n0"});
  const auto report = [&](std::string_view kind) {
    writer->event({.time = kStart + 60 * kNsPerSecond, .node = node, .kind = std::string(kind), .severity = Severity::kWarning});
  };
  report(kOrderEvent), report(kCaptureEvent);
  ASSERT_TRUE(writer->flush().ok());
  const auto alone = ask({});
  ASSERT_THAT(warned(alone), ElementsAre("slow_rank rank:3"));
  EXPECT_THAT(alone.front().evidence, HasSubstr("\"machine_events\":{}"));
  report("pcie_error");
  ASSERT_TRUE(writer->close().ok());
  EXPECT_THAT(ask({}).front().evidence, HasSubstr("\"machine_events\":{\"pcie_error\":1}"));
}

TEST_F(StepDiagnosisTest, ASlowNodeIsOneFindingNotFour) {
  EXPECT_THAT(warned(found({fault("slow_node", {.kind = sim::Target::Kind::kNode, .index = 2, .nic = ""}, 1.15)})),
              ElementsAre("slow_node node:sim-0002"));
}

TEST_F(StepDiagnosisTest, AStageThatIsSlowFromTheStartIsOutOfBalance) {
  const auto findings = found({fault("stage_imbalance", {.kind = sim::Target::Kind::kStage, .index = 1, .nic = ""}, 1.2, 1)});
  ASSERT_THAT(warned(findings), ElementsAre("stage_imbalance stage:1"));
  EXPECT_EQ(findings.front().pp, 1);
}

TEST_F(StepDiagnosisTest, ANodeIsBlamedForASlowStageOnlyWhereAllOfItIsSlow) {
  sim::Scenario s = scenario({fault("stage_imbalance", {.kind = sim::Target::Kind::kStage, .index = 2, .nic = ""}, 1.3)});
  s.pp = 4, s.dp = 2, s.nodes = 2, s.gpus_per_node = 8;  // two stages per node
  EXPECT_THAT(warned(foundIn(s)), ElementsAre("stage_imbalance stage:2"));
}

TEST(ShiftFindings, ACauseThatNotifiesNobodyKeepsNoShiftFromNotifying) {
  const Attempt attempt{.id = AttemptId(1), .layout = {.world = 64}};
  const AttemptWatch watch(attempt);
  const ThroughputShift shift{
      .attempt = attempt.id, .first_step = 500, .last_step = 700, .start = {}, .end = {}, .before = 4e9, .after = 4.6e9};
  Finding cause;
  cause.attempt = attempt.id, cause.kind = "slow_rank", cause.subject = "rank:3", cause.rank = 3, cause.first_step = 505;
  cause.evidence = R"({"cost_ratio":0.13})";
  const auto said = [&] { return findingsOf({shift}, {&watch}, {cause}).front(); };
  cause.severity = Severity::kInfo;
  EXPECT_EQ(said().severity, Severity::kWarning);
  EXPECT_THAT(said().summary, HasSubstr("; explained by slower computing on rank 3"));
  cause.severity = Severity::kWarning;
  EXPECT_EQ(said().severity, Severity::kInfo) << "one cause is told once";
  // A named rank that explains little of the cost is still named: "no rank is an outlier" would contradict it.
  cause.evidence = R"({"cost_ratio":0.02})";
  EXPECT_EQ(said().severity, Severity::kWarning);
  EXPECT_THAT(said().summary, HasSubstr("; slower computing on rank 3: 2.0 % of a step, which does not explain it"));
}

TEST_F(StepDiagnosisTest, ARankWithoutDataWaitsForItsDataAndDoesNotComputeSlowly) {
  EXPECT_THAT(warned(found({fault("data_bound", {.kind = kRank, .index = 9, .nic = ""}, 1.15)})), ElementsAre("data_bound rank:9"));
}

TEST_F(StepDiagnosisTest, AHostThatHoldsUpARankIsNotASlowGpu) {
  EXPECT_THAT(warned(found({fault("host_bound", {.kind = kRank, .index = 6, .nic = ""}, 1.15)})), ElementsAre("host_bound rank:6"));
}

// Its ranks are each other's only peers: a change of its ratio to the other stages shows it.
TEST_F(StepDiagnosisTest, ANodeThatIsAWholeStageIsFoundWaitingForItsHostOrItsData) {
  for (const char* kind : {"host_bound", "data_bound"}) {
    sim::Scenario s = scenario({fault(kind, {.kind = sim::Target::Kind::kNode, .index = 2, .nic = ""}, 1.2)});
    s.name = kind;
    s.pp = 4, s.dp = 2, s.host_ratio = 0.01;
    EXPECT_THAT(warned(playedAlone(s)), ElementsAre(kind + std::string(" node:sim-0002")));
  }
}

// A cold cache at the start is part of the baseline: when it warms up, the other stage did not change.
TEST_F(StepDiagnosisTest, AStageIsNotBlamedWhenTheOtherOneRecovers) {
  std::vector<sim::Fault> cold;
  for (const int node : {0, 1}) {
    cold.push_back(fault("data_bound", {.kind = sim::Target::Kind::kNode, .index = node, .nic = ""}, 1.2, 1));
    cold.back().last_step = 60;
  }
  const sim::Scenario s = scenario(cold);  // two nodes per stage
  for (const Finding& finding : playedAlone(s)) EXPECT_NE(finding.pp, 1) << finding.summary;
}

TEST_F(StepDiagnosisTest, AllRanksThatBeginToWaitForDataAreNamedBelowTheShareThatIsLargeAtAnyTime) {
  EXPECT_THAT(warned(found({fault("data_bound", {.kind = sim::Target::Kind::kRun, .nic = ""}, 1.09)})), ElementsAre("data_bound run"));
  EXPECT_THAT(warned(found({fault("data_bound", {.kind = sim::Target::Kind::kRun, .nic = ""}, 1.09, 1)})), IsEmpty()) << "it always was so";
}

TEST_F(StepDiagnosisTest, EverybodySlowerIsNobodysFault) {
  sim::Scenario s = scenario({});
  const auto findings = found({fault("throughput_shift", {.kind = sim::Target::Kind::kRun, .nic = ""}, 1.10)});
  // 80 steps of 4.4 s are less than ten minutes: too short to be a shift.
  EXPECT_THAT(warned(findings), IsEmpty());
}

TEST_F(StepDiagnosisTest, WhatIsStillGoingOnIsDatedAndStaysOpen) {
  found({fault("slow_rank", {.kind = kRank, .index = 5, .nic = ""}, 1.15)});
  const auto live = ask(kStart + 3'600LL * kNsPerSecond);
  ASSERT_THAT(warned(live), ElementsAre("slow_rank rank:5"));
  EXPECT_FALSE(live.front().end.has_value());
}

TEST_F(StepDiagnosisTest, ARankThatIsSlowAgainAfterARewindToTheSameStepIsOneFindingOfTheNewestAttempt) {
  record("0", 1, 60, kStart, 1.2);
  record("1", 1, 60, kStart + 100 * kNsPerSecond, 1.4);
  for (const auto now : {std::optional<TimeNs>(), std::optional(kStart + 200 * kNsPerSecond)}) {
    const auto findings = ask(now);
    std::vector<std::string> said;
    for (const Finding& one : findings) said.push_back(one.kind + " " + one.subject + " " + std::to_string(one.first_step.value_or(-1)));
    ASSERT_THAT(said, ElementsAre("slow_rank rank:3 2")) << "the same identity: in a store there is room for one";
    EXPECT_EQ(findings[0].subject, "rank:3");
    EXPECT_EQ(findings[0].start, kStart + 102 * kNsPerSecond);
    EXPECT_NEAR(*findings[0].score, 1.4, 1e-3);
  }
}

TEST_F(StepDiagnosisTest, WhatEndedKeepsItsCostAfterTwoHundredThousandMoreSteps) {
  const auto slow = [](std::int32_t rank, std::int64_t step) {
    return (rank == 3 && step > 200 && step <= 400) || (rank == 6 && step > 800 && step <= 150'800);
  };
  const auto analysis = makeStepDiagnosis();
  const auto look = [&](std::int64_t step) {
    auto reader = m_store.reader();
    EXPECT_TRUE(reader.ok());
    auto said = analysis->look({.reader = **reader, .run = (*reader)->runs()->front().id, .now = kStart + step * kNsPerSecond, .stop = {}});
    EXPECT_TRUE(said.ok()) << said.status().message();
    std::map<std::string, Finding> out;
    for (Finding& one : *said) out[one.kind + " " + one.subject] = std::move(one);
    return out;
  };
  recordSlow(8, 1, 150, slow);
  look(150);
  recordSlow(8, 151, 700, slow);
  const Finding before = look(700).at("slow_rank rank:3");
  EXPECT_THAT(before.evidence, HasSubstr("\"cost_measured\":true"));
  EXPECT_NEAR(nlohmann::json::parse(before.evidence)["cost_ratio"].get<double>(), 0.2, 1e-3);
  recordSlow(8, 701, 200'700, slow);
  const auto after = look(200'700);
  EXPECT_EQ(after.at("slow_rank rank:3").evidence, before.evidence);
  EXPECT_EQ(after.at("slow_rank rank:3").summary, before.summary);
  EXPECT_EQ(after.at("slow_rank rank:3").coverage, before.coverage);
}

TEST_F(StepDiagnosisTest, ACostIsMeasuredWhereTheSpellBeganThoughThoseStepsAreDroppedMeanwhile) {
  const auto slow = [](std::int32_t rank, std::int64_t step) { return rank == 3 && step > 200; };
  AttemptWatch* watch = nullptr;
  std::optional<AttemptWatch> kept;
  FindingMemory memory;
  ShiftWatch shifts;
  const auto cost = [&] {
    auto reader = m_store.reader();
    EXPECT_TRUE(reader.ok());
    if (watch == nullptr) watch = &kept.emplace((*reader)->attempts((*reader)->runs()->front().id)->front());
    EXPECT_TRUE(watch->read(**reader, false, shifts, {}).ok());
    const auto evidence = nlohmann::json::parse(findingsOf(*watch, {}, false, memory).at(0).evidence);
    EXPECT_TRUE(evidence["cost_measured"].get<bool>());
    return evidence["cost_ratio"].get<double>();
  };
  recordSlow(8, 1, 700, slow);
  const double before = cost();
  recordSlow(8, 701, 110'000, slow);
  EXPECT_DOUBLE_EQ(cost(), before);
}

// 20 of 64 steps, one rank after the other: 16 ranks have 10,000 spells in 40,000 steps.
TEST_F(StepDiagnosisTest, TenThousandSpellsAreEachJudgedOnceMoreAfterTheirEnd) {
  constexpr std::int64_t kSteps = 40'100, kLook = 1'000;
  const auto slow = [](std::int32_t rank, std::int64_t step) { return (step + 4 * rank) % 64 < 20; };
  std::optional<AttemptWatch> watch;
  FindingMemory memory;
  ShiftWatch shifts;
  std::size_t looks = 0, compared = 0;
  std::map<std::string, Finding> before;
  for (std::int64_t step = 0; step < kSteps; step += kLook, ++looks) {
    recordSlow(16, step + 1, step + kLook, slow);
    auto reader = m_store.reader();
    ASSERT_TRUE(reader.ok());
    if (!watch) watch.emplace((*reader)->attempts((*reader)->runs()->front().id)->front());
    ASSERT_TRUE(watch->read(**reader, false, shifts, {}).ok());
    for (Finding& one : findingsOf(*watch, {}, false, memory)) {
      const auto [known, is_new] = before.try_emplace(one.kind + one.subject + " " + std::to_string(*one.first_step), one);
      if (!is_new && *one.last_step < step - 200) {
        ++compared;
        ASSERT_EQ(one.evidence, known->second.evidence);
      }
      known->second = std::move(one);
    }
  }
  EXPECT_GT(watch->rankSpells(WorkKind::kCompute).size(), 9'900U);
  EXPECT_GT(compared, 40'000U);
  EXPECT_LT(memory.timesJudged(), 10'000 + looks * 100) << "those that go on or ended a moment ago are judged again";
}

// If a run's trainer reports only forward passes, only the watch itself can distinguish a slow GPU from pauses.
// In a job whose second stage has more work, the stages are reported after the first steps.
TEST_F(StepDiagnosisTest, RanksWhoseStageIsReportedLateAreComparedWithinItFromThenOn) {
  auto opened = m_store.writer();
  ASSERT_TRUE(opened.ok());
  Writer& out = **opened;
  const RunId run = out.run({.name = "r", .time_domain = TimeDomain::kUtc, .state = RunState::kRunning, .start = kStart});
  const AttemptId attempt = out.attempt({.run = run, .start = kStart});
  const auto tell = [&](std::int64_t first, std::int64_t last) {
    for (std::int32_t rank = 0; rank < 8; ++rank) {
      const auto series = [&](const char* metric, const char* labels) {
        return out.series(
            {.attempt = attempt, .rank = rank, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
      };
      const SeriesId dur = series("step_time_ns", ""), forward = series("step_part_ns", R"({"part":"forward"})");
      for (std::int64_t step = first; step <= last; ++step) {
        out.scalar(dur, step, kStart + step * kNsPerSecond, 1e9);
        out.scalar(forward, step, kStart + step * kNsPerSecond, rank >= 4 ? 650e6 : 500e6);
      }
    }
  };
  const auto analysis = makeStepDiagnosis();
  std::vector<std::string> said;
  const auto look = [&](std::int64_t step) {
    EXPECT_TRUE(out.flush().ok());
    auto reader = m_store.reader();
    ASSERT_TRUE(reader.ok());
    const auto runs = (*reader)->runs();
    auto found = analysis->look({.reader = **reader, .run = runs->front().id, .now = kStart + step * kNsPerSecond, .stop = {}});
    ASSERT_TRUE(found.ok());
    for (const Finding& one : *found) said.push_back(one.kind + " " + one.subject);
  };
  tell(1, 5);
  look(6);
  for (std::int32_t rank = 0; rank < 8; ++rank)
    out.rank(
        {.attempt = attempt, .rank = rank, .node = out.node({.uuid = rank < 4 ? "a" : "b", .name = rank < 4 ? "a" : "b"}), .pp = rank / 4});
  for (std::int64_t step = 6; step <= 60; ++step) tell(step, step), look(step + 1);
  EXPECT_THAT(said, ::testing::Each("stage_imbalance stage:1"));
  EXPECT_THAT(said, ::testing::Not(IsEmpty()));
}

TEST_F(StepDiagnosisTest, AShiftThatEndedIsReportedAsOne) {
  record("0", 1, 300, kStart, 1);
  record("0", 301, 1'000, kStart, 1, 1.1e9);
  record("0", 1'001, 2'000, kStart, 1);
  const auto findings = ask({});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_TRUE(findings[0].end);
  EXPECT_THAT(findings[0].summary, HasSubstr("took 10 % longer from step 301 to 1000: 1.00 s before, 1.10 s then"));
}

TEST_F(StepDiagnosisTest, AShiftThatHoldsIsStillReportedWhenTheHubWasRestartedLongAfterIt) {
  record("0", 1, 300, kStart, 1);
  record("0", 301, 1'000, kStart, 1, 1.1e9);
  const auto shiftIn = [](const std::vector<Finding>& findings) {
    const auto found = std::ranges::find(findings, "throughput_shift", &Finding::kind);
    return found == findings.end() ? std::optional<Finding>() : std::optional(*found);
  };
  auto reported = shiftIn(ask(kStart + 1'100 * kNsPerSecond));
  EXPECT_FALSE(reported) << "its begin is further back than a live watch looks";
  reported = shiftIn(ask({}));
  ASSERT_TRUE(reported);
  EXPECT_EQ(reported->first_step, 301);
  EXPECT_FALSE(reported->end);
  {
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok());
    reported->run = (*opened)->run({.name = "r"});
    (*opened)->finding(*reported);
    ASSERT_TRUE((*opened)->close().ok());
  }
  const auto again = shiftIn(ask(kStart + 1'100 * kNsPerSecond));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->first_step, 301);
  EXPECT_FALSE(again->end);
  EXPECT_EQ(again->last_step, 1'000);
}

// BLOOM's log: 149 TFLOPs fell to 140 on one day; no other source.
TEST_F(StepDiagnosisTest, AShiftIsFoundFromTheStepTimesOfALogAlone) {
  for (const bool clocked : {true, false}) {
    TempStore store;
    auto opened = store.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    Writer& out = **opened;
    const RunId run = out.run({.name = "bloom", .time_domain = clocked ? TimeDomain::kUtc : TimeDomain::kNone});
    const AttemptId attempt = out.attempt({.run = run, .key = "0", .layout = {.world = 384}});
    const SeriesId logged = out.series({.attempt = attempt,
                                        .metric = "elapsed time per iteration",
                                        .labels = R"({"canonical":"step_time_ns"})",
                                        .unit = "ns",
                                        .kind = SeriesKind::kScalar});
    std::mt19937 random(7);
    std::normal_distribution<double> noise(1, 0.004);
    TimeNs at = kStart;
    for (std::int64_t step = 1; step <= 900; ++step) {
      const double dur = 104.3e9 * (step > 500 ? 149.0 / 140.0 : 1) * noise(random);
      at += static_cast<DurNs>(dur);
      out.scalar(logged, step, clocked ? std::optional(at) : std::nullopt, dur);
    }
    EXPECT_TRUE(out.close().ok());
    auto reader = store.reader();
    ASSERT_TRUE(reader.ok());
    const auto said = makeStepDiagnosis()->look({.reader = **reader, .run = run, .now = {}, .stop = {}});
    ASSERT_TRUE(said.ok()) << said.status().message();
    ASSERT_THAT(*said, SizeIs(1)) << clocked;
    EXPECT_EQ(said->front().kind, "throughput_shift");
    EXPECT_NEAR(static_cast<double>(*said->front().first_step), 501, 3);
    EXPECT_NEAR(said->front().score.value_or(0), 149.0 / 140.0 - 1, 0.005);
    EXPECT_EQ(said->front().severity, Severity::kWarning) << "547 GPU hours a day of 384 GPUs";
    EXPECT_EQ(said->front().start.has_value(), clocked);
  }
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
class PortsTest : public ::testing::Test {
 protected:
  PortEvidence ask(double rate) {
    auto opened = m_store.writer();
    EXPECT_TRUE(opened.ok());
    std::vector<NodeId> nodes;
    for (const char* name : {"n0", "n1"}) {
      const NodeId node = (*opened)->node({.uuid = name, .name = name});
      nodes.push_back(node);
      for (const char* port : {"ib0", "ib1", "storage"}) {
        const DeviceId device = (*opened)->device({.uuid = std::string(name) + "/" + port, .node = node, .kind = "nic"});
        const SeriesId series = (*opened)->series({.node = node,
                                                   .device = device,
                                                   .metric = "rdma_link_bytes_per_s",
                                                   .labels = "{\"device\":\"" + std::string(port) + "\"}",
                                                   .unit = "bytes_per_s"});
        const bool falls = std::string(name) + port == "n0ib0";
        for (int s = 0; s < 1'200; ++s)
          (*opened)->sample(series, kStart + s * kNsPerSecond, std::string(port) == "storage" ? 12.5e9 : falls && s >= 600 ? rate : 50e9);
      }
    }
    EXPECT_TRUE((*opened)->close().ok());
    auto reader = m_store.reader();
    EXPECT_TRUE(reader.ok());
    const TimeRange range{kStart + 600 * kNsPerSecond, kStart + 1'200 * kNsPerSecond};
    auto evidence = portEvidence(**reader, nodes, range, {});
    EXPECT_TRUE(evidence.ok());
    return *evidence;
  }
  TempStore m_store;
};

TEST_F(PortsTest, APortThatHasAlwaysBeenTheSlowerOneIsNotAccused) {
  const auto evidence = ask(50e9);
  EXPECT_EQ(evidence.ports, 6U);
  EXPECT_FALSE(evidence.odd) << evidence.odd->port;
}

TEST_F(PortsTest, APortWhoseRateFellIsAccusedThoughAnotherOneIsSlower) {
  const auto evidence = ask(25e9);
  ASSERT_TRUE(evidence.odd);
  EXPECT_EQ(evidence.odd->port, "ib0");
  EXPECT_EQ(words::english(portSentence(*evidence.odd, "n0")), "ib0 of n0 runs at 200 Gbit/s, the other ports at 400");
}

// 87,001 symbol errors compared with 0 to 3 are worth a look although no step is slower.
TEST_F(StepDiagnosisTest, APortThatCountsFarMoreErrorsThanTheOthersIsInformation) {
  record("0", 0, 120, kStart, 1);
  {
    auto out = m_store.writer().value();
    for (const int node : {0, 1})
      for (const int port : {0, 1}) {
        const NodeId id = out->node({.uuid = "n" + std::to_string(node), .name = "n" + std::to_string(node)});
        const SeriesId errors = out->series({.node = id,
                                             .metric = "rdma_symbol_error_total",
                                             .labels = "{\"device\":\"ib" + std::to_string(port) + "\"}",
                                             .unit = "total"});
        const double each = node == 1 && port == 0 ? 725 : 0.02;
        for (int s = 0; s <= 120; ++s) out->sample(errors, kStart + s * kNsPerSecond, std::floor(each * s));
      }
    ASSERT_TRUE(out->close().ok());
  }
  const auto findings = ask({});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].severity, Severity::kInfo);
  EXPECT_EQ(findings[0].subject, "nic:n1/ib0");
  EXPECT_THAT(findings[0].summary, HasSubstr("ib0 of n1 counted 87000 symbol errors, the other ports"));
}

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
