// SPDX-License-Identifier: Apache-2.0
// Invariant: nodes are appended step by step, each step's in a topological order of its groups, so that every dependency of a node has a
// lower index and members of a group are adjacent.
#include "analysis/step_graph/step_graph.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "analysis/step_graph/step_links.h"
#include "analysis/step_graph/step_ops_fold.h"

namespace runglass {
namespace {

// One step's dependencies by operation.
struct Lists {
  std::vector<std::uint32_t> first, items;
  void fill(std::size_t count, std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    first.assign(count + 1, 0);
    items.clear();
    for (const auto& [key, item] : pairs) ++first[key + 1], items.push_back(item);
    std::partial_sum(first.begin(), first.end(), first.begin());
  }
  std::span<const std::uint32_t> of(std::uint32_t key) const { return {items.data() + first[key], first[key + 1] - first[key]}; }
};

class Builder {
 public:
  Builder(std::span<const StepRank> ranks, const StepOpColumns& ops) : m_ranks(ranks), m_ops(ops) {}

  StepGraph build() {
    sortByStep();
    makeGrid();
    m_graph.first_dep.push_back(0);
    m_graph.first_member.push_back(0);
    if (!m_graph.workers.empty())
      for (std::size_t i = 0; i + 1 < m_first_row.size(); ++i)
        addStep(m_steps[i], std::span(m_rows).subspan(m_first_row[i], m_first_row[i + 1] - m_first_row[i]));
    return std::move(m_graph);
  }

 private:
  // Usable rows, by step. A counting sort: there are many rows and few steps.
  void sortByStep() {
    std::map<std::int64_t, std::uint32_t> count;
    const auto usable = [&](std::size_t i) { return m_ops.rank[i] < m_ranks.size() && isUsable(m_ops.start[i], m_ops.dur[i]); };
    auto last = count.end();
    for (std::size_t i = 0; i < m_ops.size(); ++i) {
      if (!usable(i)) {
        ++m_graph.gaps.odd_ops;
        continue;
      }
      if (last == count.end() || last->first != m_ops.step[i]) last = count.try_emplace(m_ops.step[i], 0).first;
      ++last->second;
    }
    m_first_row.push_back(0);
    std::map<std::int64_t, std::uint32_t> next;
    for (const auto& [step, rows] : count) {
      next.emplace_hint(next.end(), step, m_first_row.back());
      m_steps.push_back(step);
      m_first_row.push_back(m_first_row.back() + rows);
    }
    m_rows.resize(m_first_row.back());
    auto at = next.end();
    for (std::size_t i = 0; i < m_ops.size(); ++i) {
      if (!usable(i)) continue;
      if (at == next.end() || at->first != m_ops.step[i]) at = next.find(m_ops.step[i]);
      m_rows[at->second++] = static_cast<std::uint32_t>(i);
    }
  }

  // Replicas in which every stage has computation.
  void makeGrid() {
    std::vector<bool> computes(m_ranks.size());
    for (const std::uint32_t row : m_rows) {
      if (isPass(m_ops.op[row])) computes[m_ops.rank[row]] = true;
      m_grid.chunks = std::max(m_grid.chunks, std::min(m_ops.chunk[row], kMaxChunks - 1) + 1);
    }
    std::set<std::int32_t> stages;
    std::map<std::int32_t, std::set<std::int32_t>> by_replica;
    for (std::size_t i = 0; i < m_ranks.size(); ++i) {
      if (!computes[i]) continue;
      stages.insert(m_ranks[i].pp);
      by_replica[m_ranks[i].dp].insert(m_ranks[i].pp);
    }
    std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t> index;
    for (const auto& [dp, of_replica] : by_replica) {
      if (of_replica.size() != stages.size()) {
        ++m_graph.gaps.replicas_left_out;
        continue;
      }
      m_graph.replicas.push_back(dp);
      for (const std::int32_t pp : stages) {
        index[{dp, pp}] = static_cast<std::uint32_t>(m_graph.workers.size());
        m_graph.workers.push_back({.dp = dp, .pp = pp, .rank = INT32_MAX, .rank_count = 0});
      }
    }
    m_graph.stages.assign(stages.begin(), stages.end());
    m_grid.replicas = static_cast<std::uint32_t>(m_graph.replicas.size());
    m_grid.stages = static_cast<std::uint32_t>(m_graph.stages.size());
    m_worker_of.assign(m_ranks.size(), kNoWorker);
    for (std::size_t i = 0; i < m_ranks.size(); ++i) {
      if (!computes[i]) continue;
      const auto worker = index.find({m_ranks[i].dp, m_ranks[i].pp});
      if (worker == index.end()) {
        ++m_graph.gaps.ranks_left_out;
        continue;
      }
      m_worker_of[i] = worker->second;
      StepWorker& into = m_graph.workers[worker->second];
      into.rank = std::min(into.rank, m_ranks[i].rank);
      ++into.rank_count;
    }
  }

  void addStep(std::int64_t step, std::span<const std::uint32_t> rows) {
    // Every worker runs a forward and a backward pass. Checked before anything is allocated per worker: there may be many steps with few
    // operations.
    if (rows.size() < 2 * m_graph.workers.size()) {
      ++m_graph.gaps.partial_steps;
      return;
    }
    const std::vector<WorkerOp> ops = foldRanks(m_ops, rows, m_worker_of, m_graph.workers.size());
    double total = m_total;
    for (const WorkerOp& op : ops) total += static_cast<double>(op.dur);
    if (total > kMaxTime) {
      ++m_graph.gaps.partial_steps;
      return;
    }
    m_total = total;
    switch (linkStep(ops, m_grid, m_links)) {
      case StepFit::kPartial:
        ++m_graph.gaps.partial_steps;
        return;
      case StepFit::kUnmatched:
        ++m_graph.gaps.unmatched_steps;
        return;
      case StepFit::kFits:
        break;
    }
    std::erase_if(m_links.waits,
                  [&](const auto& wait) { return m_links.group[wait.first] == kDropped || m_links.group[wait.second] == kDropped; });
    m_deps.fill(ops.size(), m_links.waits);
    for (auto& [who, whom] : m_links.waits) std::swap(who, whom);
    m_followers.fill(ops.size(), m_links.waits);
    m_pairs.clear();
    for (std::uint32_t i = 0; i < ops.size(); ++i)
      if (m_links.group[i] != kDropped) m_pairs.emplace_back(m_links.group[i], i);
    m_members.fill(m_links.groups, m_pairs);
    if (!sortGroups(ops.size())) {
      ++m_graph.gaps.circular_steps;
      return;
    }
    append(step, ops);
    m_graph.has_transfers |= m_links.has_transfers;
  }

  // False: some groups wait for each other.
  bool sortGroups(std::size_t op_count) {
    std::vector<std::uint32_t> open(m_links.groups, 0);
    for (std::uint32_t i = 0; i < op_count; ++i)
      if (m_links.group[i] != kDropped) open[m_links.group[i]] += m_deps.first[i + 1] - m_deps.first[i];
    m_order.clear();
    for (std::uint32_t g = 0; g < m_links.groups; ++g)
      if (open[g] == 0) m_order.push_back(g);
    for (std::size_t next = 0; next < m_order.size(); ++next)
      for (const std::uint32_t member : m_members.of(m_order[next]))
        for (const std::uint32_t follower : m_followers.of(member))
          if (--open[m_links.group[follower]] == 0) m_order.push_back(m_links.group[follower]);
    return m_order.size() == m_links.groups;
  }

  void append(std::int64_t step, const std::vector<WorkerOp>& ops) {
    StepGraph& g = m_graph;
    StepGraph::Step into{.step = step,
                         .first_node = static_cast<std::uint32_t>(g.size()),
                         .end_node = 0,
                         .first_group = static_cast<std::uint32_t>(g.first_member.size() - 1),
                         .end_group = 0,
                         .t0 = INT64_MAX,
                         .t1 = INT64_MIN};
    m_node.assign(ops.size(), 0);
    std::uint32_t node = into.first_node;
    for (const std::uint32_t group : m_order)
      for (const std::uint32_t i : m_members.of(group)) {
        m_node[i] = node++;
        into.t0 = std::min(into.t0, ops[i].start);
        into.t1 = std::max(into.t1, ops[i].end());
      }
    for (const std::uint32_t group : m_order) {
      TimeNs last_begin = INT64_MIN;
      for (const std::uint32_t i : m_members.of(group)) last_begin = std::max(last_begin, ops[i].start);
      for (const std::uint32_t i : m_members.of(group)) appendNode(ops, i, into.t0, last_begin);
      g.first_member.push_back(static_cast<std::uint32_t>(g.size()));
    }
    into.end_node = node;
    into.end_group = static_cast<std::uint32_t>(g.first_member.size() - 1);
    g.steps.push_back(into);
  }

  void appendNode(const std::vector<WorkerOp>& ops, std::uint32_t i, TimeNs begin, TimeNs last_begin) {
    StepGraph& g = m_graph;
    const WorkerOp& op = ops[i];
    TimeNs ready = m_deps.of(i).empty() ? begin : INT64_MIN;
    for (const std::uint32_t dep : m_deps.of(i)) {
      g.deps.push_back(m_node[dep]);
      ready = std::max(ready, ops[dep].end());
    }
    g.first_dep.push_back(static_cast<std::uint32_t>(g.deps.size()));
    g.worker.push_back(op.worker);
    g.op.push_back(op.op);
    g.chunk.push_back(op.chunk);
    g.microbatch.push_back(op.microbatch);
    g.start.push_back(op.start);
    g.dur.push_back(op.dur);
    g.work.push_back(std::max<DurNs>(op.end() - last_begin, 0));
    g.delay.push_back(std::max<DurNs>(op.start - ready, 0));
    g.span_id.push_back(op.span_id);
  }

  static constexpr std::int32_t kMaxChunks = 1 << 16;
  static constexpr double kMaxTime = 4e18;  // total ns of all operations: sums in any order stay within 64 bits

  const std::span<const StepRank> m_ranks;
  const StepOpColumns& m_ops;
  StepGraph m_graph;
  WorkerGrid m_grid;
  std::vector<std::uint32_t> m_worker_of;  // by rank index
  std::vector<std::int64_t> m_steps;
  std::vector<std::uint32_t> m_rows, m_first_row;
  double m_total = 0;  // ns of all steps' operations
  // State of the current step.
  StepLinks m_links;
  Lists m_deps, m_followers, m_members;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> m_pairs;
  std::vector<std::uint32_t> m_order, m_node;
};

}  // namespace

void StepOpColumns::add(std::uint32_t rank_index, std::int64_t in_step, StepOp what, std::int32_t of_chunk, std::int64_t batch,
                        TimeNs begin, DurNs length, std::int64_t id) {
  rank.push_back(rank_index);
  step.push_back(in_step);
  op.push_back(what);
  chunk.push_back(of_chunk);
  microbatch.push_back(batch);
  start.push_back(begin);
  dur.push_back(length);
  span_id.push_back(id);
}

std::uint32_t StepGraph::groupOf(std::uint32_t node) const {
  return static_cast<std::uint32_t>(std::ranges::upper_bound(first_member, node) - first_member.begin() - 1);
}

const StepGraph::Step* StepGraph::find(std::int64_t wanted) const {
  const auto at = std::ranges::lower_bound(steps, wanted, {}, &Step::step);
  return at != steps.end() && at->step == wanted ? &*at : nullptr;
}

StepGraph buildStepGraph(std::span<const StepRank> ranks, const StepOpColumns& ops) { return Builder(ranks, ops).build(); }

}  // namespace runglass
