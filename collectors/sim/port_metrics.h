// SPDX-License-Identifier: Apache-2.0
// PortMetrics: traffic, link rate and error counters of the simulated nodes' RDMA ports.
//
// Threading:  the player's thread.
// Ownership:  borrows scenario, model and Recorder.
// Units:      catalogue units.
// Cost:       a tick records 2 samples per port, every tenth also its link and 6 counters. Nothing where the scenario has no ports.
//
// A ring is as slow as its slowest link, so the traffic of all its ports falls alike; only counters and rates identify the faulty port.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "collectors/sim/step_model.h"
#include "model/recorder.h"

namespace runglass::sim {

class PortMetrics {
 public:
  PortMetrics(const Scenario& scenario, const StepModel& model, Recorder& out) : m_scenario(scenario), m_model(model), m_out(out) {}
  // Declares the ports of the next node.
  void declare(const std::string& node_uuid, NodeId node);
  DeviceId device(std::int32_t node, std::int32_t port) const { return m_ports[index(node, port)].id; }
  // Appends the events of a link that loses packets, from `now` on.
  void errorsOf(const Fault& fault, TimeNs now, std::vector<Event>& events) const;
  // `stamp`: a node's time, absent while it is silent.
  void tick(std::int64_t step, DurNs in_step, const Step* timing, std::int64_t tick,
            const std::function<std::optional<TimeNs>(std::int32_t)>& stamp);

 private:
  struct Port {
    NodeId node;
    DeviceId id{};
    SeriesId sent{}, received{}, rate{}, active{}, symbol_errors{}, sequence_errors{}, out_of_sequence{}, ack_timeouts{}, waits{}, downs{};
    double symbols = 0, losses = 0, disorder = 0, timeouts = 0, waited = 0, lost = 0;
    bool down = false;
  };
  struct Trouble {
    double factor = 1;
    FaultCause cause = FaultCause::kUsual;
    bool down = false;
  };
  std::size_t index(std::int32_t node, std::int32_t port) const {
    return static_cast<std::size_t>(node) * static_cast<std::size_t>(m_scenario.nics_per_node) + static_cast<std::size_t>(port);
  }
  Trouble troubleOf(std::int64_t step, std::int32_t node, std::int32_t port) const;
  void count(Port& port, const Trouble& trouble, bool busy, std::int64_t tick, std::size_t number);

  const Scenario& m_scenario;
  const StepModel& m_model;
  Recorder& m_out;
  std::vector<Port> m_ports;
};

}  // namespace runglass::sim
