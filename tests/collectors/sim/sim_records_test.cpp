// SPDX-License-Identifier: Apache-2.0
// The data that the simulated trainers and ports record about events of jobs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "collectors/sim/simulator.h"
#include "tests/support/memory_recorder.h"

namespace runglass::sim {
namespace {

constexpr TimeNs kStart = 1'700'000'000'000'000'000;

Scenario small() {
  Scenario s;
  s.name = "small";
  s.seed = 3;
  s.steps = 40;
  s.tp = s.pp = s.dp = 2;
  s.micro_batches = 4;
  s.metrics_hertz = 0;
  s.spans = SpanDetail::kNone;
  return s;
}
test::MemoryRecorder played(const Scenario& scenario) {
  test::MemoryRecorder out;
  const Status status = play(scenario, out, {.start = kStart, .speed = 0});
  EXPECT_TRUE(status.ok()) << status.message();
  return out;
}
std::string factOf(const test::MemoryRecorder& out, std::uint64_t attempt, const std::string& key) {
  for (const Fact& fact : out.facts)
    if (fact.attempt == AttemptId{attempt} && fact.key == key) return fact.value;
  return "";
}

TEST(SimSpans, BothEndsOfATransferShareTheirNumberAndEndTogether) {
  Scenario s = small();
  s.steps = 3, s.spans = SpanDetail::kCoarse;
  const auto out = played(s);
  struct End {
    TimeNs start, end;
    std::int64_t microbatch;
    std::string name;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<End>> sent, received;
  for (const auto& [id, key] : out.track_keys) {
    if (key.kind != "pp_send" && key.kind != "pp_recv") continue;
    for (const SpanColumns& batch : out.span_batches.at(id))
      for (std::size_t i = 0; i < batch.size(); ++i)
        (key.kind == "pp_send" ? sent : received)[{batch.group[i], batch.seq[i]}].push_back(
            {batch.start[i], batch.start[i] + batch.dur[i], batch.microbatch[i], batch.names[batch.name[i]]});
  }
  EXPECT_EQ(sent.size(), 3U * 4 * 4 * 2) << "steps x pipelines x micro-batches x directions";
  ASSERT_EQ(sent.size(), received.size());
  for (const auto& [number, ends] : sent) {
    ASSERT_EQ(ends.size(), 1U);
    const auto& other = received.at(number);
    ASSERT_EQ(other.size(), 1U);
    EXPECT_EQ(ends[0].end, other[0].end);
    EXPECT_EQ(ends[0].microbatch, other[0].microbatch);
    EXPECT_EQ(ends[0].name.substr(0, 8), other[0].name.substr(0, 8));
    EXPECT_LT(std::max(ends[0].start, other[0].start), ends[0].end) << "the transfer itself takes time";
  }
}

TEST(SimSpans, NoSpansOfOneTrackAndDepthOverlap) {
  Scenario s = small();
  s.steps = 12, s.spans = SpanDetail::kCoarse, s.tp = 1, s.pp = 4, s.gc_every_steps = 3, s.part_noise_ratio = 0.2, s.blips_per_step = 2;
  s.faults = {{"gc_jitter", {}, 1, 12, 1.3}, {"slow_rank", {.kind = Target::Kind::kRank, .index = 5}, 1, 12, 1.5}};
  const auto out = played(s);
  for (const auto& [id, key] : out.track_keys) {
    std::map<std::int32_t, std::vector<std::pair<TimeNs, TimeNs>>> by_depth;
    for (const SpanColumns& batch : out.span_batches.at(id))
      for (std::size_t i = 0; i < batch.size(); ++i) by_depth[batch.depth[i]].push_back({batch.start[i], batch.start[i] + batch.dur[i]});
    for (auto& [depth, spans] : by_depth) {
      std::ranges::sort(spans);
      for (std::size_t i = 1; i < spans.size(); ++i) ASSERT_LE(spans[i - 1].second, spans[i].first) << key.name << " rank " << *key.rank;
    }
  }
}

TEST(SimSpans, TheGradientsCollectiveBeginsWhenEachComesAndEndsForAllAtOnce) {
  Scenario s = small();
  s.steps = 2, s.spans = SpanDetail::kCoarse;
  s.faults = {{"slow_rank", {.kind = Target::Kind::kRank, .index = 5}, 1, 2, 1.5}};
  const auto out = played(s);
  std::map<std::int64_t, std::set<TimeNs>> begins, ends;
  for (const auto& [id, key] : out.track_keys)
    if (key.name == "trainer")
      for (const SpanColumns& batch : out.span_batches.at(id))
        for (std::size_t i = 0; i < batch.size(); ++i)
          if (batch.names[batch.name[i]] == "all_reduce dp" && batch.step[i] == 2)
            begins[batch.group[i]].insert(batch.start[i]), ends[batch.group[i]].insert(batch.start[i] + batch.dur[i]);
  ASSERT_EQ(begins.size(), 4U);
  for (const auto& [group, times] : ends) {
    EXPECT_EQ(times.size(), 1U);
    EXPECT_EQ(begins.at(group).size(), 2U);
  }
}

TEST(SimHabits, AnUnplannedCollectionIsASpanInsideAForwardPass) {
  Scenario s = small();
  s.spans = SpanDetail::kCoarse, s.steps = 60;
  s.faults = {{"gc_jitter", {}, 1, 60, 1.2}};
  const auto out = played(s);
  int pauses = 0;
  for (const auto& [id, key] : out.track_keys)
    if (key.name == "Python GC")
      for (const SpanColumns& batch : out.span_batches.at(id))
        for (std::size_t i = 0; i < batch.size(); ++i) pauses += batch.category[i] == SpanCategory::kGc && batch.dur[i] > 30 * kNsPerMs;
  EXPECT_GT(pauses, 3);
  EXPECT_EQ(out.scalarsOf("step_part_ns", 0, R"({"part":"gc"})").size(), 0U);
}

TEST(SimHabits, APlannedCollectionIsAPartOfEveryRanksStep) {
  Scenario s = small();
  s.gc_every_steps = 10;
  const auto out = played(s);
  for (std::int32_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(out.scalarsOf("step_part_ns", rank, R"({"part":"gc"})").step, (std::vector<std::int64_t>{10, 20, 30, 40}));
}

TEST(SimHabits, AnEvaluationInsideTheStepIsItsTimeAndOutsideIsAPause) {
  Scenario s = small();
  s.eval_every_steps = 20, s.eval_seconds = 30;
  const auto outside = played(s);
  s.eval_inside_step = true;
  const auto inside = played(s);
  EXPECT_LT(outside.scalarsOf("step_time_ns", 0).value[19], 2e9);
  EXPECT_GT(inside.scalarsOf("step_time_ns", 0).value[19], 30e9);
  EXPECT_EQ(inside.scalarsOf("validation_loss").size(), 2U);
  EXPECT_NEAR(static_cast<double>(*outside.runs[0].end - *inside.runs[0].end), 0, 1e9) << "the same time passes";
  EXPECT_TRUE(std::ranges::any_of(outside.progresses, [](const Progress& p) { return p.phase == "eval"; }));
}

TEST(SimHabits, AnAsynchronousSaveIsDurableStepsLater) {
  Scenario s = small();
  s.checkpoint_every_steps = 10, s.async_checkpoints = true, s.async_save_steps = 4;
  const auto out = played(s);
  const auto steps = out.scalarsOf("step_time_ns", 0);
  for (const Checkpoint& one : out.checkpoints)
    if (one.durable && one.step == 10) {
      EXPECT_EQ(*one.durable, steps.time[13] + static_cast<DurNs>(steps.value[13])) << "after step 14";
    }
  EXPECT_EQ(std::ranges::count_if(out.checkpoints, [](const Checkpoint& one) { return one.durable.has_value(); }), 3)
      << "the last one was still being written when the job ended";
}

TEST(SimHabits, APlannedRestartIsANewAttemptWithOtherFacts) {
  Scenario s = small();
  s.restart_step = 20, s.restart_micro_batches = 8;
  const auto out = played(s);
  ASSERT_EQ(out.attempts.size(), 2U);
  EXPECT_EQ(out.attempts[0].planned, true);
  EXPECT_EQ(out.attempts[1].resumed_from_step, 20);
  EXPECT_EQ(factOf(out, 1, "num_microbatches"), "4");
  EXPECT_EQ(factOf(out, 2, "num_microbatches"), "8");
  std::size_t points = 0;
  for (const auto& [id, columns] : out.scalar_points)
    if (out.series_keys.at(id).metric == "loss") points += columns.size();
  EXPECT_EQ(points, 40U) << "no step was run twice";
}

TEST(SimHabits, ARegimeIsReportedAsMegatronReportsIt) {
  Scenario s = small();
  s.batch_ramp_steps = 20, s.batch_ramp_from = 0.25, s.sequence_double_step = 30;
  const auto out = played(s);
  const auto batch = out.scalarsOf("global batch size"), length = out.scalarsOf("seq length"), consumed = out.scalarsOf("consumed samples");
  EXPECT_EQ(batch.value.front() * 4, batch.value.back());
  EXPECT_EQ(length.value[28], 4096);
  EXPECT_EQ(length.value[29], 8192);
  EXPECT_EQ(consumed.value.back(), std::accumulate(batch.value.begin(), batch.value.end(), 0.0));
  EXPECT_TRUE(std::ranges::any_of(out.logs, [](const LogLine& line) { return line.text == "setting sequence length from 4096 to 8192"; }));
}

TEST(SimHabits, GlobalsAreLoggedEveryTenthStepAsMeans) {
  Scenario s = small();
  const auto every = played(s);
  s.log_every_steps = 10;
  const auto tenth = played(s);
  const auto loss = tenth.scalarsOf("loss");
  EXPECT_EQ(loss.step, (std::vector<std::int64_t>{10, 20, 30, 40}));
  const auto all = every.scalarsOf("loss").value;
  EXPECT_NEAR(loss.value[0], std::accumulate(all.begin(), all.begin() + 10, 0.0) / 10, 1e-9);
  EXPECT_EQ(tenth.scalarsOf("step_time_ns", 3).size(), 40U) << "ranks tell every step";
}

TEST(SimHabits, WhatAHubMissedWhileItRestartedArrivesWhole) {
  Scenario s = small();
  s.hub_restart_step = 10, s.hub_restart_steps = 5;
  auto late = played(s).scalarsOf("step_time_ns", 3);
  s.hub_restart_step = 0;
  const auto whole = played(s).scalarsOf("step_time_ns", 3);
  EXPECT_NE(late.step, whole.step);
  EXPECT_EQ(late.step[9], 15) << "what is new comes first";
  std::ranges::sort(late.step);
  EXPECT_EQ(late.step, whole.step);
}

TEST(SimHabits, TheHostsTimesAreReportedWhereTheScenarioSaysSo) {
  Scenario s = small();
  EXPECT_EQ(played(s).scalarsOf("step_run_delay_ns", 5).size(), 0U);
  s.host_cpu = true;
  s.faults = {{"host_bound", {.kind = Target::Kind::kRank, .index = 5}, 20, 40, 1.3, std::nullopt, FaultCause::kCpuSteal}};
  const auto out = played(s);
  const auto delay = out.scalarsOf("step_run_delay_ns", 5), cpu = out.scalarsOf("step_cpu_ns", 5);
  EXPECT_LT(delay.value[10], 1e7);
  EXPECT_GT(delay.value[30], 2e8);
  EXPECT_GT(cpu.value[10], 0.9e9);
}

TEST(SimLoss, AMalignantSpikeStaysAndABenignOneComesBack) {
  Scenario s = small();
  s.faults = {{"loss_spike", {}, 20, 22, 40}};
  const auto calm = played(small()).scalarsOf("loss"), benign = played(s).scalarsOf("loss");
  s.faults[0].recovers = false;
  const auto malignant = played(s).scalarsOf("loss");
  EXPECT_GT(benign.value[20], calm.value[20] * 1.1);
  EXPECT_DOUBLE_EQ(benign.value[39], calm.value[39]);
  EXPECT_GT(malignant.value[39], calm.value[39] * 1.05);
}

// Two nodes with two ports each; TP on a node, replicas across.
Scenario ports(FaultCause cause) {
  Scenario s = small();
  s.nodes = 2, s.gpus_per_node = 4, s.nics_per_node = 2, s.metrics_hertz = 20;
  s.order = "tp-cp-ep-pp-dp";
  s.faults = {{"slow_link", {.kind = Target::Kind::kNic, .index = 1, .nic = "ib1"}, 10, 40, 2, std::nullopt, cause}};
  return s;
}
std::map<std::string, double> lastOf(const test::MemoryRecorder& out, std::string_view metric) {
  std::map<std::string, double> values;
  for (const auto& [id, key] : out.series_keys)
    if (key.metric == metric)
      for (const Device& device : out.devices)
        if (out.devices[key.device.value - 1].uuid == device.uuid) values[device.uuid.substr(10)] = out.metric_samples.at(id).value.back();
  return values;
}

TEST(SimPorts, OnlyTheCountersOfASlowPortTellWhoIsToBlame) {
  const auto out = played(ports(FaultCause::kErrors));
  const auto losses = lastOf(out, "rdma_packet_sequence_error_total");
  ASSERT_EQ(losses.size(), 4U);
  for (const auto& [uuid, count] : losses)
    EXPECT_EQ(count > 100, uuid == "/sim-0001/nic-ib1" || uuid == "sim-0001/nic-ib1") << uuid << count;
  ASSERT_EQ(out.labels.size(), 1U);
  EXPECT_EQ(out.devices[out.labels[0].device.value - 1].uuid, "sim:small/sim-0001/nic-ib1");
}

TEST(SimPorts, ALinkThatTrainedLowerHasNoErrors) {
  const auto out = played(ports(FaultCause::kRate));
  for (const auto& [uuid, count] : lastOf(out, "rdma_packet_sequence_error_total")) EXPECT_EQ(count, 0) << uuid;
  int lower = 0;
  for (const auto& [uuid, rate] : lastOf(out, "rdma_link_bytes_per_s")) lower += rate < 40e9;
  EXPECT_EQ(lower, 1);
}

TEST(SimPorts, ASilentLinkLeavesNoTrace) {
  const auto out = played(ports(FaultCause::kSilent));
  for (const auto& [uuid, count] : lastOf(out, "rdma_packet_sequence_error_total")) EXPECT_EQ(count, 0) << uuid;
  for (const auto& [uuid, rate] : lastOf(out, "rdma_link_bytes_per_s")) EXPECT_EQ(rate, 50e9) << uuid;
  EXPECT_FALSE(out.hasEvent("rdma_errors"));
}

TEST(SimPorts, APowerCapIsASoftwareReasonOnEveryGpuAndNoThermalOne) {
  Scenario s = small();
  s.metrics_hertz = 5;
  s.power_cap_watts = 450;
  const auto out = played(s);
  for (const Device& device : out.devices) {
    const DeviceId id{static_cast<std::uint64_t>(&device - out.devices.data()) + 1};
    const auto reasons = out.samplesOf("clock_event_reasons", "*", id).value;
    EXPECT_GT(std::ranges::count(reasons, 4.0), static_cast<std::ptrdiff_t>(reasons.size() / 2));
    EXPECT_TRUE(std::ranges::all_of(reasons, [](double r) { return r == 0 || r == 4; }));
    for (const double watts : out.samplesOf("power_watts", "*", id).value) EXPECT_LT(watts, 480);
  }
}

}  // namespace
}  // namespace runglass::sim
