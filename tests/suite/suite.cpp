// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/suite.h"

#include <cstdio>

namespace runglass {
namespace {

using sim::Fault;
using sim::FaultCause;
using sim::Scenario;
using sim::Target;

struct Plan {
  const char* name;
  std::int32_t tp, pp, dp, cp;
};
constexpr Plan kDp8{"8", 1, 1, 8, 1}, kDp64{"dp64", 1, 1, 64, 1}, k64{"64", 8, 4, 2, 1}, kWide64{"wide64", 2, 4, 8, 1},
    kCp64{"cp64", 2, 2, 4, 4}, k256{"256", 8, 4, 8, 1}, k1024{"1024", 8, 8, 16, 1};

constexpr std::int64_t kSteps = 300, kFirst = 121, kLast = 260;

// A job as they are: GPUs and parts that differ a little, a rank 0 that logs, embedding and loss layers, a compiler, saves.
Scenario jobOf(const Plan& plan, std::uint64_t seed) {
  Scenario s;
  s.seed = seed;
  s.steps = kSteps;
  s.tp = plan.tp, s.pp = plan.pp, s.dp = plan.dp, s.cp = plan.cp;
  s.nodes = s.world() / 8;
  s.step_seconds = 8;
  s.tokens_per_step = std::int64_t{65536} * s.dp * s.cp;
  s.spans = sim::SpanDetail::kNone;
  s.metrics_hertz = 0;
  s.noise_ratio = 0.01, s.part_noise_ratio = 0.08, s.heavy_tails = true, s.gpu_spread_ratio = 0.004, s.blips_per_step = 0.02;
  s.host_ratio = 0.01, s.rank0_host_ratio = 0.01, s.host_cpu = true;
  s.first_stage_extra_ratio = 0.04, s.last_stage_extra_ratio = 0.08;
  s.warmup_steps = 10, s.compile_factor = 15;
  s.checkpoint_every_steps = 100, s.checkpoint_seconds = 20;
  return s;
}

class Table {
 public:
  std::vector<SuiteCase> take() { return std::move(m_cases); }

  SuiteCase& add(const std::string& name, const Plan& plan, std::vector<Fault> faults = {}) {
    SuiteCase one{.scenario = jobOf(plan, 1000 + 17 * m_cases.size())};
    one.scenario.name = name + "-" + plan.name;
    one.scenario.faults = std::move(faults);
    m_cases.push_back(std::move(one));
    return m_cases.back();
  }
  SuiteCase& fault(const Plan& plan, const char* kind, Target target, double strength, FaultCause cause = FaultCause::kUsual) {
    char name[64];
    std::snprintf(name, sizeof name, "%s-%g%s", kind, strength, kCauses[static_cast<std::size_t>(cause)]);
    return add(name, plan, {make(kind, target, strength, cause)});
  }
  static Fault make(const char* kind, Target target, double strength, FaultCause cause = FaultCause::kUsual) {
    Fault fault{.kind = kind, .target = std::move(target), .first_step = kFirst, .last_step = kLast, .strength = strength};
    fault.cause = cause;
    return fault;
  }

 private:
  static constexpr const char* kCauses[] = {"", "-cpu", "-errors", "-rate", "-silent"};
  std::vector<SuiteCase> m_cases;
};

Target rankOf(std::int32_t rank) { return {.kind = Target::Kind::kRank, .index = rank}; }
Target nodeOf(std::int32_t node) { return {.kind = Target::Kind::kNode, .index = node}; }
Target stageOf(std::int32_t stage) { return {.kind = Target::Kind::kStage, .index = stage}; }
Target gpuOf(std::int32_t node, std::int32_t gpu) { return {.kind = Target::Kind::kGpu, .index = node, .gpu = gpu}; }
Target portOf(std::int32_t node, const char* port) { return {.kind = Target::Kind::kNic, .index = node, .nic = port}; }

void addSlowWorkers(Table& table) {
  for (const double strength : {1.1, 1.2, 1.5}) table.fault(k64, "slow_rank", rankOf(37), strength).fast = strength == 1.2;
  table.fault(kDp8, "slow_rank", rankOf(5), 1.2).fast = true;
  for (const Plan& plan : {kDp64, kCp64, k256}) table.fault(plan, "slow_rank", rankOf(21), 1.2);
  table.fault(k1024, "slow_rank", rankOf(700), 1.2);
  table.fault(k64, "slow_rank", rankOf(50), 1.3, FaultCause::kCpuSteal);
  SuiteCase& always = table.fault(k64, "slow_rank", rankOf(11), 1.25);  // a GPU that never was as fast as the others
  always.scenario.name += "-always", always.scenario.faults[0].first_step = 1, always.scenario.faults[0].last_step = kSteps;
  for (const double strength : {1.1, 1.2, 1.5}) table.fault(k256, "slow_node", nodeOf(11), strength);
  table.fault(kDp64, "slow_node", nodeOf(3), 1.2);
  table.fault(k1024, "slow_node", nodeOf(77), 1.2);
  for (const double strength : {1.1, 1.2, 1.5}) table.fault(k64, "thermal_throttle", gpuOf(4, 3), strength).scenario.metrics_hertz = 0.5;
}

// What a link loses is a share of a tenth of the step: half as fast is 10 % of the step.
void addSlowLinks(Table& table) {
  const auto link = [&](const Plan& plan, std::int32_t node, const char* port, double strength, FaultCause cause) -> SuiteCase& {
    SuiteCase& one = table.fault(plan, "slow_link", portOf(node, port), strength, cause);
    one.scenario.nics_per_node = 8;
    one.scenario.metrics_hertz = 0.5;
    return one;
  };
  // Node 1 has the first stage, which is done last: its gradients delay everybody. Node 5's are hidden behind it until they take long.
  for (const double strength : {1.5, 2.0, 3.0}) link(k64, 1, "ib2", strength, FaultCause::kErrors);
  link(k64, 5, "ib2", 4, FaultCause::kErrors);
  link(kWide64, 2, "ib7", 2, FaultCause::kErrors);
  link(k256, 3, "ib0", 2, FaultCause::kRate);
  link(k64, 1, "ib2", 2, FaultCause::kSilent).insufficient = true;
  link(k1024, 9, "ib3", 3, FaultCause::kErrors).scenario.metrics_hertz = 0.1;
  SuiteCase& flap = table.fault(k64, "nic_flap", portOf(3, "ib0"), 2.5);
  flap.scenario.nics_per_node = 8, flap.scenario.metrics_hertz = 0.5, flap.fast = true;
  flap.scenario.faults[0].last_step = kFirst + 4;
}

void addImbalance(Table& table) {
  for (const double strength : {1.1, 1.2, 1.5}) table.fault(k64, "stage_imbalance", stageOf(3), strength).fast = strength == 1.2;
  table.fault(k1024, "stage_imbalance", stageOf(4), 1.2);
  SuiteCase& always = table.fault(k64, "stage_imbalance", stageOf(3), 1.3);  // layers that were never divided well
  always.scenario.name += "-always", always.scenario.faults[0].first_step = 1, always.scenario.faults[0].last_step = kSteps;
  for (const double strength : {1.1, 1.2, 1.5}) table.fault(kWide64, "sequence_imbalance", {}, strength);
  for (const Plan& plan : {kDp64, k256}) table.fault(plan, "sequence_imbalance", {}, 1.3);
}

void addHosts(Table& table) {
  for (const double strength : {1.1, 1.2, 1.5}) table.fault(k64, "host_bound", nodeOf(6), strength).fast = strength == 1.2;
  table.fault(k256, "host_bound", {}, 1.2);
  table.fault(kDp8, "host_bound", rankOf(2), 1.2, FaultCause::kCpuSteal);
  for (const double strength : {1.1, 1.2, 1.5}) table.fault(k64, "data_bound", rankOf(19), strength).fast = strength == 1.2;
  table.fault(kDp64, "data_bound", nodeOf(2), 1.2);
  table.fault(k256, "data_bound", {}, 1.2);
  for (const double strength : {1.05, 1.1, 1.2}) table.fault(k64, "gc_jitter", {}, strength);
  table.fault(k1024, "gc_jitter", {}, 1.05);
  for (const double strength : {1.05, 1.1, 1.2}) table.fault(k64, "throughput_shift", {}, strength);
  table.fault(k1024, "throughput_shift", {}, 1.1);
}

void addLosses(Table& table) {
  const auto loss = [&](const char* kind, double strength, std::int64_t first, std::int64_t last, bool recovers) -> SuiteCase& {
    SuiteCase& one = table.fault(kDp8, kind, {}, strength);
    one.scenario.steps = 1200;
    one.scenario.faults[0].first_step = first, one.scenario.faults[0].last_step = last, one.scenario.faults[0].recovers = recovers;
    if (!recovers) one.scenario.name += "-stays";
    return one;
  };
  for (const double strength : {20.0, 40.0, 100.0}) loss("loss_spike", strength, 700, 714, true);
  for (const double strength : {40.0, 100.0}) loss("loss_spike", strength, 700, 714, false);
  for (const double strength : {0.05, 0.2, 1.0}) loss("loss_divergence", strength, 700, 1200, true);
  loss("nan", 1, 900, 1200, true).fast = true;
}

void addStandstills(Table& table) {
  const auto once = [&](const Plan& plan, const char* kind, Target target, double strength,
                        std::optional<std::int32_t> xid = {}) -> SuiteCase& {
    SuiteCase& one = table.fault(plan, kind, std::move(target), strength);
    one.scenario.faults[0].first_step = one.scenario.faults[0].last_step = 180;
    one.scenario.faults[0].xid = xid;
    if (xid) one.scenario.name += "-" + std::to_string(*xid);
    return one;
  };
  once(k64, "hang", rankOf(21), 300).fast = true;
  once(kDp8, "hang", rankOf(6), 600);
  once(k1024, "hang", rankOf(511), 300);
  once(k64, "stall", {}, 240).fast = true;
  SuiteCase& lost = once(k64, "hardware_fault", gpuOf(5, 2), 600, 79);
  lost.fast = true, lost.scenario.metrics_hertz = 0.1;
  once(k64, "hardware_fault", gpuOf(1, 7), 1, 48).scenario.metrics_hertz = 0.1;
  once(k64, "xid", gpuOf(2, 0), 1, 94);
  SuiteCase& silent = once(k64, "heartbeat_loss", nodeOf(4), 1);
  silent.scenario.metrics_hertz = 0.5, silent.scenario.faults[0].last_step = 190;
}

void addTwoAtOnce(Table& table) {
  Fault spike = Table::make("loss_spike", {}, 60);
  spike.first_step = 200, spike.last_step = 214;
  table.add("slow_rank+loss_spike", k64, {Table::make("slow_rank", rankOf(40), 1.2), spike});
  table.add("slow_rank+slow_rank", k256, {Table::make("slow_rank", rankOf(40), 1.3), Table::make("slow_rank", rankOf(201), 1.25)});
  SuiteCase& link =
      table.add("slow_rank+slow_link", k64, {Table::make("slow_rank", rankOf(9), 1.2), Table::make("slow_link", portOf(6, "ib4"), 2)});
  link.scenario.nics_per_node = 8, link.scenario.metrics_hertz = 0.5;
  table.add("slow_node+data_bound", k256, {Table::make("slow_node", nodeOf(20), 1.2), Table::make("data_bound", rankOf(3), 1.2)});
}

void addTroubleWithData(Table& table) {
  table.add("slow_rank+missing_rank", k64, {Table::make("slow_rank", rankOf(37), 1.2), Table::make("missing_rank", rankOf(12), 1)});
  // Only stage 0 says anything.
  SuiteCase& most = table.add("most_missing", k64, {Table::make("slow_rank", rankOf(37), 1.2)});
  for (const std::int32_t stage : {1, 2, 3}) {
    Fault silent = Table::make("missing_rank", stageOf(stage), 1);
    silent.first_step = 1, silent.last_step = kSteps;
    most.scenario.faults.push_back(silent);
  }
  most.insufficient = true;
  SuiteCase& skew = table.add("clock_skew", k64, {Table::make("clock_skew", nodeOf(3), 2.5)});
  skew.fast = true, skew.scenario.faults[0].first_step = 1, skew.scenario.faults[0].last_step = kSteps;
  table.add("agent_restart", k64, {Table::make("agent_restart", nodeOf(3), 1)}).scenario.faults[0].last_step = kFirst + 3;
}

void addHealthy(Table& table) {
  for (const Plan& plan : {kDp8, k64, kCp64, k256, k1024}) table.add("healthy", plan).fast = plan.name == k64.name;
  SuiteCase& lengths = table.add("variable-lengths", kWide64);
  lengths.scenario.variable_lengths = true;
  SuiteCase& stages = table.add("uneven-stages", k64);
  stages.scenario.first_stage_extra_ratio = 0.06, stages.scenario.last_stage_extra_ratio = 0.12;
  SuiteCase& spans = table.add("healthy-spans", k64);
  spans.scenario.spans = sim::SpanDetail::kCoarse, spans.scenario.steps = 150;
}

// All of quiet.md's ingredients at once: ten weeks of long steps, five half days of short ones.
void addCalmWeeks(Table& table) {
  for (int seed = 1; seed <= 15; ++seed) {
    const bool week = seed <= 10;
    SuiteCase& one = table.add("calm-week-" + std::to_string(seed), Plan{week ? "16" : "32", 2, 2, week ? 4 : 8, 1});
    one.calm = true;
    Scenario& s = one.scenario;
    s.seed = static_cast<std::uint64_t>(seed) * 7919;
    s.steps = week ? 5040 : 5000;
    s.step_seconds = week ? 120 : 8;
    s.daily_swing_ratio = 0.02, s.daily_swing_hours = week ? 24 : 5;
    s.eval_every_steps = 250 + 10 * seed, s.eval_seconds = week ? 600 : 40, s.eval_inside_step = seed % 2 == 1;
    s.checkpoint_every_steps = 100, s.checkpoint_seconds = s.step_seconds * 1.5, s.async_checkpoints = seed % 3 != 0;
    s.warmup_steps = 20, s.compile_factor = 10 + 1.3 * seed;
    s.wsd = true;
    s.batch_ramp_steps = 600, s.batch_ramp_from = 0.25, s.micro_batches = 16;
    s.sequence_double_step = 2000 + 37 * seed;
    s.restart_step = 3100, s.restart_micro_batches = 24;
    s.variable_lengths = true, s.moe_imbalance_ratio = 0.03;
    s.epoch_every_steps = 1500, s.epoch_pause_seconds = week ? 90 : 30;
    s.gc_every_steps = 50, s.gc_seconds = 0.05 * s.step_seconds;
    s.log_every_steps = 10;
    s.blips_per_step = 0.02;
    s.metrics_hertz = week ? 1.0 / 120 : 0.1;
    s.power_cap_watts = 550, s.nics_per_node = 2;
    s.hub_restart_step = 1700, s.hub_restart_steps = 12;
  }
}

}  // namespace

std::vector<SuiteCase> diagnosisSuite() {
  Table table;
  addSlowWorkers(table);
  addSlowLinks(table);
  addImbalance(table);
  addHosts(table);
  addLosses(table);
  addStandstills(table);
  addTwoAtOnce(table);
  addTroubleWithData(table);
  addHealthy(table);
  addCalmWeeks(table);
  return table.take();
}

}  // namespace runglass
