// SPDX-License-Identifier: Apache-2.0
// Invariants: 1. Lists of a worker are in recorded order. 2. An operation in no list is dropped: its group is kDropped.
#include "analysis/step_graph/step_links.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

namespace runglass {
namespace {

// Communication that by the clocks ended up to this long before its last member began is kept with length 0 (the artifact's EPS).
constexpr DurNs kClockSlack = 10 * kNsPerMs;

using List = std::vector<std::uint32_t>;

struct WorkerLists {
  List passes;  // forward, backward, weight
  List forward, backward;
  List compute;  // passes, with garbage collection and data loading between them
  List head;     // params-all-gather at the start of the step
  List grads;    // synchronization of gradients
  List tail;     // after the last pass, without `grads`
  std::array<List, 4> pipeline;
  bool has_optimizer = false;
};

std::size_t direction(StepOp op) { return static_cast<std::size_t>(op) - static_cast<std::size_t>(StepOp::kForwardSend); }
constexpr std::array<StepOp, 4> kDirections = {StepOp::kForwardSend, StepOp::kForwardRecv, StepOp::kBackwardSend, StepOp::kBackwardRecv};
bool isSend(StepOp op) { return op == StepOp::kForwardSend || op == StepOp::kBackwardSend; }
bool isForwardTransfer(StepOp op) { return op == StepOp::kForwardSend || op == StepOp::kForwardRecv; }

struct Transfer {
  bool forward;
  std::int64_t to_place;  // of the receiver in the model: chunk * stages + stage
  std::uint32_t to_stage;
  std::int64_t microbatch;
  std::uint32_t op, order;
};

class Linker {
 public:
  Linker(std::span<const WorkerOp> ops, const WorkerGrid& grid, StepLinks& out) : m_ops(ops), m_grid(grid), m_out(out) {
    m_out.waits.clear();
    m_out.group.assign(ops.size(), kDropped);
    m_out.groups = 0;
    m_out.has_transfers = false;
  }

  StepFit link() {
    sortOut();
    if (!isWhole()) return StepFit::kPartial;
    for (const WorkerLists& lists : m_workers) linkStreams(lists);
    const bool fits = m_out.has_transfers ? linkPipeline() : linkStagesDirectly();
    if (!fits) return StepFit::kUnmatched;
    const bool overlaps = gradsOverlap();
    for (const WorkerLists& lists : m_workers) {
      linkHead(lists);
      linkTail(lists, overlaps);
    }
    groupTheRest();
    return StepFit::kFits;
  }

 private:
  const WorkerOp& at(std::uint32_t i) const { return m_ops[i]; }
  void wait(std::uint32_t who, std::uint32_t for_whom) { m_out.waits.emplace_back(who, for_whom); }
  void chain(const List& list) {
    for (std::size_t i = 1; i < list.size(); ++i) wait(list[i], list[i - 1]);
  }
  std::int32_t chunkOf(std::uint32_t i) const { return m_grid.chunks == 1 ? 0 : at(i).chunk; }
  std::uint32_t stageOf(std::uint32_t i) const { return at(i).worker % m_grid.stages; }
  std::int64_t placeOf(std::uint32_t i) const { return std::int64_t{chunkOf(i)} * m_grid.stages + stageOf(i); }
  std::int64_t lastPlace() const { return std::int64_t{m_grid.chunks} * m_grid.stages - 1; }

  void sortOut() {
    m_workers.assign(std::size_t{m_grid.replicas} * m_grid.stages, {});
    for (std::uint32_t i = 0; i < m_ops.size(); ++i) {
      WorkerLists& lists = m_workers[at(i).worker];
      const StepOp op = at(i).op;
      if (isPass(op)) {
        lists.passes.push_back(i);
        if (op == StepOp::kForward) lists.forward.push_back(i);
        if (op == StepOp::kBackward) lists.backward.push_back(i);
      } else if (isPipelineOp(op)) {
        lists.pipeline[direction(op)].push_back(i);
        m_out.has_transfers = true;
      }
    }
    for (std::uint32_t i = 0; i < m_ops.size(); ++i) sortOutRest(i, m_workers[at(i).worker]);
  }

  void sortOutRest(std::uint32_t i, WorkerLists& lists) {
    const StepOp op = at(i).op;
    if (isPass(op)) {
      lists.compute.push_back(i);
    } else if (op == StepOp::kDataLoad) {
      // Loaders that run concurrently with the passes delay nothing.
      if (!lists.passes.empty() && at(i).end() <= at(lists.passes.front()).start + kSameTime) lists.compute.push_back(i);
    } else if (op == StepOp::kGc) {
      // A collection within a pass is part of the pass.
      if (lists.compute.empty() || at(i).start + kSameTime >= at(lists.compute.back()).end()) lists.compute.push_back(i);
    } else if (op == StepOp::kParamsAllGather) {
      (lists.has_optimizer ? lists.tail : lists.head).push_back(i);
    } else if (isGradsSync(op)) {
      lists.grads.push_back(i);
    } else if (!isPipelineOp(op)) {
      if (!lists.tail.empty() && at(lists.tail.back()).op == StepOp::kOptimizer) {
        const WorkerOp& optimizer = at(lists.tail.back());
        // Nested timers: an operation within the optimizer is part of it.
        if (at(i).dur > 0 && at(i).end() <= optimizer.end()) return;
        if (op == StepOp::kClipGrads && at(i).dur == 0 && at(i).start - optimizer.start < kClockSlack) {
          lists.tail.insert(lists.tail.end() - 1, i);
          return;
        }
      }
      lists.tail.push_back(i);
      lists.has_optimizer |= op == StepOp::kOptimizer;
    }
  }

  // Whether the numbers of operations that must be equal are.
  bool isWhole() const {
    for (std::uint32_t worker = 0; worker < m_workers.size(); ++worker) {
      const WorkerLists& lists = m_workers[worker];
      if (lists.forward.empty() || lists.forward.size() != lists.backward.size()) return false;
      if (lists.forward.size() != m_workers[worker - worker % m_grid.stages].forward.size()) return false;
    }
    for (std::uint32_t stage = 0; stage < m_grid.stages; ++stage) {
      const auto counts = [&](std::uint32_t replica) {
        std::array<std::size_t, kStepOpCount> n{};
        const WorkerLists& lists = m_workers[std::size_t{replica} * m_grid.stages + stage];
        for (const List* list : {&lists.head, &lists.grads, &lists.tail})
          for (const std::uint32_t i : *list) ++n[static_cast<std::size_t>(at(i).op)];
        return n;
      };
      const auto first = counts(0);
      for (std::uint32_t replica = 1; replica < m_grid.replicas; ++replica)
        if (counts(replica) != first) return false;
    }
    return true;
  }

  void linkStreams(const WorkerLists& lists) {
    chain(lists.compute);
    for (const List& list : lists.pipeline) chain(list);
    // The time when the first backward send and receive were posted.
    const auto first = std::ranges::find_if(lists.passes, [&](std::uint32_t i) { return at(i).op == StepOp::kBackward; });
    if (first - lists.passes.begin() < 2 || at(*(first - 1)).op != StepOp::kForward || at(*(first - 2)).op != StepOp::kForward) return;
    for (const StepOp op : {StepOp::kBackwardSend, StepOp::kBackwardRecv})
      if (!lists.pipeline[direction(op)].empty()) wait(lists.pipeline[direction(op)].front(), *(first - 2));
  }

  // Whether each pass of the list is the only one of its chunk and micro-batch.
  bool areReported(const List& list) const {
    std::vector<std::pair<std::int32_t, std::int64_t>> keys;
    for (const std::uint32_t i : list) {
      if (chunkOf(i) < 0 || chunkOf(i) >= m_grid.chunks || at(i).microbatch < 0) return false;
      keys.emplace_back(chunkOf(i), at(i).microbatch);
    }
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) == keys.end();
  }

  // There are no transfers at the ends of the model.
  bool isMoved(StepOp op, std::uint32_t pass) const {
    const std::int64_t way = op == StepOp::kForwardSend || op == StepOp::kBackwardRecv ? 1 : -1, other = placeOf(pass) + way;
    return other >= 0 && other <= lastPlace();
  }

  // For each operation of the list the index of its pass in `passes`; absent if it belongs to none.
  std::optional<std::vector<std::optional<std::size_t>>> passesOf(const List& list, StepOp op, const List& passes) const {
    std::vector<std::optional<std::size_t>> out(list.size());
    const bool named = std::ranges::all_of(list, [&](std::uint32_t i) { return at(i).microbatch >= 0 && chunkOf(i) >= 0; });
    if (named && !list.empty() && areReported(passes)) {
      std::map<std::pair<std::int32_t, std::int64_t>, std::size_t> number;
      for (std::size_t pass = 0; pass < passes.size(); ++pass) number[{chunkOf(passes[pass]), at(passes[pass]).microbatch}] = pass;
      for (std::size_t k = 0; k < list.size(); ++k)
        if (const auto pass = number.find({chunkOf(list[k]), at(list[k]).microbatch}); pass != number.end()) out[k] = pass->second;
      return out;
    }
    // By order; operations recorded before the first pass or after the last one were never launched.
    TimeNs last_begin = at(passes.front()).start, first_end = at(passes.front()).end();
    for (const std::uint32_t i : passes) last_begin = std::max(last_begin, at(i).start), first_end = std::min(first_end, at(i).end());
    const auto launched = [&](std::uint32_t i) {
      return isSend(op) ? at(i).end() >= first_end - kSameTime : at(i).start <= last_begin + kSameTime;
    };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(list, launched));
    std::vector<std::size_t> moves;  // passes with a transfer
    for (std::size_t pass = 0; pass < passes.size(); ++pass)
      if (isMoved(op, passes[pass])) moves.push_back(pass);
    if (count != passes.size() && count != moves.size()) {
      // Operations without a transfer must all be recorded, or all but the first receive.
      if (m_grid.chunks == 1 || count + 1 != passes.size()) return std::nullopt;
    }
    const bool only_moves = count == moves.size();
    std::size_t next = !isSend(op) && count + 1 == passes.size() ? 1 : 0;
    if (only_moves) next = 0;
    for (std::size_t k = 0; k < list.size(); ++k)
      if (launched(list[k])) out[k] = only_moves ? moves[next++] : next++;
    return out;
  }

  bool linkPipeline() {
    for (std::uint32_t replica = 0; replica < m_grid.replicas; ++replica) {
      std::vector<Transfer> sent, received;
      bool reported = true;
      for (std::uint32_t stage = 0; stage < m_grid.stages; ++stage) {
        const WorkerLists& lists = m_workers[std::size_t{replica} * m_grid.stages + stage];
        reported = reported && areReported(lists.forward) && areReported(lists.backward);
        for (const StepOp op : kDirections)
          if (!linkTransfers(lists, op, isSend(op) ? sent : received)) return false;
      }
      if (!(reported && pair(sent, received, true)) && !pair(sent, received, false)) return false;
    }
    return true;
  }

  bool linkTransfers(const WorkerLists& lists, StepOp op, std::vector<Transfer>& valid) {
    const List& list = lists.pipeline[direction(op)];
    const List& passes = isForwardTransfer(op) ? lists.forward : lists.backward;
    const auto pass_of = passesOf(list, op, passes);
    if (!pass_of) return false;
    const std::int64_t way = isForwardTransfer(op) ? 1 : -1;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const auto number = (*pass_of)[k];
      if (!number) continue;
      const std::uint32_t pass = passes[*number];
      if (isSend(op)) {
        wait(list[k], pass);
      } else {
        wait(pass, list[k]);
        if (*number > 0) wait(list[k], passes[*number - 1]);
      }
      if (chunkOf(pass) < 0) return false;
      if (!isMoved(op, pass)) continue;
      const std::int64_t to = isSend(op) ? placeOf(pass) + way : placeOf(pass);
      valid.push_back({isForwardTransfer(op), to, static_cast<std::uint32_t>(to % m_grid.stages), at(pass).microbatch, list[k],
                       static_cast<std::uint32_t>(valid.size())});
    }
    return true;
  }

  // By chunk and micro-batch, or the n-th send of a stage with the n-th receive of the other one.
  bool pair(std::vector<Transfer>& sent, std::vector<Transfer>& received, bool reported) {
    if (sent.size() != received.size()) return false;
    const auto key = [&](const Transfer& t) {
      return reported ? std::tuple(t.forward, t.to_place, t.microbatch) : std::tuple(t.forward, std::int64_t{t.to_stage}, std::int64_t{0});
    };
    const auto order = [&](const Transfer& a, const Transfer& b) {
      return std::tuple_cat(key(a), std::tuple(a.order)) < std::tuple_cat(key(b), std::tuple(b.order));
    };
    std::ranges::sort(sent, order);
    std::ranges::sort(received, order);
    for (std::size_t i = 0; i < sent.size(); ++i)
      if (key(sent[i]) != key(received[i])) return false;
    for (std::size_t i = 0; i < sent.size(); ++i) m_out.group[sent[i].op] = m_out.group[received[i].op] = m_out.groups++;
    return true;
  }

  // Transfers are not recorded: a pass waits for its micro-batch's pass of the previous stage in the model.
  bool linkStagesDirectly() {
    if (m_grid.stages == 1) return true;
    for (std::uint32_t replica = 0; replica < m_grid.replicas; ++replica) {
      std::map<std::tuple<bool, std::int64_t, std::int64_t>, std::uint32_t> passes;
      for (std::uint32_t stage = 0; stage < m_grid.stages; ++stage) {
        const WorkerLists& lists = m_workers[std::size_t{replica} * m_grid.stages + stage];
        for (const bool forward : {true, false}) {
          const List& list = forward ? lists.forward : lists.backward;
          if (!areReported(list)) return false;
          for (const std::uint32_t i : list) passes[{forward, placeOf(i), at(i).microbatch}] = i;
        }
      }
      for (const auto& [key, i] : passes) {
        const auto& [forward, place, microbatch] = key;
        const std::int64_t from = forward ? place - 1 : place + 1;
        if (from < 0 || from > lastPlace()) continue;
        const auto source = passes.find({forward, from, microbatch});
        if (source == passes.end()) return false;
        wait(i, source->second);
      }
    }
    return true;
  }

  bool gradsOverlap() const {
    for (const WorkerLists& lists : m_workers) {
      for (const std::uint32_t i : lists.tail)
        if (at(i).op == StepOp::kSeparateGradsAllReduce) return true;
      for (const std::uint32_t i : lists.grads)
        if (at(i).start < at(lists.passes.back()).start) return true;
    }
    return false;
  }

  void linkHead(const WorkerLists& lists) {
    chain(lists.head);
    if (lists.head.empty()) return;
    std::map<std::int32_t, List> forward;  // by chunk; -1: all
    for (const std::uint32_t pass : lists.forward) {
      forward[-1].push_back(pass);
      if (m_grid.chunks > 1 && at(pass).chunk >= 0) forward[at(pass).chunk].push_back(pass);
    }
    for (const std::uint32_t i : lists.head) {
      const List& of_chunk = forward[m_grid.chunks > 1 ? std::max(at(i).chunk, -1) : -1];
      // Without a chunk it belongs to the first pass that began after its end; with one, clocks need not agree that well.
      const TimeNs from = at(i).chunk >= 0 ? at(i).start : at(i).end() - kSameTime;
      const auto pass = std::ranges::lower_bound(of_chunk, from, {}, [&](std::uint32_t p) { return at(p).start; });
      if (pass != of_chunk.end()) wait(*pass, i);
    }
  }

  void linkTail(const WorkerLists& lists, bool overlaps) {
    List tail = lists.tail;
    if (overlaps) {
      linkOverlappingGrads(lists);
    } else {
      tail.clear();
      std::ranges::merge(
          lists.tail, lists.grads, std::back_inserter(tail), {}, [&](std::uint32_t i) { return at(i).start; },
          [&](std::uint32_t i) { return at(i).start; });
    }
    chain(tail);
    if (tail.empty()) return;
    wait(tail.front(), lists.compute.back());
    if (overlaps && !lists.grads.empty()) wait(tail.front(), lists.grads.back());
  }

  void linkOverlappingGrads(const WorkerLists& lists) {
    chain(lists.grads);
    std::map<std::int32_t, std::uint32_t> last;  // backward pass by chunk; -1: of all
    for (const std::uint32_t pass : lists.backward) last[m_grid.chunks > 1 ? at(pass).chunk : -1] = last[-1] = pass;
    std::vector<std::pair<TimeNs, std::uint32_t>> ends;
    for (const std::uint32_t pass : lists.passes) ends.emplace_back(at(pass).end(), pass);
    std::ranges::sort(ends);
    for (const std::uint32_t i : lists.grads) {
      const auto of_chunk = last.find(m_grid.chunks > 1 ? at(i).chunk : -1);
      if (of_chunk != last.end() && at(i).start + kSameTime >= at(of_chunk->second).end()) {
        wait(i, of_chunk->second);
        continue;
      }
      // Begun within the backward pass: it belongs to the last pass that had ended.
      const auto after = std::ranges::upper_bound(ends, at(i).start + kSameTime, {}, &std::pair<TimeNs, std::uint32_t>::first);
      if (after != ends.begin()) wait(i, std::prev(after)->second);
    }
  }

  void groupTheRest() {
    std::map<std::tuple<StepOp, std::uint32_t, std::uint32_t>, std::uint32_t> groups;  // kind, its number, stage or replica
    std::array<std::uint32_t, kStepOpCount> number{};
    for (std::uint32_t worker = 0; worker < m_workers.size(); ++worker) {
      const WorkerLists& lists = m_workers[worker];
      number.fill(0);
      for (const List* list : {&lists.head, &lists.grads, &lists.tail})
        for (const std::uint32_t i : *list) {
          const StepOp op = at(i).op;
          const std::uint32_t n = number[static_cast<std::size_t>(op)]++;
          std::optional<std::uint32_t> place;
          if (isDataParallelOp(op)) place = worker % m_grid.stages;
          if (op == StepOp::kEmbeddingGradsAllReduce) place = worker / m_grid.stages;
          if (op == StepOp::kClipGrads) place = 0;
          if (!place) {
            m_out.group[i] = m_out.groups++;
            continue;
          }
          const auto [group, added] = groups.try_emplace({op, n, *place}, m_out.groups);
          if (added) ++m_out.groups;
          m_out.group[i] = group->second;
        }
      for (const std::uint32_t i : lists.compute) m_out.group[i] = m_out.groups++;
      for (const List& list : lists.pipeline)
        for (const std::uint32_t i : list)
          if (m_out.group[i] == kDropped) m_out.group[i] = m_out.groups++;  // recorded, without a transfer
    }
  }

  const std::span<const WorkerOp> m_ops;
  const WorkerGrid m_grid;
  StepLinks& m_out;
  std::vector<WorkerLists> m_workers;
};

}  // namespace

StepFit linkStep(std::span<const WorkerOp> ops, const WorkerGrid& grid, StepLinks& out) { return Linker(ops, grid, out).link(); }

}  // namespace runglass
