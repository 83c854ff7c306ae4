// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/port_metrics.h"

#include <algorithm>
#include <cmath>

#include "model/fault_catalog.h"
#include "model/metric_catalog.h"

namespace runglass::sim {
namespace {

constexpr double kLineBytes = 50e9;  // 400 Gb/s
constexpr double kIdleBytes = 1e6;
constexpr double kLossesPerSecond = 3000;  // of a link at half speed, while it is in use
constexpr double kReduceShare = 0.1;       // share of a step in which the link is in use
constexpr std::int64_t kLossesEvery = 10;
enum PortNoise : std::uint64_t { kTrafficNoise = 300, kWaitNoise, kSymbolNoise };

}  // namespace

void PortMetrics::declare(const std::string& node_uuid, NodeId node) {
  for (std::int32_t n = 0; n < m_scenario.nics_per_node; ++n) {
    Port port{.node = node};
    const std::string name = nicName(n), model = "mlx5_" + std::to_string(n);
    port.id = m_out.device({.uuid = node_uuid + "/nic-" + name, .node = node, .kind = "nic", .model = model});
    const auto series = [&](std::string_view metric, SeriesKind kind) {
      return m_out.series({.node = node,
                           .device = port.id,
                           .metric = std::string(metric),
                           .labels = R"({"device":")" + model + R"(","port":"1"})",
                           .unit = std::string(unitOfMetric(metric)),
                           .kind = kind});
    };
    using enum SeriesKind;
    port.sent = series("rdma_transmit_bytes_per_s", kGauge);
    port.received = series("rdma_receive_bytes_per_s", kGauge);
    port.rate = series("rdma_link_bytes_per_s", kGauge);
    port.active = series("rdma_port_active_count", kGauge);
    port.symbol_errors = series("rdma_symbol_error_total", kCounter);
    port.sequence_errors = series("rdma_packet_sequence_error_total", kCounter);
    port.out_of_sequence = series("rdma_out_of_sequence_total", kCounter);
    port.ack_timeouts = series("rdma_ack_timeout_total", kCounter);
    port.waits = series("rdma_transmit_wait_total", kCounter);
    port.downs = series("rdma_link_downed_total", kCounter);
    m_ports.push_back(port);
  }
}

PortMetrics::Trouble PortMetrics::troubleOf(std::int64_t step, std::int32_t node, std::int32_t port) const {
  Trouble trouble;
  for (const Fault& fault : m_scenario.faults) {
    if ((fault.kind != "slow_link" && fault.kind != "nic_flap") || step < fault.first_step || step > fault.last_step) continue;
    const std::int32_t gpus = m_scenario.gpus_per_node;
    bool here = false;
    for (std::int32_t local = 0; local < gpus && !here; ++local)
      here = local * m_scenario.nics_per_node / gpus == port && m_model.hits(fault, node * gpus + local);
    if (!here || (fault.target.kind == Target::Kind::kNic && m_scenario.nics_per_node > 1 && fault.target.nic != nicName(port))) continue;
    trouble.factor *= fault.strength;
    trouble.cause = fault.cause;
    trouble.down |= fault.kind == "nic_flap";
  }
  return trouble;
}

// Same rule as the source rdma for a window of a minute: a port whose counter rises faster than those of the node's other ports.
void PortMetrics::errorsOf(const Fault& fault, TimeNs now, std::vector<Event>& events) const {
  constexpr DurNs kWindow = 60 * kNsPerSecond;
  const auto lasts = static_cast<double>(fault.last_step - fault.first_step + 1) * m_scenario.step_seconds;
  const bool loses = fault.cause == FaultCause::kUsual || fault.cause == FaultCause::kErrors;
  if (fault.kind != "slow_link" || !loses || lasts * kNsPerSecond < kWindow || fault.strength <= 1) return;
  for (std::size_t i = 0; i < m_ports.size(); ++i) {
    const auto node = static_cast<std::int32_t>(i) / m_scenario.nics_per_node,
               port = static_cast<std::int32_t>(i) % m_scenario.nics_per_node;
    if (troubleOf(fault.first_step, node, port).factor <= 1) continue;
    const FaultInfo* known = findFault("rdma_errors", "packet_seq_err");
    const auto losses = static_cast<std::int64_t>(60 * kReduceShare * kLossesPerSecond * (fault.strength - 1));
    events.push_back({.time = now + kWindow,
                      .node = m_ports[i].node,
                      .device = m_ports[i].id,
                      .kind = "rdma_errors",
                      .severity = known != nullptr ? known->severity : Severity::kWarning,
                      .code = "packet_seq_err",
                      .message = "mlx5_" + std::to_string(port) + "/1: " + std::to_string(losses) +
                                 " sequence errors reported by the other end in 60.0 s; median of the node's other ports: 0"});
  }
}

void PortMetrics::count(Port& port, const Trouble& trouble, bool busy, std::int64_t tick, std::size_t number) {
  const auto subject = static_cast<std::int64_t>(number);
  const double seconds = m_scenario.metrics_hertz > 0 ? 1 / m_scenario.metrics_hertz : 0, extra = std::max(0.0, trouble.factor - 1);
  // Every port sometimes waits for credits and has an occasional symbol error.
  port.waited += std::floor(seconds * (busy ? 2000 : 20) * std::abs(m_model.noise(tick, subject, kWaitNoise)));
  if (m_model.uniform(tick, subject, kSymbolNoise) < 0.0005 * seconds) ++port.symbols;
  if (busy && trouble.factor > 1 && (trouble.cause == FaultCause::kUsual || trouble.cause == FaultCause::kErrors)) {
    port.symbols += std::ceil(seconds * 400 * extra);
    port.losses += std::ceil(seconds * kLossesPerSecond * extra);
    port.disorder += std::ceil(seconds * kLossesPerSecond * extra);
    port.timeouts += std::ceil(seconds * 2 * extra);
  }
  if (busy && trouble.cause == FaultCause::kRate) port.waited += std::floor(seconds * 2e6 * extra);
  if (trouble.down && !port.down) ++port.lost;
  port.down = trouble.down;
}

void PortMetrics::tick(std::int64_t step, DurNs in_step, const Step* timing, std::int64_t tick,
                       const std::function<std::optional<TimeNs>(std::int32_t)>& stamp) {
  if (m_scenario.nics_per_node == 0) return;
  const std::int32_t gpus = m_scenario.gpus_per_node;
  std::vector<double> asked(m_ports.size(), 0);  // share of the line rate, requested by the ranks that reduce through the port
  for (std::int32_t rank = 0; timing != nullptr && rank < m_scenario.world(); ++rank) {
    const RankStep& r = timing->ranks[static_cast<std::size_t>(rank)];
    if (in_step < r.reduce_begin || in_step >= r.reduce_end) continue;
    double& share = asked[index(m_model.nodeOf(rank), rank % gpus * m_scenario.nics_per_node / gpus)];
    share = std::max(share, 0.9 / timing->reduce_ratio[static_cast<std::size_t>(rank)]);
  }
  for (std::int32_t node = 0; node < m_scenario.nodes; ++node) {
    const std::optional<TimeNs> time = stamp(node);
    for (std::int32_t n = 0; n < m_scenario.nics_per_node; ++n) {
      const std::size_t i = index(node, n);
      Port& port = m_ports[i];
      const Trouble trouble = troubleOf(step, node, n);
      const bool busy = asked[i] > 0;
      count(port, trouble, busy, tick, i);
      if (!time) continue;
      const double noise = 1 + 0.01 * m_model.noise(tick, static_cast<std::int64_t>(i), kTrafficNoise);
      const double bytes = trouble.down ? 0 : std::round((busy ? kLineBytes * asked[i] : kIdleBytes) * noise);
      m_out.sample(port.sent, *time, bytes);
      m_out.sample(port.received, *time, bytes);
      if (tick % kLossesEvery != 0) continue;
      m_out.sample(port.rate, *time, trouble.cause == FaultCause::kRate ? std::round(kLineBytes / trouble.factor) : kLineBytes);
      m_out.sample(port.active, *time, trouble.down ? 0 : 1);
      m_out.sample(port.symbol_errors, *time, port.symbols);
      m_out.sample(port.sequence_errors, *time, port.losses);
      m_out.sample(port.out_of_sequence, *time, port.disorder);
      m_out.sample(port.ack_timeouts, *time, port.timeouts);
      m_out.sample(port.waits, *time, port.waited);
      m_out.sample(port.downs, *time, port.lost);
    }
  }
}

}  // namespace runglass::sim
