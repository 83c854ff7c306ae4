// SPDX-License-Identifier: Apache-2.0
// Invariant: an operation is held up by a member of its own group, or by one of a group before its own by `isBefore`. That order is the
// recorded one (of the starts of transfers and computation) where clocks do not contradict the graph, so that no operation holds up itself.
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "analysis/step_graph/step_links.h"
#include "analysis/step_graph/step_path.h"

namespace runglass {
namespace {

// Maximum number of operations with the same end that are tried.
constexpr int kMaxTried = 16;

// Operations of one kind of one worker.
struct Lane {
  std::vector<std::uint32_t> by_start, by_end;
};

struct Candidate {
  HeldUpBy by;
  int rank = 0;  // among candidates with the same end the lowest rank wins
};

class Holds {
 public:
  Holds(const StepGraph& graph, const StepGraph::Step& step) : m_graph(graph), m_step(step) {
    orderGroups();
    fillLanes();
  }

  std::vector<std::optional<HeldUpBy>> all() const {
    std::vector<std::optional<HeldUpBy>> out(m_step.end_node - m_step.first_node);
    for (std::uint32_t group = m_step.first_group; group < m_step.end_group; ++group) {
      const std::uint32_t first = m_graph.first_member[group], end = m_graph.first_member[group + 1];
      TimeNs last_begin = m_graph.start[first];
      for (std::uint32_t i = first + 1; i < end; ++i) last_begin = std::max(last_begin, m_graph.start[i]);
      // Tools and collectives may let members begin together: the last is then the one that waited for nothing else.
      std::uint32_t last = end;
      std::tuple<DurNs, int, DurNs> least;
      for (std::uint32_t i = first; i < end; ++i) {
        if (last_begin - m_graph.start[i] > kSameTime) continue;
        const auto own = candidateOf(i);
        out[i - m_step.first_node] = own ? std::optional(own->by) : std::nullopt;
        const DurNs gap = own ? own->by.gap : m_graph.start[i] - m_step.t0;
        const std::tuple how{gap <= kSameTime ? 0 : gap, own ? own->rank : 0, gap};
        if (last == end || how < least) last = i, least = how;
      }
      for (std::uint32_t i = first; i < end; ++i)
        if (i != last)
          out[i - m_step.first_node] =
              HeldUpBy{.node = last, .why = HoldUp::kMember, .gap = std::max<DurNs>(m_graph.start[last] - m_graph.start[i], 0)};
    }
    return out;
  }

 private:
  TimeNs endOf(std::uint32_t node) const { return m_graph.start[node] + m_graph.dur[node]; }
  std::uint32_t groupOf(std::uint32_t node) const { return m_group[node - m_step.first_node]; }
  bool isBefore(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t of_a = groupOf(a), of_b = groupOf(b);
    return std::pair(m_begin[of_a - m_step.first_group], of_a) < std::pair(m_begin[of_b - m_step.first_group], of_b);
  }

  // Groups are in the graph's order: a group begins with its last member, and not before its dependencies.
  void orderGroups() {
    m_group.resize(m_step.end_node - m_step.first_node);
    for (std::uint32_t group = m_step.first_group; group < m_step.end_group; ++group) {
      TimeNs begin = m_graph.start[m_graph.first_member[group]];
      for (std::uint32_t i = m_graph.first_member[group]; i < m_graph.first_member[group + 1]; ++i) {
        m_group[i - m_step.first_node] = group;
        begin = std::max(begin, m_graph.start[i]);
        for (const std::uint32_t dep : m_graph.depsOf(i)) begin = std::max(begin, m_begin[groupOf(dep) - m_step.first_group]);
      }
      m_begin.push_back(begin);
    }
  }

  void fillLanes() {
    m_compute.resize(m_graph.workers.size());
    m_communication.resize(m_graph.workers.size());
    for (std::uint32_t i = m_step.first_node; i < m_step.end_node; ++i)
      if (!isCommunication(m_graph.op[i])) m_compute[m_graph.worker[i]].by_start.push_back(i);
    for (Lane& lane : m_compute) sortLane(lane);
    std::array<bool, kStepOpCount> beside{};
    for (std::uint32_t i = m_step.first_node; i < m_step.end_node; ++i)
      if (isCommunication(m_graph.op[i]) && runsBesideComputation(i)) beside[static_cast<std::size_t>(m_graph.op[i])] = true;
    for (std::uint32_t i = m_step.first_node; i < m_step.end_node; ++i)
      if (isCommunication(m_graph.op[i]) && !beside[static_cast<std::size_t>(m_graph.op[i])])
        m_communication[m_graph.worker[i]].by_start.push_back(i);
    for (Lane& lane : m_communication) sortLane(lane);
  }

  void sortLane(Lane& lane) const {
    lane.by_end = lane.by_start;
    std::ranges::sort(lane.by_start, {}, [&](std::uint32_t i) { return std::pair(m_graph.start[i], i); });
    std::ranges::sort(lane.by_end, {}, [&](std::uint32_t i) { return std::tuple(endOf(i), m_graph.start[i], i); });
  }

  bool runsBesideComputation(std::uint32_t node) const {
    const auto& lane = m_compute[m_graph.worker[node]].by_start;
    auto at = std::ranges::lower_bound(lane, endOf(node) - kSameTime, {}, [&](std::uint32_t i) { return m_graph.start[i]; });
    for (int tried = 0; at != lane.begin() && tried < kMaxTried; ++tried)
      if (endOf(*--at) > m_graph.start[node] + kSameTime) return true;
    return false;
  }

  std::optional<Candidate> candidateOf(std::uint32_t node) const {
    std::optional<Candidate> best;
    const TimeNs begin = m_graph.start[node];
    const auto offer = [&](std::uint32_t other, HoldUp why, int rank) {
      const Candidate one{{.node = other, .why = why, .gap = std::max<DurNs>(begin - endOf(other), 0)}, rank};
      // By the clocks, a dependency may end after the operation that it held up: among those the end itself decides.
      const auto end = [&](const Candidate& c) { return c.by.why == HoldUp::kDependency ? endOf(c.by.node) : begin - c.by.gap; };
      const bool same = best && one.rank != best->rank && std::abs(one.by.gap - best->by.gap) <= kSameTime;
      if (!best || (same ? one.rank < best->rank : end(one) > end(*best))) best = one;
    };
    for (const std::uint32_t dep : m_graph.depsOf(node)) offer(dep, HoldUp::kDependency, 0);
    const std::uint32_t worker = m_graph.worker[node];
    if (const auto ended = lastEnded(m_compute[worker], node)) offer(*ended, HoldUp::kOrder, 1);
    if (const auto ended = lastEnded(m_communication[worker], node)) offer(*ended, HoldUp::kOrder, 2);
    if (isCommunication(m_graph.op[node]))
      if (const auto running = lastBegun(m_compute[worker], node)) offer(*running, HoldUp::kOrder, 3);
    return best;
  }

  std::optional<std::uint32_t> lastEnded(const Lane& lane, std::uint32_t node) const {
    auto at = std::ranges::upper_bound(lane.by_end, m_graph.start[node] + kSameTime, {}, [&](std::uint32_t i) { return endOf(i); });
    for (int tried = 0; at != lane.by_end.begin() && tried < kMaxTried; ++tried)
      if (const std::uint32_t other = *--at; isBefore(other, node)) return other;
    return std::nullopt;
  }

  // The last begun among those that ran when the node began.
  std::optional<std::uint32_t> lastBegun(const Lane& lane, std::uint32_t node) const {
    auto at = std::ranges::lower_bound(lane.by_start, m_graph.start[node], {}, [&](std::uint32_t i) { return m_graph.start[i]; });
    for (int tried = 0; at != lane.by_start.begin() && tried < kMaxTried; ++tried)
      if (const std::uint32_t other = *--at; endOf(other) >= m_graph.start[node] && isBefore(other, node)) return other;
    return std::nullopt;
  }

  const StepGraph& m_graph;
  const StepGraph::Step& m_step;
  std::vector<std::uint32_t> m_group;            // by node
  std::vector<TimeNs> m_begin;                   // by group
  std::vector<Lane> m_compute, m_communication;  // by worker; for communication only kinds that never run concurrently with computation
};

}  // namespace

StepHolds::StepHolds(const StepGraph& graph, const StepGraph::Step& step) : m_first_node(step.first_node), m_by(Holds(graph, step).all()) {}

}  // namespace runglass
