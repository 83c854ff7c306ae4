// SPDX-License-Identifier: Apache-2.0
// RecordedJob: a profiler's recording of a pipelined, data-parallel job with known durations: the passes are simulated directly, without
// the graph under test.
//
// Threading:  one thread.
// Units:      ns.
// Errors:     aborts if the schedule cannot run.
// Cost:       O(operations squared) per step of a replica: for small jobs.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/step_graph/step_graph.h"
#include "model/result.h"

namespace runglass {

struct JobShape {
  int dp = 1, pp = 1, chunks = 1, micro_batches = 4;
  std::vector<std::int64_t> steps = {10};
  DurNs transfer = 1'000'000, sync = 5'000'000, optimizer = 7'000'000;
  bool posts_in_order = false;     // a receive is posted by a waiting host after the pass before its own; else as early as possible
  bool reported_transfers = true;  // sends and receives are recorded; else they take no time
  // Duration of a pass; default 100 ms forward, 200 ms backward.
  std::function<DurNs(std::int64_t step, int dp, int stage, int batch, bool forward)> pass = [](std::int64_t, int, int, int, bool forward) {
    return forward ? DurNs{100'000'000} : DurNs{200'000'000};
  };
};

struct RecordedJob {
  std::vector<StepRank> ranks;
  StepOpColumns ops;
  std::vector<DurNs> step_times;
};

class JobPlayer {
 public:
  explicit JobPlayer(JobShape shape) : m_shape(std::move(shape)) {}

  RecordedJob play() {
    for (int d = 0; d < m_shape.dp; ++d)
      for (int p = 0; p < m_shape.pp; ++p) m_job.ranks.push_back({.rank = d * m_shape.pp + p, .dp = d, .pp = p});
    TimeNs at = 1'000'000'000;
    for (const std::int64_t step : m_shape.steps) {
      const DurNs took = playStep(step, at);
      m_job.step_times.push_back(took);
      at += took + 50'000'000;
    }
    return std::move(m_job);
  }

 private:
  struct Pass {
    bool forward;
    int chunk, batch;
    DurNs dur = 0;
    std::optional<TimeNs> end = {};
  };
  struct Transfer {
    int from_stage, to_stage;
    std::size_t source, target;               // indexes of passes
    std::size_t send_number, receive_number;  // in their streams
    bool forward;
    std::optional<TimeNs> posted = {}, sent = {}, end = {};
  };

  // 1F1B; with several chunks all forward passes, then all backward passes.
  std::vector<Pass> scheduleOf(int stage) const {
    std::vector<Pass> out;
    const int batches = m_shape.micro_batches;
    if (m_shape.chunks > 1) {
      for (int c = 0; c < m_shape.chunks; ++c)
        for (int b = 0; b < batches; ++b) out.push_back({true, c, b});
      for (int c = m_shape.chunks - 1; c >= 0; --c)
        for (int b = 0; b < batches; ++b) out.push_back({false, c, b});
      return out;
    }
    const int warm_up = std::min(m_shape.pp - stage, batches);
    int next = 0, back = 0;
    while (next < warm_up) out.push_back({true, 0, next++});
    while (back < batches) {
      out.push_back({false, 0, back++});
      if (next < batches) out.push_back({true, 0, next++});
    }
    return out;
  }

  using Key = std::tuple<int, bool, int, int>;  // stage, forward, chunk, batch

  DurNs playStep(std::int64_t step, TimeNs begin) {
    std::vector<TimeNs> last(static_cast<std::size_t>(m_shape.dp * m_shape.pp));
    for (int d = 0; d < m_shape.dp; ++d) playReplica(step, d, begin, last);
    // Gradients: across the replicas of a stage; clipping would be across all ranks, and the optimizer follows.
    TimeNs end = begin;
    for (int p = 0; p < m_shape.pp; ++p) {
      TimeNs all = begin;
      for (int d = 0; d < m_shape.dp; ++d) {
        const int rank = d * m_shape.pp + p;
        all = std::max(all, last[static_cast<std::size_t>(rank)]);
      }
      for (int d = 0; d < m_shape.dp; ++d) {
        const auto rank = static_cast<std::uint32_t>(d * m_shape.pp + p);
        add(rank, step, StepOp::kGradsReduceScatter, -1, last[rank], all + m_shape.sync);
        add(rank, step, StepOp::kOptimizer, -1, all + m_shape.sync, all + m_shape.sync + m_shape.optimizer);
      }
      end = std::max(end, all + m_shape.sync + m_shape.optimizer);
    }
    return end - begin;
  }

  void playReplica(std::int64_t step, int d, TimeNs begin, std::vector<TimeNs>& last) {
    std::vector<std::vector<Pass>> passes;
    std::map<Key, std::size_t> index;
    for (int p = 0; p < m_shape.pp; ++p) {
      passes.push_back(scheduleOf(p));
      for (std::size_t i = 0; i < passes.back().size(); ++i) {
        Pass& pass = passes.back()[i];
        pass.dur = m_shape.pass(step, d, p, pass.batch, pass.forward);
        index[{p, pass.forward, pass.chunk, pass.batch}] = i;
      }
    }
    std::vector<Transfer> transfers = transfersOf(passes, index);
    for (bool moved = true; moved;) {
      moved = false;
      for (Transfer& transfer : transfers) moved |= moveTransfer(transfer, transfers, passes, begin);
      for (int p = 0; p < m_shape.pp; ++p) moved |= runPass(p, transfers, passes, begin);
    }
    for (int p = 0; p < m_shape.pp; ++p) {
      const auto rank = static_cast<std::uint32_t>(d * m_shape.pp + p);
      for (const Pass& pass : passes[static_cast<std::size_t>(p)]) {
        RG_CHECK(pass.end.has_value());
        m_job.ops.add(rank, step, pass.forward ? StepOp::kForward : StepOp::kBackward, m_shape.chunks > 1 ? pass.chunk : 0, pass.batch,
                      *pass.end - pass.dur, pass.dur, m_next_id++);
        last[rank] = std::max(last[rank], *pass.end);
      }
    }
    if (!m_shape.reported_transfers) return;
    for (const Transfer& t : transfers) {
      const auto from = static_cast<std::uint32_t>(d * m_shape.pp + t.from_stage),
                 to = static_cast<std::uint32_t>(d * m_shape.pp + t.to_stage);
      add(from, step, t.forward ? StepOp::kForwardSend : StepOp::kBackwardSend, -1, *t.sent, *t.end);
      add(to, step, t.forward ? StepOp::kForwardRecv : StepOp::kBackwardRecv, -1, *t.posted, *t.end);
      last[from] = std::max(last[from], *passes[static_cast<std::size_t>(t.from_stage)].back().end);
    }
  }

  std::vector<Transfer> transfersOf(const std::vector<std::vector<Pass>>& passes, const std::map<Key, std::size_t>& index) const {
    std::vector<Transfer> out;
    std::map<std::tuple<int, bool>, std::size_t> sends, receives;
    for (int p = 0; p < m_shape.pp; ++p)
      for (std::size_t i = 0; i < passes[static_cast<std::size_t>(p)].size(); ++i) {
        const Pass& pass = passes[static_cast<std::size_t>(p)][i];
        const int place = pass.chunk * m_shape.pp + p, to = pass.forward ? place + 1 : place - 1;
        if (m_shape.pp == 1 || to < 0 || to >= m_shape.chunks * m_shape.pp) continue;
        out.push_back({.from_stage = p,
                       .to_stage = to % m_shape.pp,
                       .source = i,
                       .target = index.at({to % m_shape.pp, pass.forward, to / m_shape.pp, pass.batch}),
                       .send_number = sends[{p, pass.forward}]++,
                       .receive_number = 0,
                       .forward = pass.forward});
      }
    std::ranges::sort(out, {}, [](const Transfer& t) { return std::tuple(t.to_stage, t.target); });
    for (Transfer& t : out) t.receive_number = receives[{t.to_stage, t.forward}]++;
    return out;
  }

  bool moveTransfer(Transfer& t, const std::vector<Transfer>& all, const std::vector<std::vector<Pass>>& passes, TimeNs begin) const {
    if (t.end) return false;
    const auto& source = passes[static_cast<std::size_t>(t.from_stage)][t.source];
    if (!source.end) return false;
    TimeNs sent = *source.end, posted = begin;
    for (const Transfer& other : all) {
      if (other.forward != t.forward) continue;
      if (other.from_stage == t.from_stage && other.send_number + 1 == t.send_number) {
        if (!other.end) return false;
        sent = std::max(sent, *other.end);
      }
      if (other.to_stage == t.to_stage && other.receive_number + 1 == t.receive_number) {
        if (!other.end) return false;
        posted = std::max(posted, *other.end);
      }
    }
    // Posted after the previous pass of the same kind; the first backward one after the forward pass before the last of the warm-up.
    const auto& targets = passes[static_cast<std::size_t>(t.to_stage)];
    std::optional<std::size_t> after;
    for (std::size_t i = 0; i < t.target; ++i)
      if (targets[i].forward == t.forward) after = i;
    if (!after && !t.forward && t.target >= 2) after = t.target - 2;
    if (m_shape.posts_in_order && t.target > 0) after = t.target - 1;
    if (after && !targets[*after].end) return false;
    if (after) posted = std::max(posted, *targets[*after].end);
    t.sent = sent, t.posted = posted;
    t.end = m_shape.reported_transfers ? std::max(sent, posted) + m_shape.transfer : sent;
    return true;
  }

  bool runPass(int stage, const std::vector<Transfer>& transfers, std::vector<std::vector<Pass>>& all, TimeNs begin) const {
    auto& passes = all[static_cast<std::size_t>(stage)];
    const auto next = std::ranges::find_if(passes, [](const Pass& pass) { return !pass.end; });
    if (next == passes.end()) return false;
    TimeNs ready = next == passes.begin() ? begin : *(next - 1)->end;
    for (const Transfer& t : transfers) {
      if (t.to_stage != stage || t.target != static_cast<std::size_t>(next - passes.begin())) continue;
      if (!t.end) return false;
      ready = std::max(ready, *t.end);
    }
    next->end = ready + next->dur;
    return true;
  }

  void add(std::uint32_t rank, std::int64_t step, StepOp op, std::int32_t chunk, TimeNs start, TimeNs end) {
    m_job.ops.add(rank, step, op, chunk, -1, start, end - start, m_next_id++);
  }

  const JobShape m_shape;
  RecordedJob m_job;
  std::int64_t m_next_id = 1;
};

inline RecordedJob record(JobShape shape) { return JobPlayer(std::move(shape)).play(); }

}  // namespace runglass
