// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "collectors/sim/simulated_captures.h"
#include "collectors/sim/step_model.h"
#include "model/null_recorder.h"
#include "tests/support/memory_recorder.h"

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
const Target kRank5{.kind = Target::Kind::kRank, .index = 5};

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

// The latest time of any record, and the maximum by which one was ahead of the play's clock.
class FutureWatch : public NullRecorder {
 public:
  explicit FutureWatch(std::function<TimeNs()> clock) : m_clock(std::move(clock)) {}
  void samples(SeriesId, std::span<const TimeNs> time, std::span<const double>) override { see(time.back()); }
  void scalars(SeriesId, std::span<const std::int64_t>, std::span<const TimeNs> time, std::span<const double>) override {
    see(time.back());
  }
  void spans(TrackId, const SpanColumns& spans) override {
    for (std::size_t i = 0; i < spans.size(); ++i) see(spans.start[i]);
  }
  void event(const Event& event) override { see(event.time.value_or(0)), ++events[event.kind]; }
  void log(const LogLine& line) override { see(line.time.value_or(0)); }
  void progress(const Progress& progress) override { see(progress.time); }
  void label(const Label& label) override { see(label.end.value_or(0)); }
  TimeNs latest = 0;
  DurNs ahead = 0;
  std::map<std::string, int> events;

 private:
  void see(TimeNs time) {
    latest = std::max(latest, time);
    if (m_clock) ahead = std::max(ahead, time - m_clock());
  }
  std::function<TimeNs()> m_clock;
};

// Plays whose length differs from the sum of their steps, or that record something later than its cause.
std::vector<Scenario> playsOfOddLength() {
  const Target gpu{.kind = Target::Kind::kGpu, .index = 0, .gpu = 2}, node{.kind = Target::Kind::kNode, .index = 0};
  std::vector<Scenario> plays = {small()};
  for (const Fault& one : {fault("stall", {}, 12, 12, 900), fault("hang", kRank5, 12, 12, 600), fault("hardware_fault", gpu, 15, 15, 600),
                           fault("hardware_fault", gpu, 15, 15, 1), fault("xid", gpu, 30, 30, 1), fault("heartbeat_loss", node, 5, 30, 1)})
    plays.push_back(small({one}));
  plays.back().checkpoint_every_steps = 10;
  plays[3].checkpoint_every_steps = 7, plays[4].checkpoint_every_steps = 7;
  Scenario habits = small();
  habits.checkpoint_every_steps = 10, habits.eval_every_steps = 9, habits.epoch_every_steps = 11, habits.restart_step = 17;
  habits.warmup_steps = 5, habits.nics_per_node = 2;
  habits.faults = {fault("slow_link", {.kind = Target::Kind::kNic, .index = 0, .nic = "ib1"}, 3, 30, 8)};
  plays.push_back(habits);
  return plays;
}

TEST(Simulator, KnowsItsLengthSoThatAPlayAtFullSpeedEndsNow) {
  for (const Scenario& scenario : playsOfOddLength()) {
    constexpr TimeNs kStart = 1'700'000'000'000'000'000;
    FutureWatch out({});
    ASSERT_TRUE(play(scenario, out, {.start = kStart, .speed = 0}).ok());
    EXPECT_LE(out.latest, kStart + scenarioLength(scenario)) << (scenario.faults.empty() ? "none" : scenario.faults[0].kind);
    EXPECT_GT(out.latest, kStart + scenarioLength(scenario) - 40 * kNsPerSecond);
  }
}

TEST(Simulator, NeverRecordsTheFutureAtAnySpeed) {
  for (const double speed : {1.0, 20.0, 2000.0})
    for (const Scenario& odd : playsOfOddLength()) {
      Scenario scenario = odd;
      if (speed < 100) {  // short steps, and no stalls of minutes
        scenario.step_seconds = speed / 1000, scenario.metrics_hertz = 1000 / speed;
        if (std::ranges::any_of(scenario.faults, [](const Fault& f) { return f.strength >= 60; })) continue;
        scenario.checkpoint_every_steps = scenario.eval_every_steps = scenario.epoch_every_steps = scenario.restart_step = 0;
        if (!scenario.faults.empty() && scenario.faults[0].kind == "hardware_fault") continue;  // a restart takes half a minute
      }
      const TimeNs start = wallNow(), begin = monotonicNow();
      FutureWatch out([&] { return start + static_cast<TimeNs>(static_cast<double>(monotonicNow() - begin) * speed); });
      ASSERT_TRUE(play(scenario, out, {.start = start, .speed = speed}).ok());
      EXPECT_LE(out.ahead, 0) << "at " << speed << "x, " << (scenario.faults.empty() ? "none" : scenario.faults[0].kind);
      EXPECT_GT(out.latest, start);
    }
}

TEST(Simulator, StillRecordsEveryEventOfAFaultOnceItsTimeHasCome) {
  FutureWatch lost({});
  ASSERT_TRUE(play(playsOfOddLength()[3], lost, {.start = 0, .speed = 0}).ok());
  EXPECT_EQ(lost.events["xid"], 3);
  EXPECT_EQ(lost.events["gpu_lost"], 1);
  EXPECT_EQ(lost.events["node_stale"], 1);
  EXPECT_EQ(lost.events["node_lost"], 1);
  EXPECT_EQ(lost.events["node_back"], 1);
  EXPECT_EQ(lost.events["collective_timeout"], 7);
}

TEST(Simulator, SaysWhatAFaultCosts) {
  Scenario s = small({fault("slow_rank", kRank5, 10, 20, 1.3), fault("slow_rank", {.kind = Target::Kind::kRank, .index = 1}, 10, 20, 1.1),
                      fault("loss_spike", {}, 25, 27, 50)});
  s.noise_ratio = 0;
  const auto out = played(s);
  std::map<std::int32_t, double> costs;
  for (const Fact& fact : out.facts)
    if (fact.key == "label/slow_rank/10/cost_ratio") costs[fact.rank.value()] = std::stod(fact.value);
  ASSERT_EQ(costs.size(), 2U);
  const auto steps = out.scalarsOf("step_time_ns", 5);
  const double without = steps.value[8], with = steps.value[9];
  EXPECT_GT(costs[5], 0.1);
  EXPECT_LT(costs[5], 1 - without / with) << "the slower of two hides the other: without it the other is still there";
  EXPECT_NEAR(costs[1], 0, 0.02);
  EXPECT_TRUE(std::ranges::none_of(out.facts, [](const Fact& fact) { return fact.key.starts_with("label/loss_spike"); }));
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
  const auto& all = out.progresses;
  std::map<std::int32_t, Progress> last;
  for (const Progress& one : all) last[one.rank] = one;
  for (const auto& [rank, one] : last) {
    EXPECT_EQ(one.seq.has_value(), rank != 5) << "rank " << rank << " waits in a collective";
    EXPECT_EQ(one.group.has_value(), rank != 5);
    EXPECT_LT(*one.since, one.time - 50 * kNsPerSecond) << "said again while nothing moves";
  }
  EXPECT_EQ(last[5].op, "backward");
  EXPECT_EQ(last[4].op, "all_reduce tp") << "its tensor-parallel peer";
  const auto group = std::ranges::find(out.groups, *last[4].group, &CommGroup::id);
  ASSERT_NE(group, out.groups.end());
  EXPECT_EQ(group->ranks, (std::vector<std::int32_t>{4, 5}));
}

TEST(Simulator, ALostGpuSilencesItsNodeAndTimesOutItsPeers) {
  Fault lost = fault("hardware_fault", {.kind = Target::Kind::kGpu, .index = 1, .gpu = 2}, 12, 12, 600);
  lost.xid = 79;
  Scenario s = small({lost});
  s.nodes = 2;
  s.gpus_per_node = 4;
  const auto out = played(s);
  std::map<std::string, int> kinds;
  for (const Event& event : out.events) ++kinds[event.kind];
  EXPECT_EQ(kinds["xid"], 3) << "79, 154 and 45";
  EXPECT_EQ(kinds["gpu_lost"], 1);
  EXPECT_EQ(kinds["node_lost"], 1);
  EXPECT_EQ(kinds["collective_timeout"], 7);
  EXPECT_EQ(kinds["node_back"], 1);
  EXPECT_EQ(out.attempts.size(), 2U);
  ASSERT_EQ(out.labels.size(), 1U);
  EXPECT_EQ(out.labels[0].kind, "hardware_fault");
}

TEST(Simulator, AFlappingLinkGoesDownAndComesUp) {
  const auto out = played(small({fault("nic_flap", {.kind = Target::Kind::kNic, .index = 0, .nic = "ib1"}, 10, 12, 2)}));
  std::vector<std::string> kinds;
  for (const Event& event : out.events)
    if (event.kind.starts_with("link")) kinds.push_back(event.kind + " " + event.message.substr(event.message.find("ib1")));
  EXPECT_EQ(kinds, (std::vector<std::string>{"link_down ib1: Link down", "link_up ib1: Link up"}));
}

TEST(Simulator, ACaptureOfAHangShowsTheCulpritElsewhereAndSaysThatItIsSimulated) {
  const Scenario scenario = small({fault("hang", kRank5, 12, 12, 60)});
  PlayState state;
  test::MemoryRecorder played;
  ASSERT_TRUE(play(scenario, played, {.start = 1'700'000'000'000'000'000, .speed = 0, .state = &state}).ok());
  test::MemoryRecorder out;
  EXPECT_EQ(capture(scenario, state, {}, CaptureReason::kStall, 1'700'000'000'000'000'000, out).size(), 8U);
  EXPECT_EQ(capture(scenario, state, {3, 99}, CaptureReason::kByHand, 1'700'000'000'000'000'000, out), std::vector<std::int32_t>{3});
  ASSERT_EQ(out.captures.size(), 18U);
  for (const Capture& one : out.captures) {
    EXPECT_TRUE(one.text.starts_with("simulated")) << one.text;
    EXPECT_EQ(one.source, "simulator");
    if (one.kind != "stack") continue;
    EXPECT_EQ(one.text.find("all_reduce") == std::string::npos, one.rank == 5) << one.text;
    EXPECT_NE(one.text.find("step 12"), std::string::npos);
  }
  EXPECT_EQ(out.nodes.at(0).uuid, played.nodes.at(0).uuid) << "the player's own nodes";
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
