// SPDX-License-Identifier: Apache-2.0
// The effect of events on a step: which ranks work longer, which wait, which times add up.
#include "collectors/sim/step_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace runglass::sim {
namespace {

// 32 ranks on four nodes: TP 2, PP 4, DP 4; the replicas of a stage are on two nodes.
Scenario job() {
  Scenario s;
  s.name = "job";
  s.seed = 11;
  s.steps = 400;
  s.nodes = 4;
  s.tp = 2, s.pp = 4, s.dp = 4;
  s.order = "tp-cp-ep-pp-dp";
  s.step_seconds = 4;
  return s;
}
Scenario noisy() {
  Scenario s = job();
  s.part_noise_ratio = 0.1, s.heavy_tails = true, s.blips_per_step = 1.5, s.gpu_spread_ratio = 0.01, s.moe_imbalance_ratio = 0.05;
  s.variable_lengths = true, s.host_ratio = 0.02, s.rank0_host_ratio = 0.03, s.first_stage_extra_ratio = 0.05;
  s.last_stage_extra_ratio = 0.15, s.gc_every_steps = 5, s.eval_every_steps = 7, s.eval_inside_step = true, s.eval_seconds = 3;
  s.checkpoint_every_steps = 10, s.async_checkpoints = true, s.warmup_steps = 8, s.batch_ramp_steps = 20, s.sequence_double_step = 30;
  return s;
}
Fault fault(std::string kind, Target target, double strength) { return {std::move(kind), target, 1, 1000, strength, std::nullopt}; }
Target rankTarget(std::int32_t rank) { return {.kind = Target::Kind::kRank, .index = rank}; }

double mean(const Scenario& s, std::int32_t rank, DurNs RankStep::*part, int steps = 40) {
  const StepModel model(s);
  double sum = 0;
  for (int step = 1; step <= steps; ++step) sum += static_cast<double>(model.step(step).ranks[static_cast<std::size_t>(rank)].*part);
  return sum / steps / kNsPerSecond;
}

TEST(StepParts, AddUpToTheStepOnEveryRankWhateverHappens) {
  Scenario s = noisy();
  s.faults = {fault("slow_rank", rankTarget(5), 1.3), fault("gc_jitter", {}, 1.2), fault("data_bound", rankTarget(9), 1.4),
              fault("slow_link", {.kind = Target::Kind::kNic, .index = 1, .nic = "ib0"}, 2), fault("sequence_imbalance", {}, 1.3)};
  const StepModel model(s);
  for (std::int64_t step = 1; step <= 60; ++step) {
    const Step timing = model.step(step);
    for (std::size_t rank = 0; rank < timing.ranks.size(); ++rank) {
      const RankStep& r = timing.ranks[rank];
      ASSERT_EQ(r.busy() + r.wait, timing.dur) << "step " << step << " rank " << rank;
      ASSERT_GE(r.wait, 0) << "step " << step << " rank " << rank;
      for (const DurNs part : {r.data, r.forward, r.backward, r.host, r.gc, r.communication, r.optimizer, r.other}) ASSERT_GE(part, 0);
      ASSERT_LE(r.reduce_begin, r.reduce_end);
      ASSERT_LE(r.reduce_end, timing.optimizer_begin);
    }
  }
}

TEST(StepParts, AnUndisturbedStepHasItsNominalLengthWhateverTheLayoutAndTheStages) {
  for (const auto [tp, pp, dp, cp] : {std::array{1, 1, 32, 1}, {8, 1, 4, 1}, {2, 4, 4, 1}, {2, 2, 2, 4}, {1, 16, 2, 1}}) {
    Scenario s = job();
    s.tp = tp, s.pp = pp, s.dp = dp, s.cp = cp;
    s.noise_ratio = 0, s.first_stage_extra_ratio = 0.1, s.last_stage_extra_ratio = 0.3;
    EXPECT_NEAR(static_cast<double>(StepModel(s).step(5).dur) / kNsPerSecond, 4.0, 1e-5) << tp << pp << dp << cp;
  }
}

TEST(SlowRank, WorksLongerItselfAndItsPeersWait) {
  const Scenario healthy = job();
  Scenario slow = job();
  slow.faults = {fault("slow_rank", rankTarget(13), 1.3)};
  EXPECT_NEAR(mean(slow, 13, &RankStep::forward) / mean(healthy, 13, &RankStep::forward), 1.3, 0.01);
  EXPECT_NEAR(mean(slow, 13, &RankStep::backward) / mean(healthy, 13, &RankStep::backward), 1.3, 0.01);
  for (std::int32_t rank = 0; rank < 32; ++rank) {
    if (rank == 13) continue;
    EXPECT_NEAR(mean(slow, rank, &RankStep::forward) / mean(healthy, rank, &RankStep::forward), 1, 1e-9) << rank;
    EXPECT_GT(mean(slow, rank, &RankStep::wait), mean(healthy, rank, &RankStep::wait) + 0.2) << rank;
    EXPECT_GT(mean(slow, rank, &RankStep::wait), mean(slow, 13, &RankStep::wait)) << rank;
  }
}

TEST(SlowLink, AllMembersOfTheCollectivesThatUseThePortTransferLonger) {
  Scenario s = job();  // a pipeline on each node: the gradients' collectives join all four
  s.noise_ratio = 0, s.nics_per_node = 4;
  const Step healthy = StepModel(s).step(5);
  s.faults = {fault("slow_link", {.kind = Target::Kind::kNic, .index = 2, .nic = "ib1"}, 1.8)};
  const StepModel model(s);
  const Step slow = model.step(5);
  for (std::int32_t rank = 0; rank < 32; ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    const double grows = static_cast<double>(slow.ranks[i].communication - healthy.ranks[i].communication);
    const bool member = rank % 8 / 2 == 1;  // ranks 2 and 3 of a node share port ib1
    EXPECT_NEAR(grows, member ? 0.8 * 0.1 * 4e9 : 0, 1e3) << rank;
    EXPECT_EQ(slow.ranks[i].forward, healthy.ranks[i].forward);
    if (!member) {
      EXPECT_GT(slow.ranks[i].wait, healthy.ranks[i].wait) << rank;
    }
  }
}

TEST(SlowLink, OfAPortThatNoCollectiveUsesHurtsNobody) {
  Scenario s = job();
  s.order = "dp-tp-cp-ep-pp";  // replicas on one node, stages apart from them
  s.noise_ratio = 0;
  const Step healthy = StepModel(s).step(5);
  s.faults = {fault("slow_link", {.kind = Target::Kind::kNic, .index = 0, .nic = "ib0"}, 1.5)};
  const Step slow = StepModel(s).step(5);
  EXPECT_EQ(slow.ranks[0].reduce_end - slow.ranks[0].reduce_begin, healthy.ranks[0].reduce_end - healthy.ranks[0].reduce_begin);
  EXPECT_GT(slow.ranks[8].communication, healthy.ranks[8].communication) << "but the next stage receives through it";
}

TEST(ContextParallel, MembersShareTheirStagesPace) {
  Scenario s = job();
  s.tp = 2, s.pp = 1, s.dp = 4, s.cp = 4;
  s.noise_ratio = 0;
  s.faults = {fault("slow_rank", rankTarget(0), 1.5)};
  const Step step = StepModel(s).step(5);
  for (std::int32_t rank = 1; rank < 8; ++rank)
    EXPECT_EQ(step.ranks[static_cast<std::size_t>(rank)].reduce_begin, step.ranks[0].reduce_begin) << rank;
  EXPECT_LT(step.ranks[8].reduce_begin, step.ranks[0].reduce_begin) << "another replica is done earlier";
}

TEST(GcJitter, MakesTheForwardPassesOfDifferentRanksLonger) {
  Scenario s = job();
  s.noise_ratio = 0;
  const Step healthy = StepModel(s).step(1);
  s.faults = {fault("gc_jitter", {}, 1.1)};
  const StepModel model(s);
  std::set<std::size_t> hit;
  for (std::int64_t step = 1; step <= 100; ++step) {
    const Step timing = model.step(step);
    for (std::size_t rank = 0; rank < 32; ++rank) {
      EXPECT_EQ(timing.ranks[rank].backward, healthy.ranks[rank].backward);
      EXPECT_EQ(timing.ranks[rank].gc, 0) << "nobody planned it";
      if (timing.ranks[rank].forward > healthy.ranks[rank].forward + 50 * kNsPerMs) hit.insert(rank);
    }
  }
  EXPECT_GT(hit.size(), 15U);
}

TEST(SequenceImbalance, ForwardAndBackwardGrowTogetherForAnotherReplicaEachStep) {
  Scenario s = job();
  s.faults = {fault("sequence_imbalance", {}, 1.4)};
  const StepModel model(s);
  std::set<std::size_t> longest;
  double sf = 0, sb = 0, sff = 0, sbb = 0, sfb = 0, n = 0;
  for (std::int64_t step = 1; step <= 100; ++step) {
    const Step timing = model.step(step);
    std::size_t most = 0;
    for (std::size_t rank = 0; rank < 32; ++rank) {
      const auto f = static_cast<double>(timing.ranks[rank].forward), b = static_cast<double>(timing.ranks[rank].backward);
      sf += f, sb += b, sff += f * f, sbb += b * b, sfb += f * b, ++n;
      if (timing.ranks[rank].forward > timing.ranks[most].forward) most = rank;
    }
    longest.insert(most / 8);
  }
  const double correlation = (sfb - sf * sb / n) / std::sqrt((sff - sf * sf / n) * (sbb - sb * sb / n));
  EXPECT_GT(correlation, 0.9);
  EXPECT_EQ(longest.size(), 4U);
}

TEST(Noise, ForwardAndBackwardOfAHealthyRankWobbleIndependently) {
  const Scenario s = job();
  const StepModel model(s);
  double sfb = 0, sff = 0, sbb = 0;
  const double f0 = mean(s, 3, &RankStep::forward, 300), b0 = mean(s, 3, &RankStep::backward, 300);
  for (std::int64_t step = 1; step <= 300; ++step) {
    const RankStep r = model.step(step).ranks[3];
    const double f = static_cast<double>(r.forward) / kNsPerSecond - f0, b = static_cast<double>(r.backward) / kNsPerSecond - b0;
    sfb += f * b, sff += f * f, sbb += b * b;
  }
  EXPECT_LT(std::abs(sfb / std::sqrt(sff * sbb)), 0.25);
}

TEST(CpuSteal, ShowsAsRunDelayOfTheSlowRank) {
  Scenario s = job();
  s.host_cpu = true;
  s.faults = {fault("slow_rank", rankTarget(13), 1.3)};
  s.faults[0].cause = FaultCause::kCpuSteal;
  EXPECT_GT(mean(s, 13, &RankStep::run_delay), 0.5);
  EXPECT_LT(mean(s, 12, &RankStep::run_delay), 0.01);
}

TEST(Regimes, AGrowingBatchMakesStepsLongerByItsTokens) {
  Scenario s = job();
  s.noise_ratio = 0, s.batch_ramp_steps = 40, s.batch_ramp_from = 0.5, s.micro_batches = 16;
  s.sequence_double_step = 100, s.restart_step = 200, s.restart_micro_batches = 32;
  const StepModel model(s);
  const Step first = model.step(1), full = model.step(50), doubled = model.step(100), more = model.step(201, 201);
  EXPECT_EQ(first.regime.micro_batches, 8);
  EXPECT_EQ(full.regime.micro_batches, 16);
  EXPECT_DOUBLE_EQ(first.regime.tokens * 2, full.regime.tokens);
  EXPECT_LT(first.dur, full.dur * 7 / 10);
  EXPECT_EQ(doubled.regime.sequence_length, 8192);
  EXPECT_NEAR(static_cast<double>(doubled.ranks[0].forward) / static_cast<double>(full.ranks[0].forward), 2.2, 1e-6);
  EXPECT_EQ(more.regime.micro_batches, 32);
  EXPECT_DOUBLE_EQ(more.regime.tokens, 2 * doubled.regime.tokens);
}

TEST(Warmup, TheFirstStepOfAnAttemptCompilesAndItSettles) {
  Scenario s = job();
  s.warmup_steps = 10, s.compile_factor = 20;
  const StepModel model(s);
  const auto seconds = [&](std::int64_t step, std::int64_t begin) {
    return static_cast<double>(model.step(step, begin).dur) / kNsPerSecond;
  };
  EXPECT_GT(seconds(1, 1), 60);
  EXPECT_LT(seconds(2, 1), 15);
  EXPECT_GT(seconds(2, 1), 6);
  EXPECT_NEAR(seconds(12, 1), 4, 0.2);
  EXPECT_GT(seconds(101, 101), 60) << "after a restart again";
}

TEST(DailySwing, TheWholeJobIsALittleFasterAndSlowerOverTheDay) {
  Scenario usual = job();
  usual.noise_ratio = 0;
  const StepModel even(usual);
  Scenario s = usual;
  s.daily_swing_ratio = 0.02, s.daily_swing_hours = 1;  // 900 steps of four seconds
  const StepModel model(s);
  const auto ratio = [&](std::int64_t step, std::size_t rank) {
    return static_cast<double>(model.step(step).ranks[rank].forward) / static_cast<double>(even.step(step).ranks[rank].forward);
  };
  for (const std::size_t rank : {0, 31}) {
    EXPECT_NEAR(ratio(225, rank), 1.02, 1e-3);
    EXPECT_NEAR(ratio(675, rank), 0.98, 1e-3);
  }
}

TEST(Experts, TheBusiestReplicaIsAnotherOneAsTheLoadWanders) {
  Scenario s = job();
  s.noise_ratio = 0, s.moe_imbalance_ratio = 0.1;
  const StepModel model(s);
  std::set<std::size_t> busiest;
  int stays = 0;
  std::size_t before = 99;
  for (std::int64_t step = 1; step <= 300; ++step) {
    const Step timing = model.step(step);
    const auto most = static_cast<std::size_t>(std::ranges::max_element(timing.ranks, {}, [](const RankStep& r) { return r.forward; }) -
                                               timing.ranks.begin());
    stays += most / 2 == before ? 1 : 0;
    before = most / 2;
    busiest.insert(before);
  }
  EXPECT_GT(busiest.size(), 8U) << "of sixteen places";
  EXPECT_GT(stays, 40) << "more often than chance: it drifts";
}

TEST(Rank0, LogsAndHasMoreHostTimeForEver) {
  Scenario s = job();
  s.host_ratio = 0.01, s.rank0_host_ratio = 0.02;
  EXPECT_NEAR(mean(s, 0, &RankStep::host), 0.12, 0.01);
  EXPECT_NEAR(mean(s, 7, &RankStep::host), 0.04, 0.01);
}

TEST(AsyncSave, TheStepsThatFollowAreSlowerUntilItIsDurable) {
  Scenario s = job();
  s.noise_ratio = 0, s.async_checkpoints = true, s.checkpoint_every_steps = 50, s.async_save_ratio = 0.1, s.async_save_steps = 3;
  const StepModel model(s);
  const DurNs usual = model.step(50).dur;
  for (const std::int64_t step : {51, 52, 53}) EXPECT_GT(model.step(step).dur, usual * 105 / 100);
  EXPECT_EQ(model.step(54).dur, usual);
  EXPECT_EQ(model.step(1).dur, usual) << "nothing was saved yet";
}

}  // namespace
}  // namespace runglass::sim
