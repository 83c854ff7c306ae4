// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/simulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "collectors/sim/step_model.h"
#include "tests/collectors/memory_recorder.h"

namespace runglass::sim {
namespace {

Scenario small(std::vector<Fault> faults = {}) {
  Scenario s;
  s.name = "small";
  s.seed = 3;
  s.steps = 30;
  s.tp = s.pp = s.dp = 2;
  s.micro_batches = 4;
  s.metrics_hertz = 2;
  s.faults = std::move(faults);
  return s;
}
Fault fault(std::string kind, Target target, std::int64_t first, std::int64_t last, double strength) {
  return {std::move(kind), target, first, last, strength, std::nullopt};
}
constexpr Target kRank5{.kind = Target::Kind::kRank, .index = 5};

test::MemoryRecorder played(const Scenario& scenario) {
  test::MemoryRecorder out;
  const Status status = play(scenario, out, {.start = 1'700'000'000'000'000'000, .speed = 0});
  EXPECT_TRUE(status.ok()) << status.message();
  return out;
}

TEST(StepModel, GivesAnUndisturbedStepItsNominalLength) {
  Scenario s = small();
  s.noise_ratio = 0;
  const Step step = StepModel(s).step(5);
  EXPECT_NEAR(static_cast<double>(step.dur) / kNsPerSecond, 1.0, 1e-6);
  for (const RankStep& rank : step.ranks) EXPECT_EQ(rank.busy() + rank.wait, step.dur) << "parts and waiting add up to the step";
}

TEST(StepModel, OrdersAPipelineAs1F1B) {
  Scenario s = small();
  s.noise_ratio = 0;
  const Step step = StepModel(s).step(1);
  std::string first_stage, last_stage;
  for (const PipelineOp& op : step.ops[0]) first_stage += (op.backward ? "b" : "f") + std::to_string(op.microbatch);
  for (const PipelineOp& op : step.ops[1]) last_stage += (op.backward ? "b" : "f") + std::to_string(op.microbatch);
  EXPECT_EQ(first_stage, "f0f1b0f2b1f3b2b3");
  EXPECT_EQ(last_stage, "f0b0f1b1f2b2f3b3");
  for (const PipelineOp& op : step.ops[1]) {
    if (op.backward) continue;
    for (const PipelineOp& sent : step.ops[0])
      if (!sent.backward && sent.microbatch == op.microbatch) {
        EXPECT_GE(op.start, sent.start + sent.dur) << "a stage cannot begin before it has received";
      }
  }
}

TEST(StepModel, LetsEverybodyWaitForASlowRankWhichWaitsLeast) {
  const Scenario s = small({fault("slow_rank", kRank5, 10, 20, 1.3)});
  const StepModel model(s);
  const Step healthy = model.step(9), slow = model.step(10);
  EXPECT_GT(static_cast<double>(slow.dur) / static_cast<double>(healthy.dur), 1.15);
  for (std::size_t rank = 0; rank < slow.ranks.size(); ++rank)
    if (rank != 5) {
      EXPECT_GT(slow.ranks[rank].wait, slow.ranks[5].wait);
    }
}

TEST(StepModel, FollowsTheOrderOfTheLayout) {
  Scenario s = small();
  s.order = "pp-tp-cp-ep-dp";
  EXPECT_EQ(coordinatesOf(s, 1).pp, 1);
  EXPECT_EQ(coordinatesOf(s, 2).tp, 1);
  EXPECT_EQ(coordinatesOf(s, 4).dp, 1);
}

TEST(Simulator, RepeatsItselfExactly) {
  const auto first = played(small()), second = played(small());
  ASSERT_EQ(first.metric_samples.size(), second.metric_samples.size());
  for (const auto& [id, samples] : first.metric_samples) {
    EXPECT_EQ(samples.time, second.metric_samples.at(id).time);
    EXPECT_EQ(samples.value, second.metric_samples.at(id).value);
  }
  EXPECT_EQ(first.scalarsOf("loss").value, second.scalarsOf("loss").value);
}

TEST(Simulator, SaysThatItIsSimulatedAndEndsFinished) {
  const auto out = played(small());
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_TRUE(out.runs[0].simulated);
  EXPECT_EQ(out.runs[0].state, RunState::kFinished);
  EXPECT_EQ(out.ranks.size(), 8U);
  EXPECT_EQ(out.scalarsOf("loss").size(), 30U);
  EXPECT_EQ(out.scalarsOf("step_time_ns", 7).size(), 30U);
  EXPECT_TRUE(out.labels.empty());
}

TEST(Simulator, TellsEveryFaultAsOneLabelWithItsTimes) {
  const auto out = played(small({fault("slow_rank", kRank5, 10, 20, 1.3), fault("loss_spike", {}, 25, 27, 50)}));
  ASSERT_EQ(out.labels.size(), 2U);
  EXPECT_EQ(out.labels[0].kind, "slow_rank");
  EXPECT_EQ(out.labels[0].rank, 5);
  EXPECT_EQ(out.labels[0].first_step, 10);
  EXPECT_EQ(out.labels[0].last_step, 20);
  const auto steps = out.scalarsOf("step_time_ns", 5);
  EXPECT_EQ(out.labels[0].start, steps.time[9]) << "the label begins when its first step begins";
  const auto loss = out.scalarsOf("loss");
  EXPECT_GT(loss.value[24], loss.value[23] * 1.1);
}

TEST(Simulator, RestartsFromTheLastCheckpointAfterAHardwareFault) {
  Scenario s = small({fault("hardware_fault", kRank5, 15, 15, 1)});
  s.checkpoint_every_steps = 10;
  const auto out = played(s);
  ASSERT_EQ(out.attempts.size(), 2U);
  EXPECT_EQ(out.attempts[0].end_cause, "hardware fault: Xid 79");
  EXPECT_EQ(out.attempts[1].resumed_from_step, 10);
  EXPECT_TRUE(out.hasEvent("xid"));
  EXPECT_TRUE(out.hasEvent("restart"));
  EXPECT_EQ(out.labels.size(), 1U);
  std::int64_t points = 0;
  for (const auto& [id, columns] : out.scalar_points)
    if (out.series_keys.at(id).metric == "loss") points += static_cast<std::int64_t>(columns.size());
  EXPECT_EQ(points, 15 + 20) << "steps 11 to 15 were run twice";
}

TEST(Simulator, LeavesAHoleWhereANodeIsSilent) {
  Scenario s = small({fault("heartbeat_loss", {.kind = Target::Kind::kNode, .index = 1}, 10, 19, 1)});
  s.nodes = 2;
  s.gpus_per_node = 4;
  const auto out = played(s);
  const auto heard = [&](std::uint64_t device) { return out.samplesOf("power_watts", "*", DeviceId{device}).size(); };
  EXPECT_LT(heard(5), heard(1) * 3 / 4);
}

TEST(Simulator, HangsWithTheCulpritOutsideTheCollective) {
  const auto out = played(small({fault("hang", kRank5, 12, 12, 60)}));
  EXPECT_EQ(out.runs[0].state, RunState::kStalled);
  EXPECT_EQ(out.scalarsOf("loss").size(), 11U);
  const auto& last = out.progresses;
  for (std::size_t i = last.size() - 8; i < last.size(); ++i) EXPECT_EQ(last[i].op == "all_reduce dp", last[i].rank != 5);
}

TEST(Simulator, StopsAtTheRecordersFirstFailure) {
  test::MemoryRecorder out;
  out.fail_flush = Status(Code::kUnavailable, "hub: gone");
  const Status status = play(small(), out, {.start = 0, .speed = 0});
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_LE(out.scalarsOf("loss").size(), 1U);
}

}  // namespace
}  // namespace runglass::sim
