// SPDX-License-Identifier: Apache-2.0
// What held up a recorded step: the predecessor of each operation, the critical path, and the gaps in a worker's computation.
//
// Critical path: from the operation that ended last back to the step's start, each time to the operation that kept this one from beginning
// earlier (the backward walk of Boehme et al., "Scalable Critical-Path Based Performance Analysis", IPDPS '12, which moves to the process
// that was waited for). For communication that is the member that began last. Otherwise it is the latest to end among
//   - the graph's dependencies;
//   - the previous operations of the same worker in recorded time: its computation, since a host posts a receive only after the pass before
//     it, and communication of kinds that never ran concurrently with the worker's computation in this step, since those block it;
//   - for communication, the computation that its worker was in: gradients that are ready within a pass.
// Ends that differ by less than the clocks of streams count as equal: a dependency then precedes an order in time. Orders in time are not
// edges of the graph: a replay with other durations need not keep them. Every nanosecond of the step belongs to one piece, so that the
// pieces sum to it.
//
// Threading:  pure.
// Ownership:  borrows the graph during a call.
// Units:      TimeNs, DurNs; nodes are indices into the graph.
// Errors:     a node or step that does not exist is a bug.
// Cost:       O(n log n) in the step's operations once; then O(length of the path), and O(operations of the step) for the gaps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/step_graph/step_graph.h"

namespace runglass {

enum class HoldUp : std::uint8_t {
  kMember,      // a member of the same communication that began later
  kDependency,  // of the graph
  kOrder,       // the previous one of the same worker in recorded time
};

// The reason why an operation did not end earlier.
struct HeldUpBy {
  std::uint32_t node = 0;
  HoldUp why = HoldUp::kDependency;
  DurNs gap = 0;  // from its end (for a member, its start) to the start (for a member, the transfer) of the operation that it held up
};

// For every operation of a step. No operation holds up itself, directly or through others.
class StepHolds {
 public:
  StepHolds() = default;
  StepHolds(const StepGraph& graph, const StepGraph::Step& step);
  // Absent: it was the first.
  std::optional<HeldUpBy> of(std::uint32_t node) const { return m_by[node - m_first_node]; }

 private:
  std::uint32_t m_first_node = 0;
  std::vector<std::optional<HeldUpBy>> m_by;
};

enum class PathTime : std::uint8_t {
  kRan,          // computation; for communication the transfer
  kLaunch,       // the worker had its recorded inputs and was idle: host, launch
  kUnexplained,  // it waited for an operation of another worker, and the transfer from there is not recorded, or nothing is recorded before
};

// An interval on the path.
struct PathPiece {
  std::uint32_t node = 0;
  PathTime time = PathTime::kRan;  // unless it ran, the time before it
  TimeNs t0 = 0, t1 = 0;
};

struct CriticalPath {
  std::vector<PathPiece> pieces;  // in order of time, without gaps
  std::array<DurNs, kStepOpCount> by_op{};
  DurNs launch = 0, unexplained = 0;
  DurNs total = 0;
};
CriticalPath criticalPath(const StepGraph& graph, const StepGraph::Step& step, const StepHolds& holds);
// The path to the end of one operation.
CriticalPath pathTo(const StepGraph& graph, const StepGraph::Step& step, const StepHolds& holds, std::uint32_t node);

// An interval without computation on a worker during its step.
struct Bubble {
  std::uint32_t worker = 0;
  TimeNs t0 = 0, t1 = 0;
  std::optional<std::uint32_t> ended_by;  // the computation that ended it; absent: the end of the step
};
// For one replica (an index into `replicas`), by stage, then time. Computation: passes, garbage collection, data loading, the optimizer.
std::vector<Bubble> bubbles(const StepGraph& graph, const StepGraph::Step& step, std::uint32_t replica);

// The nodes of one replica, by stage, then start.
std::vector<std::uint32_t> nodesOf(const StepGraph& graph, const StepGraph::Step& step, std::uint32_t replica);

}  // namespace runglass
