// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_graph/step_path.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace runglass {
namespace {

TimeNs endOf(const StepGraph& graph, std::uint32_t node) { return graph.start[node] + graph.dur[node]; }

}  // namespace

CriticalPath pathTo(const StepGraph& graph, const StepGraph::Step& step, const StepHolds& holds, std::uint32_t node) {
  CriticalPath path;
  TimeNs t = endOf(graph, node);
  path.total = t - step.t0;
  const auto piece = [&](std::uint32_t of, PathTime time, TimeNs from) {
    from = std::clamp(from, step.t0, t);
    if (from == t) return;
    path.pieces.push_back({of, time, from, t});
    DurNs& sum = time == PathTime::kRan      ? path.by_op[static_cast<std::size_t>(graph.op[of])]
                 : time == PathTime::kLaunch ? path.launch
                                             : path.unexplained;
    sum += t - from;
    t = from;
  };
  for (std::uint32_t at = node; t > step.t0;) {
    auto by = holds.of(at);
    const std::uint32_t last = by && by->why == HoldUp::kMember ? by->node : at;
    piece(at, PathTime::kRan, graph.start[last]);
    if (last != at) by = holds.of(last);
    if (!by) {
      piece(last, PathTime::kUnexplained, step.t0);
      break;
    }
    const bool own = graph.worker[by->node] == graph.worker[last];
    piece(last, own ? PathTime::kLaunch : PathTime::kUnexplained, graph.start[last] - by->gap);
    at = by->node;
  }
  std::ranges::reverse(path.pieces);
  return path;
}

// Among the operations that ended last, the path with the least launch and unexplained time.
CriticalPath criticalPath(const StepGraph& graph, const StepGraph::Step& step, const StepHolds& holds) {
  std::optional<CriticalPath> best;
  for (std::uint32_t i = step.first_node; i < step.end_node; ++i) {
    if (endOf(graph, i) != step.t1) continue;
    CriticalPath path = pathTo(graph, step, holds, i);
    if (!best || path.launch + path.unexplained < best->launch + best->unexplained) best = std::move(path);
  }
  return std::move(best).value_or(CriticalPath{});
}

std::vector<std::uint32_t> nodesOf(const StepGraph& graph, const StepGraph::Step& step, std::uint32_t replica) {
  std::vector<std::uint32_t> nodes;
  const auto stages = static_cast<std::uint32_t>(graph.stages.size());
  for (std::uint32_t i = step.first_node; i < step.end_node; ++i)
    if (graph.worker[i] / stages == replica) nodes.push_back(i);
  std::ranges::sort(nodes, {}, [&](std::uint32_t i) { return std::tuple(graph.worker[i], graph.start[i], i); });
  return nodes;
}

std::vector<Bubble> bubbles(const StepGraph& graph, const StepGraph::Step& step, std::uint32_t replica) {
  std::vector<Bubble> out;
  const std::vector<std::uint32_t> nodes = nodesOf(graph, step, replica);
  const auto stages = static_cast<std::uint32_t>(graph.stages.size());
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    const std::uint32_t worker = replica * stages + stage;
    TimeNs busy_until = step.t0;
    for (const std::uint32_t i : nodes) {
      if (graph.worker[i] != worker || isCommunication(graph.op[i])) continue;
      if (graph.start[i] > busy_until) out.push_back({worker, busy_until, graph.start[i], i});
      busy_until = std::max(busy_until, endOf(graph, i));
    }
    if (step.t1 > busy_until) out.push_back({worker, busy_until, step.t1, std::nullopt});
  }
  return out;
}

}  // namespace runglass
