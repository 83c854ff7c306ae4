// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/cluster_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/fault_catalog.h"
#include "model/metric_catalog.h"

namespace runglass::sim {
namespace {

// Models of simulated GPUs; figures from NVIDIA's data sheets.
struct GpuModel {
  std::string_view name;
  double limit_watts, idle_watts, max_hertz;
  std::int64_t memory_bytes;
};
constexpr std::array kGpus = {GpuModel{"H100-SXM", 700, 70, 1.98e9, 80LL << 30}, GpuModel{"H200-SXM", 700, 75, 1.98e9, 141LL << 30},
                              GpuModel{"A100-SXM", 400, 55, 1.41e9, 80LL << 30}, GpuModel{"B200-SXM", 1000, 140, 1.965e9, 180LL << 30}};

const GpuModel& gpuModel(std::string_view name) {
  for (const GpuModel& model : kGpus)
    if (model.name == name) return model;
  return kGpus[0];
}

constexpr double kAmbientCelsius = 32, kWattsPerDegree = 16;
constexpr std::int64_t kSlowEvery = 10;
constexpr TimeNs kNever = std::numeric_limits<TimeNs>::max();
enum MachineNoise : std::uint64_t { kPowerNoise = 100, kClockNoise, kCpuNoise };

}  // namespace

ClusterMetrics::ClusterMetrics(const Scenario& scenario, const StepModel& model, Recorder& out, TimeNs start)
    : m_scenario(scenario),
      m_model(model),
      m_out(out),
      m_period(scenario.metrics_hertz > 0 ? static_cast<DurNs>(kNsPerSecond / scenario.metrics_hertz) : 0),
      m_next(m_period > 0 ? start + m_period : kNever),
      m_ports(scenario, model, out) {
  const GpuModel& kind = gpuModel(scenario.gpu);
  const auto series = [&](NodeId node, DeviceId device, std::string_view metric, std::string labels = "") {
    return out.series({.node = node,
                       .device = device,
                       .metric = std::string(metric),
                       .labels = std::move(labels),
                       .unit = std::string(unitOfMetric(metric))});
  };
  for (std::int32_t n = 0; n < scenario.nodes; ++n) {
    const std::string name = nodeName(n);
    Node info{.uuid = "sim:" + scenario.name + "/" + name,
              .name = name,
              .rack = "rack-" + std::to_string(n / scenario.nodes_per_rack),
              .state = NodeState::kAlive,
              .last_heard = start};
    const NodeId id = out.node(info);
    m_nodes.push_back({info, id, series(id, {}, "cpu_busy_ratio"), series(id, {}, "net_transmit_bytes_per_s", R"({"interface":"ib0"})")});
    for (std::int32_t g = 0; g < scenario.gpus_per_node; ++g) {
      Gpu gpu;
      gpu.id = out.device({.uuid = info.uuid + "/gpu" + std::to_string(g),
                           .node = id,
                           .index = g,
                           .kind = "gpu",
                           .model = "simulated " + std::string(kind.name),
                           .memory_bytes = kind.memory_bytes});
      gpu.power = series(id, gpu.id, "power_watts");
      gpu.power_limit = series(id, gpu.id, "power_limit_watts");
      gpu.clock = series(id, gpu.id, "sm_clock_hertz");
      gpu.busy = series(id, gpu.id, "gpu_busy_ratio");
      gpu.sm = series(id, gpu.id, "sm_active_ratio");
      gpu.tensor = series(id, gpu.id, "tensor_active_ratio");
      gpu.dram = series(id, gpu.id, "dram_active_ratio");
      gpu.nvlink_out = series(id, gpu.id, "nvlink_transmit_bytes_per_s");
      gpu.nvlink_in = series(id, gpu.id, "nvlink_receive_bytes_per_s");
      gpu.reasons = series(id, gpu.id, "clock_event_reasons");
      gpu.temperature = series(id, gpu.id, "temperature_celsius");
      gpu.memory = series(id, gpu.id, "gpu_memory_used_bytes");
      m_gpus.push_back(gpu);
    }
    m_ports.declare(info.uuid, id);
  }
}

DeviceId ClusterMetrics::port(const Target& target) const {
  for (std::int32_t n = 0; n < m_scenario.nics_per_node; ++n)
    if (target.nic == nicName(n)) return m_ports.device(target.index, n);
  return {};
}

bool ClusterMetrics::silent(std::int32_t rank, std::int64_t step) const {
  if (m_gone.contains(m_model.nodeOf(rank))) return true;
  return std::any_of(m_scenario.faults.begin(), m_scenario.faults.end(), [&](const Fault& fault) {
    return (fault.kind == "heartbeat_loss" || fault.kind == "agent_restart" || fault.kind == "missing_rank") && step >= fault.first_step &&
           step <= fault.last_step && m_model.hits(fault, rank);
  });
}

TimeNs ClusterMetrics::stamp(std::int32_t node, std::int64_t step) const {
  TimeNs time = m_next;
  for (const Fault& fault : m_scenario.faults)
    if (fault.kind == "clock_skew" && step >= fault.first_step && step <= fault.last_step &&
        m_model.hits(fault, node * m_scenario.gpus_per_node))
      time += static_cast<DurNs>(fault.strength * kNsPerSecond);
  return time;
}

void ClusterMetrics::tick(std::int64_t step, DurNs in_step, const Step* timing) {
  bool any_reducing = false;
  for (std::int32_t rank = 0; rank < m_scenario.world(); ++rank) {
    const RankStep* r = timing != nullptr ? &timing->ranks[static_cast<std::size_t>(rank)] : nullptr;
    const bool reducing = r != nullptr && in_step >= r->reduce_begin && in_step < r->reduce_end;
    any_reducing |= reducing;
    if (silent(rank, step)) continue;
    double activity = 0.08;
    if (r != nullptr) {
      // A rank computes for its share of the pipeline phase and spins in collectives for the rest.
      const auto pipeline = static_cast<double>(r->reduce_begin - timing->pipeline_begin);
      const double share = static_cast<double>(r->forward + r->backward) / std::max(1.0, pipeline);
      if (in_step < timing->pipeline_begin)
        activity = 0.15;
      else
        activity = reducing ? 0.45 : std::min(1.0, 0.35 + 0.65 * share);
    }
    tickGpu(rank, step, activity, reducing);
  }
  tickNodes(step, any_reducing);
  m_ports.tick(step, in_step, timing, m_ticks, [this, step](std::int32_t n) -> std::optional<TimeNs> {
    return silent(n * m_scenario.gpus_per_node, step) ? std::nullopt : std::optional(stamp(n, step));
  });
  ++m_ticks;
  m_next += m_period;
}

void ClusterMetrics::tickGpu(std::int32_t rank, std::int64_t step, double activity, bool communicating) {
  const GpuModel& kind = gpuModel(m_scenario.gpu);
  Gpu& gpu = m_gpus[static_cast<std::size_t>(rank)];
  const TimeNs time = stamp(m_model.nodeOf(rank), step);
  // A power cap lowers the clock until the power fits: roughly with the third root, because the voltage falls with the clock.
  const double cap = m_scenario.power_cap_watts > 0 ? std::min(m_scenario.power_cap_watts, kind.limit_watts) : kind.limit_watts;
  const double wanted = kind.idle_watts + (kind.limit_watts * 0.98 - kind.idle_watts) * activity;
  const bool capped = wanted > cap;
  double clock = kind.max_hertz * (capped ? std::cbrt(cap / wanted) : 1);
  std::uint64_t reasons = capped ? 0x4 : 0;  // software power cap
  bool hot = false;
  for (const Fault& fault : m_scenario.faults) {
    if (step < fault.first_step || step > fault.last_step || !m_model.hits(fault, rank)) continue;
    if (fault.kind == "thermal_throttle") hot = true, clock /= fault.strength, reasons |= 0x48;  // hardware slowdown, thermal
  }
  const double watts =
      (capped ? cap * 0.99 : wanted) * (hot ? clock / kind.max_hertz : 1) * (1 + 0.01 * m_model.noise(m_ticks, rank, kPowerNoise));
  if (watts >= cap * 0.97) reasons |= 0x4;
  clock = std::max(345e6, clock - 15e6 * std::abs(m_model.noise(m_ticks, rank, kClockNoise)));
  const double target = hot ? 88 : kAmbientCelsius + watts / kWattsPerDegree;
  gpu.celsius += (target - gpu.celsius) * std::min(1.0, static_cast<double>(m_period) / (8.0 * kNsPerSecond));
  const auto rounded = [](double value, double unit) { return std::round(value / unit) * unit; };
  m_out.sample(gpu.power, time, static_cast<double>(static_cast<std::int64_t>(watts * 1000)) / 1000);
  m_out.sample(gpu.clock, time, rounded(clock, 15e6));
  m_out.sample(gpu.busy, time, activity > 0.1 ? 1.0 : 0.0);
  m_out.sample(gpu.sm, time, static_cast<double>(static_cast<int>(activity * 1000)) / 1000);
  m_out.sample(gpu.tensor, time, communicating ? 0.0 : static_cast<double>(static_cast<int>(activity * 550)) / 1000);
  m_out.sample(gpu.dram, time, static_cast<double>(static_cast<int>(activity * 420)) / 1000);
  m_out.sample(gpu.nvlink_out, time, communicating ? 180e9 : activity * 60e9);
  m_out.sample(gpu.nvlink_in, time, communicating ? 180e9 : activity * 60e9);
  m_out.sample(gpu.reasons, time, static_cast<double>(reasons));
  if (m_ticks % kSlowEvery != 0) return;
  m_out.sample(gpu.temperature, time, std::round(gpu.celsius));
  m_out.sample(gpu.memory, time, static_cast<double>(kind.memory_bytes) * 0.9);
  m_out.sample(gpu.power_limit, time, cap);
}

void ClusterMetrics::tickNodes(std::int64_t step, bool communicating) {
  for (std::int32_t n = 0; n < m_scenario.nodes; ++n) {
    if (silent(n * m_scenario.gpus_per_node, step)) continue;
    NodeSeries& node = m_nodes[static_cast<std::size_t>(n)];
    const TimeNs time = stamp(n, step);
    bool link_down = false;
    for (const Fault& fault : m_scenario.faults)
      link_down = link_down || (fault.kind == "nic_flap" && step >= fault.first_step && step <= fault.last_step &&
                                m_model.hits(fault, n * m_scenario.gpus_per_node));
    m_out.sample(node.net, time, link_down ? 0.0 : communicating ? 45e9 : 2e9);
    if (m_ticks % kSlowEvery != 0) continue;
    m_out.sample(node.cpu, time, std::clamp(0.2 + 0.02 * m_model.noise(m_ticks, n, kCpuNoise), 0.0, 1.0));
    node.info.last_heard = m_next;
    m_out.node(node.info);
  }
}

void ClusterMetrics::tellFault(const Fault& fault, TimeNs now) {
  m_ports.errorsOf(fault, now, m_later);
  const std::string nic = fault.target.nic.empty() ? "ib0" : fault.target.nic;
  if (fault.kind == "nic_flap")
    return m_out.event({.time = now,
                        .node = node(fault.target.index),
                        .kind = "link_down",
                        .severity = Severity::kError,
                        .message = "mlx5_core 0000:5e:00.0 " + nic + ": Link down"});
  if (fault.kind == "heartbeat_loss") {
    // A hub does not report a shorter silence.
    if (static_cast<double>(fault.last_step - fault.first_step + 1) * m_scenario.step_seconds < 15) return;
    for (std::int32_t n = 0; n < m_scenario.nodes; ++n)
      if (m_model.hits(fault, n * m_scenario.gpus_per_node)) tellLiveness(n, now);
    return;
  }
  if (fault.kind != "xid" && fault.kind != "hardware_fault") return;
  std::int32_t rank = 0;
  while (rank + 1 < m_scenario.world() && !m_model.hits(fault, rank)) ++rank;
  const std::string code = std::to_string(fault.xid.value_or(79));
  const FaultInfo* known = findFault("xid", code);
  const auto tell = [&](DurNs after, const char* kind, const std::string& said_code, Severity severity, const std::string& message) {
    m_later.push_back({.time = now + after,
                       .node = node(m_model.nodeOf(rank)),
                       .device = device(rank),
                       .kind = kind,
                       .severity = severity,
                       .code = said_code,
                       .message = message});
  };
  const std::string pci = "NVRM: Xid (PCI:0000:" + std::to_string(10 + rank % m_scenario.gpus_per_node) + ":00): ";
  tell(0, "xid", code, known != nullptr ? known->severity : Severity::kError, pci + code + ", pid=4242, name=python");
  if (code != "79") return;
  tell(2 * kNsPerMs, "gpu_lost", "", Severity::kCritical, "NVRM: GPU 0000:10:00.0: GPU has fallen off the bus.");
  tell(40 * kNsPerMs, "xid", "154", Severity::kWarning,
       pci + "154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)");
  tell(900 * kNsPerMs, "xid", "45", Severity::kWarning, pci + "45, pid=4242, name=python, Ch 00000008");
}

void ClusterMetrics::recordDue(TimeNs now) {
  const auto due = std::stable_partition(m_later.begin(), m_later.end(), [now](const Event& event) { return event.time <= now; });
  for (auto event = m_later.begin(); event != due; ++event) m_out.event(*event);
  m_later.erase(m_later.begin(), due);
}

void ClusterMetrics::tellFaultEnd(const Fault& fault, TimeNs now) {
  const std::string nic = fault.target.nic.empty() ? "ib0" : fault.target.nic;
  if (fault.kind == "nic_flap")
    m_out.event({.time = now,
                 .node = node(fault.target.index),
                 .kind = "link_up",
                 .severity = Severity::kInfo,
                 .message = "mlx5_core 0000:5e:00.0 " + nic + ": Link up"});
  if (fault.kind != "heartbeat_loss") return;
  for (std::int32_t n = 0; n < m_scenario.nodes; ++n)
    if (m_model.hits(fault, n * m_scenario.gpus_per_node))
      m_out.event({.time = now,
                   .node = node(n),
                   .kind = "node_back",
                   .severity = Severity::kInfo,
                   .message = m_nodes[static_cast<std::size_t>(n)].info.name + " is back"});
}

// As a hub reports liveness: stale after three missed heartbeats, lost after fifteen seconds.
void ClusterMetrics::tellLiveness(std::int32_t index, TimeNs silent_since) {
  const std::string& name = m_nodes[static_cast<std::size_t>(index)].info.name;
  m_later.push_back({.time = silent_since + 6 * kNsPerSecond,
                     .node = node(index),
                     .kind = "node_stale",
                     .severity = Severity::kWarning,
                     .message = name + " has been silent for 6 s"});
  m_later.push_back({.time = silent_since + 15 * kNsPerSecond,
                     .node = node(index),
                     .kind = "node_lost",
                     .severity = Severity::kError,
                     .message = name + " has been silent for 15 s"});
}

void ClusterMetrics::takeAway(const Fault& fault, TimeNs now) {
  for (std::int32_t rank = 0; rank < m_scenario.world(); ++rank)
    if (m_model.hits(fault, rank) && m_gone.insert(m_model.nodeOf(rank)).second) tellLiveness(m_model.nodeOf(rank), now);
}

void ClusterMetrics::bringBack(TimeNs now) {
  for (const std::int32_t n : m_gone)
    m_out.event({.time = now,
                 .node = node(n),
                 .kind = "node_back",
                 .severity = Severity::kInfo,
                 .message = m_nodes[static_cast<std::size_t>(n)].info.name + " is back"});
  m_gone.clear();
}

}  // namespace runglass::sim
