// SPDX-License-Identifier: Apache-2.0
// What held a recorded step up: what an operation waited for, the critical path of a step, and the gaps in a worker's computation.
//
// Critical path: from the operation that ended last back to the step's begin, each time to what kept the operation from beginning earlier
// (the backward walk of Boehme et al., "Scalable Critical-Path Based Performance Analysis", IPDPS '12, which goes over to whoever was
// waited for). Of communication that is the member that began last. Of all else it is what ended last among
//   - the graph's dependencies;
//   - what the same worker did before, in recorded time: its computation, since a host that is told to wait posts a receive only after the
//     pass before it, and communication of kinds that never ran beside the worker's computation in this step, since those block it;
//   - for communication, the computation that its worker was in: gradients that are ready within a pass.
// Ends that differ by less than streams' clocks do are taken for equal: then a dependency comes before an order in time. The orders in time
// are no edges of the graph: a replay with other durations need not keep them.
// Every nanosecond of the step belongs to one piece, so the pieces sum to it.
//
// Threading:  pure.
// Ownership:  values; borrows the graph during a call.
// Units:      TimeNs, DurNs; nodes are indices into the graph.
// Errors:     none. A node or step that is not there is our bug.
// Cost:       O(n log n) of the step's operations once; then O(length of the path), and O(operations of the step) for the gaps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/step_graph/step_graph.h"

namespace runglass {

enum class HoldUp : std::uint8_t {
  kMember,      // of the same communication, begun later
  kDependency,  // of the graph
  kOrder,       // of the same worker, before it in recorded time
};

// Why an operation did not end earlier.
struct HeldUpBy {
  std::uint32_t node = 0;
  HoldUp why = HoldUp::kDependency;
  DurNs gap = 0;  // from its end (its begin, of a member) to the begin (the transfer) of what it held up
};

// Of every operation of a step. Nothing is held up by itself, through however many others.
class StepHolds {
 public:
  StepHolds() = default;
  StepHolds(const StepGraph& graph, const StepGraph::Step& step);
  // None: it was the first.
  std::optional<HeldUpBy> of(std::uint32_t node) const { return m_by[node - m_first_node]; }

 private:
  std::uint32_t m_first_node = 0;
  std::vector<std::optional<HeldUpBy>> m_by;
};

enum class PathTime : std::uint8_t {
  kRan,          // computation; of communication the transfer
  kLaunch,       // the worker had what is recorded of its inputs and did nothing that is recorded: host, launch
  kUnexplained,  // what it waited for ended on another worker and its way here is not recorded, or nothing is recorded before
};

// A stretch of time on the path.
struct PathPiece {
  std::uint32_t node = 0;
  PathTime time = PathTime::kRan;  // unless it ran, the time before it
  TimeNs t0 = 0, t1 = 0;
};

struct CriticalPath {
  std::vector<PathPiece> pieces;  // in time, without holes
  std::array<DurNs, kStepOpCount> by_op{};
  DurNs launch = 0, unexplained = 0;
  DurNs total = 0;
};
CriticalPath criticalPath(const StepGraph& graph, const StepGraph::Step& step, const StepHolds& holds);
// The path that led to the end of one operation.
CriticalPath pathTo(const StepGraph& graph, const StepGraph::Step& step, const StepHolds& holds, std::uint32_t node);

// Time in which a worker computed nothing although its step was under way.
struct Bubble {
  std::uint32_t worker = 0;
  TimeNs t0 = 0, t1 = 0;
  std::optional<std::uint32_t> ended_by;  // the computation that ended it; none: the end of the step
};
// Of one replica (an index into `replicas`), by stage, then time. Computation: passes, garbage collection, data loading, the optimizer.
std::vector<Bubble> bubbles(const StepGraph& graph, const StepGraph::Step& step, std::uint32_t replica);

// The nodes of one replica, by stage, then begin.
std::vector<std::uint32_t> nodesOf(const StepGraph& graph, const StepGraph::Step& step, std::uint32_t replica);

}  // namespace runglass
