// SPDX-License-Identifier: GPL-3.0-or-later
// StepData: one step of a run as a graph of operations and their dependencies, and one replica's pipeline of it.
//
// Threading:  readStep() on a query worker; its result is immutable. The rest is pure.
// Units:      TimeNs, DurNs; nodes are indices into the graph.
// Errors:     the Reader's; if nothing can be shown, `reason` has the cause.
// Cost:       the spans of one rank (once for an attempt), then those of a few steps' length of every rank; above kMaxStepRanks ranks only
//             of the shown replica.
#pragma once

#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "analysis/step_graph/step_graph.h"
#include "analysis/step_graph/step_path.h"
#include "storage/reader.h"
#include "widgets/topology/topology_data.h"

namespace runglass {

inline constexpr std::size_t kMaxStepRanks = 1024;

struct StepData {
  AttemptId attempt;
  std::map<std::int64_t, TimeRange> steps;  // those of one rank, with start and end
  std::vector<std::int32_t> replicas;       // dp coordinates that occur
  std::int32_t replica = 0;                 // the shown one
  std::optional<std::int64_t> shown;        // the step
  StepGraph graph;                          // of `shown`
  std::vector<std::uint32_t> nodes;         // of the replica, by stage, then start
  std::vector<Bubble> bubbles;
  StepHolds holds;
  CriticalPath path;
  bool whole = true;  // all replicas were read
  QString reason, note;

  const StepGraph::Step* step() const { return shown ? graph.find(*shown) : nullptr; }
};

struct StepQuestion {
  std::shared_ptr<const TopologyData> topology;
  std::optional<std::int64_t> step;     // absent: the last complete one
  std::optional<std::int32_t> replica;  // absent: the first
  std::shared_ptr<const StepData> previous;
};
Result<StepData> readStep(Reader& reader, const StepQuestion& question, std::stop_token stop);

// "forward of micro-batch 3, stage 1, dp 0"
QString nodeText(const StepGraph& graph, std::uint32_t node);
QString nodeLabel(const StepGraph& graph, std::uint32_t node);  // "F3", "B3.1"; empty for an operation without a micro-batch

}  // namespace runglass
