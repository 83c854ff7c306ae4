// SPDX-License-Identifier: Apache-2.0
// What held a recorded step up: what an operation waited for, the critical path of a step, and the gaps in a worker's computation.
//
// Critical path: from the operation that ended last back to the step's begin; of communication the member that began last, of each
// operation the one that ended last of those it waited for. Every nanosecond of the step belongs to one piece, so the pieces sum to it.
//
// Threading:  pure.
// Ownership:  values; borrows the graph during a call.
// Units:      TimeNs, DurNs; nodes are indices into the graph.
// Errors:     none. A node or step that is not there is our bug.
// Cost:       O(length of the path), O(operations of the step) for the gaps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/step_graph/step_graph.h"

namespace runglass {

// Why an operation did not end earlier.
struct HeldUpBy {
  std::uint32_t node = 0;
  bool is_member = false;  // of the same communication, begun later; else waited for before it began
  DurNs gap = 0;           // from its end (its begin, of a member) to the begin (the work) of what it held up
};
// None: it was the first.
std::optional<HeldUpBy> heldUpBy(const StepGraph& graph, std::uint32_t node);

// A stretch of time on the path.
struct PathPiece {
  std::uint32_t node = 0;
  bool is_delay = false;  // nothing that is recorded ran: from the end of what the node waited for to its begin (host, launch, transfer)
  TimeNs t0 = 0, t1 = 0;
};

struct CriticalPath {
  std::vector<PathPiece> pieces;  // in time, without holes
  std::array<DurNs, kStepOpCount> by_op{};
  DurNs delay = 0;
  DurNs total = 0;
};
CriticalPath criticalPath(const StepGraph& graph, const StepGraph::Step& step);
// The path that led to the end of one operation.
CriticalPath pathTo(const StepGraph& graph, const StepGraph::Step& step, std::uint32_t node);

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
