// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_graph/step_ops_fold.h"

#include <algorithm>
#include <tuple>

namespace runglass {
namespace {

constexpr std::int64_t kFarthest = std::int64_t{1} << 61;

struct Row {
  std::uint32_t worker, rank, ordinal;
  WorkerOp op;
};

void join(WorkerOp& into, const WorkerOp& other) {
  const TimeNs end = std::max(into.end(), other.end());
  if (isCommunication(into.op)) {
    into.start = std::max(into.start, other.start);
    into.dur = end - into.start;
  } else {
    into.dur = std::max(into.dur, other.dur);
    into.start = end - into.dur;
  }
}

}  // namespace

bool isUsable(TimeNs start, DurNs dur) { return start > -kFarthest && start < kFarthest && dur >= 0 && dur < kFarthest; }

std::vector<WorkerOp> foldRanks(const StepOpColumns& ops, std::span<const std::uint32_t> rows, std::span<const std::uint32_t> worker_of,
                                std::size_t workers) {
  std::vector<Row> all;
  all.reserve(rows.size());
  bool several = false;
  std::vector<std::uint32_t> rank_of(workers, kNoWorker);  // by worker
  for (const std::uint32_t row : rows) {
    const std::uint32_t rank = ops.rank[row], worker = worker_of[rank];
    if (worker == kNoWorker) continue;
    several |= rank_of[worker] != kNoWorker && rank_of[worker] != rank;
    rank_of[worker] = rank;
    all.push_back(
        {worker, rank, 0, {worker, ops.op[row], ops.chunk[row], ops.microbatch[row], ops.start[row], ops.dur[row], ops.span_id[row]}});
  }
  const auto byTime = [](const Row& a, const Row& b) {
    return std::tuple(a.worker, a.op.start, a.op.op, a.op.microbatch, a.op.span_id) <
           std::tuple(b.worker, b.op.start, b.op.op, b.op.microbatch, b.op.span_id);
  };
  if (several) {
    std::ranges::sort(all, [](const Row& a, const Row& b) {
      return std::tuple(a.worker, a.rank, a.op.op, a.op.start, a.op.span_id) <
             std::tuple(b.worker, b.rank, b.op.op, b.op.start, b.op.span_id);
    });
    for (std::size_t i = 1; i < all.size(); ++i)
      if (all[i].rank == all[i - 1].rank && all[i].worker == all[i - 1].worker && all[i].op.op == all[i - 1].op.op)
        all[i].ordinal = all[i - 1].ordinal + 1;
    std::ranges::sort(all, [](const Row& a, const Row& b) {
      return std::tuple(a.worker, a.op.op, a.ordinal, a.rank) < std::tuple(b.worker, b.op.op, b.ordinal, b.rank);
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      Row& last = all[kept > 0 ? kept - 1 : 0];
      if (kept > 0 && last.worker == all[i].worker && last.op.op == all[i].op.op && last.ordinal == all[i].ordinal)
        join(last.op, all[i].op);
      else
        all[kept++] = all[i];
    }
    all.resize(kept);
  }
  std::ranges::sort(all, byTime);
  std::vector<WorkerOp> out;
  out.reserve(all.size());
  for (const Row& row : all) out.push_back(row.op);
  return out;
}

}  // namespace runglass
