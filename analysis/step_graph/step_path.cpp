// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_graph/step_path.h"

#include <algorithm>
#include <tuple>

namespace runglass {
namespace {

TimeNs endOf(const StepGraph& graph, std::uint32_t node) { return graph.start[node] + graph.dur[node]; }

// Of a group, the member that began last: the others' work could not begin before it.
std::uint32_t lastMember(const StepGraph& graph, std::uint32_t node) {
  const std::uint32_t group = graph.groupOf(node);
  std::uint32_t last = node;
  for (std::uint32_t i = graph.first_member[group]; i < graph.first_member[group + 1]; ++i)
    if (graph.start[i] > graph.start[last]) last = i;
  return last;
}

std::optional<std::uint32_t> lastDep(const StepGraph& graph, std::uint32_t node) {
  std::optional<std::uint32_t> last;
  for (const std::uint32_t dep : graph.depsOf(node))
    if (!last || endOf(graph, dep) > endOf(graph, *last)) last = dep;
  return last;
}

}  // namespace

std::optional<HeldUpBy> heldUpBy(const StepGraph& graph, std::uint32_t node) {
  if (const std::uint32_t member = lastMember(graph, node); member != node)
    return HeldUpBy{.node = member, .is_member = true, .gap = graph.start[member] - graph.start[node]};
  const auto dep = lastDep(graph, node);
  if (!dep) return std::nullopt;
  return HeldUpBy{.node = *dep, .is_member = false, .gap = std::max<DurNs>(graph.start[node] - endOf(graph, *dep), 0)};
}

CriticalPath pathTo(const StepGraph& graph, const StepGraph::Step& step, std::uint32_t node) {
  CriticalPath path;
  TimeNs t = endOf(graph, node);
  path.total = t - step.t0;
  const auto piece = [&](std::uint32_t of, bool is_delay, TimeNs from) {
    from = std::clamp(from, step.t0, t);
    if (from == t) return;
    path.pieces.push_back({of, is_delay, from, t});
    (is_delay ? path.delay : path.by_op[static_cast<std::size_t>(graph.op[of])]) += t - from;
    t = from;
  };
  for (std::optional<std::uint32_t> at = node; at && t > step.t0;) {
    const std::uint32_t last = lastMember(graph, *at);
    piece(*at, false, graph.start[last]);
    const auto dep = lastDep(graph, last);
    piece(last, true, dep ? endOf(graph, *dep) : step.t0);
    at = dep;
  }
  std::ranges::reverse(path.pieces);
  return path;
}

CriticalPath criticalPath(const StepGraph& graph, const StepGraph::Step& step) {
  std::uint32_t last = step.first_node;
  for (std::uint32_t i = step.first_node; i < step.end_node; ++i)
    if (endOf(graph, i) > endOf(graph, last)) last = i;
  return pathTo(graph, step, last);
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
