// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/scenario.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <set>

#include <toml++/toml.h>

namespace runglass::sim {
namespace {

constexpr std::array<std::string_view, 23> kFaultKinds = {"slow_rank",
                                                          "slow_node",
                                                          "slow_link",
                                                          "stage_imbalance",
                                                          "sequence_imbalance",
                                                          "hang",
                                                          "stall",
                                                          "host_bound",
                                                          "data_bound",
                                                          "gc_jitter",
                                                          "hardware_fault",
                                                          "thermal_throttle",
                                                          "loss_spike",
                                                          "loss_divergence",
                                                          "non_finite",
                                                          "throughput_shift",
                                                          "nic_flap",
                                                          "xid",
                                                          "heartbeat_loss",
                                                          "nan",
                                                          "clock_skew",
                                                          "missing_rank",
                                                          "agent_restart"};

Status bad(std::string_view file, const std::string& what) { return {Code::kInvalidArgument, std::string(file) + ": " + what}; }

// Reads the keys of one table into fields and rejects unknown keys.
class TableReader {
 public:
  TableReader(std::string_view file, std::string name, const toml::table& table) : m_file(file), m_name(std::move(name)), m_table(table) {}

  template <class T>
  void read(std::string_view key, T& field) {
    m_known.insert(std::string(key));
    const toml::node* node = m_table.get(key);
    if (node == nullptr || !m_status.ok()) return;
    if constexpr (std::is_same_v<T, std::string>) {
      if (const auto value = node->value_exact<std::string>())
        field = *value;
      else
        fail(key, "must be a string");
    } else if constexpr (std::is_same_v<T, bool>) {
      if (const auto value = node->value_exact<bool>())
        field = *value;
      else
        fail(key, "must be true or false");
    } else if constexpr (std::is_floating_point_v<T>) {
      if (const auto value = node->value<double>())
        field = *value;
      else
        fail(key, "must be a number");
    } else {
      const auto value = node->value_exact<std::int64_t>();
      if (value && *value >= 0 && *value <= static_cast<std::int64_t>(kLimit<T>))
        field = static_cast<T>(*value);
      else
        fail(key, "must be a whole number from 0 to " + std::to_string(kLimit<T>));
    }
  }
  // One of several fixed words.
  template <class T>
  void choose(std::string_view key, T& field, std::initializer_list<std::pair<std::string_view, T>> words) {
    std::string word, all;
    for (const auto& [name, value] : words) {
      if (value == field && word.empty()) word = name;
      all += (all.empty() ? "" : name == (words.end() - 1)->first ? " or " : ", ") + std::string(name);
    }
    read(key, word);
    for (const auto& [name, value] : words)
      if (name == word) {
        field = value;
        return;
      }
    fail(key, "must be " + all);
  }
  // A number in [0, limit).
  void readShare(std::string_view key, double& field, double limit = 1) {
    read(key, field);
    if (!(field >= 0) || field >= limit) fail(key, "must be from 0 to below " + std::to_string(static_cast<int>(limit)));
  }
  void fail(std::string_view key, const std::string& why) {
    if (m_status.ok()) m_status = bad(m_file, m_name + std::string(key) + ": " + why);
  }
  Status finish(std::initializer_list<std::string_view> tables = {}) {
    for (const std::string_view table : tables) m_known.insert(std::string(table));
    for (const auto& [key, value] : m_table)
      if (!m_known.contains(std::string(key.str()))) fail(key.str(), "unknown key, line " + std::to_string(value.source().begin.line));
    return m_status;
  }

 private:
  template <class T>
  static constexpr std::int64_t kLimit = sizeof(T) < 8 ? 1'000'000 : 1'000'000'000'000'000;
  std::string_view m_file;
  std::string m_name;
  const toml::table& m_table;
  std::set<std::string> m_known;
  Status m_status;
};

std::optional<std::int32_t> wholeNumber(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// rank:N  node:N  gpu:NODE/INDEX  stage:N  nic:NODE/NAME  run
std::optional<Target> parseTarget(std::string_view text) {
  if (text == "run") return Target{};
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view kind = text.substr(0, colon), rest = text.substr(colon + 1);
  const std::size_t slash = rest.find('/');
  const auto index = wholeNumber(rest.substr(0, slash));
  if (!index) return std::nullopt;
  using enum Target::Kind;
  if (slash == std::string_view::npos) {
    if (kind == "rank") return Target{.kind = kRank, .index = *index};
    if (kind == "node") return Target{.kind = kNode, .index = *index};
    if (kind == "stage") return Target{.kind = kStage, .index = *index};
    return std::nullopt;
  }
  const std::string_view part = rest.substr(slash + 1);
  if (kind == "nic" && !part.empty()) return Target{.kind = kNic, .index = *index, .nic = std::string(part)};
  if (const auto gpu = wholeNumber(part); kind == "gpu" && gpu) return Target{.kind = kGpu, .index = *index, .gpu = *gpu};
  return std::nullopt;
}

bool exists(const Target& target, const Scenario& s) {
  switch (target.kind) {
    case Target::Kind::kRun:
      return true;
    case Target::Kind::kRank:
      return target.index < s.world();
    case Target::Kind::kStage:
      return target.index < s.pp;
    case Target::Kind::kGpu:
      return target.index < s.nodes && target.gpu < s.gpus_per_node;
    case Target::Kind::kNode:
    case Target::Kind::kNic:
      return target.index < s.nodes;
  }
  return false;
}

Status readFault(std::string_view file, const toml::node& node, Scenario& s) {
  const std::string where = "fault " + std::to_string(s.faults.size() + 1) + ", line " + std::to_string(node.source().begin.line) + ": ";
  if (!node.is_table()) return bad(file, where + "must be a table");
  Fault fault{.last_step = s.steps};
  std::string target = "run";
  std::int32_t xid = -1;
  TableReader reader(file, where, *node.as_table());
  reader.read("kind", fault.kind);
  reader.read("target", target);
  reader.read("first_step", fault.first_step);
  reader.read("last_step", fault.last_step);
  reader.read("strength", fault.strength);
  reader.read("xid", xid);
  reader.read("recovers", fault.recovers);
  using enum FaultCause;
  reader.choose<FaultCause>("cause", fault.cause,
                            {{"usual", kUsual}, {"cpu_steal", kCpuSteal}, {"errors", kErrors}, {"rate", kRate}, {"silent", kSilent}});
  RG_TRY(reader.finish());
  if (std::find(kFaultKinds.begin(), kFaultKinds.end(), fault.kind) == kFaultKinds.end())
    return bad(file, where + "kind: '" + fault.kind + "' is not a fault that the simulator plays");
  const auto parsed = parseTarget(target);
  if (!parsed) return bad(file, where + "target: '" + target + "' is none of rank:N node:N gpu:NODE/INDEX stage:N nic:NODE/NAME run");
  if (!exists(*parsed, s)) return bad(file, where + "target: '" + target + "' does not exist in this cluster");
  if (fault.first_step > fault.last_step) return bad(file, where + "first_step is after last_step");
  fault.target = *parsed;
  if (xid >= 0) fault.xid = xid;
  s.faults.push_back(std::move(fault));
  return {};
}

// Variations in a healthy job besides steps of constant length.
void readHabits(TableReader& job, Scenario& s) {
  job.readShare("eval_seconds", s.eval_seconds, 1e6);
  job.read("eval_inside_step", s.eval_inside_step);
  job.choose("checkpoints", s.async_checkpoints, {{"sync", false}, {"async", true}});
  job.readShare("checkpoint_seconds", s.checkpoint_seconds, 1e6);
  job.readShare("async_save_ratio", s.async_save_ratio);
  job.read("async_save_steps", s.async_save_steps);
  job.read("warmup_steps", s.warmup_steps);
  job.readShare("compile_factor", s.compile_factor, 1000);
  job.choose("learning_rate", s.wsd, {{"cosine", false}, {"wsd", true}});
  job.read("sequence_length", s.sequence_length);
  job.read("batch_ramp_steps", s.batch_ramp_steps);
  job.readShare("batch_ramp_from", s.batch_ramp_from);
  job.read("sequence_double_step", s.sequence_double_step);
  job.read("restart_step", s.restart_step);
  job.read("restart_micro_batches", s.restart_micro_batches);
  job.read("epoch_every_steps", s.epoch_every_steps);
  job.readShare("epoch_pause_seconds", s.epoch_pause_seconds, 1e6);
  job.read("gc_every_steps", s.gc_every_steps);
  job.readShare("gc_seconds", s.gc_seconds, 1e6);
  job.read("log_every_steps", s.log_every_steps);
  job.read("hub_restart_step", s.hub_restart_step);
  job.read("hub_restart_steps", s.hub_restart_steps);
  job.readShare("daily_swing_ratio", s.daily_swing_ratio);
  job.readShare("daily_swing_hours", s.daily_swing_hours, 1e6);
  job.readShare("moe_imbalance_ratio", s.moe_imbalance_ratio);
  job.readShare("host_ratio", s.host_ratio);
  job.readShare("rank0_host_ratio", s.rank0_host_ratio);
  job.readShare("first_stage_extra_ratio", s.first_stage_extra_ratio, 10);
  job.readShare("last_stage_extra_ratio", s.last_stage_extra_ratio, 10);
  job.readShare("part_noise_ratio", s.part_noise_ratio);
  job.choose("noise_tails", s.heavy_tails, {{"normal", false}, {"heavy", true}});
  job.readShare("blips_per_step", s.blips_per_step, 1000);
  job.readShare("gpu_spread_ratio", s.gpu_spread_ratio);
  job.read("host_cpu", s.host_cpu);
  if (s.log_every_steps < 1) job.fail("log_every_steps", "must be at least 1");
  if (s.sequence_length < 1) job.fail("sequence_length", "must be at least 1");
  if (!(s.compile_factor >= 1)) job.fail("compile_factor", "must be at least 1");
  if (!(s.batch_ramp_from > 0)) job.fail("batch_ramp_from", "must be above 0");
  if (!(s.daily_swing_hours > 0)) job.fail("daily_swing_hours", "must be above 0");
}

Status check(std::string_view file, const Scenario& s) {
  if (s.name.empty()) return bad(file, "name: missing");
  if (s.steps < 1) return bad(file, "steps: must be at least 1");
  if (s.nodes < 1 || s.gpus_per_node < 1 || s.nodes_per_rack < 1)
    return bad(file, "cluster: nodes, gpus_per_node and nodes_per_rack must be at least 1");
  if (s.tp < 1 || s.pp < 1 || s.dp < 1 || s.cp < 1 || s.ep < 1 || s.vpp < 1 || s.micro_batches < 1)
    return bad(file, "job: parallel sizes and micro_batches must be at least 1");
  const std::int64_t world = std::int64_t{s.tp} * s.pp * s.dp * s.cp, gpus = std::int64_t{s.nodes} * s.gpus_per_node;
  if (gpus > 1'000'000 || world > 1'000'000) return bad(file, "cluster: more than a million GPUs");
  if (world != gpus)
    return bad(file, "job: tp x pp x dp x cp is " + std::to_string(world) + " but the cluster has " + std::to_string(gpus) + " GPUs");
  if (!(s.step_seconds > 0) || !(s.metrics_hertz >= 0) || s.metrics_hertz > 1000)
    return bad(file, "step_seconds must be above 0 and metrics_hertz from 0 to 1000");
  if (s.nics_per_node > 64) return bad(file, "cluster: nics_per_node: must be from 0 to 64");
  if (!(s.noise_ratio >= 0) || s.noise_ratio >= 1) return bad(file, "job: noise_ratio: must be from 0 to below 1");
  std::string sorted = s.order;
  for (const char* dimension : {"tp", "cp", "ep", "dp", "pp"})
    if (sorted.find(dimension) == std::string::npos)
      return bad(file, "job: order: '" + s.order + "' must name tp, cp, ep, dp and pp, fastest first");
  if (s.order.size() != 14) return bad(file, "job: order: '" + s.order + "' must name tp, cp, ep, dp and pp once, joined by '-'");
  return {};
}

}  // namespace

Result<Scenario> parseScenario(std::string_view toml_text, std::string_view file_name) {
  toml::table root;
  try {
    root = toml::parse(toml_text, file_name);
  } catch (const toml::parse_error& error) {
    return bad(file_name, "line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  }
  Scenario s;
  TableReader top(file_name, "", root);
  top.read("name", s.name);
  top.read("seed", s.seed);
  top.read("steps", s.steps);
  RG_TRY(top.finish({"cluster", "job", "fault"}));
  static const toml::table kEmpty;
  const toml::table* cluster = root["cluster"].as_table();
  TableReader c(file_name, "cluster.", cluster != nullptr ? *cluster : kEmpty);
  c.read("nodes", s.nodes);
  c.read("gpus_per_node", s.gpus_per_node);
  c.read("gpu", s.gpu);
  c.read("nodes_per_rack", s.nodes_per_rack);
  c.read("metrics_hertz", s.metrics_hertz);
  c.read("nics_per_node", s.nics_per_node);
  c.readShare("power_cap_watts", s.power_cap_watts, 10'000);
  RG_TRY(c.finish());
  const toml::table* job = root["job"].as_table();
  TableReader j(file_name, "job.", job != nullptr ? *job : kEmpty);
  j.read("tp", s.tp);
  j.read("pp", s.pp);
  j.read("dp", s.dp);
  j.read("cp", s.cp);
  j.read("ep", s.ep);
  j.read("vpp", s.vpp);
  j.read("order", s.order);
  j.read("micro_batches", s.micro_batches);
  j.read("step_seconds", s.step_seconds);
  j.read("noise_ratio", s.noise_ratio);
  j.read("tokens_per_step", s.tokens_per_step);
  j.choose("sequence_lengths", s.variable_lengths, {{"fixed", false}, {"variable", true}});
  j.read("checkpoint_every_steps", s.checkpoint_every_steps);
  j.read("eval_every_steps", s.eval_every_steps);
  j.choose<SpanDetail>("spans", s.spans, {{"none", SpanDetail::kNone}, {"coarse", SpanDetail::kCoarse}, {"kernels", SpanDetail::kKernels}});
  readHabits(j, s);
  RG_TRY(j.finish());
  RG_TRY(check(file_name, s));
  if (const toml::array* faults = root["fault"].as_array())
    for (const auto& node : *faults) RG_TRY(readFault(file_name, node, s));
  return s;
}

std::string nodeName(std::int32_t index) {
  char name[16];
  std::snprintf(name, sizeof name, "sim-%04d", index);
  return name;
}

std::string nicName(std::int32_t index) { return "ib" + std::to_string(index); }

}  // namespace runglass::sim
