// SPDX-License-Identifier: Apache-2.0
// Replay: the duration of recorded steps if chosen operations had their usual speed.
//
// Lin et al., "Understanding Stragglers in Large Model Training Using What-if Analysis", OSDI '25, sections 3.2 and 3.3: an operation is
// launched when all its dependencies have ended; computation ends its duration later, communication its transfer time after the launch of
// its last member. Launch delays are left out, as in the artifact's simulator. Fixed = the ideal duration of its kind: the mean for
// computation, the median for communication, over all recorded steps and workers.
//
// Threading:  a Replay is immutable.
// Ownership:  shares the graph.
// Units:      DurNs.
// Cost:       one linear pass over operations and dependencies; memory of one step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analysis/step_graph/step_graph.h"

namespace runglass {

// The fixed operations of each worker.
class FixSet {
 public:
  FixSet(const StepGraph& graph, bool all) : m_fixed(graph.workers.size() * kStepOpCount, all ? 1 : 0), m_graph(&graph) {}
  void set(std::uint32_t worker, StepOp op, bool fixed) { m_fixed[keyOf(worker, op)] = fixed ? 1 : 0; }
  void setWorker(std::uint32_t worker, bool fixed);
  void setReplica(std::uint32_t replica, bool fixed);  // an index into the graph's replicas
  void setStage(std::uint32_t stage, bool fixed);      // an index into the graph's stages
  void setOp(StepOp op, bool fixed);
  static std::uint32_t keyOf(std::uint32_t worker, StepOp op) { return worker * kStepOpCount + static_cast<std::uint32_t>(op); }
  bool has(std::uint32_t key) const { return m_fixed[key] != 0; }

 private:
  std::vector<std::uint8_t> m_fixed;  // by key
  const StepGraph* m_graph;
};

class Replay {
 public:
  explicit Replay(std::shared_ptr<const StepGraph> graph);
  // By step of the graph. With `steps` (indices, ascending) only those.
  std::vector<DurNs> stepTimes(const FixSet& fixed) const;
  std::vector<DurNs> stepTimes(const FixSet& fixed, std::span<const std::uint32_t> steps) const;
  // Ends of one step's nodes relative to the step's start: the simulated timeline.
  std::vector<DurNs> ends(const FixSet& fixed, const StepGraph::Step& step) const;
  DurNs ideal(StepOp op) const { return m_ideal[static_cast<std::size_t>(op)]; }
  std::size_t count(StepOp op) const { return m_count[static_cast<std::size_t>(op)]; }
  const StepGraph& graph() const { return *m_graph; }

 private:
  DurNs replay(const FixSet& fixed, const StepGraph::Step& step, std::vector<DurNs>& end) const;
  void findIdeals();

  std::shared_ptr<const StepGraph> m_graph;
  std::vector<std::uint32_t> m_key;  // by node, see FixSet::keyOf
  std::array<DurNs, kStepOpCount> m_ideal{};
  std::array<std::size_t, kStepOpCount> m_count{};
  std::uint32_t m_most = 0;  // maximum number of nodes in a step
};

}  // namespace runglass
