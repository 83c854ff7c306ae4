// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/suite.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>

namespace runglass {
namespace {

using sim::Fault;
using sim::FaultCause;
using sim::Scenario;
using sim::Target;

struct Plan {
  const char* name;
  std::int32_t tp, pp, dp, cp, ep = 1, vpp = 1;
  std::int32_t world() const { return tp * pp * dp * cp; }
};
constexpr Plan kDp8{"8", 1, 1, 8, 1}, kDp64{"dp64", 1, 1, 64, 1}, k64{"64", 8, 4, 2, 1}, kWide64{"wide64", 2, 4, 8, 1},
    kCp64{"cp64", 2, 2, 4, 4}, k256{"256", 8, 4, 8, 1}, k1024{"1024", 8, 8, 16, 1};

constexpr std::int64_t kSteps = 300, kFirst = 121, kLast = 260;

// A typical job: GPUs and parts that differ a little, a rank 0 that logs, embedding and loss layers, a compiler, checkpoints.
Scenario jobOf(const Plan& plan, std::uint64_t seed) {
  Scenario s;
  s.seed = seed;
  s.steps = kSteps;
  s.tp = plan.tp, s.pp = plan.pp, s.dp = plan.dp, s.cp = plan.cp, s.ep = plan.ep, s.vpp = plan.vpp;
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
    return {.kind = kind, .target = std::move(target), .first_step = kFirst, .last_step = kLast, .strength = strength, .cause = cause};
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
  SuiteCase& always = table.fault(k64, "slow_rank", rankOf(11), 1.25);  // a GPU that always was slower than the others
  always.scenario.name += "-always", always.scenario.faults[0].first_step = 1, always.scenario.faults[0].last_step = kSteps;
  for (const double strength : {1.1, 1.2, 1.5}) table.fault(k256, "slow_node", nodeOf(11), strength);
  table.fault(kDp64, "slow_node", nodeOf(3), 1.2);
  table.fault(k1024, "slow_node", nodeOf(77), 1.2);
  for (const double strength : {1.1, 1.2, 1.5}) table.fault(k64, "thermal_throttle", gpuOf(4, 3), strength).scenario.metrics_hertz = 0.5;
}

// The loss of a link is a share of a tenth of the step: half the speed is 10 % of the step.
void addSlowLinks(Table& table) {
  const auto link = [&](const Plan& plan, std::int32_t node, const char* port, double strength, FaultCause cause) -> SuiteCase& {
    SuiteCase& one = table.fault(plan, "slow_link", portOf(node, port), strength, cause);
    one.scenario.nics_per_node = 8;
    one.scenario.metrics_hertz = 0.5;
    return one;
  };
  // Node 1 has the first stage, which finishes last: its gradients delay all ranks. Node 5's are hidden behind it until they take long.
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
  for (const double strength : {1.05, 1.1, 1.2}) table.fault(k64, "gc_jitter", {}, strength).scenario.spans = sim::SpanDetail::kCoarse;
  table.fault(k1024, "gc_jitter", {}, 1.05).insufficient = true;  // no span distinguishes a collection from another pause
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
  // Only stage 0 reports data.
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

// Layouts of 16 to 512 GPUs: replicas alone, context, expert and interleaved pipeline parallelism, and all of them combined.
constexpr std::array kPlans = {Plan{"dp16", 1, 1, 16, 1},        Plan{"vpp32", 4, 4, 2, 1, 1, 2}, Plan{"cp32", 2, 2, 2, 4},
                               Plan{"ep64", 1, 1, 64, 1, 8},     Plan{"tp64", 8, 2, 4, 1},        Plan{"ep128", 2, 4, 16, 1, 8},
                               Plan{"vpp128", 4, 8, 4, 1, 1, 2}, Plan{"dp256", 1, 1, 256, 1},     Plan{"cp64", 4, 2, 2, 4},
                               Plan{"512", 8, 8, 8, 1, 1, 4}};
constexpr std::array kStepSeconds = {8.0, 2.0, 0.6, 20.0};

// Every kind of slowness in many strengths, each on another layout with another step, begin and length.
class Grid {
 public:
  explicit Grid(Table& table) : m_table(table) {}
  void all() {
    const auto strengths = {1.05, 1.06, 1.08, 1.1, 1.12, 1.15, 1.2, 1.3};
    for (const double strength : strengths) add("slow_rank", strength, [&](const Plan& p) { return rankOf(some(p.world())); });
    for (const double strength : strengths) add("slow_node", strength, [&](const Plan& p) { return nodeOf(some(p.world() / 8)); });
    for (const double strength : strengths)
      add("thermal_throttle", strength, [&](const Plan& p) { return gpuOf(some(p.world() / 8), some(8)); });
    for (const double strength : strengths)
      add(
          "stage_imbalance", strength, [&](const Plan& p) { return stageOf(some(p.pp)); }, 4);
    for (const double strength : strengths) add("host_bound", strength, [&](const Plan& p) { return nodeOf(some(p.world() / 8)); });
    for (const double strength : {1.08, 1.12, 1.2})
      add("host_bound", strength, [&](const Plan& p) { return rankOf(1 + some(p.world() - 1)); });
    for (const double strength : {1.1, 1.15, 1.3}) add("host_bound", strength, [](const Plan&) { return Target{}; });
    for (const double strength : strengths) add("data_bound", strength, [&](const Plan& p) { return rankOf(some(p.world())); });
    for (const double strength : {1.08, 1.12, 1.2}) add("data_bound", strength, [&](const Plan& p) { return nodeOf(some(p.world() / 8)); });
    for (const double strength : {1.1, 1.15, 1.3}) add("data_bound", strength, [](const Plan&) { return Target{}; });
    for (const double strength : {1.06, 1.1, 1.15, 1.2, 1.3}) add("gc_jitter", strength, [](const Plan&) { return Target{}; });
    for (const double strength : {1.06, 1.1, 1.15, 1.2, 1.3}) add("sequence_imbalance", strength, [](const Plan&) { return Target{}; });
    for (const double strength : {1.05, 1.06, 1.08, 1.15, 1.3}) add("throughput_shift", strength, [](const Plan&) { return Target{}; });
    // As a share of the tenth of a step that gradients take; the port's counters show it.
    for (const double strength : {1.2, 1.3, 1.5, 1.8, 2.5, 3.5}) add("slow_link", strength, [&](const Plan& p) { return port(p); });
    for (const double strength : {2.0, 3.0, 5.0, 8.0, 10.0}) {
      Scenario& s = add("nic_flap", strength, [&](const Plan& p) { return port(p); });
      s.faults[0].last_step = s.faults[0].first_step + 3;
    }
  }

 private:
  std::int32_t some(std::int32_t of) const { return static_cast<std::int32_t>((m_count * 7919 + 13) % of); }
  Target port(const Plan& plan) const { return portOf(some(plan.world() / 8), kPorts[static_cast<std::size_t>(some(8))]); }

  template <class Where>
  Scenario& add(const char* kind, double strength, const Where& where, std::int32_t min_stages = 1) {
    const Plan* plan = nullptr;
    do plan = &kPlans[static_cast<std::size_t>(++m_count) % kPlans.size()];
    while (plan->pp < min_stages || (min_stages > 1 && plan->world() / plan->pp <= 8));  // a stage that is a single node could be either
    SuiteCase& one = m_table.fault(*plan, kind, where(*plan), strength);
    Scenario& s = one.scenario;
    char name[64];
    std::snprintf(name, sizeof name, "grid-%s-%g-%s-%lld", kind, strength, plan->name, static_cast<long long>(m_count));
    s.name = name;
    s.step_seconds = kStepSeconds[static_cast<std::size_t>(m_count) % kStepSeconds.size()];
    s.steps = 320 + 10 * (m_count % 13);
    Fault& fault = s.faults[0];
    fault.first_step = 70 + m_count * 37 % 90;
    // Until the end of the run, or for long enough that a shift of the throughput counts.
    fault.last_step = m_count % 3 == 0 ? s.steps : fault.first_step + 90 + m_count * 53 % 80;
    // It is a shift only from ten minutes on.
    if (std::string_view(kind) == "throughput_shift") s.step_seconds = std::max(s.step_seconds, 8.0);
    if (std::string_view(kind) == "gc_jitter") s.spans = sim::SpanDetail::kCoarse;
    s.noise_ratio = m_count % 2 == 0 ? 0.01 : 0.015;
    if (plan->ep > 1) s.moe_imbalance_ratio = 0.01;
    const bool metrics = std::string_view(kind) == "thermal_throttle" || fault.target.kind == Target::Kind::kNic;
    if (metrics) s.metrics_hertz = std::min(1.0, 4 / s.step_seconds), s.nics_per_node = fault.target.kind == Target::Kind::kNic ? 8 : 0;
    return s;
  }

  static constexpr const char* kPorts[] = {"ib0", "ib1", "ib2", "ib3", "ib4", "ib5", "ib6", "ib7"};
  Table& m_table;
  std::int64_t m_count = 0;
};

// More losses, stalls and data problems, so that each of their kinds has at least six labels.
void addMoreOfTheRest(Table& table) {
  std::int64_t n = 0;
  const auto next = [&](const char* kind, Target target, double strength, const Plan& plan, std::int64_t first,
                        std::int64_t last) -> Scenario& {
    SuiteCase& one = table.fault(plan, kind, std::move(target), strength);
    Scenario& s = one.scenario;
    s.name = "more-" + std::string(kind) + "-" + std::to_string(++n);
    s.step_seconds = kStepSeconds[static_cast<std::size_t>(n) % kStepSeconds.size()];
    s.faults[0].first_step = first, s.faults[0].last_step = last;
    return s;
  };
  for (const std::int64_t first : {60, 150, 260, 290, 900})
    next("nan", {}, 1, first % 20 == 0 ? kPlans[0] : kDp8, first, first + 40).steps = first + 41;
  for (const double strength : {0.3, 0.5, 2.0}) next("loss_divergence", {}, strength, kPlans[0], 500, 900).steps = 900;
  for (const std::int32_t rank : {3, 40, 63}) next("hang", rankOf(rank), 200 + 150 * rank % 400, kPlans[3], 140 + rank, 140 + rank);
  for (const double length : {180.0, 400.0, 700.0, 1000.0, 1500.0})
    next("stall", {}, length, kPlans[static_cast<std::size_t>(n) % 7], 140 + 9 * n, 140 + 9 * n);
  for (const std::int32_t xid : {79, 48, 94, 119}) {
    Scenario& s = next("hardware_fault", gpuOf(1, 3 + xid % 5), xid == 79 ? 300 : 1, kPlans[1], 150, 150);
    s.faults[0].xid = xid, s.metrics_hertz = 0.1;
  }
  for (const std::int32_t xid : {48, 95, 74, 79, 119}) next("xid", gpuOf(1, xid % 8), 1, kPlans[2], 150, 150).faults[0].xid = xid;
  for (const std::int32_t node : {0, 1, 2, 3, 5}) {
    Scenario& s = next("heartbeat_loss", nodeOf(node), 1, kPlans[3], 150, 0);
    s.faults[0].last_step = 150 + static_cast<std::int64_t>(120 / s.step_seconds);
    s.metrics_hertz = 0.5;
  }
  for (const std::int32_t rank : {1, 9, 17, 30, 31}) next("missing_rank", rankOf(rank), 1, kPlans[1], 100, 200 + rank);
  for (const double seconds : {0.2, 1.0, 5.0, -2.0, 30.0}) next("clock_skew", nodeOf(2), seconds, kPlans[2], 1, kSteps);
  for (const std::int32_t node : {0, 1, 3, 2, 1}) next("agent_restart", nodeOf(node), 1, kPlans[2], 150 + node, 154 + node);
}

// All effects that are no faults at once: ten weeks of long steps, five half days of short ones.
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

// Shorter calm runs on every layout, each with some of the effects.
void addCalmRuns(Table& table) {
  for (int n = 0; n < 30; ++n) {
    const Plan& plan = kPlans[static_cast<std::size_t>(n % 7)];
    SuiteCase& one = table.add("calm-run-" + std::to_string(n), plan);
    one.calm = true;
    Scenario& s = one.scenario;
    s.step_seconds = kStepSeconds[static_cast<std::size_t>(n) % kStepSeconds.size()];
    s.steps = plan.world() > 32 ? 300 : 600;
    s.noise_ratio = 0.005 + 0.005 * (n % 4), s.blips_per_step = 0.05 * (n % 3);
    s.eval_every_steps = n % 2 == 0 ? 80 : 0, s.eval_seconds = 6 * s.step_seconds, s.eval_inside_step = n % 4 == 0;
    s.async_checkpoints = n % 3 == 1, s.checkpoint_seconds = 2.5 * s.step_seconds;
    s.variable_lengths = n % 5 == 2, s.moe_imbalance_ratio = plan.ep > 1 || n % 5 == 3 ? 0.02 : 0;
    s.daily_swing_ratio = n % 3 == 2 ? 0.02 : 0, s.daily_swing_hours = static_cast<double>(s.steps) * s.step_seconds / 3600;
    s.gc_every_steps = n % 4 == 1 ? 40 : 0, s.gc_seconds = 0.05 * s.step_seconds;
    s.epoch_every_steps = n % 6 == 5 ? 130 : 0, s.epoch_pause_seconds = 3 * s.step_seconds;
    s.restart_step = n % 7 == 4 ? 210 : 0;
    s.log_every_steps = n % 2 == 1 ? 10 : 1;
    s.batch_ramp_steps = n % 6 == 3 ? 120 : 0, s.micro_batches = 16;
    s.hub_restart_step = n % 8 == 6 ? 150 : 0;
    if (n % 10 == 9) s.metrics_hertz = 0.5 / s.step_seconds, s.nics_per_node = 2, s.power_cap_watts = 550;
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
  Grid(table).all();
  addMoreOfTheRest(table);
  addCalmWeeks(table);
  addCalmRuns(table);
  return table.take();
}

std::vector<SuiteCase> calmThird(std::uint64_t turn) {
  std::vector<SuiteCase> calm = diagnosisSuite();
  std::uint64_t number = 0;
  std::erase_if(calm, [&](const SuiteCase& one) { return !one.calm || number++ % 3 != turn % 3; });
  return calm;
}

}  // namespace runglass
