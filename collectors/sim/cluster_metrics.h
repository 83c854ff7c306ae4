// SPDX-License-Identifier: Apache-2.0
// ClusterMetrics: identity and metrics of the simulated nodes, GPUs and NICs over virtual time.
//
// Threading:  the player's thread.
// Ownership:  borrows scenario, model and Recorder.
// Units:      catalogue units; a tick every 1 / metrics_hertz, no ticks where that is 0.
// Cost:       a tick records 9 samples per GPU and 2 per node; every tenth also temperature, memory and the node's heartbeat.
#pragma once

#include <set>
#include <vector>

#include "collectors/sim/port_metrics.h"
#include "collectors/sim/step_model.h"
#include "model/recorder.h"

namespace runglass::sim {

class ClusterMetrics {
 public:
  ClusterMetrics(const Scenario& scenario, const StepModel& model, Recorder& out, TimeNs start);

  NodeId node(std::int32_t index) const { return m_nodes[static_cast<std::size_t>(index)].id; }
  DeviceId device(std::int32_t rank) const { return m_gpus[static_cast<std::size_t>(rank)].id; }
  // The network port of a fault; 0 where the scenario has no such port.
  DeviceId port(const Target& target) const;
  TimeNs nextTick() const { return m_next; }
  // Records the metrics at nextTick(). `in_step`: time since the step began; no timing = no rank computes.
  void tick(std::int64_t step, DurNs in_step, const Step* timing);
  // The events of a fault from its start on: Xid, link down, ... Later events wait for recordDue().
  void tellFault(const Fault& fault, TimeNs now);
  void tellFaultEnd(const Fault& fault, TimeNs now);
  // Removes the fault's GPUs and silences their node, with the liveness events that follow; bringBack() restores all.
  void takeAway(const Fault& fault, TimeNs now);
  void bringBack(TimeNs now);
  // Records the events that are due: nothing is recorded ahead of the clock.
  void recordDue(TimeNs now);

 private:
  struct NodeSeries {
    Node info;
    NodeId id;
    SeriesId cpu, net;
  };
  struct Gpu {
    DeviceId id;
    SeriesId power, clock, busy, sm, tensor, dram, nvlink_out, nvlink_in, reasons, temperature, memory, power_limit;
    double celsius = 35;
  };
  void tellLiveness(std::int32_t node, TimeNs silent_since);
  bool silent(std::int32_t rank, std::int64_t step) const;
  void tickGpu(std::int32_t rank, std::int64_t step, double activity, bool communicating);
  void tickNodes(std::int64_t step, bool communicating);
  TimeNs stamp(std::int32_t node, std::int64_t step) const;

  const Scenario& m_scenario;
  const StepModel& m_model;
  Recorder& m_out;
  DurNs m_period;  // 0: no metrics
  TimeNs m_next;
  PortMetrics m_ports;
  std::int64_t m_ticks = 0;
  std::vector<NodeSeries> m_nodes;
  std::vector<Gpu> m_gpus;
  std::set<std::int32_t> m_gone;  // nodes
  std::vector<Event> m_later;
};

}  // namespace runglass::sim
