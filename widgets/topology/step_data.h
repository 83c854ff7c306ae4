// SPDX-License-Identifier: GPL-3.0-or-later
// StepData: one step of a run as its operations waited for each other, and one replica's pipeline of it.
//
// Threading:  readStep() on a query worker; its answer is immutable. The rest is pure.
// Ownership:  values.
// Units:      TimeNs, DurNs; nodes are indices into the graph.
// Errors:     the Reader's; where nothing can be shown, `reason` says why.
// Cost:       the spans of one rank (once for an attempt), then those of a few steps' length of every rank; above kMaxStepRanks ranks
//             only of the shown replica.
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
  std::map<std::int64_t, TimeRange> steps;  // those of one rank; where it began and ended each
  std::vector<std::int32_t> replicas;       // dp of those there are
  std::int32_t replica = 0;                 // shown
  std::optional<std::int64_t> shown;        // the step
  StepGraph graph;                          // of `shown`
  std::vector<std::uint32_t> nodes;         // of the replica, by stage, then begin
  std::vector<Bubble> bubbles;
  StepHolds holds;
  CriticalPath path;
  bool whole = true;  // all replicas were read
  QString reason, note;

  const StepGraph::Step* step() const { return shown ? graph.find(*shown) : nullptr; }
};

struct StepQuestion {
  std::shared_ptr<const TopologyData> topology;
  std::optional<std::int64_t> step;     // absent: the last that is whole
  std::optional<std::int32_t> replica;  // absent: the first
  std::shared_ptr<const StepData> previous;
};
Result<StepData> readStep(Reader& reader, const StepQuestion& question, std::stop_token stop);

// "forward of micro-batch 3, stage 1, dp 0"
QString nodeText(const StepGraph& graph, std::uint32_t node);
QString nodeLabel(const StepGraph& graph, std::uint32_t node);  // "F3", "B3.1"; empty for what has no micro-batch

}  // namespace runglass
